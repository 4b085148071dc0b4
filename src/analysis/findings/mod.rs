//! What went wrong in a log, what it cost and what to do: pure functions over the model, one file per family of kinds.
//!
//! A family's file holds its kinds (their names, what they check, their topic and evidence) and the function that
//! reads the facts and returns the findings in the order of the log, with the work that each claims to be the cause of.
//! Here each is charged for work that no other finding was charged for; findings with one reason are grouped, and all are ranked.
//! A finding holds words, places and compiles; how they look is the report's business.
//!
//! To add a kind, add it to its family; to add a family, add its file and its row in `FAMILIES`.

mod autotuning;
mod basis;
mod break_rules;
mod breaks;
mod bypass_cause;
mod caches;
mod causes;
mod cost;
mod cuda_graphs;
mod export;
mod failures;
mod finding;
mod first_run;
mod group;
mod kind;
mod log;
mod measured;
mod near_limit;
mod on_device;
mod plain_words;
mod prose;
mod ranking;
mod recompiles;
mod repeated_layers;
mod runtime;
mod serial_builds;
mod settle;
mod sizes;
mod slow_log;
mod toolchain;
mod troubles;

pub use basis::Basis;
pub use cost::{Claim, Cost, CostKind, CostPart, Work};
pub use finding::{Advice, ChainStep, Fact, Finding, InJob, Proof, Severity, Value};
pub use kind::{CostDetail, KindOfFinding, Topic};
pub use measured::cause_of_slowness;
pub use plain_words::plain_words;

use crate::analysis::ledger::Ledger;
use crate::model::Model;
use basis::Family;
use fxhash::FxHashMap;

/// All families; findings of equal weight keep this order.
const FAMILIES: &[&Family] = &[
    &log::FAMILY,
    &recompiles::FAMILY,
    &failures::FAMILY,
    &breaks::FAMILY,
    &sizes::FAMILY,
    &export::FAMILY,
    &caches::FAMILY,
    &troubles::FAMILY,
    &cuda_graphs::FAMILY,
    &on_device::FAMILY,
    &runtime::FAMILY,
    &serial_builds::FAMILY,
    &near_limit::FAMILY,
    &toolchain::FAMILY,
    &autotuning::FAMILY,
    &repeated_layers::FAMILY,
    &slow_log::FAMILY,
    &first_run::FAMILY,
    &measured::FAMILY,
];

/// All kinds that a finding may have.
pub fn kinds() -> impl Iterator<Item = &'static KindOfFinding> {
    FAMILIES.iter().flat_map(|family| family.kinds.iter().copied())
}

/// All findings of a log, most important first, each followed by its consequences; the ledger says what each costs.
pub fn of_log(basis: Basis<'_>, ledger: Ledger) -> Vec<Finding> {
    let mut all: Vec<Finding> = FAMILIES.iter().flat_map(|family| (family.of_log)(basis)).collect();
    settle::settle(ledger, basis.model, &mut all);
    let mut all = group::same_reasons(group::compiled_anew(all));
    all.extend(slow_log::of_clean(basis, &all));
    causes::arrange(basis, all)
}

/// The finding about each entry of a topic's page, also if it is a member of a group.
pub fn by_entry(findings: &[Finding], topic: Topic) -> FxHashMap<usize, &Finding> {
    let all = findings.iter().rev().flat_map(|one| std::iter::once(one).chain(one.members.iter().rev()));
    all.filter(|one| one.kind.topic == Some(topic)).filter_map(|one| Some((one.topic_entry?, one))).collect()
}

/// What a log without important findings was checked for: the kinds without any finding, in one sentence.
pub fn checked(findings: &[Finding], model: &Model) -> String {
    let none =
        |kind: &&KindOfFinding| (kind.would_show)(model) && findings.iter().all(|one| one.kind != *kind);
    let checked: Vec<&str> = kinds().filter(none).filter_map(|kind| kind.checked).collect();
    match checked.split_last() {
        Some((last, others)) if !others.is_empty() => format!("No {} or {last}.", others.join(", ")),
        _ => format!("No {}.", checked.concat()),
    }
}

#[cfg(test)]
mod tests;
