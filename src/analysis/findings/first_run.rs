//! What the first run of a program with an empty cache folder has, as one entry above its parts: a cold cache, the first C++ build,
//! kernels to build, and where the time went.

use super::basis::Basis;
use super::finding::{Finding, Severity};
use super::kind::KindOfFinding;
use super::{caches, slow_log};
use crate::analysis::warm_run;
use crate::model::sentence::{count, sentence};
use crate::model::words::duration;
use crate::model::{Model, Sentence, SentencePart};

/// The entry above at least two findings that every first run has.
pub(super) fn finding(basis: Basis<'_>, findings: &[Finding]) -> Option<Finding> {
    let Basis { model, builds, .. } = basis;
    let members: Vec<&Finding> = findings.iter().filter(|one| has(model, one)).collect();
    let is_first = |one: &&Finding| [KindOfFinding::CacheMiss, KindOfFinding::Toolchain].contains(&one.kind);
    if members.len() < 2 || !members.iter().any(is_first) {
        return None;
    }
    let words = members.iter().filter_map(|one| match one.kind {
        KindOfFinding::CacheMiss => Some(sentence![count(one.count as usize, "cache miss", "cache misses")]),
        KindOfFinding::Toolchain => {
            Some(sentence!["first C++ build ", SentencePart::Duration(builds.trials_us())])
        }
        KindOfFinding::SerialBuilds => {
            let shares = slow_log::shares(basis);
            shares.into_iter().find(|(share, _)| *share == slow_log::Share::Kernels).map(|(_, words)| words)
        }
        _ => None,
    });
    let title = sentence!["First run with an empty cache folder: ", Sentence::joined(words, ", ")];
    let mut found = Finding::new(KindOfFinding::FirstRun, Severity::Info, title);
    found.concern(members.iter().flat_map(|one| one.compiles.iter().copied()));
    Some(found)
}

/// Says what keeping the cache folder saves, at the first finding that a second run with this folder would not have.
pub(super) fn advise(basis: Basis<'_>, findings: &mut [Finding]) {
    let Basis { model, split, one_offs, .. } = basis;
    let order = [KindOfFinding::FirstRun, KindOfFinding::SlowLog, KindOfFinding::CacheMiss];
    let is_of =
        |one: &Finding, kind| one.kind == kind && (one.kind == KindOfFinding::FirstRun || has(model, one));
    let place = order.iter().find_map(|kind| findings.iter().position(|one| is_of(one, *kind)));
    let Some(one) = place.and_then(|place| findings.get_mut(place)) else { return };
    one.warm_us = warm_run::worth_us(model, split, one_offs);
    match one.warm_us {
        _ if one.kind != KindOfFinding::FirstRun => {}
        Some(us) => one.say("warm", &[("time", &duration(us))]),
        None => one.say("cold", &[]),
    }
}

/// Whether every first run has it.
pub(super) fn has(model: &Model, one: &Finding) -> bool {
    match one.kind {
        KindOfFinding::CacheMiss => caches::is_cold(model),
        kind => {
            [KindOfFinding::Toolchain, KindOfFinding::SerialBuilds, KindOfFinding::SlowLog].contains(&kind)
        }
    }
}
