//! How Triton kernels came to their configuration: what the log says of the search, and what the trace says of the launch.

use super::measured::Tuning;
use super::work::without_graph_number;
use crate::model::{Compile, Operator, TritonLaunch};

/// How a kernel of a compile was tuned; `asked` are the operators that launched it.
pub(super) fn tuning_of<'o>(
    kernel: &str,
    compile: Option<&Compile>,
    asked: impl Iterator<Item = &'o Operator>,
) -> Option<Tuning> {
    let kernel = without_graph_number(kernel);
    // Of a kernel that the log names again, the last time counts.
    let in_log =
        compile.and_then(|compile| compile.triton_kernels.iter().rev().find(|known| known.name == kernel));
    let mut ran: Vec<String> =
        asked.filter_map(|operator| operator.triton.as_ref()).filter_map(configuration).collect();
    ran.sort();
    ran.dedup();
    if in_log.is_none() && ran.is_empty() {
        return None;
    }
    Some(Tuning {
        state: in_log.and_then(|known| known.state.clone()),
        candidates: in_log.and_then(|known| known.candidates).map(|candidates| candidates as u64),
        compile_us: in_log.and_then(|known| known.compile_us),
        in_log: in_log.and_then(|known| known.chosen.clone()),
        ran,
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
    fn the_trace_tells_which_configuration_ran_each_once() {
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
