//! What the first run of a program with an empty cache folder has, as one finding: a cold cache, the first C++ build, kernels to
//! build, and where the time went.

use super::basis::Basis;
use super::finding::{Finding, Severity};
use super::kind::KindOfFinding::{self, CacheMiss, FirstRun, SerialBuilds, SlowLog, Toolchain};
use super::{caches, settle};
use crate::analysis::warm_run;
use crate::model::sentence::{count, sentence};
use crate::model::words::duration;
use crate::model::{Model, Sentence, SentencePart};

/// The findings with those that every first run has as one.
pub(super) fn as_one(basis: Basis<'_>, findings: Vec<Finding>) -> Vec<Finding> {
    let (parts, mut all): (Vec<Finding>, Vec<Finding>) =
        findings.into_iter().partition(|one| is_part(basis.model, one));
    let is_cold = parts.iter().any(|one| one.kind == CacheMiss);
    all.extend(if is_cold || parts.len() > 1 { vec![joined(basis, parts)] } else { parts });
    all
}

/// Whether every first run has it. Builds that more threads would make shorter are a problem of their own.
fn is_part(model: &Model, one: &Finding) -> bool {
    match one.kind {
        CacheMiss => caches::is_cold(model),
        SerialBuilds => one.severity == Severity::Info,
        kind => [Toolchain, SlowLog].contains(&kind),
    }
}

/// All of it. Without a cold cache the log does not show that it was a first run: then the first of them has what the others
/// say.
fn joined(basis: Basis<'_>, parts: Vec<Finding>) -> Finding {
    let of_kind = |kind: KindOfFinding| parts.iter().find(|one| one.kind == kind);
    let first = [Toolchain, SlowLog].into_iter().find_map(of_kind).filter(|_| of_kind(CacheMiss).is_none());
    let new = || Finding::new(FirstRun, Severity::Info, title(basis, &parts));
    let mut found = first.cloned().unwrap_or_else(new);
    let others: Vec<&Finding> = parts.iter().filter(|one| one.kind != found.kind).collect();
    found.facts.extend(others.iter().flat_map(|one| one.facts.iter().cloned()));
    found.cost_parts.extend(others.iter().flat_map(|one| one.cost_parts.iter().cloned()));
    found.cost = settle::sum(&found.cost_parts);
    if let Some(slow) = of_kind(SlowLog).filter(|one| !one.advice.is_empty() && one.kind != found.kind) {
        found.advice.clone_from(&slow.advice);
    }
    found.concern(parts.iter().flat_map(|one| one.compiles.iter().copied()));
    found
}

/// `First run with an empty cache folder: 3 cache misses, first C++ build 41.9 s`; of a slow log, where the time went.
fn title(basis: Basis<'_>, parts: &[Finding]) -> Sentence {
    let slow = parts.iter().any(|one| one.kind == SlowLog);
    let words = parts.iter().filter_map(|one| match one.kind {
        CacheMiss => Some(sentence![count(one.count as usize, "cache miss", "cache misses")]),
        SlowLog => Some(one.title.clone()),
        Toolchain if !slow => {
            Some(sentence!["first C++ build ", SentencePart::Duration(basis.builds.trials_us())])
        }
        _ => None,
    });
    sentence!["First run with an empty cache folder: ", Sentence::joined(words, ", ")]
}

/// Says what keeping the cache folder saves, at the first finding that a second run with this folder would not have.
pub(super) fn advise(basis: Basis<'_>, findings: &mut [Finding]) {
    let Basis { model, split, one_offs, .. } = basis;
    let is_of = |one: &Finding, kind| one.kind == kind && (kind == FirstRun || is_part(model, one));
    let place = [FirstRun, SlowLog, CacheMiss]
        .into_iter()
        .find_map(|kind| findings.iter().position(|one| is_of(one, kind)));
    let Some(one) = place.and_then(|place| findings.get_mut(place)) else { return };
    one.warm_us = warm_run::worth_us(model, split, one_offs);
    let time = one.warm_us.map(duration).unwrap_or_default();
    let case = match (one.kind, one.warm_us) {
        (FirstRun, Some(_)) => "warm",
        (FirstRun, None) => "cold",
        (SlowLog, Some(_)) => "again_with_warm_cache",
        _ => return,
    };
    // It saves most.
    one.advice.splice(0..0, one.kind.advice(case, &[("time", &time)]));
}
