//! Failures and restarts, recompilations, and graph breaks, each as the list that other surfaces have.

use super::named::NamedHere;
use crate::facts::Recompile;
use crate::limits::LONG_LIST;
use crate::report::data;
use crate::report::doc::markdown;
use crate::report::kit::formats::counted;
use crate::report::kit::markdown::{Markdown, plain};
use crate::report::lists;
use crate::report::subject::Report;
use crate::trace::TextMap;

/// Failures, and restarts by reason.
pub(super) fn failures(report: Report<'_>, document: &mut Markdown) {
    let (failures, restarts): (Vec<_>, Vec<_>) =
        (data::failures(report).collect(), data::restarts(report).collect());
    if failures.is_empty() && restarts.is_empty() {
        return;
    }
    let mut part = document.part(6_000);
    part.heading(2, "Failures and restarts");
    part.text(&plain(&format!(
        "{}, {}. `failures_and_restarts.html` has the tracebacks.",
        counted(failures.len(), "failure", "failures"),
        counted(restarts.len(), "restart", "restarts")
    )));
    markdown::table(&mut part, &lists::failures(failures.iter().collect()));
    markdown::table(&mut part, &lists::restarts(restarts.iter().collect()));
    part.end(0, ("row", "rows"), "`report.json` has all under `failures` and `restarts`");
}

/// Functions that were compiled again: each compile with what changed.
pub(super) fn recompilations(report: Report<'_>, document: &mut Markdown) {
    let model = report.model;
    if model.recompiles.is_empty() {
        return;
    }
    let mut part = document.part(6_000);
    part.heading(2, "Recompilations");
    part.text(&plain(&format!(
        "{}: functions over the limit first, then by time. `recompilations.html` has all guards that failed.",
        counted(model.recompiles.len(), "recompilation", "recompilations")
    )));
    let steps = report.found.chains.iter().flat_map(|chain| chain.steps.iter().map(|step| step.compile));
    // As many as there may be room for.
    let shown = NamedHere::of(report, steps.take(LONG_LIST));
    let ids = shown.compiles.iter().filter_map(|compile| compile.id.as_deref());
    let order: TextMap<&str, usize> = ids.enumerate().map(|(at, id)| (id, at)).collect();
    let place = |one: &Recompile<'_>| order.get(one.compile_id.as_deref()?).copied();
    let mut all: Vec<_> = data::recompiles(report).filter(|one| place(one).is_some()).collect();
    all.sort_by_key(place);
    markdown::table(&mut part, &lists::recompiles(all.iter().collect(), &shown.known()));
    let left_out = model.recompiles.len() - all.len();
    part.end(left_out, ("recompilation", "recompilations"), "`report.json` has all under `recompiles`");
}

/// Distinct graph breaks, the costliest first.
pub(super) fn breaks(report: Report<'_>, document: &mut Markdown) {
    let all: Vec<_> = data::graph_breaks(report).collect();
    if all.is_empty() {
        return;
    }
    let mut part = document.part(6_000);
    part.heading(2, "Graph breaks");
    part.text(&plain(&format!(
        "{}, most time lost first. `graph_breaks.html` has tracebacks and hints.",
        counted(all.len(), "distinct graph break", "distinct graph breaks")
    )));
    markdown::table(&mut part, &lists::graph_breaks(all.iter().collect()));
    part.end(0, ("graph break", "graph breaks"), "`report.json` has all under `graph_breaks`");
}
