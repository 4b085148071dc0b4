//! The order in which the graphs of ranks ran, where the logs have it: then nothing has to be inferred.

use super::difference::{Class, ScheduleDifference, ScheduleSide, Sureness, WORLD, shares_group};
use crate::analysis::job::groups::ends_early;
use crate::analysis::job::schedules::ways::Call;
use crate::facts::ranks::{Aspect, FactValue, FunctionFact, GraphId, Job};

/// Positions of an order that are compared.
const MOST: usize = 1 << 20;

/// A call at the time at which its graph ran.
#[derive(Clone, Copy)]
struct Ran {
    call: Call,
    graph: GraphId,
}

/// How two classes differ in what they called; None where the order is not recorded for both.
pub(super) fn compare(job: &Job, most: &Class, other: &Class) -> Option<Vec<ScheduleDifference>> {
    let (mine, theirs) = (ran(job, most)?, ran(job, other)?);
    let in_world = |ran: &Ran| ran.call.group.map(|group| job.texts.get(group) == WORLD);
    let same = |mine: &Ran, theirs: &Ran| {
        let is_other_group =
            in_world(mine).zip(in_world(theirs)).is_some_and(|(mine, theirs)| mine != theirs);
        mine.call.operation == theirs.call.operation && !is_other_group
    };
    let nth = mine.iter().zip(&theirs).take_while(|(mine, theirs)| same(mine, theirs)).count();
    let (here, there) = (mine.get(nth), theirs.get(nth));
    let graph = match (here, there) {
        (None, None) => return Some(Vec::new()),
        // The rest of an order that ended with its log is not known.
        (Some(_), None) if other.calls.is_cut => return Some(Vec::new()),
        (None, Some(_)) if most.calls.is_cut => return Some(Vec::new()),
        (_, Some(ran)) | (Some(ran), None) => ran.graph,
    };
    let compiled = |class: &Class| job.ranks.get(*class.ranks.first()?)?.compile(graph);
    let side = |class: &Class, ran: Option<&Ran>, count: usize| {
        let compile = ran.map_or_else(|| compiled(class), |ran| ran.call.compile);
        ScheduleSide::new(class, compile, ran.map(|ran| ran.call), count)
    };
    let (most_side, other_side) = (side(most, here, mine.len()), side(other, there, theirs.len()));
    let shares = shares_group(job, most, other, [most_side.call, other_side.call]);
    let operations = |all: &[Ran]| {
        let mut all: Vec<_> = all.iter().map(|ran| ran.call.operation).collect();
        all.sort_unstable();
        all
    };
    Some(vec![ScheduleDifference {
        sureness: if shares { Sureness::Hang } else { Sureness::OtherGroups },
        function: job.texts.graph(graph).map_or(FunctionFact { name: None, place: None }, |key| key.function),
        graph,
        nth,
        is_order: here.zip(there).is_some_and(|(mine, theirs)| mine.call.operation != theirs.call.operation)
            && operations(&mine) == operations(&theirs),
        most: most_side,
        other: other_side,
    }])
}

/// What the ranks of a class called, in order.
fn ran(job: &Job, class: &Class) -> Option<Vec<Ran>> {
    let rank = job.ranks.get(*class.ranks.first()?)?;
    let order = rank.fact(Aspect::ExecOrder).filter(|steps| !steps.is_empty())?;
    if ends_early(rank, Aspect::ExecOrder, order) {
        return None;
    }
    let mut calls = Vec::new();
    for step in order.iter() {
        let Some(FactValue::Executed(graph)) = step.value else { return None };
        // What the log does not hold ran as well.
        let own = class.calls.by_graph.get(&graph);
        if class.calls.unknown.contains(&graph) {
            return None;
        }
        calls.extend(own.into_iter().flatten().map(|call| Ran { call: *call, graph }));
        if calls.len() > MOST {
            return None;
        }
    }
    Some(calls)
}
