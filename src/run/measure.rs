//! Joins a log with its trace of torch.profiler.

use super::task::{LogTask, Work};
use crate::analysis::performance::{DeviceOptions, DevicePeaks, MeasuredKernel, Performance, performance};
use crate::model::Model;
use crate::output;
use crate::profile::{self, Recorded};
use crate::report;
use crate::trace::{Attachment, PayloadRef, Source, packed};
use anyhow::{Result, bail};
use std::path::Path;

/// Joins the log with its trace, if it has one.
pub(crate) fn measure(
    work: Work<'_>,
    task: &LogTask<'_>,
    model: &Model,
    source: &Source,
) -> Result<Option<Performance>> {
    let options = work.options;
    let trace = match task.is_trace_alone() {
        true => Some(Attachment::on_disk(task.log)),
        false => work.traces.of_log(task.profiled, model.log.rank)?.cloned(),
    };
    let Some(trace) = trace else { return Ok(None) };
    let facts = profile::read(&trace)?;
    let given = options.device.as_deref();
    let peaks = given.map(|given| DevicePeaks::given(given, facts.device.as_deref()));
    let peaks = peaks.transpose()?;
    let table = || DevicePeaks::named(facts.device.as_deref()?);
    if options.clock_mhz.is_some()
        && peaks.clone().or_else(table).is_none_or(|device| device.boost_mhz.is_none())
    {
        bail!(
            "--clock cannot correct the figures of {}: the clock at which they hold is not known. Leave it out, or give the \
             device with `boost_mhz` as `--device FILE.json`",
            given.or(facts.device.as_deref()).unwrap_or("a device without a name")
        );
    }
    let device = DeviceOptions {
        peaks,
        clock_mhz: options.clock_mhz,
        tf32: options.tf32,
        force: options.force,
        each_run: work.augment.is_some(),
    };
    let read = |payload: &PayloadRef| {
        let mut bytes = Vec::new();
        source.read_payload(payload, &mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    let found = performance(model, &facts, &device, &read)?;
    drop(facts);
    if let Some(to) = work.augment {
        write_augmented(&trace, to, &found)?;
    }
    Ok(Some(found))
}

/// Writes the trace again with the figures of each run of a kernel.
fn write_augmented(trace: &Attachment, to: &Path, found: &Performance) -> Result<()> {
    output::write_single_file(to, |file| {
        packed(file, to, |out| {
            let (mut runs, mut calls) = (found.follow_runs()?, found.follow_calls()?);
            let mut added = |recorded: Recorded, us: f64| {
                let of_run =
                    |kernel: &MeasuredKernel| report::figures_of_run(kernel, &found.rates_of_run(kernel, us));
                let figures = match recorded {
                    Recorded::Launch(place) if found.on_device => runs.kernel_of(place)?.map(of_run),
                    Recorded::Call(place) if !found.on_device => runs.kernel_of(place)?.map(of_run),
                    // PyTorch's script takes the figures of a launch from the call that made it.
                    Recorded::Call(place) => calls.kernel_of(place)?.map(report::figures_of_call),
                    Recorded::Launch(_) => None,
                };
                Ok(figures.transpose()?)
            };
            profile::augment(trace, out, &mut added)
        })
    })
}
