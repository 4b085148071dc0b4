//! Advice for a function that is recompiled: said only where the log proves that it helps; else what the log shows.
//!
//! What to say is in `recompile_rules.toml`; here is what its rules ask for.

mod asked;
mod facts;
mod layouts;
mod literals;
mod numbers;
mod situation;

pub use facts::Fact;

use super::chain::{Chain, Step};
use super::kind::ChangeKind;
use super::proof::{Callers, verdict};
use super::subject::ChangedThing;
use crate::analysis::findings::{About, Advice, Proof, Told};
use crate::analysis::guard_texts::GuardTexts;
use crate::limits::IN_HEAD;
use crate::model::{CompileIndex, Model, Specialization};
use crate::read::expr::size_as_written;
use asked::Asked;
use fxhash::FxHashSet;
use situation::Situation;
use std::cell::OnceCell;

/// What to do, most relevant first; code in texts is in backquotes.
pub(super) fn recompile_advice(callers: &Callers<'_>, texts: &GuardTexts, chain: &Chain<'_>) -> Vec<Advice> {
    let model = callers.model;
    let verdict = verdict(callers, texts, chain);
    let is_rest = verdict.as_ref().is_some_and(|verdict| verdict.fact == Fact::BeforeBreak);
    let compiles = chain.compiles();
    let subjects = chain.subjects();
    let asked = |subject| Asked {
        at: Situation { model, texts, chain, subject },
        verdict: verdict.as_ref(),
        fixed: fixed(model, &compiles, subject).filter(|_| !is_of_sizes(subject)),
        number: OnceCell::new(),
    };
    // What the rest of a function reads by itself changes without the break, too.
    let told = subjects.iter().filter(|subject| !is_rest || is_global_number(chain, subject));
    let proof = verdict.as_ref().and_then(|verdict| verdict.proof);
    let proof = proof.map(|compile| Proof { compile, record: "dynamo_cpp_guards_str" });
    let mut advice: Vec<Advice> = Vec::new();
    for subject in told.take(IN_HEAD) {
        let asked = asked(subject);
        let mut told = asked.told();
        let of_sizes = is_of_sizes(subject).then_some(About::Sizes);
        for about in of_sizes.into_iter().chain([About::Change, About::Values]) {
            told.about = about;
            let proof = |one: &Advice| proof.filter(|_| about == About::Sizes && one.tried.is_some());
            advice.extend(told.advice().into_iter().map(|one| Advice { proof: proof(&one), ..one }));
        }
    }
    let whole = ChangedThing::default();
    let whole = asked(&whole);
    let of_function = Told { about: About::Function, ..whole.told() }.advice();
    let place = if is_rest { 0 } else { advice.len() };
    advice.splice(place..place, of_function);
    let mut seen = FxHashSet::default();
    advice.retain(|one| seen.insert(one.text.clone()));
    advice
}

/// Whether it is a number of the program that the function reads as a global.
fn is_global_number(chain: &Chain<'_>, subject: &ChangedThing<'_>) -> bool {
    let steps = chain.steps.iter().filter(|step| step.change.as_ref().is_some_and(|one| subject.is_of(one)));
    let mut reasons = steps.filter_map(Step::reason);
    subject.kind == Some(ChangeKind::Number) && reasons.any(|reason| reason.guard.starts_with("G["))
}

/// Whether the proof by guards decides what to do about such a change.
fn is_of_sizes(subject: &ChangedThing<'_>) -> bool {
    use ChangeKind::{EqualSizes, ParameterSize, Relation, Size, ZeroOne};
    matches!(subject.kind, Some(Size | ParameterSize | EqualSizes | ZeroOne | Relation))
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

#[cfg(test)]
mod tests;
