//! Rates, shares and judgements in words.

use crate::analysis::performance::{Backend, Bound, FigureFrom, Judgement, MeasuredKernel, Rates};
pub(crate) use crate::model::rates::{byte_count, byte_rate, flop_count, flop_rate};
use crate::report::kit::formats::{UNKNOWN, count};

/// Below this share of both limits, a figure is suspicious: a short kernel waits for its launch, a long one has much to gain.
const SUSPICIOUSLY_LOW: f64 = 0.10;

/// A run shorter than this may be mostly its launch, in microseconds: starting a kernel takes about 5, on a busy host some times
/// that.
const LAUNCH_COUNTS_US: f64 = 20.0;

/// A kernel is near a limit if it reaches at least this share.
pub(crate) const NEAR: f64 = 0.5;

/// A power of ten of TFLOP/s at an axis: `10 GFLOP/s`.
pub(crate) fn flop_tick(tflops: f64) -> String {
    match tflops {
        rate if rate >= 0.999 => format!("{} TFLOP/s", count(rate)),
        rate if rate >= 0.000_999 => format!("{} GFLOP/s", count(rate * 1e3)),
        rate => format!("{} MFLOP/s", count(rate * 1e6)),
    }
}

/// A power of ten of GB/s at an axis: `1 TB/s`.
pub(crate) fn byte_tick(gbps: f64) -> String {
    match gbps {
        rate if rate >= 999.0 => format!("{} TB/s", count(rate / 1e3)),
        rate if rate >= 0.999 => format!("{} GB/s", count(rate)),
        rate => format!("{} MB/s", count(rate * 1e3)),
    }
}

/// `48 %`.
pub(crate) fn share(of: f64) -> String {
    let per_cent = of * 100.0;
    if (f64::MIN_POSITIVE..0.1).contains(&per_cent) {
        return "under 0.1\u{a0}%".to_owned();
    }
    if per_cent < 9.95 { format!("{per_cent:.1}\u{a0}%") } else { format!("{per_cent:.0}\u{a0}%") }
}

/// What bounds a kernel, in a word.
pub(crate) fn bound(rates: &Rates) -> &'static str {
    match rates.bound {
        Some(Bound::Memory) => "memory",
        Some(Bound::Compute) => "compute",
        Some(Bound::Launch) => "launch",
        None => UNKNOWN,
    }
}

/// A judgement of a kernel's figures.
pub(crate) fn verdict(kernel: &MeasuredKernel) -> &'static str {
    match kernel.rates.judgement {
        Some(Judgement::Impossible) => "cannot be true",
        Some(Judgement::Suspicious) => "check this figure",
        Some(Judgement::CountsProbablyWrong) => "counts probably wrong",
        Some(Judgement::Far) if may_be_launch_bound(kernel) => "far: room, or launch-bound",
        Some(Judgement::Far) => "far from its limit",
        Some(Judgement::Near) if kernel.rates.is_from_cache() => "from the cache",
        Some(Judgement::Near) if is_near(kernel) => "near a limit",
        Some(Judgement::Near) => "room",
        None if is_short(kernel) => "too short to judge",
        None => UNKNOWN,
    }
}

/// Whether launching a kernel that is far from its limit may take most of its time.
pub(crate) fn may_be_launch_bound(kernel: &MeasuredKernel) -> bool {
    kernel.mean_us < LAUNCH_COUNTS_US
        && !kernel.in_cuda_graph
        && kernel.rates.best_share().is_some_and(|share| share < SUSPICIOUSLY_LOW)
}

/// The class of a verdict: only impossible figures and those far from all limits are highlighted.
pub(crate) fn flag(kernel: &MeasuredKernel) -> &'static str {
    match verdict_word(kernel) {
        "implausible" | "wrong-counts" => "flag wrong",
        "far" | "check" => "flag far",
        "near" => "flag near",
        _ => "flag",
    }
}

/// The word of a verdict by which a filter and a strip select it.
pub(crate) fn verdict_word(kernel: &MeasuredKernel) -> &'static str {
    match kernel.rates.judgement {
        Some(Judgement::Impossible) => "implausible",
        Some(Judgement::Suspicious) => "check",
        Some(Judgement::CountsProbablyWrong) => "wrong-counts",
        Some(Judgement::Far) => "far",
        Some(Judgement::Near) if is_near(kernel) => "near",
        Some(Judgement::Near) => "between",
        None if is_short(kernel) => "launch",
        None if kernel.computes() => "unknown",
        None => "",
    }
}

/// Whether a kernel whose work is known is too short to be judged: its launch takes as long as it.
fn is_short(kernel: &MeasuredKernel) -> bool {
    let is_known = kernel.flops.is_some() || kernel.bytes.is_some();
    kernel.computes() && is_known && kernel.rates.bound == Some(Bound::Launch)
}

/// Whether a kernel is so close to a limit that there is little to gain.
pub(crate) fn is_near(kernel: &MeasuredKernel) -> bool {
    !kernel.tf32_is_off && kernel.rates.best_share().is_some_and(|share| share >= NEAR)
}

/// The word by which the filter selects a kind.
pub(crate) fn word(backend: Backend) -> &'static str {
    match backend {
        Backend::Triton => "triton",
        Backend::Cpp => "cpp",
        Backend::Extern => "library",
        Backend::Eager => "eager",
    }
}

/// Who wrote a kernel.
pub(crate) fn label(backend: Backend) -> &'static str {
    match backend {
        Backend::Triton => "Triton",
        Backend::Cpp => "C++",
        Backend::Extern => "library",
        Backend::Eager => "eager",
    }
}

/// The source of a figure.
pub(crate) fn from(from: FigureFrom) -> &'static str {
    match from {
        FigureFrom::Trace => "stated by the trace",
        FigureFrom::Code => "counted from the generated code",
        FigureFrom::Kernel => "counted from the loads and stores in its source",
        FigureFrom::Inputs => "counted from the shapes of the operator's inputs",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_shares_have_a_decimal() {
        let plain = |of: f64| share(of).replace('\u{a0}', " ");
        assert_eq!(plain(0.617), "62 %");
        assert_eq!(plain(0.0123), "1.2 %");
        assert_eq!((plain(0.0002), plain(0.0)), ("under 0.1 %".to_owned(), "0.0 %".to_owned()));
    }
}
