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
use crate::facts::ranks::{Aspect, Job};

/// What is said of a difference between ranks.
struct Difference {
    aspect: Aspect,
    finding: fn(&Sides<'_>) -> Option<Finding>,
    /// Whether it only repeats what another difference shows already.
    follows: bool,
}

const fn told(aspect: Aspect, finding: fn(&Sides<'_>) -> Option<Finding>) -> Difference {
    Difference { aspect, finding, follows: false }
}

/// A difference that is reported only where no other difference was found.
const fn told_alone(aspect: Aspect, finding: fn(&Sides<'_>) -> Option<Finding>) -> Difference {
    Difference { aspect, finding, follows: true }
}

/// The differences: one may be the cause of those behind it.
const DIFFERENCES: [Difference; 16] = [
    told(Aspect::Failures, failures::difference),
    told(Aspect::GraphBreaks, breaks::difference),
    told(Aspect::Recompiles, |sides| Some(recompiles::finding(sides))),
    told(Aspect::Functions, |sides| Some(compiles::finding(sides))),
    told(Aspect::Guards, code::guards),
    told(Aspect::ProcessGroups, differences::groups),
    told(Aspect::Inputs, differences::inputs),
    told_alone(Aspect::Graphs, |sides| Some(code::graphs(sides))),
    told_alone(Aspect::TensorMeta, |sides| Some(differences::tensors(sides))),
    told(Aspect::ExecOrder, |sides| Some(differences::order(sides))),
    told_alone(Aspect::Status, |sides| Some(differences::status(sides))),
    told_alone(Aspect::Ops, |sides| Some(differences::operations(sides))),
    told(Aspect::Settings, |sides| Some(differences::settings(sides))),
    told(Aspect::Cache, |sides| Some(caches::finding(sides))),
    told_alone(Aspect::Guards, code::unread_guards),
    told_alone(Aspect::CacheKeys, |sides| Some(differences::keys(sides))),
];

/// Kinds that are not differences; each may find several things.
const CHECKS: [fn(&Job, &JobFound) -> Vec<Finding>; 15] = [
    failures::ended,
    stopped::findings,
    collectives::findings,
    code::calls,
    code::settings,
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
        let comparison = found.comparison(difference.aspect).filter(|comparison| comparison.differs());
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
