//! What went wrong in a log, what it cost and what to do: pure functions over the model, one file per family of kinds.
//!
//! What is known of each kind is in `kinds.toml`: its names, its topic and evidence, what it means and what to do. A family's
//! file reads the facts and returns the findings in the order of the log, with the work that each claims to be the cause of.
//! Here each is charged for work that no other finding was charged for; findings with one reason are grouped, and all are ranked.
//! A finding holds words, places and compiles; how they look is the report's business.
//!
//! To add a kind, add it to [`KindOfFinding`] and `kinds.toml`; to add a family, add its file and its row in `FAMILIES`.

mod advice;
mod autotuning;
mod basis;
mod breaks;
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
mod own_words;
mod plain_words;
mod prose;
mod raised;
mod ranking;
mod recompiles;
mod repeated_layers;
mod rules;
mod runtime;
mod serial_builds;
mod settle;
mod sizes;
mod slow_log;
mod toolchain;
mod troubles;

pub use advice::{Advice, Proof, ReplacedLine};
pub use basis::Basis;
pub use cost::{Claim, Cost, CostKind, CostPart, Work};
pub use export::finding as export_problem;
pub use finding::{ChainStep, EntryKey, Fact, Finding, InJob, Severity, Value};
pub use kind::{CostDetail, KindOfFinding, Topic};
pub use measured::cause_of_slowness;
pub use own_words::own_words;
pub use plain_words::plain_words;
pub(super) use ranking::arranged;
pub use rules::useful as useful_hints;
pub(super) use rules::{About, Facts, Text, Told};

use crate::analysis::ledger::Ledger;
use crate::model::Model;
use fxhash::FxHashMap;

/// What finds the findings of a log, each in the order of the log; findings of equal weight keep this order.
const FAMILIES: [fn(Basis<'_>) -> Vec<Finding>; 18] = [
    raised::of_log,
    log::of_log,
    recompiles::of_log,
    failures::of_log,
    breaks::of_log,
    sizes::of_log,
    export::of_log,
    caches::of_log,
    troubles::of_log,
    cuda_graphs::of_log,
    on_device::of_log,
    runtime::of_log,
    serial_builds::of_log,
    near_limit::of_log,
    toolchain::of_log,
    autotuning::of_log,
    repeated_layers::of_log,
    measured::of_log,
];

/// All findings of a log, most important first, each followed by its consequences; the ledger says what each costs.
pub fn of_log(basis: Basis<'_>, ledger: Ledger) -> Vec<Finding> {
    let mut all: Vec<Finding> = FAMILIES.iter().flat_map(|of_log| of_log(basis)).collect();
    settle::settle(ledger, basis.model, &mut all);
    let mut all = group::same_reasons(group::compiled_anew(all));
    all.extend(slow_log::of_clean(basis, &all));
    all.iter_mut().for_each(Finding::compare_lines);
    causes::arrange(basis, all)
}

/// The finding about each entry, also if it is a member of a group.
pub fn by_entry(findings: &[Finding]) -> FxHashMap<EntryKey, &Finding> {
    let all = findings.iter().rev().flat_map(|one| std::iter::once(one).chain(one.members.iter().rev()));
    all.filter_map(|one| Some((one.entry?, one))).collect()
}

/// What a log without important findings was checked for: the kinds without any finding, in one sentence.
pub fn checked(findings: &[Finding], model: &Model) -> String {
    let none = |kind: &KindOfFinding| kind.would_show(model) && findings.iter().all(|one| one.kind != *kind);
    let checked = KindOfFinding::of_logs().filter(none).filter_map(|kind| kind.facts().checked.as_deref());
    let checked: Vec<&str> = checked.collect();
    match checked.split_last() {
        Some((last, others)) if !others.is_empty() => format!("No {} or {last}.", others.join(", ")),
        _ => format!("No {}.", checked.concat()),
    }
}

#[cfg(test)]
mod tests;
