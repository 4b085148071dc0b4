//! The kinds of findings about a job, one file for each: its name, what it checks and what it says.

mod alarms;
mod breaks;
mod caches;
mod collectives;
mod compiles;
mod failures;
mod groups;
mod inputs;
mod keys;
mod logs;
mod nothing;
mod order;
mod parity;
mod recompiles;
mod runtimes;
mod settings;
mod shared;
mod status;
mod stopped;
mod stragglers;
mod tensors;
mod torch;

use super::causes;
use super::found::JobFound;
use super::sides::Sides;
use crate::analysis::findings::Finding;
use crate::model::{Fact, Job};

/// A kind of difference between ranks.
struct Difference {
    fact: Fact,
    finding: fn(&Sides<'_>) -> Option<Finding>,
    /// Whether it only repeats what another difference shows already.
    follows: bool,
}

/// The kinds of differences: one may be the cause of those behind it.
const DIFFERENCES: [Difference; 13] = [
    Difference { fact: Fact::Failures, finding: failures::difference, follows: false },
    Difference { fact: Fact::GraphBreaks, finding: |sides| Some(breaks::finding(sides)), follows: false },
    Difference { fact: Fact::Recompiles, finding: |sides| Some(recompiles::finding(sides)), follows: false },
    Difference { fact: Fact::CompileIds, finding: |sides| Some(compiles::finding(sides)), follows: false },
    Difference { fact: Fact::ProcessGroups, finding: groups::finding, follows: false },
    Difference { fact: Fact::Inputs, finding: |sides| Some(inputs::finding(sides)), follows: false },
    Difference { fact: Fact::TensorMeta, finding: |sides| Some(tensors::finding(sides)), follows: true },
    Difference { fact: Fact::ExecOrder, finding: |sides| Some(order::finding(sides)), follows: false },
    Difference { fact: Fact::Status, finding: |sides| Some(status::status(sides)), follows: true },
    Difference { fact: Fact::Ops, finding: |sides| Some(status::operations(sides)), follows: true },
    Difference { fact: Fact::Config, finding: |sides| Some(settings::finding(sides)), follows: false },
    Difference { fact: Fact::Cache, finding: |sides| Some(caches::finding(sides)), follows: false },
    Difference { fact: Fact::CacheKeys, finding: |sides| Some(keys::finding(sides)), follows: true },
];

/// Kinds that are not differences; each may find several things.
const CHECKS: [fn(&Job, &JobFound) -> Vec<Finding>; 12] = [
    failures::ended,
    stopped::findings,
    collectives::findings,
    logs::findings,
    alarms::findings,
    failures::everywhere,
    nothing::findings,
    parity::findings,
    runtimes::findings,
    stragglers::findings,
    torch::findings,
    shared::findings,
];

/// A job's findings, most important first.
pub(super) fn findings(job: &Job, found: &JobFound) -> Vec<Finding> {
    let mut findings = Vec::new();
    for difference in DIFFERENCES {
        let comparison = found.comparison(difference.fact).filter(|comparison| comparison.differs());
        let Some(sides) = comparison.and_then(|comparison| Sides::of(job, found, comparison)) else {
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
