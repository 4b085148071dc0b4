//! Measured kernels: a trace of torch.profiler beside the log, or alone. Which line of the program takes the device's
//! time, how far each kernel is from what the device can do, and which figures cannot be true.

mod buffers;
mod devices;
mod estimates;
mod formulas;
mod graphs;
mod measured;
mod modules;
mod node_flops;
mod parts;
mod pointwise;
mod rates;
mod regions;
mod tables;
mod times;
mod tree;
mod tuning;
mod work;

pub use devices::DevicePeaks;
pub use estimates::{ReadPayload, estimated_runtimes};
pub use graphs::ProgramLine;
pub use measured::{
    Backend, DeviceOptions, DeviceTime, FigureFrom, LinePart, LineTime, MeasuredCall, MeasuredKernel,
    MeasuredOperator, MeasuredRegion, Performance, Tuning,
};
pub use rates::{Bound, Judgement, Rates};

use crate::model::{DeviceWork, Model, Profile};
use graphs::Graphs;
use tables::Tables;
use times::Stretches;
use tree::CallTree;
use work::{Piece, Pieces, What};

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
    Tables { model, profile, graphs: &graphs, tree: &tree, pieces: &pieces, each_run: options.each_run }
        .fill(&mut found);
    Ok(found)
}

/// Begin of the first and end of the last call or launch.
fn span(profile: &Profile) -> Option<(f64, f64)> {
    let calls = profile.calls.iter().map(|call| (call.begin_us, call.begin_us + call.dur_us));
    let launches = profile.launches.iter().map(|launch| (launch.begin_us, launch.begin_us + launch.dur_us));
    calls.chain(launches).reduce(|all, one| (all.0.min(one.0), all.1.max(one.1)))
}

fn time(profile: &Profile, pieces: &[Piece], span: Option<(f64, f64)>) -> DeviceTime {
    let kind = |piece: &Piece| match piece.what {
        What::Device(kernel) => profile.kernels.get(kernel as usize).map(|of| of.kind).unwrap_or_default(),
        What::Cpu(_) => DeviceWork::Kernel,
    };
    // One set at a time stands in memory, but for those that are compared.
    let during = |wanted: &dyn Fn(&Piece) -> bool| {
        let mut found = Stretches::default();
        for piece in pieces.iter().filter(|piece| wanted(piece)) {
            found.add(piece.begin_us, piece.dur_us);
        }
        found.merged()
    };
    let computes = |piece: &Piece| kind(piece) == DeviceWork::Kernel;
    let busy_us = during(&|_| true).length();
    let communication = during(&|piece| kind(piece) == DeviceWork::Communication);
    let hidden = communication.shared_with(&during(&computes));
    let wall_us = span.map_or(0.0, |(begin, end)| end - begin);
    DeviceTime {
        wall_us,
        busy_us,
        compiled_us: during(&|piece| computes(piece) && piece.compiled).length(),
        eager_us: during(&|piece| computes(piece) && !piece.compiled).length(),
        communication_us: communication.length(),
        exposed_communication_us: (communication.length() - hidden).max(0.0),
        copy_us: during(&|piece| kind(piece) == DeviceWork::Copy).length(),
        idle_us: (wall_us - busy_us).max(0.0),
    }
}
