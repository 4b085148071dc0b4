//! What the launches of an operator do of its work, and which calls of generated code the launches of a CUDA graph are of.

use super::graphs::Graph;
use super::work::{KernelRun, WorkPart};
use crate::model::{DeviceKernel, DeviceWork};

/// Parts of names of kernels that prepare or finish the work of another one: they change a layout, fill a workspace, add up
/// what a product left in parts, or prepare the gradient of attention.
const HELPERS: &str = "nchwToNhwc nhwcToNchw nhwcToFoldedNhwc init_device_workspace splitKreduce compute_dot_do_o dot_do_o \
                       convert_dq prepare_grouped_gemm computeOffsetsKernel scalePackedTensor memset cast_transpose";

fn is_helper(kernel: Option<&DeviceKernel>) -> bool {
    let is_named = |kernel: &DeviceKernel| HELPERS.split(' ').any(|name| kernel.name.contains(name));
    kernel.is_none_or(|kernel| kernel.kind != DeviceWork::Kernel || is_named(kernel))
}

/// What each launch of an operator does of its work: the longest one all of it, unless it computes two gradients, which the two
/// longest do.
pub(super) fn parts_of(
    launched: &[KernelRun],
    kernels: &[Option<&DeviceKernel>],
    has_two_gradients: bool,
) -> Vec<WorkPart> {
    let mut parts = vec![WorkPart::Helper; launched.len()];
    let mut working: Vec<usize> = (0..launched.len()).filter(|at| !is_helper(kernels[*at])).collect();
    if working.is_empty() {
        working = (0..launched.len()).collect();
    }
    let us = |at: &usize| launched[*at].dur_us;
    // Of equally long ones the earlier one comes first.
    working.sort_by(|left, right| us(right).total_cmp(&us(left)));
    match working.as_slice() {
        [first, second, ..] if has_two_gradients => {
            let is_of_weight = |at: usize| {
                let name = kernels[at].map_or("", |kernel| &kernel.name);
                name.contains("wgrad") || name.contains("bprop_w")
            };
            // Libraries compute the gradient of the input first.
            let (earlier, later) = (*first.min(second), *first.max(second));
            let is_swapped = is_of_weight(earlier) && !is_of_weight(later);
            let (input, weight) = if is_swapped { (later, earlier) } else { (earlier, later) };
            parts[input] = WorkPart::InputGradient;
            parts[weight] = WorkPart::WeightGradient;
        }
        [longest, ..] => parts[*longest] = WorkPart::All,
        [] => {}
    }
    parts
}

/// What kind of operator a kernel of a library computes, as far as its name says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    Product,
    Convolution,
    Attention,
    Other,
}

impl Family {
    fn named(name: &str) -> Family {
        let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
        match () {
            () if has(&["sdpa", "flash", "fmha", "attention"]) => Family::Attention,
            () if has(&["conv", "cudnn", "fprop", "dgrad", "wgrad", "implicit", "winograd"]) => {
                Family::Convolution
            }
            () if has(&["gemm", "nvjet", "gemv", "splitK", "cutlass", "Cijk", "mm"]) => Family::Product,
            () => Family::Other,
        }
    }
}

/// The call in the code of a graph that each launch of a CUDA graph is of, from the call at `from` on.
pub(super) fn matched_calls(
    code: &Graph,
    from: usize,
    kernels: &[Option<&DeviceKernel>],
) -> Vec<Option<usize>> {
    let mut found = vec![None; kernels.len()];
    let (mut at, mut begin) = (from, 0);
    for (place, kernel) in kernels.iter().enumerate() {
        let Some(places) = kernel.and_then(|kernel| code.by_name.get(&kernel.name)) else { continue };
        let Some(call) = places.get(places.partition_point(|call| *call < at)..).and_then(<[usize]>::first)
        else {
            continue;
        };
        between(code, at..*call, kernels, begin..place, &mut found);
        found[place] = Some(*call);
        (at, begin) = (call + 1, place + 1);
    }
    between(code, at..code.calls.len(), kernels, begin..kernels.len(), &mut found);
    found
}

/// Gives the launches between two generated kernels to the calls of libraries between these, in order. If they do not fit
/// together, they are of none.
fn between(
    code: &Graph,
    calls: std::ops::Range<usize>,
    kernels: &[Option<&DeviceKernel>],
    launches: std::ops::Range<usize>,
    found: &mut [Option<usize>],
) {
    let libraries: Vec<usize> = calls.filter(|at| !code.calls[*at].generated).collect();
    let working = launches.clone().filter(|at| !is_helper(kernels[*at])).count();
    let mut next = libraries.iter().copied().peekable();
    let mut current: Option<usize> = None;
    let mut left = working;
    // Helpers before the first kernel that works are of its call.
    let mut waiting: Vec<usize> = Vec::new();
    for at in launches {
        if is_helper(kernels[at]) && (current.is_none() || !finishes(kernels[at])) {
            waiting.push(at);
            continue;
        }
        if !is_helper(kernels[at]) {
            let name = kernels[at].map_or("", |kernel| &kernel.name);
            let fits = |call: usize| {
                let (of_call, family) = (Family::named(&code.calls[call].name), Family::named(name));
                of_call == family || of_call == Family::Other || family == Family::Other
            };
            let stays = current.is_some_and(|call| fits(call) && left > next.len());
            if !stays {
                match next.peek().copied().filter(|call| fits(*call)) {
                    Some(call) => {
                        next.next();
                        current = Some(call);
                    }
                    None if current.is_some_and(fits) => {}
                    None => return,
                }
            }
            left -= 1;
        }
        for place in waiting.drain(..).chain([at]) {
            found[place] = current;
        }
    }
}

/// Whether a helper comes after the kernel that it helps.
fn finishes(kernel: Option<&DeviceKernel>) -> bool {
    let after = ["splitKreduce", "nhwcToNchw", "convert_dq"];
    kernel.is_some_and(|kernel| after.iter().any(|name| kernel.name.contains(name)))
}
