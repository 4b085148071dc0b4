//! How Triton kernels were tuned: the search, from the log, and the configuration that ran, from the trace.

use super::measured::Tuning;
use super::work::without_graph_number;
use crate::model::{Compile, Operator, TritonLaunch};
use std::collections::BTreeSet;

/// How a kernel of a compile was tuned; `launchers` are the operators that launched it.
pub(super) fn tuning_of<'o>(
    kernel: &str,
    compile: Option<&Compile>,
    launchers: impl Iterator<Item = &'o Operator>,
) -> Option<Tuning> {
    let kernel = without_graph_number(kernel);
    // If the log has a kernel several times, the last one counts.
    let in_log =
        compile.and_then(|compile| compile.triton_kernels.iter().rev().find(|known| known.name == kernel));
    let launches = launchers.filter_map(|operator| operator.triton.as_ref());
    let ran: BTreeSet<String> = launches.filter_map(configuration).collect();
    if in_log.is_none() && ran.is_empty() {
        return None;
    }
    Some(Tuning {
        state: in_log.and_then(|known| known.state.clone()),
        candidates: in_log.and_then(|known| known.candidates).map(|candidates| candidates as u64),
        compile_us: in_log.and_then(|known| known.compile_us),
        in_log: in_log.and_then(|known| known.chosen.clone()),
        ran: ran.into_iter().collect(),
    })
}

/// `XBLOCK=16, num_warps=1, num_stages=1`
fn configuration(launch: &TritonLaunch) -> Option<String> {
    let number = |name: &str, value: Option<u64>| value.map(|value| format!("{name}={value}"));
    let parts = [
        launch.kwargs.clone(),
        number("num_warps", launch.num_warps),
        number("num_stages", launch.num_stages),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_configuration_that_ran_is_listed_once() {
        let launched = |kwargs: &str, num_warps| Operator {
            triton: Some(TritonLaunch {
                kwargs: Some(kwargs.to_owned()),
                num_warps: Some(num_warps),
                ..TritonLaunch::default()
            }),
            ..Operator::default()
        };
        let asked = [launched("XBLOCK=16", 1), launched("XBLOCK=16", 1), launched("XBLOCK=8", 2)];
        let found = tuning_of("k", None, asked.iter()).unwrap();
        assert_eq!(found.ran, ["XBLOCK=16, num_warps=1", "XBLOCK=8, num_warps=2"]);
        assert_eq!(tuning_of("k", None, [Operator::default()].iter()), None);
    }
}
