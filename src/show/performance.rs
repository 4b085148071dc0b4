//! What a trace of torch.profiler measured, as tables: what can be gained, what stands out, lines and kernels.

use super::table::{DASH, Table, column, place, text};
use crate::facts::{Bound, Kernel, Performance, StandsOut};
use crate::limits::SHORT_NAME;
use crate::model::rates::{byte_rate, flop_rate};
use crate::model::words::{duration, plain};
use crate::model::{input_words, short_kernel};

/// The tables.
pub(super) fn performance(measured: &Option<Performance<'_>>) -> Vec<Table> {
    let empty = "No trace of torch.profiler was read: tlparse LOG --profile TRACE.";
    let Some(found) = measured else {
        return vec![Table { title: "Performance", columns: Vec::new(), rows: Vec::new(), empty }];
    };
    let summary = std::iter::once(&*found.summary).chain(found.notes.iter().map(|note| &**note));
    let summary: Vec<&str> = summary.collect();
    let summary = Table::of("Performance", empty, &summary, &[column("In short", |one| (*one).to_owned())]);
    let stands_out = Table::of(
        "What stands out",
        "Nothing stands out.",
        &found.stands_out,
        &[
            column("What", |one| one.label.owned()),
            column("Time", cost),
            column("Why, and what to do", |one| match &one.reason {
                Some(reason) => format!("{} {}", &*one.text, &**reason),
                None => one.text.owned(),
            }),
        ],
    );
    let lines = Table::of(
        "Lines by device time",
        "No kernel leads to a line of the program.",
        &found.lines,
        &[
            column("Time", |one| duration(one.us)),
            column("Line", |one| place(Some(&one.file), i64::try_from(one.line).ok())),
            column("Code", |one| text(one.code.as_deref())),
        ],
    );
    let kernels = Table::of(
        "Kernels by device time",
        "The trace contains no kernel runs.",
        &found.kernels,
        &[
            column("Time", |one| duration(one.sum_us)),
            column("Runs", |one| one.count.to_string()),
            column("Each", |one| duration(one.mean_us)),
            column("Rate", rate),
            column("Reaches", reached),
            column("To gain", |one| {
                one.gain_us.map_or_else(|| DASH.to_owned(), |us| format!("up to {}", duration(us)))
            }),
            column("Verdict", |one| text(one.verdict.as_deref())),
            column("Operator, sizes and kernel", kernel),
        ],
    );
    vec![summary, stands_out, lines, kernels]
}

fn cost(one: &StandsOut<'_>) -> String {
    let up_to = if one.at_most { "up to " } else { "" };
    one.us.map_or_else(|| DASH.to_owned(), |us| format!("{up_to}{}", duration(us)))
}

/// The rate that the kernel's limit is about.
fn rate(one: &Kernel<'_>) -> String {
    let is_memory = one.bound == Some(Bound::Memory);
    let words = match (one.tflops, one.gbps) {
        (Some(tflops), gbps) if !is_memory || gbps.is_none() => flop_rate(tflops),
        (_, Some(gbps)) => byte_rate(gbps),
        _ => return DASH.to_owned(),
    };
    plain(&words)
}

/// The share of its ceiling, and of which limit that is.
fn reached(one: &Kernel<'_>) -> String {
    let Some(reached) = one.reached else { return DASH.to_owned() };
    let is_peak = one.share_of_peak.is_some_and(|share| share >= one.share_of_bandwidth.unwrap_or_default());
    let limit = match (is_peak, one.computes_in.as_deref()) {
        (true, Some(kind)) => format!("{kind} peak"),
        (true, None) => "peak".to_owned(),
        (false, _) => "bandwidth".to_owned(),
    };
    format!("{:.0} % of the {limit}", 100.0 * reached)
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
