//! Graph breaks: what could not be traced, what tracing was thrown away for it, what was compiled in addition.

use super::basis::{Basis, Family};
use super::cost::{ChargeOrder, Claim, Work};
use super::finding::{Finding, FurtherReading, Severity, Value};
use super::kind::{CostDetail, EntryStyle, KindOfFinding, Topic};
use super::prose;
use crate::analysis::user_place::{UserPlace, own_frame};
use crate::analysis::{Hit, break_costs, is_library, resumed_us};
use crate::model::words::{counted, duration};
use crate::model::{CompileIndex, Failure, GraphBreak, Model, TextFrame};
use fxhash::FxHashSet;

/// Graph breaks.
pub(super) const FAMILY: Family = Family { kinds: &[&GRAPH_BREAK], of_log };

/// Dynamo could not trace on.
static GRAPH_BREAK: KindOfFinding = KindOfFinding {
    checked: Some("graph break"),
    topic: Some(Topic::GraphBreaks),
    records: &["dynamo_graph_break_reason"],
    charged: ChargeOrder::GraphBreak,
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

/// The break that made a compile fail: both are at one place.
pub(super) fn of_failure<'m>(model: &'m Model, failure: &Failure) -> Option<&'m GraphBreak> {
    failure.file.as_ref()?;
    let same = |one: &&GraphBreak| one.file == failure.file && one.line == failure.line;
    model.graph_breaks.iter().filter(same).find(|one| one.compiles.contains(&failure.compile))
}

fn finding(model: &Model, one: &GraphBreak, mut hits: Vec<Hit>) -> Option<Finding> {
    let failed = |id: &Option<crate::trace::CompileId>| {
        let failure = model.failures.iter().find(|f| f.compile == *id);
        failure.is_some_and(|f| of_failure(model, f).is_some_and(|b| std::ptr::eq(b, one)))
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
    for hit in &hits {
        let share = hit.thrown_away_us.unwrap_or_default();
        found.claim(
            Claim::wasted(Work::Discarded, vec![hit.compile], "of tracing thrown away").at_most(share),
        );
    }
    if let Some(words) = resumed_words(model, &hits) {
        found.fact("Behind the break", Value::Prose(words));
    }
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

/// What was compiled to go on behind the break. It would be compiled without the break, too, so it is no cost.
fn resumed_words(model: &Model, hits: &[Hit]) -> Option<String> {
    let count = hits.iter().map(|hit| hit.resumes.len()).sum();
    let us = resumed_us(model, hits);
    if count == 0 {
        return None;
    }
    let functions = counted(count, "resume function", "resume functions");
    let time = if us > 0.0 { format!(", {}", duration(us)) } else { String::new() };
    Some(format!(
        "{functions}{time}, of which most is needed anyway. When the model runs, nothing is fused across the break, and \
         each part has guards and a wrapper of its own."
    ))
}

/// Where torch says that it broke, with the line's text from the stack.
fn place(one: &GraphBreak) -> UserPlace {
    let place = UserPlace::of_line(one.file.as_ref(), one.line);
    match one.stack.last().filter(|frame| place.is_of(frame)) {
        Some(frame) => UserPlace::of_frame(frame),
        None => place,
    }
}
