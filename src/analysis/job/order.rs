//! Whether the ranks call their collectives in the same order.

use super::found::JobFound;
use super::groups::Group;
use super::words::is_wait;
use crate::model::{Fact, FactValue, Job, TextId};
use fxhash::FxHashSet;

/// What is known of the order in which the ranks call their collectives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CollectiveOrder {
    /// All call the same.
    Same,
    /// Ranks call others in a process group that they share.
    Differs,
    /// Ranks call others, but only in process groups that the other side does not use.
    OtherGroups,
    /// The logs hold nothing to compare.
    Unknown,
}

pub(super) fn of_job(job: &Job, found: &JobFound) -> CollectiveOrder {
    let Some(comparison) = found.comparison(Fact::Collectives) else { return CollectiveOrder::Unknown };
    let Some((most, others)) = comparison.groups.split_first() else { return CollectiveOrder::Unknown };
    match others {
        [] => CollectiveOrder::Same,
        others if others.iter().all(|other| fits(job, most, other)) => CollectiveOrder::OtherGroups,
        _ => CollectiveOrder::Differs,
    }
}

/// Whether two sides call the same in every process group that both call.
fn fits(job: &Job, one: &Group, other: &Group) -> bool {
    let (Some(mine), Some(theirs)) = (calls(job, one), calls(job, other)) else { return false };
    let names = |calls: &[Call]| -> FxHashSet<TextId> { calls.iter().map(|call| call.group).collect() };
    let (my_names, their_names) = (names(&mine), names(&theirs));
    let shared = |calls: &[Call]| -> Vec<Call> {
        let both =
            calls.iter().filter(|call| my_names.contains(&call.group) && their_names.contains(&call.group));
        both.copied().collect()
    };
    !mine.is_empty() && !theirs.is_empty() && shared(&mine) == shared(&theirs)
}

/// A collective in its process group.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Call {
    operation: TextId,
    group: TextId,
}

/// The collectives of a side without the waits; None where the process group of one is not known.
fn calls(job: &Job, side: &Group) -> Option<Vec<Call>> {
    let collectives = side.steps.iter().filter_map(|step| match step.value {
        Some(FactValue::Collective(operation)) => Some((operation, step)),
        _ => None,
    });
    let calls = collectives.filter(|(operation, _)| !is_wait(job.texts.get(*operation)));
    calls.map(|(operation, step)| Some(Call { operation, group: step.note? })).collect()
}
