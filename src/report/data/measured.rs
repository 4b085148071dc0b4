//! `performance` of report.json: what a trace of torch.profiler tells.

use crate::analysis::performance::{MeasuredKernel, Performance, Rates};
use crate::facts;
use crate::facts::{List, Performance as Measured, Text};
use crate::model::words::plain;
use crate::report::subject::Report;
use crate::report::words::performance::notes::notes;
use crate::report::words::performance::sentence_of;
use crate::report::words::performance::stands_out::stands_out;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use std::collections::BTreeMap;

/// The whole object: what the analysis found, and the words of the page.
pub(super) fn performance<'m>(report: Report<'m>, found: &'m Performance) -> Measured<'m> {
    Measured {
        summary: plain(&sentence_of(found)).into(),
        stands_out: List::made(move || standing_out(report, found)),
        notes: notes(report, found).into_iter().map(|note| Text::from(plain(&note))).collect(),
        trace: found.trace.clone(),
        device: found.device.clone(),
        time: found.time,
        kernels: List::made(move || found.kernels.iter().map(|kernel| &**kernel)),
        ops: List::made(move || found.operators.iter()),
        regions: List::made(move || found.regions.iter()),
        lines: List::made(move || found.lines.iter().map(|line| &**line)),
        unjoined: found.unjoined.clone(),
    }
}

fn standing_out<'m>(
    report: Report<'m>,
    found: &Performance,
) -> impl Iterator<Item = facts::StandsOut<'m>> + use<'m> {
    stands_out(report, found).into_iter().map(|one| facts::StandsOut {
        label: one.label.into(),
        text: plain(&one.text).into(),
        reason: one.reason.map(|reason| plain(&reason).into()),
        us: one.us,
        at_most: one.at_most,
    })
}

/// Adds a figure to the `args` of an event, if it is known.
fn add<M: SerializeMap>(args: &mut M, name: &str, figure: Option<impl Serialize>) -> Result<(), M::Error> {
    figure.map_or(Ok(()), |figure| args.serialize_entry(name, &figure))
}

/// What `--augment` adds to the `args` of a run of a kernel, under the names that they have in report.json; the last ones
/// under those that PyTorch's own script gives and reads. What is not known is left out.
struct FiguresOfRun<'m> {
    kernel: &'m MeasuredKernel,
    rates: &'m Rates,
}

impl Serialize for FiguresOfRun<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let FiguresOfRun { kernel, rates } = self;
        let mut args = serializer.serialize_map(None)?;
        add(&mut args, "flops", kernel.flops)?;
        add(&mut args, "flops_from", kernel.flops_from)?;
        add(&mut args, "bytes", kernel.bytes)?;
        add(&mut args, "bytes_from", kernel.bytes_from)?;
        add(&mut args, "tflops", rates.tflops)?;
        add(&mut args, "gbps", rates.gbps)?;
        add(&mut args, "share_of_peak", rates.share_of_peak)?;
        add(&mut args, "share_of_bandwidth", rates.share_of_bandwidth)?;
        add(&mut args, "bound", rates.bound)?;
        add(&mut args, "plausible", rates.doubt())?;
        add(&mut args, "compile_id", kernel.compile_ids.first())?;
        add(&mut args, "lines", (!kernel.lines.is_empty()).then_some(&kernel.lines))?;
        // That script skips launches without a name here, and fails for those of no length.
        add(&mut args, "name", Some(&kernel.name))?;
        add(&mut args, "kernel_flop", kernel.flops.filter(|_| rates.tflops.is_some()))?;
        add(&mut args, "kernel_num_gb", gigabytes(kernel).filter(|_| rates.gbps.is_some()))?;
        args.end()
    }
}

/// Bytes that a run moves, in GB (1e9).
fn gigabytes(kernel: &MeasuredKernel) -> Option<f64> {
    kernel.bytes.map(|bytes| bytes / 1e9)
}

/// What `--augment` adds to the `args` of the call that launched a kernel, as the JSON of an object.
pub(crate) fn figures_of_call(kernel: &MeasuredKernel) -> serde_json::Result<Box<RawValue>> {
    let figures = [("kernel_flop", kernel.flops), ("kernel_num_gb", gigabytes(kernel))];
    let known = figures.into_iter().filter_map(|(name, figure)| Some((name, figure?)));
    to_raw_value(&known.collect::<BTreeMap<&str, f64>>())
}

/// The figures of a run as the JSON of an object.
pub(crate) fn figures_of_run(kernel: &MeasuredKernel, rates: &Rates) -> serde_json::Result<Box<RawValue>> {
    to_raw_value(&FiguresOfRun { kernel, rates })
}
