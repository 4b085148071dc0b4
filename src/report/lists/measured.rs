//! What a trace of torch.profiler measured: what can be gained, what stands out, lines, kernels and operators.

use crate::facts::{Bound, Kernel, LineTime, Operator, Performance, StandsOut};
use crate::limits::SHORT_NAME;
use crate::model::rates::{byte_rate, flop_rate};
use crate::model::words::duration;
use crate::model::{input_words, short_kernel};
use crate::report::doc::{Cell, Listing, Rows, count, log, micros, own, place, text};
use crate::report::words::performance::figures;
use serde::Serialize;

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
        .number("Time", |one| {
            let up_to = if one.at_most { "up to " } else { "" };
            Cell::figure(one.us, |us| format!("{up_to}{}", duration(us)))
        })
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
    Rows::of(all)
        .number("Time", |one| micros(Some(one.sum_us)))
        .number("Runs", |one| count(Some(one.count)))
        .number("Each", |one| micros(Some(one.mean_us)))
        .text("Rate", |one| rate(one))
        .text("Reaches", |one| reached(one))
        .number("To gain", |one| Cell::figure(one.gain_us, |us| format!("up to {}", duration(us))))
        .text("Verdict", |one| text(&one.verdict))
        .text("From", |one| Cell::maybe(one.backend.as_ref(), |from| own(in_json(from))))
        .text("Compiles", |one| Cell::known_ids(one.compile_ids.iter().map(|id| &**id)))
        .text("Operator, sizes and kernel", |one| kernel(one))
        .listing("measured", "Kernels by device time", "The trace contains no kernel runs.")
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

/// The rate that the kernel's limit is about.
fn rate<'r>(one: &'r Kernel<'_>) -> Cell<'r> {
    let is_memory = one.bound == Some(Bound::Memory);
    match (one.tflops, one.gbps) {
        (Some(tflops), gbps) if !is_memory || gbps.is_none() => own(flop_rate(tflops)),
        (_, gbps) => Cell::maybe(gbps, |gbps| own(byte_rate(gbps))),
    }
}

/// The share of its ceiling, and of which limit that is.
fn reached<'r>(one: &'r Kernel<'_>) -> Cell<'r> {
    let is_peak = one.share_of_peak.is_some_and(|share| share >= one.share_of_bandwidth.unwrap_or_default());
    let limit = match (is_peak, one.computes_in.as_deref()) {
        (true, Some(kind)) => format!("{kind} peak"),
        (true, None) => "peak".to_owned(),
        (false, _) => "bandwidth".to_owned(),
    };
    Cell::maybe(one.reached, |reached| log(format!("{:.0} % of the {limit}", 100.0 * reached)))
}

/// `aten::mm 8944×1024, 1024×2816: sm90_xmma_gemm`
fn kernel<'r>(one: &'r Kernel<'_>) -> Cell<'r> {
    let inputs = input_words(&one.input_dims);
    let name = short_kernel(&one.name, SHORT_NAME);
    log(match (one.operator.as_deref(), inputs.is_empty()) {
        (Some(operator), true) => format!("{operator}: {name}"),
        (Some(operator), false) => format!("{operator} {inputs}: {name}"),
        (None, true) => name,
        (None, false) => format!("{name} {inputs}"),
    })
}
