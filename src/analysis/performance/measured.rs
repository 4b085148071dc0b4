//! Measured kernels: the result of joining a trace with its log.

use super::devices::DevicePeaks;
use super::graphs::ProgramLine;
use super::rates::{Judgement, Measured, Rates};
use super::steps::Steps;
use crate::model::{CompileIndex, DeviceKernel, DeviceRuns, DeviceWork, InputDims};
use crate::trace::{Merge, Sorted, SortedRecord, halves_of, word_of};
use std::cmp::Ordering;
use std::io;

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

/// The clock of a device.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DeviceClock {
    /// MHz.
    pub mhz: f64,
    /// Who says so.
    pub from: ClockFrom,
}

/// Who says at which clock a device ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockFrom {
    /// The user, by `--clock`.
    Option,
    /// The trace.
    Trace,
}

impl DeviceClock {
    /// What the user says, or else the trace.
    pub(super) fn of(option: Option<f64>, trace: Option<f64>) -> Option<DeviceClock> {
        let given = option.map(|mhz| DeviceClock { mhz, from: ClockFrom::Option });
        given.or_else(|| trace.map(|mhz| DeviceClock { mhz, from: ClockFrom::Trace }))
    }
}

/// What a trace and the log say together.
#[derive(Debug, Default)]
pub struct Performance {
    /// Base name of the trace.
    pub file: String,
    /// Why it could not be read to the end.
    pub damaged: Option<String>,
    /// If it is of another run than the log: how many graphs it calls, none of which is in the log. It is then read as if there
    /// were no log.
    pub foreign_graphs: Option<usize>,
    /// Number of its entries that are not events.
    pub unreadable: u64,
    /// Rank of the process.
    pub rank: Option<u64>,
    /// Number of runs of kernels: launches on a device, calls on a CPU.
    pub launches: usize,
    /// Begin of the first and end of the last call or launch, on the trace's clock.
    pub span_us: Option<(f64, f64)>,
    /// How many steps of the program it covers, if anything says so.
    pub steps: Option<Steps>,
    /// Whether it is a trace of a device; otherwise of a CPU.
    pub on_device: bool,
    /// The device that ran most kernels, by its name in the trace.
    pub device: Option<String>,
    /// The devices that ran kernels, the one with most runs first.
    pub devices: Vec<DeviceRuns>,
    /// Its figures.
    pub peaks: Option<DevicePeaks>,
    /// The clock that it ran at, if anything says so.
    pub clock: Option<DeviceClock>,
    /// Whether the figures are corrected for that clock.
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
    /// Calls in generated code, in log order.
    pub calls: Vec<MeasuredCall>,
    /// Runs that lead to no line.
    pub unjoined: Unjoined,
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
        let rows = self.runs.as_ref().map(|known| known.runs.iter()).transpose()?;
        Ok(FollowedRuns { found: self, rows, next: None })
    }

    /// The kernels that do the work of calls, in the order of the trace; in a trace of a CPU, calls are runs.
    ///
    /// # Errors
    /// The temporary file of the calls cannot be read.
    pub fn follow_calls(&self) -> io::Result<FollowedRuns<'_>> {
        let rows = self.runs.as_ref().map(|known| known.calls.iter()).transpose()?;
        Ok(FollowedRuns { found: self, rows, next: None })
    }

    /// The clock that the device ran at, MHz, if it is known.
    pub fn clock_mhz(&self) -> Option<f64> {
        self.clock.map(|clock| clock.mhz)
    }

    /// The rates of a run of a kernel that took `us`.
    pub fn rates_of_run(&self, kernel: &MeasuredKernel, us: f64) -> Rates {
        Rates::of(kernel.work(us), self.peaks.as_ref(), self.clock_mhz())
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

/// Where the time of a device went, microseconds; time shared by several streams counts once in each field.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct DeviceTime {
    /// From the first event to the last.
    pub wall_us: f64,
    /// While anything ran.
    pub busy_us: f64,
    /// Kernels launched by compiled code.
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
    /// Anything outside of compiled code.
    Eager,
}

/// The source of FLOPs or bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FigureFrom {
    /// The trace states them.
    Trace,
    /// Buffers of the generated code, or nodes of the graph.
    Code,
    /// Loads and stores in the source of a generated kernel.
    Kernel,
    /// Shapes of the operator's inputs.
    Inputs,
}

/// A kernel: all its runs with equal work.
#[derive(Debug, Clone)]
pub struct MeasuredKernel {
    /// Its name in the trace.
    pub name: String,
    /// The name under which generated code calls it, if the trace has another one: `cpp_fused_flex_attention_0`.
    pub called: Option<String>,
    /// Who wrote it.
    pub backend: Backend,
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
    /// How often it ran.
    pub count: usize,
    /// Microseconds of all runs.
    pub sum_us: f64,
    /// The mean.
    pub mean_us: f64,
    /// The median.
    pub median_us: f64,
    /// The shortest.
    pub min_us: f64,
    /// The longest.
    pub max_us: f64,
    /// FLOPs of one run, and their source.
    pub flops: Option<(f64, FigureFrom)>,
    /// Bytes that one run must move.
    pub bytes: Option<(f64, FigureFrom)>,
    /// The rates of a run of mean length.
    pub rates: Rates,
    /// The type that it computes in, as tables of devices name it: `bf16`, `tf32`. A product of `float` is compared with the
    /// peak for tf32 only if the kernel's name or the log allows it, otherwise with the peak for fp32.
    pub computes_in: Option<&'static str>,
    /// Whether only its speed says that it computes in TF32: FP32 cannot be so fast on this device.
    pub is_tf32_by_speed: bool,
    /// The compile whose code calls it, if known.
    pub compile_ids: Vec<String>,
    /// Lines of the program that it computes.
    pub lines: Vec<ProgramLine>,
    /// What the trace says about its launch.
    pub device: Option<DeviceKernel>,
    /// Sizes of the operator's inputs, if all runs have the same.
    pub inputs: Vec<InputDims>,
    /// `forward`, `backward` or `inference`: the direction of the graph that calls it.
    pub direction: Option<String>,
    /// Inductor's estimate of a run, microseconds.
    pub estimated_us: Option<f64>,
    /// How it was tuned, if it is a Triton kernel.
    pub tuning: Option<Tuning>,
}

impl MeasuredKernel {
    /// The work of a run that took `us`.
    pub(super) fn work(&self, us: f64) -> Measured<'static> {
        Measured {
            us,
            flops: self.flops.map(|(flops, _)| flops),
            bytes: self.bytes.map(|(bytes, _)| bytes),
            kind: self.computes_in,
            matrix: self.flops.is_some(),
        }
    }

    /// Whether it computes: copies, fills and communication have no limit of these kinds.
    pub fn computes(&self) -> bool {
        self.device.as_ref().is_none_or(|device| device.kind == DeviceWork::Kernel)
    }

    /// The name that says most: the one in generated code, otherwise the one in the trace.
    pub fn shown_name(&self) -> &str {
        self.called.as_deref().unwrap_or(&self.name)
    }

    /// The operator that launched it, if there is exactly one and its name says more than the kernel's.
    pub fn operator(&self) -> Option<&str> {
        match self.operators.as_slice() {
            [only] if *only != self.name => Some(only),
            _ => None,
        }
    }

    /// What a run at its ceiling would save over all runs, microseconds: an upper bound. None if its figures are unknown or
    /// doubtful. The ceiling is the smaller of the peak and of what the bandwidth allows at its FLOPs per byte.
    pub fn gain_us(&self) -> Option<f64> {
        let is_sound = matches!(self.rates.judgement?, Judgement::Near | Judgement::Far);
        let reached = self.rates.reached().filter(|_| is_sound)?;
        Some(self.sum_us * (1.0 - reached).max(0.0))
    }

    /// Mean time relative to the estimate.
    pub fn ratio_to_estimate(&self) -> Option<f64> {
        self.estimated_us.filter(|us| *us > 0.0).map(|us| self.mean_us / us)
    }
}

/// How the configuration of a Triton kernel was chosen.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tuning {
    /// Result of the lookup in the autotuning cache: `hit`, `miss`.
    pub state: Option<String>,
    /// Number of configurations; without a cached choice, the first call tries all of them.
    pub candidates: Option<u64>,
    /// Microseconds of compiling them.
    pub compile_us: Option<f64>,
    /// The configuration in the log: after a miss, the choice of an earlier search, if any.
    pub in_log: Option<String>,
    /// Configurations that ran, from the trace: `XBLOCK=16, num_warps=1, num_stages=1`.
    pub ran: Vec<String>,
}

/// An operator with inputs of the same sizes and types.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredOperator {
    /// `aten::mm`.
    pub name: String,
    /// Sizes of its inputs.
    pub dims: Vec<InputDims>,
    /// Types of its inputs.
    pub types: Vec<String>,
    /// Number of calls that launched something.
    pub count: usize,
    /// FLOPs of a call.
    pub flops: Option<f64>,
    /// Bytes that a call must move.
    pub bytes: Option<f64>,
    /// Microseconds of everything that they launched.
    pub sum_us: f64,
}

/// Calls of compiled code.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredRegion {
    /// `0/0`.
    pub compile_id: String,
    /// Number of calls.
    pub calls: usize,
    /// Microseconds of all calls, on the CPU.
    pub sum_us: f64,
    /// Microseconds of the first call.
    pub first_us: f64,
    /// The median.
    pub median_us: f64,
    /// The median of all calls except the first, if there are more.
    pub later_median_us: Option<f64>,
    /// Microseconds of the guard checks before the calls; None if the trace does not have them.
    pub guards_us: Option<f64>,
    /// Microseconds of the calls inside graphs that Inductor compiled; None if the trace has no graphs.
    pub graphs_us: Option<f64>,
    /// Microseconds of the calls outside of graphs, operators and other compiled code: the cost of the wrapper around the
    /// graph. None if the trace has no graphs.
    pub wrapper_us: Option<f64>,
}

/// Time of a line of the program.
#[derive(Debug, Clone, PartialEq)]
pub struct LineTime {
    /// The line.
    pub line: ProgramLine,
    /// Microseconds: its share of the time of its kernels.
    pub us: f64,
    /// Microseconds of kernels that compute this line only.
    pub own_us: f64,
    /// Names of its kernels.
    pub kernels: Vec<String>,
    /// Microseconds of backward graphs.
    pub backward_us: f64,
}

/// Runs that lead to no line of the program.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Unjoined {
    /// Number of runs.
    pub launches: usize,
    /// Their microseconds.
    pub us: f64,
    /// Names of what ran, the longest first.
    pub names: Vec<String>,
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
