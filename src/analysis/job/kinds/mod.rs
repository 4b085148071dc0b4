//! The kinds of findings about a job: the name of each, what it checks and what it says.

mod breaks;
mod caches;
mod code;
mod collectives;
mod compiles;
mod differences;
mod failures;
mod graphs;
mod logs;
mod nothing;
mod programs;
mod recompiles;
mod shared;
mod stopped;
mod stragglers;

#[cfg(test)]
pub(super) use {differences::operation_words, recompiles::without_hard_marks, stopped::gap_words};

use super::causes;
use super::found::JobFound;
use super::sides::Sides;
use crate::analysis::findings::Finding;
use crate::facts::ranks::{Fact, Job};

/// A kind of difference between ranks.
struct Difference {
    fact: Fact,
    finding: fn(&Sides<'_>) -> Option<Finding>,
    /// Whether it only repeats what another difference shows already.
    follows: bool,
}

/// The kinds of differences: one may be the cause of those behind it.
const DIFFERENCES: [Difference; 16] = [
    Difference { fact: Fact::Failures, finding: failures::difference, follows: false },
    Difference { fact: Fact::GraphBreaks, finding: breaks::difference, follows: false },
    Difference { fact: Fact::Recompiles, finding: |sides| Some(recompiles::finding(sides)), follows: false },
    Difference { fact: Fact::CompileIds, finding: |sides| Some(compiles::finding(sides)), follows: false },
    Difference { fact: Fact::Guards, finding: code::guards, follows: false },
    Difference { fact: Fact::ProcessGroups, finding: differences::groups, follows: false },
    Difference { fact: Fact::Inputs, finding: |sides| Some(differences::inputs(sides)), follows: false },
    Difference { fact: Fact::Graphs, finding: |sides| Some(code::graphs(sides)), follows: true },
    Difference { fact: Fact::TensorMeta, finding: |sides| Some(differences::tensors(sides)), follows: true },
    Difference { fact: Fact::ExecOrder, finding: |sides| Some(differences::order(sides)), follows: false },
    Difference { fact: Fact::Status, finding: |sides| Some(differences::status(sides)), follows: true },
    Difference { fact: Fact::Ops, finding: |sides| Some(differences::operations(sides)), follows: true },
    Difference { fact: Fact::Config, finding: |sides| Some(differences::settings(sides)), follows: false },
    Difference { fact: Fact::Cache, finding: |sides| Some(caches::finding(sides)), follows: false },
    Difference { fact: Fact::Guards, finding: code::unread_guards, follows: true },
    Difference { fact: Fact::CacheKeys, finding: |sides| Some(differences::keys(sides)), follows: true },
];

/// Kinds that are not differences; each may find several things.
const CHECKS: [fn(&Job, &JobFound) -> Vec<Finding>; 14] = [
    failures::ended,
    stopped::findings,
    collectives::findings,
    code::calls,
    differences::backends,
    logs::findings,
    logs::alarms,
    failures::everywhere,
    nothing::findings,
    graphs::parity,
    graphs::runtimes,
    stragglers::findings,
    logs::torch,
    shared::findings,
];

/// A job's findings, most important first.
pub(super) fn findings(job: &Job, found: &JobFound) -> Vec<Finding> {
    if let Some(finding) = programs::finding(job) {
        let of_one_rank = [failures::ended, logs::findings, logs::alarms, shared::findings];
        return std::iter::once(finding)
            .chain(of_one_rank.iter().flat_map(|check| check(job, found)))
            .collect();
    }
    let mut findings = Vec::new();
    for difference in DIFFERENCES {
        let comparison = found.comparison(difference.fact).filter(|comparison| comparison.differs());
        let Some(sides) = comparison.and_then(|comparison| Sides::new(job, found, comparison)) else {
            continue;
        };
        if findings.is_empty() || !difference.follows {
            let Some(mut finding) = (difference.finding)(&sides) else { continue };
            let texts = finding.detail.into_iter().chain(sides.further());
            finding.detail = texts.reduce(|all, one| format!("{all}\n{one}"));
            findings.push(finding);
        }
    }
    findings.extend(CHECKS.iter().flat_map(|check| check(job, found)));
    causes::in_order(findings)
}
