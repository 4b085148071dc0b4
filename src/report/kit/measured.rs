//! Measured times on pages of code and kernels: where they are found, and how they look.

use crate::analysis::performance::{MeasuredCall, Performance};
use crate::report::kit::formats::micros;
use crate::report::kit::html::Html;
use crate::report::kit::inductor_runs::Run;
use crate::report::kit::markup::Element;
use crate::report::subject::Report;

/// The timed calls of an Inductor run, by their index in the code.
pub(crate) fn calls_of<'r>(report: Report<'r>, run: &Run<'_>) -> &'r [MeasuredCall] {
    let Some(found) = &report.found.performance else { return &[] };
    let Some(compile) = report.model.by_id.get(&run.compile.id) else { return &[] };
    let key = (*compile, (run.run.attempt, run.run.order));
    // They are ordered by compile and run.
    let of = |call: &MeasuredCall| (call.compile, call.run);
    let start = found.calls.partition_point(|call| of(call) < key);
    let end = found.calls.partition_point(|call| of(call) <= key);
    found.calls.get(start..end).unwrap_or_default()
}

/// A time with a bar behind it in a line of text: `all` is its length and `own` its dark part, relative to `most`.
pub(crate) fn heat_beside(own: f64, all: f64, most: f64, title: &str) -> Html {
    let mark = Element::new("i").class("heat").style(&ends(own, all, most)).title(title);
    mark.around(micros(all))
}

/// Where the dark and the light part of a bar end.
pub(crate) fn ends(own: f64, all: f64, most: f64) -> String {
    let at = |us: f64| format!("{:.1}%", (100.0 * us / most.max(f64::MIN_POSITIVE)).clamp(0.0, 100.0));
    format!("--own:{};--all:{}", at(own), at(all))
}

/// The largest time of a line, which is a full bar.
pub(crate) fn longest_line(found: &Performance) -> f64 {
    found.lines.first().map_or(0.0, |line| line.us)
}
