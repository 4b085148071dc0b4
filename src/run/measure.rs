//! The step from a log and its trace to measured kernels.

use super::task::{LogTask, Work};
use crate::analysis::performance::{DeviceOptions, DevicePeaks, Performance, performance};
use crate::model::Model;
use crate::profile;
use crate::trace::{PayloadRef, Source};
use anyhow::Result;

/// Joins the log with its trace, where it has one.
///
/// # Errors
/// The trace cannot be read, or the figures of the device are of no known form.
pub(crate) fn measure(
    work: Work<'_>,
    task: &LogTask<'_>,
    model: &Model,
    source: &Source,
) -> Result<Option<Performance>> {
    let options = work.options;
    let trace = match task.is_trace_alone() {
        true => Some(task.log),
        false => work.traces.of_log(task.profiled, model.log.rank)?,
    };
    let Some(trace) = trace else { return Ok(None) };
    let facts = profile::read(trace)?;
    let given = options.device.as_deref();
    let peaks = given.map(|given| DevicePeaks::given(given, facts.device.as_deref()));
    let device = DeviceOptions { peaks: peaks.transpose()?, clock_mhz: options.clock_mhz };
    let read = |payload: &PayloadRef| {
        let mut bytes = Vec::new();
        source.read_payload(payload, &mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    performance(model, &facts, &device, &read).map(Some)
}
