//! Graph breaks: what could not be traced, what tracing was thrown away for it, what was compiled in addition.

use super::basis::{Basis, Family};
use super::finding::{Finding, FurtherReading, Severity, Value};
use super::kind::{CostDetail, EntryStyle, KindOfFinding, Topic};
use super::prose;
use crate::analysis::failures::break_of;
use crate::analysis::user_place::{UserPlace, own_frame};
use crate::analysis::{Hit, break_costs, is_library, resumed_us};
use crate::model::words::counted;
use crate::model::{CompileIndex, GraphBreak, Model, TextFrame};
use fxhash::FxHashSet;

/// Graph breaks.
pub(super) const FAMILY: Family = Family { kinds: &[&GRAPH_BREAK], of_log };

/// Dynamo could not trace on.
static GRAPH_BREAK: KindOfFinding = KindOfFinding {
    checked: Some("graph break"),
    topic: Some(Topic::GraphBreaks),
    records: &["dynamo_graph_break_reason"],
    entry: EntryStyle {
        code_first: true,
        compiles_label: "Hit by",
        costs: CostDetail::Parts,
        ..EntryStyle::USUAL
    },
    ..KindOfFinding::of("graph_break", "Graph break")
};

/// One finding per reason and place. A break that made its compile fail is told with the failure.
fn of_log(Basis { model, .. }: Basis<'_>) -> Vec<Finding> {
    let costs = break_costs(model);
    model.graph_breaks.iter().zip(costs).filter_map(|(one, hits)| finding(model, one, hits)).collect()
}

fn finding(model: &Model, one: &GraphBreak, mut hits: Vec<Hit>) -> Option<Finding> {
    let failed = |id: &Option<crate::trace::CompileId>| {
        let failure = model.failures.iter().find(|f| f.compile == *id);
        failure.is_some_and(|f| break_of(model, f).is_some_and(|b| std::ptr::eq(b, one)))
    };
    let ids: Vec<_> = one.compiles.iter().filter(|id| !failed(id)).collect();
    if ids.is_empty() {
        return None;
    }
    let compiles: Vec<CompileIndex> = ids.iter().filter_map(|id| model.by_id.get(*id).copied()).collect();
    let reason = if one.reason.is_empty() { "no reason recorded" } else { &one.reason };
    let mut found = Finding::new(&GRAPH_BREAK, Severity::Warning, reason.to_owned());
    let folded = one.compiles.len() - ids.len();
    found.count = one.count.saturating_sub(folded as u64).max(1);
    found.detail = one.explanation.clone();
    found.place = place(one);
    found.stack.clone_from(&one.stack);
    found.hints = prose::useful(one.hints.clone());
    // What a compile lost that failed at the break is told with its failure.
    let kept: FxHashSet<CompileIndex> = compiles.iter().copied().collect();
    hits.retain(|hit| kept.contains(&hit.compile));
    let thrown_away = hits.iter().filter_map(|hit| hit.thrown_away_us).sum();
    found.costs(thrown_away, "of tracing thrown away".to_owned(), Vec::new());
    let us = resumed_us(model, &hits);
    let extra: Vec<CompileIndex> = hits.into_iter().flat_map(|hit| hit.resumes).collect();
    let words = counted(extra.len(), "resume function", "resume functions");
    found.costs(us, format!("compiling {words}"), extra);
    found.compiles = compiles;
    if let Some(own) = own_frame(&one.stack)
        .filter(|own| one.file.as_deref().is_some_and(is_library) && one.file.as_ref() != Some(&own.file))
    {
        let TextFrame { file, line, function, loc } = own;
        let code = loc.as_deref().unwrap_or_default();
        found.fact("Called from", Value::Code(vec![format!("{file}:{line} in {function}  {code}")]));
    }
    if let Some(context) = &one.context {
        found.fact("When", Value::Prose(context.trim_end_matches(':').to_owned()));
    }
    if let Some(url) = &one.url {
        let name = one.gb_id.as_deref().unwrap_or("torch's page");
        found.read_more =
            Some(FurtherReading { name: format!("{name} in the graph break catalogue"), url: url.clone() });
    }
    found.reason = reason.to_owned();
    Some(found)
}

/// Where torch says that it broke, with the line's text from the stack.
fn place(one: &GraphBreak) -> UserPlace {
    let place = UserPlace::of_line(one.file.as_ref(), one.line);
    match one.stack.last().filter(|frame| place.is_of(frame)) {
        Some(frame) => UserPlace::of_frame(frame),
        None => place,
    }
}

/// Microseconds of attempts that these compiles threw away.
pub(super) fn wasted(model: &Model, compiles: &[CompileIndex]) -> f64 {
    let of = |&index: &CompileIndex| model.compiles.get(index)?.outcome()?.wasted_us;
    compiles.iter().filter_map(of).sum()
}
