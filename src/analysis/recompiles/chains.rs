//! The functions that were recompiled, and what changed from each compile to the next.

use super::advice::recompile_advice;
use super::arrivals::{Evidence, complete, note_own_effect};
use super::cause::cause;
use super::chain::{Chain, Step};
use super::closest::{Candidate, closest, differences};
use super::kind::ChangeKind;
use super::limit::{Limit, is_limit, limit_of, recompile_limit};
use super::proof::Callers;
use super::subject::ChangedThing;
use crate::analysis::Hit;
use crate::analysis::guard_texts::GuardTexts;
use crate::limits::SEARCHED;
use crate::model::{Compile, CompileIndex, Model, Reason, Status};
use crate::trace::{CompileId, FrameId};
use fxhash::{FxHashMap, FxHashSet};
use indexmap::IndexMap;

/// The functions that were recompiled: those over the limit first, then by time.
pub(in crate::analysis) fn recompile_chains<'m>(
    model: &'m Model,
    breaks: &[Vec<Hit>],
    texts: &GuardTexts,
) -> Vec<Chain<'m>> {
    let mut frames: IndexMap<FrameId, Vec<CompileIndex>> = IndexMap::new();
    for (index, compile) in model.compiles.indexed() {
        if let Some(id) = compile.id.as_ref().filter(|id| id.has_frame()) {
            frames.entry(id.frame()).or_default().push(index);
        }
    }
    let log = Log::new(model, breaks);
    let again = |compiles: &[CompileIndex]| {
        compiles.len() > 1
            || compiles.iter().any(|c| log.reasons.contains_key(c) || log.limits.contains_key(c))
    };
    let rows = frames.into_values().filter(|compiles| again(compiles));
    let mut chains: Vec<Chain<'_>> = rows.map(|compiles| chain(&log, texts, &compiles)).collect();
    chains.sort_by(|a, b| {
        let us = |chain: &Chain<'_>| chain.us.unwrap_or(0.0);
        b.limit_hit().cmp(&a.limit_hit()).then(us(b).total_cmp(&us(a)))
    });
    chains
}

/// The records of a log about recompiles, by compile.
struct Log<'m> {
    model: &'m Model,
    evidence: Evidence<'m>,
    callers: Callers<'m>,
    reasons: FxHashMap<CompileIndex, Vec<&'m Reason>>,
    /// The thread or process that recorded the reasons.
    writers: FxHashMap<CompileIndex, u64>,
    /// Compiles that torch refused because their function had too many versions.
    limits: FxHashMap<CompileIndex, Limit>,
    /// Compiles with a graph break after which a function resumes.
    resumed: FxHashSet<CompileIndex>,
}

impl<'m> Log<'m> {
    fn new(model: &'m Model, breaks: &[Vec<Hit>]) -> Self {
        let mut reasons: FxHashMap<CompileIndex, Vec<&Reason>> = FxHashMap::default();
        let mut writers = FxHashMap::default();
        for one in &model.recompiles {
            if let Some(index) = model.by_id.get(&one.compile) {
                reasons.entry(*index).or_default().extend(&one.reasons);
                writers.insert(*index, one.writer);
            }
        }
        let failed = model.failures.iter().filter(|failure| is_limit(failure));
        let limits = failed
            .filter_map(|failure| Some((model.by_id.get(&failure.compile).copied()?, limit_of(failure))));
        // torch 2.5 writes why it would compile again, and then nothing.
        let refused = reasons.keys().copied().filter(|index| is_refused(model, *index));
        let limits = limits.chain(refused.map(|index| (index, Limit::RunsEagerly))).collect();
        let (evidence, callers) = (Evidence::of(model), Callers::of(model));
        let hits = breaks.iter().flatten().filter(|hit| !hit.resumes.is_empty());
        let resumed = hits.map(|hit| hit.compile).collect();
        Log { model, evidence, callers, reasons, writers, limits, resumed }
    }
}

/// Whether there would be one version more than the limit allows, and nothing of it was recorded.
fn is_refused(model: &Model, index: CompileIndex) -> bool {
    model.compiles.get(index).is_some_and(|compile| {
        let version = compile.id.as_ref().and_then(CompileId::version);
        compile.metrics.is_empty() && compile.stack.is_none() && version >= Some(recompile_limit(model))
    })
}

/// Notes which versions run in eager mode.
fn note_without_graph(log: &Log<'_>, steps: &mut [Step<'_>]) {
    let has_graph = |step: &Step<'_>| {
        log.model.compiles.get(step.compile).is_some_and(|compile| compile.status != Status::Empty)
    };
    if steps.iter().any(has_graph) {
        for step in steps {
            step.runs_eagerly = !has_graph(step) && !log.resumed.contains(&step.compile);
        }
    }
}

fn chain<'m>(log: &Log<'m>, texts: &GuardTexts, compiles: &[CompileIndex]) -> Chain<'m> {
    let model = log.model;
    let steps = compiles.iter().map(|&compile| {
        let reasons = log.reasons.get(&compile).cloned().unwrap_or_default();
        let changes = log.evidence.changes(compile, &reasons);
        Step {
            compile,
            reasons,
            changes,
            over_limit: log.limits.contains_key(&compile),
            writer: log.writers.get(&compile).copied(),
            ..Step::default()
        }
    });
    let mut steps: Vec<Step<'_>> = steps.collect();
    complete(model, &mut steps);
    let backends = backends(model, &steps);
    note_without_graph(log, &mut steps);
    for step in &mut steps {
        find_closest(model, step, &backends);
        step.change.iter_mut().for_each(|change| change.became_dynamic &= !step.runs_eagerly);
    }
    let of = |index: &CompileIndex| model.compiles.get(*index);
    let function = compiles.iter().filter_map(of).find_map(|compile| compile.function.as_deref());
    let effects = log.evidence.effects_of(compiles);
    for step in &mut steps {
        step.change.iter_mut().for_each(|change| note_own_effect(change, &effects));
        step.cause = cause(model, step);
    }
    let again = compiles.iter().skip(1).filter_map(of).filter_map(Compile::compile_us);
    let limits = steps.iter().filter_map(|step| log.limits.get(&step.compile).copied());
    let mut chain = Chain {
        function,
        us: again.fold(None, |sum: Option<f64>, us| Some(sum.unwrap_or(0.0) + us)),
        limit: limits.max_by_key(|limit| *limit == Limit::Raises).unwrap_or(Limit::NotReached),
        versions: versions(model, compiles),
        steps,
        ..Chain::default()
    };
    let subjects = chain.subjects();
    let lead = subjects.iter().find_map(|subject| Some((subject.kind?, subject.name.clone())));
    let values = subjects.first().map(ChangedThing::values).unwrap_or_default();
    (chain.lead, chain.values) = (lead, values);
    chain.advice = recompile_advice(&log.callers, texts, &chain);
    chain
}

/// The older compile of a reason.
fn version_of(model: &Model, reason: &Reason) -> Option<CompileIndex> {
    let id = CompileId::parse(reason.against.as_deref()?)?;
    model.by_id.get(&Some(id)).copied()
}

/// The backend of each version that the reasons name.
fn backends(model: &Model, steps: &[Step<'_>]) -> FxHashMap<CompileIndex, String> {
    let mut backends = FxHashMap::default();
    for step in steps {
        for (reason, change) in step.reasons.iter().zip(&step.changes) {
            if let (ChangeKind::Backend, Some(new)) = (change.kind, reason.text.split_once("New backend: ")) {
                backends.insert(step.compile, address_of(new.1));
                let cached = reason.text.split_once("Cached backend: ").map(|(_, text)| address_of(text));
                if let (Some(version), Some(cached)) = (version_of(model, reason), cached) {
                    backends.insert(version, cached);
                }
            }
        }
    }
    backends
}

/// `0x7ff5c51d8750` in `.. (id=0x7ff5c51d8750). New backend: ..`: two backends may have the same name.
fn address_of(text: &str) -> String {
    let address = text.split_once("(id=").and_then(|(_, rest)| rest.split(')').next());
    address.unwrap_or(text).to_owned()
}

fn find_closest(model: &Model, step: &mut Step<'_>, backends: &FxHashMap<CompileIndex, String>) {
    let call = model.guards.get(&step.compile);
    let asked = backends.get(&step.compile);
    let call = call.filter(|_| step.reasons.len() <= SEARCHED);
    let candidates = step.reasons.iter().zip(&step.changes).map(|(reason, change)| {
        let version = version_of(model, reason);
        let backend = version.and_then(|version| backends.get(&version));
        let facts = version.and_then(|version| model.guards.get(&version));
        let is_other = matches!((backend, asked), (Some(was), Some(is)) if was != is);
        Candidate {
            change,
            other_backend: matches!(change.kind, ChangeKind::Backend) || is_other,
            differences: facts.zip(call).map(|(was, is)| differences(was, is, change)),
        }
    });
    let candidates: Vec<Candidate<'_>> = candidates.collect();
    step.closest = closest(&candidates);
    step.change = step.closest.and_then(|closest| step.changes.get(closest).cloned());
    step.against = step.reason().and_then(|reason| version_of(model, reason));
}

/// Number of compiled versions according to their ids. A damaged id may name any number.
fn versions(model: &Model, compiles: &[CompileIndex]) -> usize {
    let number = |index: &CompileIndex| model.compiles.get(*index)?.id.as_ref()?.version()?.try_into().ok();
    let by_id = compiles.iter().filter_map(number).max().map_or(0, |last: usize| last.saturating_add(1));
    by_id.min(compiles.len() * 2).max(compiles.len())
}

#[cfg(test)]
mod tests;
