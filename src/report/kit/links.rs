//! Addresses of pages and anchors in the report.

use crate::limits::{FIRST, KEPT, LISTED, LONG_TABLE};
use crate::model::{Compile, CompileIndex};
pub(crate) use crate::report::kit::source_lines::{SOURCE, source_line, source_line_anchor};
pub(crate) use crate::report::kit::urls::{anchored, encoded, id_of};

use crate::report::kit::formats::{percent, short_path};
use crate::report::kit::html::Html;
use crate::report::kit::paths;
use crate::report::kit::view::View;
use crate::report::subject::Report;
use crate::trace::Md5;

/// Pages at the top of a report with anchors for other pages.
pub(crate) const GRAPH_BREAKS: &str = "graph_breaks.html";
/// See [`GRAPH_BREAKS`].
pub(crate) const RECOMPILATIONS: &str = "recompilations.html";
/// See [`GRAPH_BREAKS`].
pub(crate) const TIME: &str = "time.html";
/// See [`GRAPH_BREAKS`].
pub(crate) const VLLM: &str = "vllm.html";
/// See [`GRAPH_BREAKS`].
pub(crate) const KERNELS: &str = "kernels.html";
/// The name that the page of kernels has for links to the former page of measured ones.
pub(crate) const PERFORMANCE: &str = "performance.html";
pub(crate) const FAILURES: &str = "failures_and_restarts.html";

/// Compiles per directory: if there are more, the directory moves from the landing page to pages of this many. Part of
/// the contract.
pub(crate) const COMPILES_PER_DIRECTORY: usize = 200;

/// The page with a compile's row in the directory, if the landing page has no room for it.
pub(crate) fn directory_page(report: Report<'_>, index: CompileIndex) -> Option<String> {
    (report.model.compiles.len() > COMPILES_PER_DIRECTORY)
        .then(|| format!("directory_{}.html", index.place() / COMPILES_PER_DIRECTORY + 1))
}

/// Address of a compile relative to the report's top: its page, or its row in the directory where that says all.
pub(crate) fn compile(report: Report<'_>, compile: &Compile) -> String {
    if !compile.is_bare {
        return encoded(paths::compile_page(compile).as_str());
    }
    let page = report.model.by_id.get(&compile.id).and_then(|index| directory_page(report, *index));
    let page = page.unwrap_or_else(|| paths::landing(report.settings).to_owned());
    format!("{page}#{}", anchored(&id_of(&compile.bracketed(0))))
}

/// What the page of a compile is known by in the reports of other ranks: its id, and eight digits of its function's name
/// and place, without the folder of the file. None without a page, or where the log names no function.
pub(crate) fn same_compile(compile: &Compile) -> Option<String> {
    let function = compile.function.as_ref().filter(|_| !compile.is_bare)?;
    let file = function.file.as_deref().map(short_path).unwrap_or_default();
    let text = format!("{}\n{file}\n{}", function.name, function.line.unwrap_or_default());
    let digits: String = Md5::of(text.as_bytes()).to_string().chars().take(8).collect();
    Some(format!("{}{digits}", id_of(&compile.bracketed(0))))
}

impl View<'_> {
    /// The same for a page.
    pub fn compile_href(&self, one: &Compile) -> String {
        ["../".repeat(self.depth), compile(self.report, one)].concat()
    }
}

/// Link to a graph break, by its index in the model.
pub(crate) fn graph_break(view: View<'_>, index: usize, text: &str) -> Html {
    view.link(&format!("{}#{}", view.href_of(GRAPH_BREAKS), graph_break_anchor(index)), text)
}

/// The anchor of a graph break: its index in the model, from 1.
pub(crate) fn graph_break_anchor(index: usize) -> String {
    format!("break-{}", index + 1)
}

/// The anchor of an entry of the page of failures: its number, from 1.
pub(crate) fn failure_anchor(number: usize) -> String {
    format!("failure-{number}")
}

/// The address of a function on that page, by its place among the chains.
pub(crate) fn chain(report: Report<'_>, place: usize) -> String {
    let first = report.found.chains.get(place).and_then(|chain| chain.steps.first());
    let first = first.and_then(|first| report.model.compiles.get(first.compile));
    first.map_or_else(
        || RECOMPILATIONS.to_owned(),
        |first| format!("{RECOMPILATIONS}#{}", recompilations_anchor(first)),
    )
}

/// The anchor of a function, from the folder of its first compile, which is unique and safe.
pub(crate) fn recompilations_anchor(first: &Compile) -> String {
    format!("f{}", first.folder(0))
}

/// Link to a compile on vLLM's page; None if it has no module there.
pub(crate) fn vllm(view: View<'_>, compile: CompileIndex) -> Option<String> {
    let module = view.report.has_vllm_module(compile)?;
    Some(format!(
        "{}#{}",
        view.href_of(VLLM),
        if module { format!("of-{compile}") } else { "events".to_owned() }
    ))
}

/// The anchor of a measured kernel: its index in the model, from 1.
pub(crate) fn measured_kernel_anchor(index: usize) -> String {
    format!("kernel-{}", index + 1)
}

/// The anchor of a measured line: its index in the model, from 1.
pub(crate) fn measured_line_anchor(index: usize) -> String {
    format!("line-{}", index + 1)
}

/// Link to a measured kernel; None if the table leaves it out.
pub(crate) fn measured_kernel(view: View<'_>, index: usize) -> Option<String> {
    let anchor = measured_kernel_anchor(index);
    (index < LONG_TABLE).then(|| format!("{}#{anchor}", view.href_of(KERNELS)))
}

/// The same for a line.
pub(crate) fn measured_line(view: View<'_>, index: usize) -> Option<String> {
    let anchor = measured_line_anchor(index);
    (index < LONG_TABLE).then(|| format!("{}#{anchor}", view.href_of(KERNELS)))
}

/// The anchor of a kernel on the page of all kernels: the index of its run, and of its first call in it.
pub(crate) fn kernel_of_code_anchor(run: usize, place: usize) -> String {
    format!("kernel-{}-{}", run + 1, place + 1)
}

/// Functions on the landing page, costliest first. Part of the contract.
pub(crate) const FUNCTIONS_ON_LANDING_PAGE: usize = 500;

/// Link to the row of the function with this index.
pub(crate) fn function(report: Report<'_>, index: usize) -> String {
    let long = report.found.functions.len() > FUNCTIONS_ON_LANDING_PAGE;
    let page = if long { "functions.html" } else { paths::landing(report.settings) };
    format!("{page}#function-{}", index + 1)
}

/// Address of a compile on the chart, relative to the report's top, by its index in the model.
pub(crate) fn time(index: CompileIndex) -> String {
    if index.place() < KEPT { format!("{TIME}#at-{index}") } else { TIME.to_owned() }
}

/// Smallest share of self time, and of total time, for which a phase has a row, as smaller phases hardly matter.
const LEAST_SELF: f64 = 0.001;
const LEAST_TOTAL: f64 = 0.01;

/// Whether the page of times has a row for the phase with this index.
pub(crate) fn lists_phase(report: Report<'_>, index: usize) -> bool {
    let time = &report.found.time;
    let says = time.phases.get(index).is_some_and(|phase| {
        phase.self_s >= LEAST_SELF * time.total_s || phase.total_s >= LEAST_TOTAL * time.total_s
    });
    index < LISTED && (index < FIRST || says)
}

/// Description of the phases without a row.
pub(crate) fn unlisted_phases() -> String {
    format!(
        "each less than {} of the covered time itself, and less than {} in total",
        percent(LEAST_SELF, 1.0, true),
        percent(LEAST_TOTAL, 1.0, false)
    )
}

/// The anchor of a phase on the page of times: its index among the phases, from 1.
pub(crate) fn phase_anchor(index: usize) -> String {
    format!("phase-{}", index + 1)
}

/// Address of a phase, relative to the report's top; the script there shows its longest span.
pub(crate) fn phase(report: Report<'_>, index: usize) -> String {
    match (report.times_phases(), lists_phase(report, index)) {
        (true, true) => format!("{TIME}#{}", phase_anchor(index)),
        (true, false) => format!("{TIME}#phases"),
        (false, _) => format!("{}#functions", paths::landing(report.settings)),
    }
}
