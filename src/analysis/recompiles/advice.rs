//! Advice for a function that is recompiled: said only where the log proves that it helps; else what the log shows.

mod kinds;
mod layouts;
mod literals;
mod marks;
mod numbers;
mod situation;
mod words;

use super::chain::{Chain, Step};
use super::kind::ChangeKind;
use super::limit::{Limit, is_limit};
use super::proof::{Callers, Elsewhere, Verdict, Why, verdict};
use super::subject::ChangedThing;
use crate::analysis::findings::Advice;
use crate::analysis::guard_texts::GuardTexts;
use crate::limits::IN_HEAD;
use crate::model::{CompileIndex, Model, Specialization};
use crate::read::expr::size_as_written;
use fxhash::FxHashSet;
use kinds::advice_of;
use situation::Situation;

/// What to do, most relevant first; code in texts is in backquotes.
pub(super) fn recompile_advice(callers: &Callers<'_>, texts: &GuardTexts, chain: &Chain<'_>) -> Vec<Advice> {
    let (model, place) = (callers.model, callers.elsewhere(chain));
    if let Some(place @ Elsewhere::BeforeBreak { .. }) = &place {
        let mut advice = marks::of_elsewhere(model, place);
        advice.extend(of_globals(model, texts, chain));
        return advice;
    }
    let mut advice: Vec<Advice> = Vec::new();
    let mut verdict = verdict(model, texts, chain, place);
    let begins_with_one = matches!(verdict, Some(Verdict::NoMark(Why::FirstHasOne { .. })));
    let is_dynamic = matches!(verdict, Some(Verdict::NoMark(Why::AlreadyDynamic)));
    let compiles = chain.compiles();
    for subject in chain.subjects().iter().take(IN_HEAD) {
        let is_zero_one = subject.kind == Some(ChangeKind::ZeroOne);
        if subject.kind.is_some_and(is_of_sizes)
            && !(is_zero_one && is_dynamic)
            && let Some(verdict) = verdict.take()
        {
            advice.extend(marks::of_verdict(model, chain, &verdict));
        }
        let situation = Situation { model, texts, chain, subject };
        if begins_with_one && is_zero_one {
            let unbacked = kinds::of_row(&situation, ChangeKind::ZeroOne).into_iter().flatten();
            advice.extend(unbacked.filter(|one| one.code.is_some()));
            continue;
        }
        match fixed(model, &compiles, subject).filter(|_| !subject.kind.is_some_and(is_of_sizes)) {
            Some(one) => {
                let row = subject.kind.and_then(|kind| kinds::of_row(&situation, kind));
                advice.extend(row.unwrap_or_else(|| numbers::keep_dynamic(&situation, one)));
            }
            None => advice.extend(advice_of(&situation)),
        }
    }
    advice.extend(why_it_raises(model, chain));
    let mut seen = FxHashSet::default();
    advice.retain(|one| !one.text.is_empty() && seen.insert(one.text.clone()));
    advice
}

/// The setting that makes the limit raise, where torch's message names one.
fn why_it_raises(model: &Model, chain: &Chain<'_>) -> Vec<Advice> {
    let of_chain = |compile: &CompileIndex| chain.steps.iter().any(|step| step.compile == *compile);
    let mut failures = model.failures.iter().filter(|failure| is_limit(failure));
    let failure = failures.find(|failure| model.by_id.get(&failure.compile).is_some_and(of_chain));
    let text = failure.and_then(|failure| failure.reason.as_deref()).unwrap_or_default();
    let text = text.replace("one_graph=True", "fullgraph=True");
    let settings = ["fullgraph=True", "fail_on_recompile_limit_hit", "fail_on_cache_limit_hit"];
    let setting = settings.into_iter().find(|setting| chain.limit == Limit::Raises && text.contains(setting));
    setting.map_or_else(Vec::new, |setting| words::says("raises_at_limit", &[("setting", setting)]))
}

/// What to do about numbers of the program that the rest of a function reads by itself: they change without the break, too.
fn of_globals(model: &Model, texts: &GuardTexts, chain: &Chain<'_>) -> Vec<Advice> {
    let subjects = chain.subjects();
    let of_global = subjects.iter().filter(|subject| {
        let situation = Situation { model, texts, chain, subject };
        let mut reasons = situation.steps().filter_map(Step::reason);
        subject.kind == Some(ChangeKind::Number) && reasons.any(|reason| reason.guard.starts_with("G["))
    });
    let advice = of_global.take(IN_HEAD).flat_map(|subject| {
        let situation = Situation { model, texts, chain, subject };
        numbers::of_number(&situation)
    });
    advice.collect()
}

/// Whether the proof by guards decides what to do about such a change.
fn is_of_sizes(kind: ChangeKind) -> bool {
    matches!(
        kind,
        ChangeKind::Size
            | ChangeKind::ParameterSize
            | ChangeKind::EqualSizes
            | ChangeKind::ZeroOne
            | ChangeKind::Relation
    )
}

/// The specialization that made a dynamic size or number of these compiles a constant. The compiles must be sorted.
pub(in crate::analysis) fn fixed<'m>(
    model: &'m Model,
    compiles: &[CompileIndex],
    subject: &ChangedThing<'_>,
) -> Option<&'m Specialization> {
    let name = subject.name.as_deref()?;
    let mine = compiles.iter().flat_map(|compile| model.shapes.fixed_in(*compile));
    let named = mine.filter(|one| one.sources.iter().any(|source| size_as_written(source) == name));
    named.min_by_key(|one| one.at.line)
}
