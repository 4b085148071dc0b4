//! Ranks grouped by a list of facts, and the first position at which the lists differ.

use crate::facts::ranks::{Fact, FactValue, GraphId, Job, RankSummary, Sequence, Step, TextId};
use crate::trace::TextMap;
use std::cmp::Reverse;

/// The result of comparing the ranks by one kind of fact.
pub struct Compared {
    /// The kind.
    pub fact: Fact,
    /// The groups of ranks, or why there is no comparison.
    pub outcome: Result<Comparison, Unknown>,
}

/// The comparison of one kind of fact, where there is one.
pub(super) fn comparison(compared: &[Compared], fact: Fact) -> Option<&Comparison> {
    compared.iter().find(|one| one.fact == fact)?.outcome.as_ref().ok()
}

/// Ranks by the facts of one kind.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// The kind.
    pub fact: Fact,
    /// Ranks with equal facts; the largest group first, among equals the one with the lowest rank.
    pub groups: Vec<Group>,
    /// Where they first differ.
    pub first: Option<First>,
    /// Ranks that are not in it, since their log does not hold such facts: indices into the job's.
    pub left_out: Vec<usize>,
}

impl Comparison {
    /// Whether there are ranks that differ.
    pub fn differs(&self) -> bool {
        self.groups.len() > 1
    }
}

/// Ranks with equal facts.
#[derive(Debug, Clone)]
pub struct Group {
    /// Indices into the job's ranks, ascending.
    pub ranks: Vec<usize>,
    /// The facts that they share, taken from the rank whose log has most of them.
    pub steps: Sequence,
    /// That rank.
    source: usize,
}

/// The first position at which groups differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct First {
    /// The position, counted from 0 in the largest group.
    pub index: usize,
    /// Compile that it belongs to, in the first group that says so.
    pub compile: Option<TextId>,
    /// The step at the position, one entry per group; None if a group's list has ended.
    pub by_group: Vec<Option<Step>>,
    /// Where each group's list first differs from the largest group's; for the largest group, the position above.
    pub own: Vec<usize>,
}

/// Where two groups differ in a graph that both compile: positions in their lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SharedDifference {
    /// In the list of the first group.
    pub one: usize,
    /// In the list of the second.
    pub other: usize,
}

/// Where two groups differ in a graph that both compile; None where they differ only in which graphs there are.
pub(super) fn shared_difference(
    job: &Job,
    fact: Fact,
    one: &Group,
    other: &Group,
) -> Option<SharedDifference> {
    let (one_rank, other_rank) = (job.ranks.get(one.source)?, job.ranks.get(other.source)?);
    let not_compiled = |rank: &RankSummary, steps: &[Step]| -> Vec<GraphId> {
        let own: Vec<GraphId> = compiled(rank);
        let lacking = steps.iter().filter_map(|step| step.graph);
        let mut hidden: Vec<GraphId> = lacking.filter(|graph| own.binary_search(graph).is_err()).collect();
        hidden.extend(hidden_of(rank, fact));
        hidden.sort_unstable();
        hidden
    };
    let (one_hidden, other_hidden) =
        (not_compiled(one_rank, &other.steps), not_compiled(other_rank, &one.steps));
    let side = |rank, steps, hidden| Side { hidden, ..Side::new(rank, fact, steps) };
    let found = agree(side(one_rank, &one.steps, &one_hidden), side(other_rank, &other.steps, &other_hidden));
    found.map(|(one, other)| SharedDifference { one, other })
}

/// The graphs that a rank compiles, in the order of the job.
fn compiled(rank: &RankSummary) -> Vec<GraphId> {
    let steps = rank.fact(Fact::CompileIds).into_iter().flat_map(|steps| steps.iter());
    let mut graphs: Vec<GraphId> = steps.filter_map(|step| step.graph).collect();
    graphs.sort_unstable();
    graphs
}

/// Why facts cannot be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unknown {
    /// No rank's log can be read.
    NoRank,
    /// No rank's log holds such facts.
    NotRecorded,
    /// All ranks, or all but one, loaded their graphs from a cache, for which torch records no facts.
    Cached,
}

/// A rank's list, and what it does not know.
#[derive(Clone, Copy)]
struct Side<'j> {
    steps: &'j [Step],
    /// Compiles about which it knows nothing.
    hidden: &'j [GraphId],
    /// Whether the log ends before the list does.
    cut: bool,
}

impl<'j> Side<'j> {
    fn new(rank: &'j RankSummary, fact: Fact, steps: &'j [Step]) -> Side<'j> {
        Side { steps, hidden: hidden_of(rank, fact), cut: rank.is_cut() }
    }

    fn has_gaps(self) -> bool {
        self.cut || !self.hidden.is_empty() || self.steps.iter().any(|step| step.value.is_none())
    }
}

/// Compares the ranks by the facts of one kind.
pub fn compare(job: &Job, fact: Fact) -> Result<Comparison, Unknown> {
    let ranks: Vec<(usize, &RankSummary)> =
        job.ranks.iter().enumerate().filter(|(_, rank)| rank.is_comparable()).collect();
    let found = ranks.iter().filter_map(|(index, rank)| Some((*index, *rank, list(rank, fact)?)));
    let mut known: Vec<(usize, &RankSummary, Sequence)> = found.collect();
    let has_facts = known.iter().any(|(_, rank, _)| rank.fact(fact).is_some());
    if !has_facts {
        return Err(if ranks.is_empty() { Unknown::NoRank } else { why_none(&ranks, fact) });
    }
    if known.len() < 2 && ranks.len() > 1 {
        return Err(Unknown::Cached);
    }
    let left_out = ranks.iter().map(|(index, _)| *index);
    let is_known = |index: &usize| known.binary_search_by_key(index, |(known, ..)| *known).is_ok();
    let left_out = left_out.filter(|index| !is_known(index)).collect();
    // Complete lists make the groups; a list with gaps joins one that it does not contradict.
    known.sort_by_key(|(_, rank, steps)| Side::new(rank, fact, steps).has_gaps());
    let mut groups = Groups { job, fact, groups: Vec::new(), by_values: TextMap::default() };
    for (index, rank, steps) in known {
        groups.add(index, rank, steps);
    }
    let mut groups = groups.groups;
    groups.iter_mut().for_each(|group| group.ranks.sort_unstable());
    groups.sort_by_key(|group| (Reverse(group.ranks.len()), group.ranks.first().copied()));
    let first = first(job, fact, &groups);
    Ok(Comparison { fact, groups, first, left_out })
}

/// The facts of a rank; None where its log cannot know them.
fn list(rank: &RankSummary, fact: Fact) -> Option<Sequence> {
    match (fact, rank.fact(fact)) {
        // A log that ends before it says anything of the kind.
        (Fact::Collectives | Fact::Cache, None) if rank.is_cut() => None,
        // A run whose graphs all came from a cache.
        (Fact::ExecOrder, Some(steps))
            if steps.iter().all(|step| step.value.is_none()) && !steps.is_empty() =>
        {
            None
        }
        (_, Some(steps)) => Some(steps.clone()),
        // torch writes a schedule for a graph that has a collective, and a cache's answer for one that was asked.
        (Fact::Collectives, None) if rank.cached.is_empty() => Some(Sequence::default()),
        (Fact::Cache, None) => Some(Sequence::default()),
        // Code without a collective leaves no call.
        (Fact::ProcessGroups, None) if !rank.is_cut() => Some(Sequence::default()),
        _ => None,
    }
}

fn why_none(ranks: &[(usize, &RankSummary)], fact: Fact) -> Unknown {
    let by_graph = matches!(fact, Fact::Collectives | Fact::TensorMeta | Fact::ExecOrder);
    let cached = |rank: &RankSummary| !rank.cached.is_empty();
    if by_graph && ranks.iter().all(|(_, rank)| cached(rank)) {
        Unknown::Cached
    } else {
        Unknown::NotRecorded
    }
}

/// The compiles whose facts a cache hid from this rank.
fn hidden_of(rank: &RankSummary, fact: Fact) -> &[GraphId] {
    if matches!(fact, Fact::Collectives | Fact::TensorMeta) { &rank.cached } else { &[] }
}

struct Groups<'j> {
    job: &'j Job,
    fact: Fact,
    groups: Vec<Group>,
    by_values: TextMap<Vec<Option<FactValue>>, usize>,
}

impl Groups<'_> {
    fn add(&mut self, index: usize, rank: &RankSummary, steps: Sequence) {
        let side = Side::new(rank, self.fact, &steps);
        let group = if side.has_gaps() {
            // The largest group that it fits. Groups are few, or the ranks have nothing in common.
            let fits = |group: &Group| {
                let cut = self.job.ranks.get(group.source).is_some_and(RankSummary::is_cut);
                agree(Side { steps: &group.steps, hidden: &[], cut }, side).is_none()
            };
            let fitting = self.groups.iter().enumerate().filter(|(_, group)| fits(group));
            fitting.max_by_key(|(at, group)| (group.ranks.len(), Reverse(*at))).map(|(at, _)| at)
        } else {
            let values = steps.iter().map(|step| step.value).collect();
            let next = self.groups.len();
            let at = *self.by_values.entry(values).or_insert(next);
            (at < next).then_some(at)
        };
        match group.and_then(|at| self.groups.get_mut(at)) {
            Some(group) => group.ranks.push(index),
            None => self.groups.push(Group { ranks: vec![index], steps, source: index }),
        }
    }
}

impl<'j> Side<'j> {
    /// The steps about which the other side knows, with their positions.
    fn known_to(self, other: Side<'j>) -> impl Iterator<Item = (usize, Option<FactValue>)> {
        let seen = move |step: &Step| step.graph.is_none_or(|id| other.hidden.binary_search(&id).is_err());
        let known = self.steps.iter().enumerate().filter(move |(_, step)| seen(step));
        known.map(|(index, step)| (index, step.value))
    }
}

/// The first positions, one in each list, at which two lists differ; None when they agree.
fn agree(one: Side<'_>, other: Side<'_>) -> Option<(usize, usize)> {
    let (mut mine, mut theirs) = (one.known_to(other), other.known_to(one));
    loop {
        match (mine.next(), theirs.next()) {
            (None, None) => return None,
            (Some((at, a)), Some((there, b))) if a != b && a.is_some() && b.is_some() => {
                return Some((at, there));
            }
            (Some(_), Some(_)) => {}
            // What a log that ends inside a compile would have said next is not known.
            (Some(_), None) if other.cut => return None,
            (None, Some(_)) if one.cut => return None,
            (Some((at, _)), None) => return Some((at, other.steps.len())),
            (None, Some((there, _))) => return Some((one.steps.len(), there)),
        }
    }
}

/// Where each group parts from the largest, and the first of these places.
fn first(job: &Job, fact: Fact, groups: &[Group]) -> Option<First> {
    let sides = groups.iter().filter_map(|group| {
        let source = job.ranks.get(group.source)?;
        Some(Side::new(source, fact, &group.steps))
    });
    let sides: Vec<Side<'_>> = sides.collect();
    let (reference, others) = sides.split_first()?;
    let parts: Vec<Option<(usize, usize)>> = others.iter().map(|side| agree(*reference, *side)).collect();
    let index = parts.iter().flatten().map(|(index, _)| *index).min()?;
    let mine = reference.steps.get(index).copied();
    let mut by_group = vec![mine];
    let mut own = vec![index];
    for (part, side) in parts.iter().zip(others) {
        own.push(part.map_or(index, |(_, theirs)| theirs));
        by_group.push(match part {
            Some((at, theirs)) if *at == index => side.steps.get(*theirs).copied(),
            _ => mine,
        });
    }
    let compile = by_group.iter().flatten().find_map(|step| step.compile);
    Some(First { index, compile, by_group, own })
}
