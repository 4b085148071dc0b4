//! The limits of the device that the roofline draws: its bandwidth, and the peak of each type that the kernels compute in, at
//! the clock of the trace if that is known.

use crate::analysis::performance::{MeasuredKernel, Performance};
use indexmap::IndexMap;

/// Peaks that are drawn; further ones would cover the first.
const MOST_PEAKS: usize = 3;

/// Share of the time of all products from which another type has its peak drawn.
const WORTH: f64 = 0.05;

/// Types whose peak stands for a device when its kernels do not say what they compute in.
const USUAL: [&str; 3] = ["bf16", "fp16", "fp32"];

/// The limits of the device.
pub(super) struct Limits {
    /// GB/s.
    pub(super) gbps: f64,
    /// Of the type with the longest kernels.
    pub(super) peak: Peak,
    /// Of other types that kernels compute in.
    pub(super) others: Vec<Peak>,
    /// What is said behind a peak: a CPU has no figures with sparsity that these could be mistaken for.
    pub(super) dense: &'static str,
}

/// The peak of a type.
#[derive(Clone)]
pub(super) struct Peak {
    /// As tables of devices name it: `bf16`.
    pub(super) kind: String,
    /// At the clock of the trace.
    pub(super) tflops: f64,
}

impl Limits {
    /// None if the bandwidth or all peaks are unknown.
    pub(super) fn of<'k>(
        found: &Performance,
        kernels: impl Iterator<Item = &'k MeasuredKernel>,
    ) -> Option<Limits> {
        let device = found.peaks.as_ref()?;
        let gbps = device.gbps.filter(|gbps| *gbps > 0.0)?;
        let mut times: IndexMap<&str, f64> = IndexMap::new();
        for kernel in kernels.filter(|kernel| kernel.flops.is_some()) {
            *times.entry(kernel.computes_in.as_deref().unwrap_or_default()).or_default() += kernel.sum_us;
        }
        let all: f64 = times.values().sum();
        times.retain(|_, us| *us >= WORTH * all);
        times.sort_by(|_, one, _, other| other.total_cmp(one));
        let kinds = times.keys().copied();
        let peak = |kind: &str| {
            let tflops = device.tflops(kind, true, found.device.clock_mhz).filter(|tflops| *tflops > 0.0)?;
            Some(Peak { kind: kind.to_owned(), tflops })
        };
        let mut peaks: Vec<Peak> = kinds.filter_map(peak).take(MOST_PEAKS).collect();
        if peaks.is_empty() {
            peaks.extend(USUAL.into_iter().find_map(peak));
        }
        let others = peaks.split_off(peaks.len().min(1));
        let dense = if device.is_cpu { "" } else { " dense" };
        Some(Limits { gbps, peak: peaks.pop()?, others, dense })
    }

    /// The FLOPs per byte above which a peak is the limit.
    pub(super) fn ridge(&self, peak: &Peak) -> f64 {
        peak.tflops * 1e3 / self.gbps
    }

    pub(super) fn peaks(&self) -> impl Iterator<Item = &Peak> {
        std::iter::once(&self.peak).chain(&self.others)
    }
}
