//! Rates from FLOPs, bytes and time, their shares of the device's peak, and whether a figure is possible.

use super::devices::DevicePeaks;

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

/// Bytes of a MB of a cache.
const MEGABYTE: f64 = 1_048_576.0;

/// What bounds a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// Memory bandwidth.
    Memory,
    /// Compute units.
    Compute,
    /// Starting it takes most of its time.
    Launch,
}

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
    /// What bounds it.
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
    pub(super) fn of(measured: Measured<'_>, device: Option<&DevicePeaks>, clock_mhz: Option<f64>) -> Rates {
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
    pub fn best_share(&self) -> Option<f64> {
        self.nearest_limit().map(|(_, share)| share)
    }

    /// Whether the cache of the device gave the data, as its memory could not.
    pub fn is_from_cache(&self) -> bool {
        self.fits_cache && self.share_of_bandwidth.is_some_and(|share| share > SUSPICIOUS_BANDWIDTH)
    }

    /// The share of the ceiling; None if that is unknown.
    pub fn reached(&self) -> Option<f64> {
        self.best_share().filter(|_| self.has_ceiling)
    }

    /// The limit that the kernel comes closest to, and its share of it.
    pub fn nearest_limit(&self) -> Option<(Limit, f64)> {
        let peak = self.share_of_peak.map(|share| (Limit::Peak, share));
        let bandwidth = self.share_of_bandwidth.map(|share| (Limit::Bandwidth, share));
        match (peak, bandwidth) {
            (Some(peak), Some(bandwidth)) if bandwidth.1 > peak.1 => Some(bandwidth),
            (peak, bandwidth) => peak.or(bandwidth),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn device() -> DevicePeaks {
        DevicePeaks::given(
            r#"{"name": "d", "gbps": 1000, "matrix": {"bf16": 100}, "vector": {"fp32": 10}}"#,
            None,
        )
        .unwrap()
    }

    fn rates(us: f64, flops: Option<f64>, bytes: Option<f64>) -> Rates {
        let measured = Measured { us, flops, bytes, kind: Some("bf16"), matrix: true };
        Rates::of(measured, Some(&device()), None)
    }

    #[test]
    fn rates_are_work_over_time_and_shares_are_of_the_device() {
        let found = rates(100.0, Some(5e9), Some(50e6));
        assert_eq!((found.tflops, found.gbps), (Some(50.0), Some(500.0)));
        assert_eq!((found.share_of_peak, found.share_of_bandwidth), (Some(0.5), Some(0.5)));
        // 100 FLOPs per byte are at the ridge of 100 TFLOP/s over 1 TB/s.
        assert_eq!(found.bound, Some(Bound::Compute));
        assert_eq!(rates(100.0, Some(4e9), Some(50e6)).bound, Some(Bound::Memory));
        assert_eq!(found.judgement, Some(Judgement::Near));
    }

    #[test]
    fn over_ninety_per_cent_is_to_be_checked_and_more_than_the_peak_is_impossible() {
        assert_eq!(rates(100.0, Some(10.1e9), None).judgement, Some(Judgement::Impossible));
        assert_eq!(rates(100.0, Some(9.9e9), None).judgement, Some(Judgement::Suspicious));
        assert_eq!(rates(100.0, Some(8.9e9), None).judgement, Some(Judgement::Near));
        assert_eq!(rates(100.0, None, Some(106e6)).judgement, Some(Judgement::Impossible));
        assert_eq!(rates(100.0, None, Some(94e6)).judgement, Some(Judgement::Near), "as large copies do");
        assert_eq!(rates(4.0, None, Some(3.9e6)).judgement, Some(Judgement::Suspicious));
        let memory = rates(100.0, Some(1e9), Some(101e6));
        assert_eq!(memory.nearest_limit(), Some((Limit::Bandwidth, 1.01)));
    }

    #[test]
    fn what_fits_into_the_cache_may_be_faster_than_memory() {
        let mut with_cache = device();
        with_cache.l2_megabytes = Some(50.0);
        let of = |us: f64, bytes: f64| {
            Rates::of(Measured { us, bytes: Some(bytes), ..Measured::default() }, Some(&with_cache), None)
        };
        assert_eq!(of(30.0, 45e6).judgement, Some(Judgement::Near));
        assert_eq!(of(40.0, 55e6).judgement, Some(Judgement::Impossible));
    }

    #[test]
    fn under_a_quarter_is_far_and_under_a_hundredth_of_a_long_kernel_is_counted_wrong() {
        assert_eq!(rates(100.0, Some(2.4e9), Some(5e6)).judgement, Some(Judgement::Far));
        assert_eq!(rates(100.0, Some(0.05e9), Some(0.5e6)).judgement, Some(Judgement::CountsProbablyWrong));
        assert_eq!(rates(19.0, Some(0.01e9), Some(0.1e6)).judgement, Some(Judgement::Far));
        assert_eq!(rates(19.0, Some(0.5e9), Some(5e6)).judgement, Some(Judgement::Near));
        assert_eq!(rates(4.9, Some(0.05e9), Some(0.5e6)).bound, Some(Bound::Launch));
        assert_eq!(rates(4.9, Some(0.4e9), Some(4e6)).judgement, None);
    }

    #[test]
    fn unknown_work_or_time_gives_no_figure() {
        let found = rates(0.0, Some(1e9), Some(1e6));
        assert_eq!((found.tflops, found.gbps, found.judgement), (None, None, None));
        let unknown = Rates::of(
            Measured { us: 100.0, flops: Some(1e9), bytes: None, kind: Some("fp4"), matrix: true },
            Some(&device()),
            None,
        );
        assert_eq!((unknown.tflops, unknown.share_of_peak), (Some(10.0), None));
        let nowhere = Rates::of(Measured { us: 100.0, bytes: Some(1e6), ..Measured::default() }, None, None);
        assert_eq!((nowhere.gbps, nowhere.bound, nowhere.judgement), (Some(10.0), None, None));
    }
}
