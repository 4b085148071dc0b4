//! What a trace of torch.profiler measured: what can be gained, what stands out, lines, kernels and operators.

use crate::facts::{Bound, Kernel, LineTime, Operator, Performance, StandsOut};
use crate::limits::SHORT_NAME;
use crate::model::rates::{byte_count, byte_rate, flop_count, flop_rate};
use crate::model::words::duration;
use crate::model::{input_words, short_kernel};
use crate::report::doc::{Cell, FoundRow, Listing, Rows, count, log, micros, own, place, text};
use crate::report::kit::links;
use crate::report::words::performance::figures;
use serde::Serialize;
use std::ops::Deref;

/// Sentences on the whole trace.
pub(crate) fn summary<'m>(found: Option<&'m Performance<'m>>) -> Listing<'m> {
    let sentences = found
        .into_iter()
        .flat_map(|found| std::iter::once(&*found.summary).chain(found.notes.iter().map(|note| &**note)));
    Rows::of(sentences.collect::<Vec<_>>()).text("In short", |one| log(*one)).listing(
        "performance",
        "Performance",
        "No trace of torch.profiler was read: tlparse LOG --profile TRACE.",
    )
}

pub(crate) fn stands_out<'m>(all: &'m [StandsOut<'m>]) -> Listing<'m> {
    Rows::of(all)
        .text("What", |one| log(&*one.label))
        .number("Time", |one| Cell::figure(one.us, |us| figures::gain(us, one.at_most)))
        .text("Why, and what to do", |one| match &one.reason {
            Some(reason) => log(format!("{} {}", &*one.text, &**reason)),
            None => log(&*one.text),
        })
        .listing("stands-out", "What stands out", "Nothing stands out.")
}

pub(crate) fn measured_lines<'m>(all: &'m [LineTime<'m>]) -> Listing<'m> {
    Rows::of(all)
        .number("Time", |one| micros(Some(one.us)))
        .text("Line", |one| place(Some(&one.file), i64::try_from(one.line).ok()))
        .text("Code", |one| text(&one.code))
        .listing("lines", "Lines by device time", "No kernel leads to a line of the program.")
}

pub(crate) fn measured_kernels<'m>(all: Vec<&'m Kernel<'m>>) -> Listing<'m> {
    let longest_us = all.iter().map(|kernel| kernel.sum_us).fold(0.0, f64::max);
    figures_of_kernels(Rows::of(all), longest_us)
        .text("Verdict", |one| text(&one.verdict))
        .text("Kind", |one| Cell::maybe(one.backend, |backend| figures::label(backend).into()))
        .text("Compiles", |one| Cell::known_ids(one.compile_ids.iter().map(|id| &**id)))
        .text("Operator, sizes and kernel", |one| log(kernel(one)))
        .found(|at, one| {
            FoundRow::at(kernel(one), format!("{}#{}", links::KERNELS, links::measured_kernel_anchor(at)))
        })
        .listing("measured", "Kernels by device time", "The trace contains no kernel runs.")
}

/// The figures of measured kernels. What they are called stands before or behind these.
pub(crate) fn figures_of_kernels<'m, 'k, R, L>(rows: Rows<'m, R, L>, longest_us: f64) -> Rows<'m, R, L>
where
    R: Deref<Target = Kernel<'k>>,
    L: Deref<Target = [R]>,
{
    rows.number("Time", move |one| micros(Some(one.sum_us)).bar(one.sum_us, one.sum_us, longest_us))
        .explained("over all runs")
        .number("Runs", |one| count(Some(one.count)))
        .number("Each", |one| {
            let [median, least, most] = [one.median_us, one.min_us, one.max_us].map(duration);
            micros(Some(one.mean_us)).titled(format!("median {median}, shortest {least}, longest {most}"))
        })
        .explained("the mean run; the median and the longest on hover")
        .number("Rate", |one| rate(one))
        .explained(
            "FLOPs, where there is a formula (a multiply-add counts as 2), or else the minimum bytes, over the mean run",
        )
        .fixed()
        .number("Reaches", |one| reached(one))
        .explained("share of what the device can do: its peak, or less where the bandwidth does not allow that")
        .number("To gain", |one| Cell::figure(one.gain_us, |us| figures::gain(us, true)))
        .explained("what all runs would save at that limit: an upper bound, not to be added up")
}

pub(crate) fn measured_operators<'m>(all: &'m [Operator<'m>]) -> Listing<'m> {
    Rows::of(all)
        .text("Operator", |one| log(&*one.op))
        .text("Shapes", |one| own(one.input_dims.iter().map(in_json).collect::<Vec<_>>().join(" ")))
        .text("Dtypes", |one| log(one.input_types.iter().map(|text| &**text).collect::<Vec<_>>().join(" ")))
        .number("Runs", |one| count(Some(one.count)))
        .number("Sum", |one| micros(Some(one.kernel_us_sum)))
        .number("Bytes", |one| Cell::figure(one.bytes, figures::byte_count))
        .listing("operators", "Operators as torch.profiler measured them", "The trace names no operators.")
}

/// A word or a list as report.json has it.
fn in_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default().trim_matches('"').to_owned()
}

/// The rate that the kernel's limit is about; the other one on hover, with what both are of.
fn rate(one: &Kernel<'_>) -> Cell<'static> {
    let of_flops = one.tflops.zip(one.flops).map(|(rate, amount)| {
        let about = format!("{} per run, {}", flop_count(amount), figures::from(one.flops_from));
        (flop_rate(rate), about)
    });
    let of_bytes = one.gbps.zip(one.bytes).map(|(rate, amount)| {
        let about = format!("{} per run, {}", byte_count(amount), figures::from(one.bytes_from));
        (byte_rate(rate), about)
    });
    let is_memory = one.bound == Some(Bound::Memory);
    let ((shown, about), other) = match (of_flops, of_bytes) {
        (Some(flops), bytes) if !is_memory || bytes.is_none() => (flops, bytes),
        (flops, Some(bytes)) => (bytes, flops),
        _ => return Cell::Unknown,
    };
    let about = other.map_or(about.clone(), |(text, other)| format!("{about}; {text}, {other}"));
    let bound = one.bound.map(|bound| format!("{}-bound; ", figures::bound(bound))).unwrap_or_default();
    own(shown).titled(format!("{bound}{about}"))
}

/// The share of its limit, and which one that is.
fn reached(one: &Kernel<'_>) -> Cell<'static> {
    let Some(share) = one.share_of_peak.into_iter().chain(one.share_of_bandwidth).reduce(f64::max) else {
        return Cell::Unknown;
    };
    let is_peak = one.share_of_peak == Some(share);
    let limit = match (is_peak, one.computes_in.as_deref()) {
        (true, Some(kind)) => format!("{kind} peak"),
        (true, None) => "peak".to_owned(),
        (false, _) => "bandwidth".to_owned(),
    };
    let other = |share: Option<f64>, what: &str| {
        share.map(|share| format!("{} of the {what}", figures::share(share)))
    };
    let both = [other(one.share_of_peak, "peak"), other(one.share_of_bandwidth, "bandwidth")];
    let about = both.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let shown = Cell::Beside(vec![own(format!("{} of the ", figures::share(share))), log(limit)], "");
    shown.titled(about).bar(share, share, 1.0)
}

/// `aten::mm 8944×1024, 1024×2816: sm90_xmma_gemm`
fn kernel(one: &Kernel<'_>) -> String {
    let inputs = input_words(&one.input_dims);
    let name = short_kernel(&one.name, SHORT_NAME);
    match (one.operator.as_deref(), inputs.is_empty()) {
        (Some(operator), true) => format!("{operator}: {name}"),
        (Some(operator), false) => format!("{operator} {inputs}: {name}"),
        (None, true) => name,
        (None, false) => format!("{name} {inputs}"),
    }
}
