//! Where links lead: every address of one page of the report in another.

use crate::model::{Compile, CompileIndex, GraphBreak, VllmFact};
pub(crate) use crate::report::kit::urls::encoded;

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
