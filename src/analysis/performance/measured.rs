//! Measured kernels: the result of joining a trace with its log.

use super::devices::DevicePeaks;
use super::rates::{
    Judgement, LAUNCH_COUNTS_US, Limit, Measured, NEAR, Rates, SUSPICIOUSLY_LOW, nearest_limit,
};
use crate::facts::{Bound, Device, DeviceTime, Kernel, LineTime, Operator, Region, Text, Trace, Unjoined};
use crate::model::{CompileIndex, DeviceRuns, DeviceWork};
use crate::trace::{Merge, Sorted, SortedRecord, halves_of, word_of};
use std::cmp::Ordering;
use std::io;
use std::ops::Deref;

/// What the user says about the device.
#[derive(Debug, Clone, Default)]
pub struct DeviceOptions {
    /// Figures to use instead of our table.
    pub peaks: Option<DevicePeaks>,
    /// The clock of the device, MHz; None for that of the trace.
    pub clock_mhz: Option<f64>,
    /// Whether the program allowed TF32 in products of float, where its log does not say.
    pub tf32: bool,
    /// Whether to read a trace of another run by itself, instead of refusing it.
    pub force: bool,
    /// Whether to keep the kernel of each run.
    pub each_run: bool,
}

/// What a trace and the log say together.
#[derive(Default)]
pub struct Performance {
    pub trace: Trace<'static>,
    /// If it is of another run than the log: how many graphs it calls, none of which is in the log. It is then read as if there
    /// were no log.
    pub foreign_graphs: Option<usize>,
    /// Number of its entries that are not events.
    pub unreadable: u64,
    /// Whether it is a trace of a device; otherwise of a CPU.
    pub on_device: bool,
    /// The device that ran most kernels.
    pub device: Device<'static>,
    /// The devices that ran kernels, the one with most runs first.
    pub devices: Vec<DeviceRuns>,
    /// The figures of the device.
    pub peaks: Option<DevicePeaks>,
    /// Where the time went.
    pub time: DeviceTime,
    /// Kernels, by time.
    pub kernels: Vec<MeasuredKernel>,
    /// Operators, by time.
    pub operators: Vec<Operator<'static>>,
    /// Calls of compiled code, by compile id.
    pub regions: Vec<Region<'static>>,
    /// Lines of the program, by time.
    pub lines: Vec<MeasuredLine>,
    /// Calls in generated code, in log order.
    pub calls: Vec<MeasuredCall>,
    /// Runs that lead to no line.
    pub unjoined: Unjoined<'static>,
    /// The kernel of each run, if it was asked for.
    pub(super) runs: Option<KernelsOfRuns>,
}

impl Performance {
    /// Whether the trace is of another run than the log and was therefore not read.
    pub fn is_refused(&self) -> bool {
        self.foreign_graphs.is_some() && self.kernels.is_empty()
    }

    /// The kernels of runs, in the order of the trace.
    ///
    /// # Errors
    /// The temporary file of the runs cannot be read.
    pub fn follow_runs(&self) -> io::Result<FollowedRuns<'_>> {
        self.follow(|known| &known.runs)
    }

    /// The kernels that do the work of calls, in the order of the trace; in a trace of a CPU, calls are runs.
    ///
    /// # Errors
    /// The temporary file of the calls cannot be read.
    pub fn follow_calls(&self) -> io::Result<FollowedRuns<'_>> {
        self.follow(|known| &known.calls)
    }

    fn follow(&self, rows: fn(&KernelsOfRuns) -> &Sorted<KernelOfRun>) -> io::Result<FollowedRuns<'_>> {
        let rows = self.runs.as_ref().map(|known| rows(known).iter()).transpose()?;
        Ok(FollowedRuns { found: self, rows, next: None })
    }

    /// The rates of a run of a kernel that took `us`.
    pub fn rates_of_run(&self, kernel: &MeasuredKernel, us: f64) -> Rates {
        Rates::new(kernel.work(us), self.peaks.as_ref(), self.device.clock_mhz)
    }
}

/// A call in generated code, over all runs of that code.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredCall {
    /// The compile with the code.
    pub compile: CompileIndex,
    /// The Inductor run: attempt of the compile, and number of the run in it, from 1.
    pub run: (u32, usize),
    /// The place of the call in the code.
    pub place: usize,
    /// The place of the first call of the same kernel in the code.
    pub first: usize,
    /// The kernel that it runs: a place in [`Performance::kernels`].
    pub kernel: usize,
    /// How often it ran.
    pub count: usize,
    /// Microseconds of all runs.
    pub sum_us: f64,
}

/// A kernel: all its runs with equal work.
#[derive(Default)]
pub(crate) struct MeasuredKernel {
    /// What report.json says of it, which is read as if it were said here.
    pub(super) facts: Kernel<'static>,
    /// The name under which generated code calls it, if the trace has another one: `cpp_fused_flex_attention_0`.
    pub called: Option<String>,
    /// Names of operators that launched it.
    pub operators: Vec<String>,
    /// Whether a CUDA graph launched it: launching it costs next to nothing.
    pub in_cuda_graph: bool,
    /// Whether it adds to memory with atomic operations, which wait for each other.
    pub has_atomics: bool,
    /// Whether TF32 is off for it, with which this device would compute it faster.
    pub tf32_is_off: bool,
    /// Whether its FLOPs are those before a mask: how much that leaves out is not in the log.
    pub before_mask: bool,
    /// How well a run of mean length uses the device; None if that is unknown, or the kernel too short.
    pub judgement: Option<Judgement>,
    /// Whether only its speed says that it computes in TF32: FP32 cannot be so fast on this device.
    pub is_tf32_by_speed: bool,
    /// What it does.
    pub kind: DeviceWork,
}

impl Deref for MeasuredKernel {
    type Target = Kernel<'static>;

    fn deref(&self) -> &Kernel<'static> {
        &self.facts
    }
}

impl MeasuredKernel {
    /// The work of a run that took `us`.
    pub(super) fn work(&self, us: f64) -> Measured<'_> {
        let (flops, bytes, kind) = (self.flops, self.bytes, self.computes_in.as_deref());
        Measured { us, flops, bytes, kind, matrix: flops.is_some() }
    }

    /// Whether it computes: copies, fills and communication have no limit of these kinds.
    pub fn computes(&self) -> bool {
        self.kind == DeviceWork::Kernel
    }

    /// The name that says most: the one in generated code, otherwise the one in the trace.
    pub fn shown_name(&self) -> &str {
        self.called.as_deref().unwrap_or(&self.name)
    }

    /// The limit that it comes closest to, and its share of it.
    pub fn nearest_limit(&self) -> Option<(Limit, f64)> {
        nearest_limit(self.share_of_peak, self.share_of_bandwidth)
    }

    /// The share of that limit.
    pub fn best_share(&self) -> Option<f64> {
        self.nearest_limit().map(|(_, share)| share)
    }

    /// Whether launching it may take most of its time, where it is far from its limit.
    pub fn may_be_launch_bound(&self) -> bool {
        self.mean_us < LAUNCH_COUNTS_US
            && !self.in_cuda_graph
            && self.best_share().is_some_and(|share| share < SUSPICIOUSLY_LOW)
    }

    /// Whether it is so close to a limit that there is little to gain.
    pub fn is_near(&self) -> bool {
        !self.tf32_is_off && self.best_share().is_some_and(|share| share >= NEAR)
    }

    /// Whether its work is known, but it is too short to be judged: its launch takes as long as it.
    pub fn is_short(&self) -> bool {
        let is_known = self.flops.is_some() || self.bytes.is_some();
        self.computes() && is_known && self.bound == Some(Bound::Launch)
    }

    /// Adds what is derived from the rates of a run of mean length.
    pub(super) fn rated(&mut self, rates: &Rates) {
        let kernel = &mut self.facts;
        (kernel.tflops, kernel.gbps) = (rates.tflops, rates.gbps);
        (kernel.share_of_peak, kernel.share_of_bandwidth) = (rates.share_of_peak, rates.share_of_bandwidth);
        kernel.bound = rates.bound;
        kernel.reached = rates.reached();
        kernel.from_cache = rates.is_from_cache();
        kernel.plausible = rates.doubt();
        let is_sound = matches!(rates.judgement, Some(Judgement::Near | Judgement::Far));
        let gain_us = |reached: f64| kernel.sum_us * (1.0 - reached).max(0.0);
        kernel.gain_us = kernel.reached.filter(|_| is_sound).map(gain_us);
        self.judgement = rates.judgement;
        self.facts.verdict = self.verdict().map(Text::from);
    }

    /// The judgement in words.
    fn verdict(&self) -> Option<&'static str> {
        Some(match self.judgement {
            Some(Judgement::Impossible) => "cannot be true",
            Some(Judgement::Suspicious) => "check this figure",
            Some(Judgement::CountsProbablyWrong) => "counts probably wrong",
            Some(Judgement::Far) if self.may_be_launch_bound() => "far: room, or launch-bound",
            Some(Judgement::Far) => "far from its limit",
            Some(Judgement::Near) if self.from_cache => "from the cache",
            Some(Judgement::Near) if self.is_near() => "near a limit",
            Some(Judgement::Near) => "room",
            None if self.is_short() => "too short to judge",
            None => return None,
        })
    }
}

/// Time of a line of the program.
pub(crate) struct MeasuredLine {
    /// What report.json says of it, which is read as if it were said here.
    pub(super) facts: LineTime<'static>,
    /// Microseconds of kernels that compute this line only.
    pub own_us: f64,
    /// Microseconds of backward graphs.
    pub backward_us: f64,
}

impl Deref for MeasuredLine {
    type Target = LineTime<'static>;

    fn deref(&self) -> &LineTime<'static> {
        &self.facts
    }
}

/// The row of the table of kernels that a run, or the launch of a call, belongs to.
#[derive(Debug, Clone, Copy)]
pub(super) struct KernelOfRun {
    /// Place of the run, or of the call, in the trace.
    pub(super) run: u32,
    pub(super) kernel: u32,
}

impl SortedRecord for KernelOfRun {
    type Words = [u64; 1];

    fn to_words(&self) -> [u64; 1] {
        [word_of(self.run, self.kernel)]
    }

    fn of_words([word]: [u64; 1]) -> Self {
        let (run, kernel) = halves_of(word);
        KernelOfRun { run, kernel }
    }

    fn order(&self, other: &Self) -> Ordering {
        self.run.cmp(&other.run)
    }
}

/// The kernels of all runs, in the order of the trace.
#[derive(Debug)]
pub(super) struct KernelsOfRuns {
    pub(super) runs: Sorted<KernelOfRun>,
    pub(super) calls: Sorted<KernelOfRun>,
    /// The kernel of each row: a place in [`Performance::kernels`].
    pub(super) kernels: Vec<u32>,
}

/// Looks up the kernels of runs, one run after the other.
pub struct FollowedRuns<'f> {
    found: &'f Performance,
    rows: Option<Merge<'f, KernelOfRun>>,
    next: Option<KernelOfRun>,
}

impl<'f> FollowedRuns<'f> {
    /// The kernel of a launch (in a trace of a CPU, of a call) by its place in the trace. Places must ascend.
    ///
    /// # Errors
    /// The temporary file of the runs cannot be read.
    pub fn kernel_of(&mut self, place: u32) -> io::Result<Option<&'f MeasuredKernel>> {
        let (Some(known), Some(rows)) = (&self.found.runs, &mut self.rows) else { return Ok(None) };
        while self.next.is_none_or(|next| next.run < place) {
            match rows.next()? {
                Some(following) => self.next = Some(following),
                None => return Ok(None),
            }
        }
        let row = self.next.filter(|next| next.run == place).map(|next| next.kernel as usize);
        let kernel = row.and_then(|row| known.kernels.get(row));
        Ok(kernel.and_then(|kernel| self.found.kernels.get(*kernel as usize)))
    }
}
