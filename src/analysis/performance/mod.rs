//! Measured kernels, from a trace of torch.profiler with or without a log: which lines of the program take the device's
//! time, how far each kernel is from the peak of the device, and which figures are impossible.

mod buffers;
mod code_calls;
mod cpp_wrapper;
mod devices;
mod estimates;
mod footprint;
mod formulas;
mod graphs;
mod kernel_source;
mod launched;
mod launchers;
mod measured;
mod node_flops;
mod pointwise;
mod rates;
mod regions;
mod steps;
mod tables;
mod times;
mod touched;
mod tuning;
mod walk;
mod work;

pub use devices::DevicePeaks;
pub use estimates::{ReadPayload, estimated_runtimes};
pub use graphs::ProgramLine;
pub use measured::{
    Backend, ClockFrom, DeviceClock, DeviceOptions, DeviceTime, FigureFrom, LineTime, MeasuredCall,
    MeasuredKernel, MeasuredOperator, MeasuredRegion, Performance, Tuning,
};
pub(super) use node_flops::work_of_nodes;
pub use rates::{
    Bound, FAR, IMPOSSIBLE, IMPOSSIBLE_BANDWIDTH, Judgement, LAUNCH_US, LONG_US, Limit, Rates, SUSPICIOUS,
    SUSPICIOUS_BANDWIDTH, WRONG,
};
pub use steps::{Steps, StepsFrom};

use crate::model::{Model, Profile};
use graphs::Graphs;
use tables::Tables;
use walk::walk;

/// Bytes of the calls in a wrapper, those that are known. `calls` has their lines, from 1, and kernels.
pub fn bytes_of_calls<'c>(
    code: &str,
    graph: Option<&str>,
    calls: impl IntoIterator<Item = (u32, &'c str)>,
) -> Vec<f64> {
    let wrapper = buffers::read_wrapper(code, graph, calls);
    wrapper.calls.values().filter_map(|call| call.bytes).collect()
}

/// Joins a trace with its log. `read` reads the text of a payload of the log.
///
/// # Errors
/// The log or a temporary file can no longer be read.
pub fn performance(
    model: &Model,
    profile: &Profile,
    options: &DeviceOptions,
    read: ReadPayload<'_>,
) -> anyhow::Result<Performance> {
    let graphs = Graphs::read(model, read)?;
    if let Some(foreign) = graphs.foreign(profile) {
        let found = of_another_run(profile, options, read)?;
        return Ok(Performance { foreign_graphs: Some(foreign), ..found });
    }
    measured(model, profile, graphs, options)
}

/// A trace of another run than the log: its own figures if the user asks for them, otherwise only what it is.
fn of_another_run(
    profile: &Profile,
    options: &DeviceOptions,
    read: ReadPayload<'_>,
) -> anyhow::Result<Performance> {
    if options.force {
        return performance(&Model::default(), profile, options, read);
    }
    let (file, device) = (profile.file.clone(), profile.device.clone());
    Ok(Performance { file, device, on_device: !profile.launches.is_empty(), ..Performance::default() })
}

fn measured(
    model: &Model,
    profile: &Profile,
    graphs: Graphs,
    options: &DeviceOptions,
) -> anyhow::Result<Performance> {
    let peaks = options.peaks.clone().or_else(|| DevicePeaks::named(profile.device.as_deref()?));
    let clock = DeviceClock::of(options.clock_mhz, profile.clock_mhz);
    let wall_us = profile.span_us.map_or(0.0, |(begin, end)| end - begin);
    let mut tables = Tables::of(model, profile, &graphs, options);
    let regions = walk(profile, &graphs, &mut |piece| tables.add(&piece))?;
    let mut found = Performance {
        file: profile.file.clone(),
        damaged: profile.damaged.clone(),
        unreadable: profile.unreadable,
        rank: profile.rank,
        span_us: profile.span_us,
        on_device: !profile.launches.is_empty(),
        device: profile.device.clone(),
        devices: profile.devices.clone(),
        corrected: peaks
            .as_ref()
            .is_some_and(|peaks| peaks.clock_factor(clock.map(|clock| clock.mhz)).is_some()),
        clock,
        peaks,
        // A trace of a device begins and ends with what ran there: before that, the profiler started.
        time: DeviceTime { wall_us, ..DeviceTime::default() },
        regions: regions.measured()?,
        ..Performance::default()
    };
    tables.fill(&mut found)?;
    let calls = found.regions.iter().map(|region| region.calls);
    found.steps = Steps::of(profile, calls);
    Ok(found)
}
