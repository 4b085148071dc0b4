//! What the first run of a program with an empty cache folder has, as one entry above its parts: a cold cache, the first C++ build,
//! kernels to build, and where the time went.

use super::basis::{Basis, Family};
use super::finding::{Finding, Severity};
use super::kind::{KindOfFinding, Topic};
use super::{caches, serial_builds, slow_log, toolchain};
use crate::model::sentence::{count, sentence};
use crate::model::{Model, Part, Sentence};

/// The first run. It depends on the other findings, so the family itself finds nothing.
pub(super) const FAMILY: Family = Family { kinds: &[&FIRST_RUN], of_log: |_| Vec::new() };

/// The first run with an empty cache folder.
pub(super) static FIRST_RUN: KindOfFinding =
    KindOfFinding { topic: Some(Topic::Time), ..KindOfFinding::of("first_run", "First run") };

/// The entry above at least two findings that every first run has.
pub(super) fn of(basis: Basis<'_>, findings: &[Finding]) -> Option<Finding> {
    let Basis { model, builds, .. } = basis;
    let members: Vec<&Finding> = findings.iter().filter(|one| has(model, one)).collect();
    let is_first = |one: &&Finding| [&caches::CACHE_MISS, &toolchain::TOOLCHAIN].contains(&one.kind);
    if members.len() < 2 || !members.iter().any(is_first) {
        return None;
    }
    let words = members.iter().filter_map(|one| match one.kind {
        kind if kind == &caches::CACHE_MISS => {
            Some(sentence![count(one.count as usize, "cache miss", "cache misses")])
        }
        kind if kind == &toolchain::TOOLCHAIN => {
            Some(sentence!["first C++ build ", Part::Duration(builds.trials_us())])
        }
        kind if kind == &serial_builds::SERIAL_BUILDS => {
            let shares = slow_log::shares(basis);
            shares.into_iter().find(|(name, _)| *name == slow_log::KERNELS).map(|(_, words)| words)
        }
        _ => None,
    });
    let title = sentence!["First run with an empty cache folder: ", Sentence::joined(words, ", ")];
    let mut found = Finding::new(&FIRST_RUN, Severity::Info, title);
    found.explain("A run with an empty cache folder has this, whatever the program. A second run with the same folder does not.");
    found.advise("Keep the cache folder between runs: `TORCHINDUCTOR_CACHE_DIR` on a disk that stays.");
    found.compiles = members.iter().flat_map(|one| one.compiles.iter().copied()).collect();
    found.compiles.sort_unstable();
    found.compiles.dedup();
    Some(found)
}

/// Whether every first run has it.
pub(super) fn has(model: &Model, one: &Finding) -> bool {
    match one.kind {
        kind if kind == &caches::CACHE_MISS => caches::is_cold(model),
        kind => [&toolchain::TOOLCHAIN, &serial_builds::SERIAL_BUILDS, &slow_log::SLOW_LOG].contains(&kind),
    }
}
