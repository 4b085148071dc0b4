//! Rates, shares and judgements in words.

use crate::analysis::performance::{Backend, Bound, FigureFrom, Judgement, MeasuredKernel, Rates};
use crate::report::kit::formats::{UNKNOWN, count};

/// Below this share of both limits, a figure is suspicious: a short kernel waits for its launch, a long one has much to gain.
const SUSPICIOUSLY_LOW: f64 = 0.10;

/// A run shorter than this may be mostly its launch, in microseconds: starting a kernel takes about 5, on a busy host some times
/// that.
const LAUNCH_COUNTS_US: f64 = 20.0;

/// A kernel is near a limit if it reaches at least this share.
pub(super) const NEAR: f64 = 0.5;

/// `12.3 TFLOP/s`, `340 GFLOP/s`.
pub(super) fn flop_rate(tflops: f64) -> String {
    match tflops {
        rate if rate >= 1.0 => format!("{}\u{a0}TFLOP/s", digits(rate)),
        rate => format!("{}\u{a0}GFLOP/s", digits(rate * 1e3)),
    }
}

/// `51.6 GFLOP`, `8.39 MFLOP`.
pub(super) fn flop_count(flops: f64) -> String {
    match flops {
        _ if flops >= 1e12 => format!("{}\u{a0}TFLOP", digits(flops / 1e12)),
        _ if flops >= 1e9 => format!("{}\u{a0}GFLOP", digits(flops / 1e9)),
        _ => format!("{}\u{a0}MFLOP", digits(flops / 1e6)),
    }
}

/// `1.2 TB/s`, `340 GB/s`; these are powers of ten, as data sheets have them.
pub(super) fn byte_rate(gbps: f64) -> String {
    match gbps {
        rate if rate >= 1e3 => format!("{}\u{a0}TB/s", digits(rate / 1e3)),
        rate => format!("{}\u{a0}GB/s", digits(rate)),
    }
}

/// A power of ten of TFLOP/s at an axis: `10 GFLOP/s`.
pub(super) fn flop_tick(tflops: f64) -> String {
    match tflops {
        rate if rate >= 0.999 => format!("{} TFLOP/s", count(rate)),
        rate if rate >= 0.000_999 => format!("{} GFLOP/s", count(rate * 1e3)),
        rate => format!("{} MFLOP/s", count(rate * 1e6)),
    }
}

/// A power of ten of GB/s at an axis: `1 TB/s`.
pub(super) fn byte_tick(gbps: f64) -> String {
    match gbps {
        rate if rate >= 999.0 => format!("{} TB/s", count(rate / 1e3)),
        rate if rate >= 0.999 => format!("{} GB/s", count(rate)),
        rate => format!("{} MB/s", count(rate * 1e3)),
    }
}

/// Three digits, without an exponent.
fn digits(value: f64) -> String {
    match value {
        _ if value >= 99.95 => format!("{value:.0}"),
        _ if value >= 9.995 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// `48 %`.
pub(super) fn share(of: f64) -> String {
    let per_cent = of * 100.0;
    if per_cent < 9.95 { format!("{per_cent:.1}\u{a0}%") } else { format!("{per_cent:.0}\u{a0}%") }
}

/// What bounds a kernel, in a word.
pub(super) fn bound(rates: &Rates) -> &'static str {
    match rates.bound {
        Some(Bound::Memory) => "memory",
        Some(Bound::Compute) => "compute",
        Some(Bound::Launch) => "launch",
        None => UNKNOWN,
    }
}

/// A judgement of a kernel's figures.
pub(super) fn verdict(kernel: &MeasuredKernel) -> &'static str {
    match kernel.rates.judgement {
        Some(Judgement::Impossible) => "cannot be true",
        Some(Judgement::Suspicious) => "check this figure",
        Some(Judgement::CountsProbablyWrong) => "counts probably wrong",
        Some(Judgement::Far) if may_be_launch_bound(kernel) => "far: room, or launch-bound",
        Some(Judgement::Far) => "far from its limit",
        Some(Judgement::Near) if is_near(kernel) => "near a limit",
        Some(Judgement::Near) => "room",
        None if is_short(kernel) => "too short to judge",
        None => UNKNOWN,
    }
}

/// Whether launching a kernel that is far from its limit may take most of its time.
pub(super) fn may_be_launch_bound(kernel: &MeasuredKernel) -> bool {
    kernel.mean_us < LAUNCH_COUNTS_US
        && kernel.rates.best_share().is_some_and(|share| share < SUSPICIOUSLY_LOW)
}

/// The class of a verdict: only impossible figures and those far from all limits are highlighted.
pub(super) fn flag(kernel: &MeasuredKernel) -> &'static str {
    match verdict_word(kernel) {
        "implausible" | "wrong-counts" => "flag wrong",
        "far" | "check" => "flag far",
        "near" => "flag near",
        _ => "flag",
    }
}

/// The word of a verdict by which a filter and a strip select it.
pub(super) fn verdict_word(kernel: &MeasuredKernel) -> &'static str {
    match kernel.rates.judgement {
        Some(Judgement::Impossible) => "implausible",
        Some(Judgement::Suspicious) => "check",
        Some(Judgement::CountsProbablyWrong) => "wrong-counts",
        Some(Judgement::Far) => "far",
        Some(Judgement::Near) if is_near(kernel) => "near",
        Some(Judgement::Near) => "between",
        None if is_short(kernel) => "launch",
        None => "unknown",
    }
}

/// Whether a kernel without a judgement is too short for one: its shares are known, or its launch takes as long as it.
fn is_short(kernel: &MeasuredKernel) -> bool {
    kernel.rates.bound == Some(Bound::Launch) || kernel.rates.best_share().is_some()
}

/// Whether a kernel is so close to a limit that there is little to gain.
pub(super) fn is_near(kernel: &MeasuredKernel) -> bool {
    kernel.rates.best_share().is_some_and(|share| share >= NEAR)
}

/// The word by which the filter selects a kind.
pub(super) fn word(backend: Backend) -> &'static str {
    match backend {
        Backend::Triton => "triton",
        Backend::Cpp => "cpp",
        Backend::Extern => "library",
        Backend::Eager => "eager",
    }
}

/// Who wrote a kernel.
pub(super) fn label(backend: Backend) -> &'static str {
    match backend {
        Backend::Triton => "Triton",
        Backend::Cpp => "C++",
        Backend::Extern => "library",
        Backend::Eager => "eager",
    }
}

/// The source of a figure.
pub(super) fn from(from: FigureFrom) -> &'static str {
    match from {
        FigureFrom::Trace => "stated by the trace",
        FigureFrom::Code => "counted from the generated code",
        FigureFrom::Inputs => "counted from the shapes of the operator's inputs",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_have_three_digits_and_the_unit_at_which_they_are_read() {
        let plain = |text: String| text.replace('\u{a0}', " ");
        assert_eq!(plain(flop_rate(610.66)), "611 TFLOP/s");
        assert_eq!(plain(flop_rate(0.04978)), "49.8 GFLOP/s");
        assert_eq!(plain(byte_rate(1043.0)), "1.04 TB/s");
        assert_eq!(plain(byte_rate(7.1759)), "7.18 GB/s");
        assert_eq!(plain(flop_count(8_388_608.0)), "8.39 MFLOP");
        assert_eq!(plain(share(0.617)), "62 %");
        assert_eq!(plain(share(0.0123)), "1.2 %");
    }
}
