//! Measured kernels, from a trace of torch.profiler with or without a log: which lines of the program take the device's
//! time, how far each kernel is from the peak of the device, and which figures are impossible.

mod devices;
mod estimates;
mod footprint;
mod formulas;
mod graphs;
mod launched;
mod launchers;
mod measured;
mod node_flops;
mod pointwise;
mod rates;
mod regions;
mod steps;
mod tables;
#[cfg(test)]
mod tests;
mod times;
mod tuning;
mod walk;
mod work;

pub use devices::DevicePeaks;
pub use estimates::{ReadPayload, estimated_runtimes};
pub use measured::{DeviceOptions, MeasuredCall, Performance};
pub(crate) use measured::{MeasuredKernel, MeasuredLine};
pub(super) use node_flops::work_of_nodes;
pub use rates::{
    FAR, IMPOSSIBLE, IMPOSSIBLE_BANDWIDTH, Judgement, LAUNCH_US, LONG_US, Limit, NEAR, Rates, SUSPICIOUS,
    SUSPICIOUS_BANDWIDTH, WRONG,
};

use crate::facts::{ClockFrom, Device, DeviceTime, Text, Trace};
use crate::model::{Model, Profile};
#[cfg(any(test, feature = "fuzzing"))]
use crate::read::generated::{CodeKind, definitions, kernel_source::sources, tensors::tensor_calls};
#[cfg(any(test, feature = "fuzzing"))]
use footprint::{MOST_PIECES_TOGETHER, bytes_of_call};
use graphs::Graphs;
use steps::count_steps;
use tables::Tables;
use walk::walk;

/// Bytes of the calls in a wrapper, those that are known. `calls` has their lines, from 1, and kernels.
#[cfg(any(test, feature = "fuzzing"))]
pub fn bytes_of_calls<'c>(
    code: &str,
    graph: Option<&str>,
    calls: impl IntoIterator<Item = (u32, &'c str)>,
) -> Vec<f64> {
    let sources = sources(code, &definitions(code, CodeKind::Python));
    let calls = tensor_calls(code, graph, &sources, calls);
    calls.values().filter_map(|call| bytes_of_call(call, &mut MOST_PIECES_TOGETHER.clone())).collect()
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
    let trace = Trace { file: profile.file.clone().into(), ..Trace::default() };
    let device = Device { name: profile.device.clone().map(Text::from), ..Device::default() };
    let on_device = !profile.launches.is_empty();
    Ok(Performance { trace, device, on_device, ..Performance::default() })
}

/// The trace, without what is counted in it.
fn trace_of(profile: &Profile) -> Trace<'static> {
    Trace {
        file: profile.file.clone().into(),
        first_us: profile.span_us.map(|(begin, _)| begin),
        last_us: profile.span_us.map(|(_, end)| end),
        rank: profile.rank.and_then(|rank| i64::try_from(rank).ok()),
        damaged: profile.damaged.clone().map(Text::from),
        ..Trace::default()
    }
}

/// The device of a trace, at the clock that the user gives, or else the trace.
fn device_of(profile: &Profile, peaks: Option<&DevicePeaks>, given_mhz: Option<f64>) -> Device<'static> {
    let clock_mhz = given_mhz.or(profile.clock_mhz);
    let clock_from = if given_mhz.is_some() { ClockFrom::Option } else { ClockFrom::Trace };
    Device {
        name: profile.device.clone().map(Text::from),
        entry: peaks.map(|peaks| peaks.name.to_string().into()),
        clock_mhz,
        clock_from: clock_mhz.map(|_| clock_from),
        corrected: peaks.is_some_and(|peaks| peaks.clock_factor(clock_mhz).is_some()),
    }
}

fn measured(
    model: &Model,
    profile: &Profile,
    graphs: Graphs,
    options: &DeviceOptions,
) -> anyhow::Result<Performance> {
    let peaks = options.peaks.clone().or_else(|| DevicePeaks::named(profile.device.as_deref()?));
    let wall_us = profile.span_us.map_or(0.0, |(begin, end)| end - begin);
    let mut tables = Tables::new(model, profile, &graphs, options);
    let regions = walk(profile, &graphs, &mut |piece| tables.add(&piece))?;
    let mut found = Performance {
        trace: trace_of(profile),
        unreadable: profile.unreadable,
        on_device: !profile.launches.is_empty(),
        device: device_of(profile, peaks.as_ref(), options.clock_mhz),
        devices: profile.devices.clone(),
        peaks,
        // A trace of a device begins and ends with what ran there: before that, the profiler started.
        time: DeviceTime { wall_us, ..DeviceTime::default() },
        regions: regions.measured()?,
        ..Performance::default()
    };
    tables.fill(&mut found)?;
    let calls = found.regions.iter().map(|region| region.calls);
    count_steps(&mut found.trace, profile, calls);
    Ok(found)
}
