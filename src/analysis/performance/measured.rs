//! What is known of measured kernels: the result of the join of a trace with its log.

use super::devices::DevicePeaks;
use super::graphs::ProgramLine;
use super::rates::{Measured, Rates};
use crate::model::{CompileIndex, DeviceKernel, DeviceRuns, InputDims};
use crate::trace::{Merge, Sorted, SortedRecord, halves_of, word_of};
use std::cmp::Ordering;
use std::io;

/// What a reader says of the device.
#[derive(Debug, Clone, Default)]
pub struct DeviceOptions {
    /// Figures to use in place of those of the table.
    pub peaks: Option<DevicePeaks>,
    /// The clock that the device ran at, MHz.
    pub clock_mhz: Option<f64>,
    /// Whether to tell of each run which kernel it is one of.
    pub each_run: bool,
}

/// What a trace and the log tell together.
#[derive(Debug, Default)]
pub struct Performance {
    /// Base name of the trace.
    pub file: String,
    /// Why it could not be read to its end.
    pub damaged: Option<String>,
    /// Entries of it that are no events.
    pub unreadable: u64,
    /// Rank of the process.
    pub rank: Option<u64>,
    /// Runs of kernels: launches on a device, calls on a CPU.
    pub launches: usize,
    /// Begin of the first and end of the last call or launch, on the trace's clock.
    pub span_us: Option<(f64, f64)>,
    /// Whether the trace is one of a device; else of a CPU.
    pub on_device: bool,
    /// Name of the device that ran most kernels, as the trace has it.
    pub device: Option<String>,
    /// The devices that ran kernels, the one with most runs first.
    pub devices: Vec<DeviceRuns>,
    /// Its figures.
    pub peaks: Option<DevicePeaks>,
    /// The clock that was given, MHz.
    pub clock_mhz: Option<f64>,
    /// Whether the figures are corrected for it.
    pub corrected: bool,
    /// Where the time went.
    pub time: DeviceTime,
    /// Kernels, by time.
    pub kernels: Vec<MeasuredKernel>,
    /// Operators, by time.
    pub operators: Vec<MeasuredOperator>,
    /// Calls of compiled code, by compile id.
    pub regions: Vec<MeasuredRegion>,
    /// Lines of the program, by time.
    pub lines: Vec<LineTime>,
    /// Calls in generated code, in the order of the log.
    pub calls: Vec<MeasuredCall>,
    /// What leads to no line.
    pub unjoined: Unjoined,
    /// Which kernel each run is one of, where it was asked for.
    pub(super) runs: Option<KernelsOfRuns>,
}

impl Performance {
    /// Follows the runs in the order of the trace.
    ///
    /// # Errors
    /// The temporary file of the runs cannot be read.
    pub fn follow_runs(&self) -> io::Result<FollowedRuns<'_>> {
        let rows = self.runs.as_ref().map(|runs| runs.rows.iter()).transpose()?;
        Ok(FollowedRuns { found: self, rows, next: None })
    }

    /// The rates of a run of a kernel that took so long.
    pub fn rates_of_run(&self, kernel: &MeasuredKernel, us: f64) -> Rates {
        Rates::of(kernel.work(us), self.peaks.as_ref(), self.clock_mhz)
    }
}

/// A call in generated code, over all runs of that code.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredCall {
    /// Whose code it is.
    pub compile: CompileIndex,
    /// The Inductor run: attempt of the compile, and the place in it, from 1.
    pub run: (u32, usize),
    /// The place of the call among those of the run.
    pub place: usize,
    /// The place of the first call of the same kernel there.
    pub first: usize,
    /// The kernel that it runs: a place in [`Performance::kernels`].
    pub kernel: usize,
    /// How often it ran.
    pub count: usize,
    /// Microseconds of all these.
    pub sum_us: f64,
}

/// Where the time of a device went, microseconds; time that several streams share counts once in each of these.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct DeviceTime {
    /// From the first event to the last.
    pub wall_us: f64,
    /// While anything ran.
    pub busy_us: f64,
    /// Kernels that compiled code asked for.
    pub compiled_us: f64,
    /// All other kernels.
    pub eager_us: f64,
    /// Communication.
    pub communication_us: f64,
    /// Communication while no kernel computed.
    pub exposed_communication_us: f64,
    /// Copies and fills.
    pub copy_us: f64,
    /// While nothing ran.
    pub idle_us: f64,
}

/// Who wrote a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// Inductor, in Triton.
    Triton,
    /// Inductor, in C++.
    Cpp,
    /// A library, called by compiled code.
    Extern,
    /// Whatever ran outside of compiled code.
    Eager,
}

/// Where FLOPs or bytes come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FigureFrom {
    /// The trace states them.
    Trace,
    /// Buffers of the generated code, or nodes of the graph.
    Code,
    /// Shapes of the operator's inputs.
    Inputs,
}

/// A kernel: all its launches with equal work.
#[derive(Debug, Clone)]
pub struct MeasuredKernel {
    /// As the trace names it.
    pub name: String,
    /// Who wrote it.
    pub backend: Backend,
    /// Operators that asked for it, by name.
    pub operators: Vec<String>,
    /// How often it ran.
    pub count: usize,
    /// Microseconds, over all runs.
    pub sum_us: f64,
    /// The mean of a run.
    pub mean_us: f64,
    /// The median.
    pub median_us: f64,
    /// The shortest.
    pub min_us: f64,
    /// The longest.
    pub max_us: f64,
    /// FLOPs of one run, and where they come from.
    pub flops: Option<(f64, FigureFrom)>,
    /// Bytes that one run must move.
    pub bytes: Option<(f64, FigureFrom)>,
    /// What follows from these, for the mean run.
    pub rates: Rates,
    /// The type that the work is done in, as tables of devices name it: `bf16`, `tf32`. A product of `float` is held against
    /// the peak of tf32 only where the kernel's name or the log says that it may use it, else against that of fp32.
    pub computes_in: Option<&'static str>,
    /// The compile whose code calls it.
    pub compile_ids: Vec<String>,
    /// Places in [`Performance::lines`] before they were sorted are of no use: the lines themselves.
    pub lines: Vec<ProgramLine>,
    /// What the trace tells of its launch.
    pub device: Option<DeviceKernel>,
    /// Sizes of the operator's inputs, where all runs of the row have the same.
    pub inputs: Vec<InputDims>,
    /// `forward`, `backward` or `inference`: the graph that calls it.
    pub direction: Option<String>,
    /// What Inductor expected a run to take, microseconds.
    pub estimated_us: Option<f64>,
    /// How a Triton kernel was tuned.
    pub tuning: Option<Tuning>,
}

impl MeasuredKernel {
    /// The work of a run that took so long.
    pub(super) fn work(&self, us: f64) -> Measured<'static> {
        Measured {
            us,
            flops: self.flops.map(|(flops, _)| flops),
            bytes: self.bytes.map(|(bytes, _)| bytes),
            kind: self.computes_in,
            matrix: self.flops.is_some(),
        }
    }

    /// How many times as long as expected a run took.
    pub fn ratio_to_estimate(&self) -> Option<f64> {
        self.estimated_us.filter(|us| *us > 0.0).map(|us| self.mean_us / us)
    }
}

/// How a Triton kernel came to its configuration.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tuning {
    /// What the lookup in the autotuning cache found, as the log has it: `hit`, `miss`.
    pub state: Option<String>,
    /// How many configurations there were: where the cache had none, all of them are tried at the first call.
    pub candidates: Option<u64>,
    /// Microseconds that compiling them took.
    pub compile_us: Option<f64>,
    /// The configuration that the log names: after a miss the one that a search before had chosen, if any.
    pub in_log: Option<String>,
    /// Configurations that ran, as the trace has them: `XBLOCK=16, num_warps=1, num_stages=1`.
    pub ran: Vec<String>,
}

/// An operator with inputs of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredOperator {
    /// `aten::mm`.
    pub name: String,
    /// Sizes of its inputs.
    pub dims: Vec<InputDims>,
    /// Types of its inputs.
    pub types: Vec<String>,
    /// Calls that launched something.
    pub count: usize,
    /// FLOPs of a call.
    pub flops: Option<f64>,
    /// Bytes that a call must move.
    pub bytes: Option<f64>,
    /// Microseconds of all that they launched.
    pub sum_us: f64,
}

/// Calls of compiled code.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredRegion {
    /// `0/0`.
    pub compile_id: String,
    /// How often it was called.
    pub calls: usize,
    /// Microseconds of all calls, on the CPU.
    pub sum_us: f64,
    /// Of the first call.
    pub first_us: f64,
    /// The median.
    pub median_us: f64,
    /// The median of all calls but the first, where there are any.
    pub later_median_us: Option<f64>,
    /// Of all calls, the part before them in which guards were checked to find this code; None where the trace does not
    /// tell.
    pub guards_us: Option<f64>,
    /// Of all calls, the part within graphs that Inductor compiled; None where the trace does not tell.
    pub graphs_us: Option<f64>,
    /// Of all calls, the part outside of graphs, of operators and of other compiled code: what the wrapper around the
    /// graph costs. None where the trace does not tell.
    pub wrapper_us: Option<f64>,
    /// The first calls, one by one.
    pub first_calls_us: Vec<f64>,
    /// What ran within its calls, and within no other compiled code that these called; the longest first.
    pub kernels: Vec<RegionKernel>,
}

/// Runs of a kernel within a region.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RegionKernel {
    /// A place in [`Performance::kernels`].
    pub kernel: usize,
    /// How often it ran there.
    pub count: usize,
    /// Microseconds of these runs.
    pub sum_us: f64,
}

/// Time of a line of the program.
#[derive(Debug, Clone, PartialEq)]
pub struct LineTime {
    /// The line.
    pub line: ProgramLine,
    /// Its share of the time of its kernels, microseconds.
    pub us: f64,
    /// The part of it from kernels that serve this line alone.
    pub own_us: f64,
    /// Names of its kernels.
    pub kernels: Vec<String>,
    /// The same time by the way that led to the line, and by module.
    pub parts: Vec<LinePart>,
}

/// Time of a line as it was called from one place and for one module.
#[derive(Debug, Clone, PartialEq)]
pub struct LinePart {
    /// The compile whose code took it.
    pub compile: CompileIndex,
    /// Lines of the program that led to it, the outermost first.
    pub callers: Vec<ProgramLine>,
    /// `self.blocks.0.up`, where the log tells.
    pub module: Option<String>,
    /// Whether a backward graph took it.
    pub backward: bool,
    /// Microseconds.
    pub us: f64,
    /// The part of it from kernels that serve this line alone.
    pub own_us: f64,
    /// Its kernels: places in [`Performance::kernels`].
    pub kernels: Vec<usize>,
}

/// What leads to no line.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Unjoined {
    /// How many runs.
    pub launches: usize,
    /// How long they took, microseconds.
    pub us: f64,
    /// What ran, the longest first.
    pub names: Vec<String>,
}

/// Which row of kernels a run belongs to.
#[derive(Debug, Clone, Copy)]
pub(super) struct KernelOfRun {
    /// The place of the run in the trace.
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
pub struct KernelsOfRuns {
    rows: Sorted<KernelOfRun>,
    /// The kernel of each row: a place in [`Performance::kernels`].
    kernels: Vec<u32>,
}

impl KernelsOfRuns {
    pub(super) fn of(rows: Sorted<KernelOfRun>, kernels: Vec<u32>) -> KernelsOfRuns {
        KernelsOfRuns { rows, kernels }
    }
}

/// The kernels of runs, one run after the other.
pub struct FollowedRuns<'f> {
    found: &'f Performance,
    rows: Option<Merge<'f, KernelOfRun>>,
    next: Option<KernelOfRun>,
}

impl<'f> FollowedRuns<'f> {
    /// The kernel of a launch, in a trace of a CPU of a call, by its place in the trace. Places must not descend.
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
