//! Measured kernels: a trace of torch.profiler beside the log, or alone. Which line of the program takes the device's
//! time, how far each kernel is from what the device can do, and which figures cannot be true.

mod buffers;
mod devices;
mod formulas;
mod graphs;
mod node_flops;
mod rates;
mod tables;
mod times;
mod tree;
mod work;

pub use devices::DevicePeaks;
pub use graphs::{ProgramLine, ReadPayload};
pub use rates::{Bound, Judgement, Rates};
pub use tables::{Backend, FigureFrom, LineTime, MeasuredKernel, MeasuredOperator, MeasuredRegion, Unjoined};

use crate::model::{DeviceWork, Model, Profile};
use graphs::Graphs;
use tables::Tables;
use times::Stretches;
use tree::CallTree;
use work::{Piece, Pieces, What};

/// What a reader says of the device.
#[derive(Debug, Clone, Default)]
pub struct DeviceOptions {
    /// Figures to use in place of those of the table.
    pub peaks: Option<DevicePeaks>,
    /// The clock that the device ran at, MHz.
    pub clock_mhz: Option<f64>,
}

/// What a trace and the log tell together.
#[derive(Debug, Clone, Default)]
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
    /// Name of the device, as the trace has it.
    pub device: Option<String>,
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
    /// What leads to no line.
    pub unjoined: Unjoined,
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

/// Joins a trace with its log. `read` gives the text of a payload of the log.
///
/// # Errors
/// The log cannot be read any more.
pub fn performance(
    model: &Model,
    profile: &Profile,
    options: &DeviceOptions,
    read: ReadPayload<'_>,
) -> anyhow::Result<Performance> {
    let graphs = Graphs::read(model, read)?;
    let tree = CallTree::of(profile);
    let pieces = Pieces::of(profile, &tree, &graphs);
    let peaks = options.peaks.clone().or_else(|| DevicePeaks::named(profile.device.as_deref()?));
    let span_us = span(profile);
    let mut found = Performance {
        file: profile.file.clone(),
        damaged: profile.damaged.clone(),
        unreadable: profile.unreadable,
        rank: profile.rank,
        launches: pieces.len(),
        span_us,
        on_device: !profile.launches.is_empty(),
        device: profile.device.clone(),
        corrected: peaks.as_ref().is_some_and(|peaks| peaks.clock_factor(options.clock_mhz).is_some()),
        clock_mhz: options.clock_mhz,
        peaks,
        time: time(profile, &pieces, span_us),
        ..Performance::default()
    };
    Tables { model, profile, graphs: &graphs, pieces: &pieces }.fill(&mut found);
    Ok(found)
}

/// Begin of the first and end of the last call or launch.
fn span(profile: &Profile) -> Option<(f64, f64)> {
    let calls = profile.calls.iter().map(|call| (call.begin_us, call.begin_us + call.dur_us));
    let launches = profile.launches.iter().map(|launch| (launch.begin_us, launch.begin_us + launch.dur_us));
    calls.chain(launches).reduce(|all, one| (all.0.min(one.0), all.1.max(one.1)))
}

fn time(profile: &Profile, pieces: &[Piece], span: Option<(f64, f64)>) -> DeviceTime {
    let mut of_kind: [Stretches; 4] = Default::default();
    let mut all = Stretches::default();
    let mut compute = Stretches::default();
    for piece in pieces {
        let kind = match piece.what {
            What::Device(kernel) => profile.kernels.get(kernel as usize).map(|kernel| kernel.kind),
            What::Cpu(_) => None,
        };
        let place = match kind.unwrap_or_default() {
            DeviceWork::Communication => 2,
            DeviceWork::Copy => 3,
            DeviceWork::Kernel => usize::from(!piece.compiled),
        };
        all.add(piece.begin_us, piece.dur_us);
        if place < 2 {
            compute.add(piece.begin_us, piece.dur_us);
        }
        if let Some(stretches) = of_kind.get_mut(place) {
            stretches.add(piece.begin_us, piece.dur_us);
        }
    }
    let [compiled, eager, communication, copy] = of_kind.map(Stretches::merged);
    let busy_us = all.merged().length();
    let hidden = communication.shared_with(&compute.merged());
    let wall_us = span.map_or(0.0, |(begin, end)| end - begin);
    DeviceTime {
        wall_us,
        busy_us,
        compiled_us: compiled.length(),
        eager_us: eager.length(),
        communication_us: communication.length(),
        exposed_communication_us: (communication.length() - hidden).max(0.0),
        copy_us: copy.length(),
        idle_us: (wall_us - busy_us).max(0.0),
    }
}
