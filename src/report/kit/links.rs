//! Where links lead: every address of one page of the report in another.

use crate::model::{Compile, CompileIndex, GraphBreak, VllmFact};
pub(crate) use crate::report::kit::urls::{anchored, encoded, id_of};

use crate::report::kit::formats::percent;
use crate::report::kit::html::Html;
use crate::report::kit::paths;
use crate::report::kit::view::View;
use crate::report::subject::Report;

/// Pages at the top of a report that others lead into.
pub(crate) const GRAPH_BREAKS: &str = "graph_breaks.html";
/// See [`GRAPH_BREAKS`].
pub(crate) const RECOMPILATIONS: &str = "recompilations.html";
/// See [`GRAPH_BREAKS`].
pub(crate) const TIME: &str = "time.html";
/// See [`GRAPH_BREAKS`].
pub(crate) const VLLM: &str = "vllm.html";
/// See [`GRAPH_BREAKS`].
pub(crate) const KERNELS: &str = "kernels.html";
/// See [`GRAPH_BREAKS`].
pub(crate) const PERFORMANCE: &str = "performance.html";

/// A link to a break on the page, seen from `view`.
pub(crate) fn graph_break(view: View<'_>, found: &GraphBreak, text: &str) -> Html {
    let index = view.report.model.graph_breaks.iter().position(|one| std::ptr::eq(one, found));
    let anchor = index.map(|index| format!("#{}", graph_break_anchor(index))).unwrap_or_default();
    view.link(&format!("{}{anchor}", view.href_of(GRAPH_BREAKS)), text)
}

/// The anchor of a graph break: its place in the model, from 1.
pub(crate) fn graph_break_anchor(index: usize) -> String {
    format!("break-{}", index + 1)
}

/// A link to a function's place on the page, seen from `view`; `first` is its first compile.
pub(crate) fn recompilations(view: View<'_>, first: &Compile, text: &str) -> Html {
    view.link(&format!("{}#{}", view.href_of(RECOMPILATIONS), recompilations_anchor(first)), text)
}

/// The anchor of a function: that of its first compile, whose folder is unique and safe.
pub(crate) fn recompilations_anchor(first: &Compile) -> String {
    format!("f{}", first.folder(0))
}

/// Where the page tells of that compile, seen from the view's page; None where vLLM says nothing of it.
pub(crate) fn vllm(view: View<'_>, compile: CompileIndex) -> Option<String> {
    let mut events = view.report.model.vllm.iter().filter(|event| event.compile == compile).peekable();
    events.peek()?;
    // Other events make no module.
    let module = events.any(|event| !matches!(event.fact, VllmFact::Compiled(_) | VllmFact::Other));
    Some(format!(
        "{}#{}",
        view.href_of(VLLM),
        if module { format!("of-{compile}") } else { "events".to_owned() }
    ))
}

/// Rows of the tables of measured kernels and lines.
pub(crate) const MOST_MEASURED: usize = 2_000;

/// The anchor of a measured kernel: its place in the model, from 1.
pub(crate) fn measured_kernel_anchor(index: usize) -> String {
    format!("kernel-{}", index + 1)
}

/// The anchor of a measured line: its place in the model, from 1.
pub(crate) fn measured_line_anchor(index: usize) -> String {
    format!("line-{}", index + 1)
}

/// Where a measured kernel stands, seen from the view's page; None where the table leaves it out.
pub(crate) fn measured_kernel(view: View<'_>, index: usize) -> Option<String> {
    let anchor = measured_kernel_anchor(index);
    (index < MOST_MEASURED).then(|| format!("{}#{anchor}", view.href_of(PERFORMANCE)))
}

/// The same for a line.
pub(crate) fn measured_line(view: View<'_>, index: usize) -> Option<String> {
    let anchor = measured_line_anchor(index);
    (index < MOST_MEASURED).then(|| format!("{}#{anchor}", view.href_of(PERFORMANCE)))
}

/// The anchor of a kernel on the page of all kernels: the place of its run, and of its first call there.
pub(crate) fn kernel_of_code_anchor(run: usize, place: usize) -> String {
    format!("kernel-{}-{}", run + 1, place + 1)
}

/// Functions on the landing page, the costliest; the contract's number.
pub(crate) const FUNCTIONS_ON_LANDING_PAGE: usize = 500;

/// Where the row of a function stands: an index into the functions.
pub(crate) fn function(report: Report<'_>, index: usize) -> String {
    let long = report.found.functions.len() > FUNCTIONS_ON_LANDING_PAGE;
    let page = if long { "functions.html" } else { paths::landing(report.settings) };
    format!("{page}#function-{}", index + 1)
}

/// Compiles whose place on the chart can be linked to; an anchor takes 20 bytes, so the page stays small.
pub(crate) const MOST_ANCHORS: usize = 10_000;

/// The address of a compile on the chart, from the report's top; its number is its place in the model.
pub(crate) fn time(index: CompileIndex) -> String {
    if index.place() < MOST_ANCHORS { format!("{TIME}#at-{index}") } else { TIME.to_owned() }
}

/// Shares of the time that phases cover, in themselves or in all, from which on a phase has a row of its own: below, the
/// numbers say only that it hardly matters. Some have one in any case, and no more than a thousand.
const LEAST_SELF: f64 = 0.001;
const LEAST_TOTAL: f64 = 0.01;
const LEAST_LISTED: usize = 10;
const LISTED: usize = 1_000;

/// Whether the page of times has a row for a phase: a place among the phases of the log.
pub(crate) fn lists_phase(report: Report<'_>, index: usize) -> bool {
    let time = &report.found.time;
    let says = time.phases.get(index).is_some_and(|phase| {
        phase.self_s >= LEAST_SELF * time.total_s || phase.total_s >= LEAST_TOTAL * time.total_s
    });
    index < LISTED && (index < LEAST_LISTED || says)
}

/// What is said of the phases without a row.
pub(crate) fn unlisted_phases() -> String {
    format!(
        "none as much as {} of the time that phases cover itself, or {} in all",
        percent(LEAST_SELF, 1.0, true),
        percent(LEAST_TOTAL, 1.0, false)
    )
}

/// The anchor of a phase on the page of times: its place among the phases of the log, from 1.
pub(crate) fn phase_anchor(index: usize) -> String {
    format!("phase-{}", index + 1)
}

/// Where a phase stands, from the report's top; a script shows its longest span there.
pub(crate) fn phase(report: Report<'_>, index: usize) -> String {
    match (report.times_phases(), lists_phase(report, index)) {
        (true, true) => format!("{TIME}#{}", phase_anchor(index)),
        (true, false) => format!("{TIME}#phases"),
        (false, _) => format!("{}#time", paths::landing(report.settings)),
    }
}
