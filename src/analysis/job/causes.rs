//! What comes first: the cause before its consequences, over all ranks of a job.

use crate::analysis::findings::KindOfFinding::{
    CacheDiffers, CollectivesDiffer, ConfigDiffers, FailuresDiffer, GraphBreaksDiffer, RankStopped,
};
use crate::analysis::findings::{Finding, Severity, arranged};
use crate::facts::ranks::{Aspect, FactValue, Job};
use crate::model::words::words_of;
use std::sync::LazyLock;

/// What follows from findings of one kind on the same ranks, the surest causes first.
static CONSEQUENCES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| words_of(include_str!("causes.txt")));

/// Kinds of differences in what is compiled, before those in what that depends on, before those in how long it takes.
const TIERS: [&str; 4] = [
    "failures_differ collectives_differ",
    "guards_differ graphs_differ graph_breaks_differ recompiles_differ compile_ids_differ process_groups_differ \
        status_differs ops_differ",
    "config_differs inputs_differ tensor_meta_differs",
    "exec_order_differs",
];

/// The place of a finding among all; the smallest comes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Order {
    event: Event,
    severity: Severity,
    tier: usize,
}

/// What happened, in the order in which one thing explains the next.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Failed,
    Stopped,
    Hangs,
    Other,
}

impl Order {
    fn of(finding: &Finding) -> Order {
        let is_error = finding.severity == Severity::Error;
        let event = match finding.kind {
            FailuresDiffer if is_error => Event::Failed,
            RankStopped if finding.severity < Severity::Info => Event::Stopped,
            CollectivesDiffer if is_error => Event::Hangs,
            _ => Event::Other,
        };
        let tier = TIERS.iter().position(|kinds| kinds.split(' ').any(|kind| kind == finding.kind.word()));
        Order { event, severity: finding.severity, tier: tier.unwrap_or(TIERS.len()) }
    }
}

/// The findings with each cause before what follows from it.
pub(super) fn in_order(findings: Vec<Finding>) -> Vec<Finding> {
    let orders: Vec<Order> = findings.iter().map(Order::of).collect();
    let mut causes: Vec<Option<usize>> = (0..findings.len()).map(|at| cause_of(&findings, at)).collect();
    break_circles(&mut causes, &orders);
    // A cause comes as early as the first thing that follows from it.
    let mut first = orders.clone();
    for (at, order) in orders.iter().enumerate() {
        let mut above = causes.get(at).copied().flatten();
        let mut steps = 0;
        while let Some(cause) = above.filter(|_| steps < findings.len()) {
            if let Some(known) = first.get_mut(cause) {
                *known = (*known).min(*order);
            }
            above = causes.get(cause).copied().flatten();
            steps += 1;
        }
    }
    arranged(findings, &causes, |one, other| first.get(one).cmp(&first.get(other)))
}

/// Of findings that explain each other, the first is the cause of the others: each would be shown below another one else, and
/// none at all.
fn break_circles(causes: &mut [Option<usize>], orders: &[Order]) {
    for at in 0..causes.len() {
        let mut circle = vec![at];
        while let Some(above) = circle.last().and_then(|last| causes.get(*last).copied().flatten()) {
            if above == at {
                let root = circle.iter().min_by_key(|one| orders.get(**one).copied());
                if let Some(cause) = root.and_then(|root| causes.get_mut(*root)) {
                    *cause = None;
                }
            }
            if circle.contains(&above) {
                break;
            }
            circle.push(above);
        }
    }
}

/// The finding that explains another one.
fn cause_of(findings: &[Finding], at: usize) -> Option<usize> {
    let finding = findings.get(at)?;
    if Order::of(finding).event < Event::Other {
        return None;
    }
    let explains = |cause: &Finding, (kind, consequences): &(&str, &str)| {
        let mut consequences = consequences.split(' ');
        cause.kind.word() == *kind
            && consequences.any(|word| word == finding.kind.word())
            && is_explained(cause, finding)
    };
    CONSEQUENCES.iter().find_map(|rule| {
        let candidates = findings.iter().enumerate().filter(|(index, _)| *index != at);
        candidates.into_iter().find(|(_, cause)| explains(cause, rule)).map(|(index, _)| index)
    })
}

/// Whether a finding of a fitting kind is about the same ranks.
fn is_explained(cause: &Finding, finding: &Finding) -> bool {
    let (of_cause, own) = (&cause.in_job.ranks, &finding.in_job.ranks);
    match (cause.kind, finding.kind) {
        // What the launcher ends are the other ranks.
        (FailuresDiffer | RankStopped, RankStopped) => {
            finding.severity == Severity::Info && Order::of(cause).event < Event::Other
        }
        // Only a failure that ended its rank keeps it from what others compile.
        (FailuresDiffer, _) if cause.severity != Severity::Error => false,
        (ConfigDiffers, GraphBreaksDiffer) => cause.in_job.is_of_capture && own == of_cause,
        // Ranks that only lose a race for a cache entry are no consequence.
        (_, CacheDiffers) if finding.severity == Severity::Info => false,
        (_, CollectivesDiffer) if Order::of(finding).event == Event::Hangs => false,
        _ => !own.is_empty() && own.iter().all(|rank| of_cause.binary_search(rank).is_ok()),
    }
}

/// Whether the log of a rank ends in a compile that failed.
pub(super) fn ends_with_failure(job: &Job, rank: usize) -> bool {
    let ends = || {
        let rank = job.ranks.get(rank)?;
        let failed = rank.steps(Aspect::Failures).last()?;
        let is_failure = matches!(failed.value, Some(FactValue::Failed { .. }));
        Some(is_failure && failed.compile.is_some() && rank.end.as_ref()?.compile == failed.compile)
    };
    ends().unwrap_or(false)
}
