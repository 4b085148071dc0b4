//! Rates from FLOPs, bytes and time, their shares of the device's peak for the type that is computed in, and whether a figure
//! is possible.

use super::devices::DevicePeaks;
use crate::facts::{Bound, Implausible};
use crate::model::Operator;
use crate::read::element_type::element_bytes;

/// Shorter kernels mostly take the time to start them, in microseconds.
pub const LAUNCH_US: f64 = 5.0;
/// A larger share cannot be: the peaks are those that the hardware states.
pub const IMPOSSIBLE: f64 = 1.0;
/// Real kernels seldom come so close to a peak. PyTorch's reviewers ask to check such a figure.
pub const SUSPICIOUS: f64 = 0.90;
/// A larger share of the bandwidth cannot be, unless the cache of the device gave the data.
pub const IMPOSSIBLE_BANDWIDTH: f64 = 1.05;
/// Right figures of large copies reach 94 % of the bandwidth.
pub const SUSPICIOUS_BANDWIDTH: f64 = 0.95;
/// Below this share of both limits, a kernel is far from what the device can do; a tenth of it is what PyTorch's reviewers
/// call suspicious, but attention at a fifth of its ceiling is no less worth a look.
pub const FAR: f64 = 0.25;
/// Below this share, the counted work is probably not what the kernel does.
pub const WRONG: f64 = 0.01;
/// In a shorter kernel, starting and ending it explain a share below [`WRONG`], in microseconds.
pub const LONG_US: f64 = 20.0;

/// Below this share of both limits, a figure is suspicious: a short kernel waits for its launch, a long one has much to gain.
pub(super) const SUSPICIOUSLY_LOW: f64 = 0.10;
/// A run shorter than this may be mostly its launch, in microseconds: starting a kernel takes about 5, on a busy host some times
/// that.
pub(super) const LAUNCH_COUNTS_US: f64 = 20.0;
/// A kernel is near a limit if it reaches at least this share.
pub const NEAR: f64 = 0.5;

/// Bytes of a MB of a cache.
const MEGABYTE: f64 = 1_048_576.0;

/// How well a kernel uses the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judgement {
    /// At least a quarter of one of the limits.
    Near,
    /// So close to a limit that the figure is to be checked.
    Suspicious,
    /// Far from both limits, or bound by its launch.
    Far,
    /// So far from both limits that the work is probably counted wrong.
    CountsProbablyWrong,
    /// More than the device can do.
    Impossible,
}

/// A limit of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// FLOPs per second.
    Peak,
    /// Bytes per second.
    Bandwidth,
}

/// Rates of a kernel, and their shares of the device's peak.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rates {
    /// 1e12 FLOPs per second.
    pub tflops: Option<f64>,
    /// 1e9 bytes per second.
    pub gbps: Option<f64>,
    /// Share of the peak for its type, from 0 to 1.
    pub share_of_peak: Option<f64>,
    /// Share of the bandwidth of the memory.
    pub share_of_bandwidth: Option<f64>,
    /// Whether the bytes of a launch fit into the cache of the device, which is faster than its memory.
    pub fits_cache: bool,
    pub bound: Option<Bound>,
    /// None if the device or the work is unknown, or the kernel is too short.
    pub judgement: Option<Judgement>,
    /// Whether every limit is known that the work could reach, and with that the ceiling.
    pub has_ceiling: bool,
}

/// The work of one launch.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Measured<'t> {
    pub(super) us: f64,
    pub(super) flops: Option<f64>,
    pub(super) bytes: Option<f64>,
    /// `bf16`, if known.
    pub(super) kind: Option<&'t str>,
    /// Whether it runs on matrix units.
    pub(super) matrix: bool,
}

impl Rates {
    /// The rates of a launch on a device, with its clock if known.
    pub(super) fn new(measured: Measured<'_>, device: Option<&DevicePeaks>, clock_mhz: Option<f64>) -> Rates {
        let per_us = |amount: Option<f64>| amount.filter(|_| measured.us > 0.0).map(|of| of / measured.us);
        // 1e6 per microsecond are 1e12 per second; 1e3 are 1e9.
        let tflops = per_us(measured.flops.filter(|flops| *flops > 0.0)).map(|flops| flops / 1e6);
        let gbps = per_us(measured.bytes).map(|bytes| bytes / 1e3);
        let peak = device.zip(measured.kind).and_then(|(device, kind)| {
            device.tflops(kind, measured.matrix, clock_mhz).filter(|peak| *peak > 0.0)
        });
        let bandwidth = device.and_then(|device| device.gbps).filter(|gbps| *gbps > 0.0);
        let share_of_peak = tflops.zip(peak).map(|(rate, peak)| rate / peak);
        let share_of_bandwidth = gbps.zip(bandwidth).map(|(rate, bandwidth)| rate / bandwidth);
        let cache = device.and_then(|device| device.l2_megabytes);
        let fits_cache =
            cache.zip(measured.bytes).is_some_and(|(megabytes, bytes)| bytes <= megabytes * MEGABYTE);
        let mut rates =
            Rates { tflops, gbps, share_of_peak, share_of_bandwidth, fits_cache, ..Rates::default() };
        // Work without its limit could be bound by that.
        let is_missing = tflops.is_some() != share_of_peak.is_some()
            || gbps.is_some_and(|gbps| gbps > 0.0) != share_of_bandwidth.is_some_and(|share| share > 0.0);
        rates.has_ceiling = !is_missing && rates.best_share().is_some();
        rates.bound = bound(measured, peak, bandwidth, &rates);
        rates.judgement = judgement(measured.us, &rates);
        rates
    }

    /// The larger of the two shares.
    fn best_share(&self) -> Option<f64> {
        nearest_limit(self.share_of_peak, self.share_of_bandwidth).map(|(_, share)| share)
    }

    /// Whether the cache of the device gave the data, as its memory could not.
    pub fn is_from_cache(&self) -> bool {
        self.fits_cache && self.share_of_bandwidth.is_some_and(|share| share > SUSPICIOUS_BANDWIDTH)
    }

    /// The share of the ceiling; None if that is unknown.
    pub fn reached(&self) -> Option<f64> {
        self.best_share().filter(|_| self.has_ceiling)
    }

    /// Why a figure is not to be taken as it is, and what would settle it; None where nothing speaks against it.
    pub fn doubt(&self) -> Option<Implausible<'static>> {
        let (limit, _) = nearest_limit(self.share_of_peak, self.share_of_bandwidth)?;
        let why = match (self.judgement?, limit) {
            (Judgement::Impossible, Limit::Peak) => {
                "over 100 % of the peak, which cannot be: the clock was above the assumed one, FLOPs are counted that are not \
                 computed, or are those of several launches, or the type or sparsity is another one; `--clock`, `--tf32` and `--device` settle it"
            }
            (Judgement::Impossible, Limit::Bandwidth) => {
                "over 105 % of the memory bandwidth, which memory cannot give: bytes are counted that are not moved, or the data \
                 was in a cache whose size is not known here; compare the size of the tensors with it"
            }
            (Judgement::Suspicious, Limit::Peak) => {
                "over 90 % of the peak, check this figure: the clock may be above the assumed one, the count too high, TF32 or \
                 sparsity in use, or the run too short to measure; `--clock`, `--tf32` and more runs settle it"
            }
            (Judgement::Suspicious, Limit::Bandwidth) => {
                "over 95 % of the memory bandwidth, check this figure: part of the data may have been in the cache, the count \
                 of bytes may be too high, or the run too short to measure"
            }
            (Judgement::CountsProbablyWrong, _) if self.share_of_peak.is_none() => {
                "under 1 % of the memory bandwidth: the counted bytes, or the time, are probably wrong; its code says what else it \
                 does"
            }
            (Judgement::CountsProbablyWrong, _) => {
                "under 1 % of both limits: the counted FLOPs and bytes, or the time, are probably wrong; its code says what else \
                 it does"
            }
            (Judgement::Far | Judgement::Near, _) => return None,
        };
        Some(Implausible { why: why.into() })
    }
}

/// The limit of which a share is larger, and that share.
pub(super) fn nearest_limit(of_peak: Option<f64>, of_bandwidth: Option<f64>) -> Option<(Limit, f64)> {
    match (of_peak, of_bandwidth) {
        (Some(peak), Some(bandwidth)) if bandwidth > peak => Some((Limit::Bandwidth, bandwidth)),
        (Some(peak), _) => Some((Limit::Peak, peak)),
        (None, bandwidth) => bandwidth.map(|share| (Limit::Bandwidth, share)),
    }
}

fn bound(measured: Measured<'_>, peak: Option<f64>, bandwidth: Option<f64>, rates: &Rates) -> Option<Bound> {
    if measured.us < LAUNCH_US {
        return Some(Bound::Launch);
    }
    let bandwidth = bandwidth?;
    match (measured.flops.filter(|flops| *flops > 0.0), measured.bytes.filter(|bytes| *bytes > 0.0)) {
        (Some(flops), Some(bytes)) => {
            let ridge = peak? * 1e3 / bandwidth;
            Some(if flops / bytes < ridge { Bound::Memory } else { Bound::Compute })
        }
        (None, Some(_)) => rates.share_of_bandwidth.map(|_| Bound::Memory),
        _ => None,
    }
}

fn judgement(us: f64, rates: &Rates) -> Option<Judgement> {
    let best = rates.best_share()?;
    let above = |peak: f64, bandwidth: f64| {
        let of_memory = rates.share_of_bandwidth.filter(|_| !rates.fits_cache);
        rates.share_of_peak.is_some_and(|share| share > peak)
            || of_memory.is_some_and(|share| share > bandwidth)
    };
    Some(match () {
        () if above(IMPOSSIBLE, IMPOSSIBLE_BANDWIDTH) => Judgement::Impossible,
        () if above(SUSPICIOUS, SUSPICIOUS_BANDWIDTH) => Judgement::Suspicious,
        () if us < LAUNCH_US => return None,
        () if best >= FAR => Judgement::Near,
        () if !rates.has_ceiling => return None,
        () if best < WRONG && us > LONG_US => Judgement::CountsProbablyWrong,
        () => Judgement::Far,
    })
}

/// The type in which an operator computes, as tables of devices name it. `tf32` says whether products of `float` may use
/// tf32, if the log has that.
pub(super) fn kind_of(operator: &Operator, kernel: &str, tf32: Option<bool>) -> Option<&'static str> {
    let tensor = operator.types.iter().find(|name| element_bytes(name).is_some())?;
    kind_of_type(tensor, kernel, tf32)
}

/// The same for a type as a trace or a graph names it.
pub(super) fn kind_of_type(element: &str, kernel: &str, tf32: Option<bool>) -> Option<&'static str> {
    Some(match element.strip_prefix("c10::").unwrap_or(element) {
        "BFloat16" | "bf16" => "bf16",
        "Half" | "f16" => "fp16",
        "double" | "f64" => "fp64",
        "float" | "f32" => float_kind(kernel, tf32),
        "signed char" | "unsigned char" | "i8" | "u8" => "int8",
        float8 if float8.starts_with("Float8_") || float8.starts_with("f8") => "fp8",
        _ => return None,
    })
}

/// How a kernel computes with `float`: as its name says, otherwise as the program allows.
pub(super) fn float_kind(kernel: &str, tf32: Option<bool>) -> &'static str {
    let has = |part: &str| kernel.contains(part);
    match () {
        // CUTLASS names kernels after the shape of the matrix instruction; tf32 has `s1688`.
        () if has("tf32") || has("s1688") => "tf32",
        () if has("sgemm") || has("simt") || has("ffma") => "fp32",
        () if tf32 == Some(true) => "tf32",
        () => "fp32",
    }
}
