//! How Triton kernels were tuned: the search, from the log, and the configuration that ran, from the trace.

use crate::facts::{Text, Tuning};
use crate::model::{CompileIndex, Model, Operator, TritonKernel, TritonLaunch};
use crate::trace::TextMap;
use std::collections::BTreeSet;

/// The kernels of a log by compile and name. If a compile has a kernel several times, the last one counts.
pub(super) type TunedKernels<'m> = TextMap<(CompileIndex, &'m str), &'m TritonKernel>;

pub(super) fn tuned_kernels(model: &Model) -> TunedKernels<'_> {
    let compiles = model.compiles.indexed();
    let kernels = compiles.flat_map(|(at, compile)| compile.triton_kernels.iter().map(move |one| (at, one)));
    kernels.map(|(compile, kernel)| ((compile, kernel.name.as_str()), kernel)).collect()
}

/// How a kernel was tuned: as the log has it, and as the operators that launched it say.
pub(super) fn tuning_of<'o>(
    in_log: Option<&TritonKernel>,
    launchers: impl Iterator<Item = &'o Operator>,
) -> Option<Tuning<'static>> {
    let launches = launchers.filter_map(|operator| operator.triton.as_ref());
    let ran: BTreeSet<String> = launches.filter_map(configuration).collect();
    if in_log.is_none() && ran.is_empty() {
        return None;
    }
    Some(Tuning {
        state: in_log.and_then(|known| known.state.clone()).map(Text::from),
        candidates: in_log.and_then(|known| known.candidates).map(|candidates| candidates as u64),
        compile_us: in_log.and_then(|known| known.compile_us),
        in_log: in_log.and_then(|known| known.chosen.clone()).map(Text::from),
        ran: ran.into_iter().map(Text::from).collect(),
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
