//! Failures and restarts, recompilations, and graph breaks, each in a table.

use super::times::{function_cells, place};
use crate::analysis::failures::{FailureCause, FailureEffect, failure_causes};
use crate::analysis::findings::{EntryKey, by_entry};
use crate::analysis::{Change, Step};
use crate::limits::{IN_ROW, QUOTE, SENTENCE, SHORT_NAME};
use crate::model::{Compile, CompileIndex, GraphBreak};
use crate::report::data;
use crate::report::kit::formats::{UNKNOWN, cost_words, counted, micros, whole};
use crate::report::kit::markdown::{Markdown, code, plain, prose};
use crate::report::kit::reasons::first_line;
use crate::report::subject::Report;
use indexmap::IndexMap;

/// Failures by cause, and restarts by reason.
pub(super) fn failures(report: Report<'_>, document: &mut Markdown) {
    let model = report.model;
    if model.failures.is_empty() && model.restarts.is_empty() {
        return;
    }
    let mut part = document.part(6_000);
    part.heading(2, "Failures and restarts");
    part.text(&plain(&format!(
        "{}, {}. `failures_and_restarts.html` has the tracebacks.",
        counted(model.failures.len(), "failure", "failures"),
        counted(model.restarts.len(), "restart", "restarts")
    )));
    let causes = failure_causes(model);
    let rows = causes.iter().map(|cause| failure_row(report, cause));
    part.table(&["Error", "Message", "Where", "Compiles", "Outcome"], rows);
    let mut reasons: IndexMap<String, Vec<CompileIndex>> = IndexMap::new();
    for restart in &model.restarts {
        let compiles = reasons.entry(first_line(&restart.reason)).or_default();
        compiles.extend(model.by_id.get(&restart.compile).copied());
    }
    let rows = reasons.iter().map(|(reason, compiles)| {
        vec![code(reason, SENTENCE), whole(compiles.len()), some_ids(report, compiles)]
    });
    part.table(&["Reason of restarts", "Times:", "Compiles"], rows);
    part.end(0, ("cause", "causes"), "`report.json` has all under `failures` and `restarts`");
}

fn failure_row(report: Report<'_>, cause: &FailureCause<'_>) -> Vec<String> {
    let first = cause.first();
    let message = first.and_then(|failure| failure.reason.as_deref()).map(first_line);
    let effect = match cause.effect {
        FailureEffect::NotCompiled => "the compile ended with this exception",
        FailureEffect::BrokeInLoop => "graph break inside a loop: the function runs in eager mode",
        FailureEffect::BrokeForGood => "graph break: the function runs in eager mode",
    };
    vec![
        first.map_or_else(|| UNKNOWN.to_owned(), |failure| code(&failure.error, QUOTE)),
        message.map_or_else(|| UNKNOWN.to_owned(), |text| code(&text, SENTENCE)),
        place(cause.place.file.as_deref(), cause.place.line),
        some_ids(report, &cause.compiles),
        effect.to_owned(),
    ]
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
    let steps =
        report.found.chains.iter().flat_map(|chain| chain.steps.iter().map(move |step| (chain, step)));
    let again = steps.filter(|(_, step)| !step.reasons.is_empty() || step.over_limit);
    let rows = again.map(|(chain, step)| {
        let compile = model.compiles.get(step.compile);
        let mut cells = vec![compile.map_or_else(String::new, |compile| code(&compile.label(), 40))];
        cells.extend(
            compile.map(|compile| function_cells(report, compile, chain.function)).unwrap_or_default(),
        );
        cells.extend(changed(step));
        cells.push(compile.and_then(Compile::compile_us).map_or_else(|| UNKNOWN.to_owned(), micros));
        cells.iter().map(|text| plain(text)).collect()
    });
    part.table(&["Compile", "Function", "Where", "Changed", "Value", "Time:"], rows);
    part.end(0, ("recompilation", "recompilations"), "`report.json` has all under `recompiles`");
}

/// What changed, and its old and new value.
fn changed(step: &Step<'_>) -> [String; 2] {
    let limit = if step.over_limit { "limit reached, not compiled" } else { "" };
    let Some(change) = &step.change else {
        let guard = step.reasons.first().map(|reason| code(&first_line(&reason.text), SENTENCE));
        return [guard.unwrap_or_else(|| "no reason recorded".to_owned()), limit.to_owned()];
    };
    let what = change.subject().unwrap_or_else(|| change.kind.word().to_owned());
    let mut value = vec![values(change)];
    value.extend(change.became_dynamic.then(|| "then dynamic".to_owned()));
    value.extend(step.cause.is_some_and(|cause| cause.expected).then(|| "expected".to_owned()));
    value.extend((!limit.is_empty()).then(|| limit.to_owned()));
    [code(&what, SENTENCE), value.join(", ")]
}

fn values(change: &Change) -> String {
    let value = |text: &str| code(text, SHORT_NAME);
    match (change.old.as_deref(), change.new.as_deref()) {
        (Some(old), Some(new)) => format!("{} → {}", value(old), value(new)),
        (None, Some(new)) => format!("{} now", value(new)),
        (Some(old), None) => format!("no longer {}", value(old)),
        (None, None) => "not recorded".to_owned(),
    }
}

/// Distinct graph breaks, the costliest first.
pub(super) fn breaks(report: Report<'_>, document: &mut Markdown) {
    let all = &report.model.graph_breaks;
    if all.is_empty() {
        return;
    }
    let mut part = document.part(6_000);
    part.heading(2, "Graph breaks");
    part.text(&plain(&format!(
        "{}, most time lost first. `graph_breaks.html` has tracebacks and hints.",
        counted(all.len(), "distinct graph break", "distinct graph breaks")
    )));
    let findings = by_entry(&report.found.findings);
    let titles: Vec<_> = data::graph_breaks(report).map(|entry| entry.title).collect();
    let mut order: Vec<(usize, &GraphBreak)> = all.iter().enumerate().collect();
    order.sort_by(|(a, one), (b, other)| {
        let lost = |index: usize| findings.get(&EntryKey::Break(index)).map_or(0.0, |one| one.lost_us());
        lost(*b).total_cmp(&lost(*a)).then(other.count.cmp(&one.count))
    });
    let rows = order.iter().map(|(index, one)| {
        let cost = findings.get(&EntryKey::Break(*index)).and_then(|finding| finding.cost.as_ref());
        let compiles: Vec<CompileIndex> =
            one.compiles.iter().filter_map(|id| report.model.by_id.get(id).copied()).collect();
        let id = one.gb_id.as_deref().map(|id| format!(" ({})", code(id, 20))).unwrap_or_default();
        let title = titles.get(*index).and_then(Option::as_deref);
        vec![
            format!("{}{id}", prose(title.unwrap_or(&one.reason), SENTENCE)),
            place(one.file.as_deref(), one.line),
            whole(one.count),
            some_ids(report, &compiles),
            plain(&cost.map_or_else(|| UNKNOWN.to_owned(), |cost| cost_words(cost.kind, cost.us))),
        ]
    });
    part.table(&["Cause", "Where", "Times:", "Compiles", "Cost"], rows);
    part.end(0, ("graph break", "graph breaks"), "`report.json` has all under `graph_breaks`");
}

fn some_ids(report: Report<'_>, compiles: &[CompileIndex]) -> String {
    let mut distinct: Vec<CompileIndex> = Vec::new();
    for compile in compiles {
        if !distinct.contains(compile) {
            distinct.push(*compile);
        }
    }
    let all = distinct.iter().filter_map(|index| report.model.compiles.get(*index));
    let shown: Vec<String> = all.take(IN_ROW).map(|compile| code(&compile.label(), 40)).collect();
    let more = distinct.len().saturating_sub(IN_ROW);
    let more = if more > 0 { format!(" and {} more", whole(more)) } else { String::new() };
    format!("{}{more}", shown.join(" "))
}
