//! Rates, shares and judgements in words.

use crate::analysis::performance::{Judgement, MeasuredKernel, Performance};
use crate::facts::{Backend, Bound, FigureFrom};
pub(crate) use crate::model::rates::{byte_count, byte_rate, flop_rate};
use crate::report::kit::formats::{UNKNOWN, count, micros};

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

/// `up to 2.2 ms`, where that could be gained at most.
pub(crate) fn gain(us: f64, at_most: bool) -> String {
    let up_to = if at_most { "up to " } else { "" };
    format!("{up_to}{}", micros(us))
}

/// What bounds a kernel, in a word.
pub(crate) fn bound(bound: Bound) -> &'static str {
    match bound {
        Bound::Memory => "memory",
        Bound::Compute => "compute",
        Bound::Launch => "launch",
    }
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
    match kernel.judgement {
        Some(Judgement::Impossible) => "implausible",
        Some(Judgement::Suspicious) => "check",
        Some(Judgement::CountsProbablyWrong) => "wrong-counts",
        Some(Judgement::Far) => "far",
        Some(Judgement::Near) if kernel.is_near() => "near",
        Some(Judgement::Near) => "between",
        None if kernel.is_short() => "launch",
        None if kernel.computes() => "unknown",
        None => "",
    }
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

/// Whether the trace says of all kernels that compute whether compiled code launched them.
pub(crate) fn launches_are_known(found: &Performance) -> bool {
    found.kernels.iter().all(|kernel| kernel.backend.is_some() || !kernel.computes())
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
pub(crate) fn from(from: Option<FigureFrom>) -> &'static str {
    match from {
        Some(FigureFrom::Trace) => "stated by the trace",
        Some(FigureFrom::Code) => "counted from the generated code",
        Some(FigureFrom::Kernel) => "counted from the loads and stores in its source",
        Some(FigureFrom::Inputs) => "counted from the shapes of the operator's inputs",
        None => UNKNOWN,
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
