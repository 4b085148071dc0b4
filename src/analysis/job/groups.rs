//! Ranks grouped by a list of facts, and the first position at which the lists differ.

use crate::facts::ranks::{
    Aspect, ComparedFact, FactValue, GraphId, Job, RankSummary, Sequence, Step, TextId,
};
use crate::trace::TextMap;
use fxhash::{FxHashMap, FxHashSet};
use std::cmp::{Ordering, Reverse};

/// The result of comparing the ranks by one kind of fact.
pub struct Compared {
    /// The kind.
    pub aspect: Aspect,
    /// The groups of ranks, or why there is no comparison.
    pub outcome: Result<Comparison, Unknown>,
}

/// The comparison of one kind of fact, where there is one.
pub(super) fn comparison(compared: &[Compared], aspect: Aspect) -> Option<&Comparison> {
    compared.iter().find(|one| one.aspect == aspect)?.outcome.as_ref().ok()
}

/// Ranks by the facts of one kind.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// The kind.
    pub aspect: Aspect,
    /// Ranks with equal facts; the largest group first, among equals the one with the lowest rank.
    pub groups: Vec<Group>,
    /// Where they first differ.
    pub first: Option<First>,
    /// Ranks that are not in it, since their log does not hold such facts: indices into the job's.
    pub left_out: Vec<usize>,
    /// Ranks of which the log lacks a part that another rank's has.
    pub in_part: Vec<usize>,
}

impl Comparison {
    /// Whether there are ranks that differ.
    pub fn differs(&self) -> bool {
        self.groups.len() > 1
    }
}

/// The group of a rank in a comparison, and whether its log lacks a part of what the others have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Membership {
    pub group: u32,
    pub in_part: bool,
}

/// The group of each rank, by its index, in each comparison; None where it was not compared.
pub fn memberships(job: &Job, known: &[&Comparison]) -> Vec<Vec<Option<Membership>>> {
    let mut all = vec![vec![None; known.len()]; job.ranks.len()];
    for (column, comparison) in known.iter().enumerate() {
        for (group, ranks) in (0..).zip(&comparison.groups) {
            for rank in &ranks.ranks {
                if let Some(own) = all.get_mut(*rank).and_then(|row| row.get_mut(column)) {
                    let in_part = comparison.in_part.binary_search(rank).is_ok();
                    *own = Some(Membership { group, in_part });
                }
            }
        }
    }
    all
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

/// Where two lists differ: positions in them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Parting {
    /// In the list of the first group.
    pub one: usize,
    /// In the list of the second.
    pub other: usize,
}

/// Where two groups differ in a graph that both compile; None where they differ only in which graphs there are.
pub(super) fn shared_difference<'j>(
    job: &'j Job,
    aspect: Aspect,
    one: &'j Group,
    other: &'j Group,
) -> Option<Parting> {
    let side = |group: &'j Group| Some(Side::new(job.ranks.get(group.source)?, aspect, &group.steps));
    by_graph(&side(one)?, &side(other)?, true)
}

/// Why facts cannot be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unknown {
    /// No rank's log can be read.
    NoRank,
    /// No rank's log holds such facts.
    NotRecorded,
    /// The log of one rank only holds them.
    OneRank,
    /// All ranks, or all but one, loaded their graphs from a cache, for which torch records no facts.
    Cached,
}

/// A rank's list, and what it does not know.
struct Side<'j> {
    aspect: Aspect,
    rank: &'j RankSummary,
    steps: &'j [Step],
    /// Compiles about which it knows nothing, of lists that are not in the order of graphs.
    hidden: Vec<GraphId>,
    /// Whether the log ends before the list does.
    cut: bool,
}

impl<'j> Side<'j> {
    fn new(rank: &'j RankSummary, aspect: Aspect, steps: &'j [Step]) -> Side<'j> {
        let is_by_place = aspect.is_by_graph() || is_by_position(aspect);
        let unknown = steps.iter().filter(|step| !is_by_place && step.value.is_none());
        let mut hidden: Vec<GraphId> = unknown.filter_map(|step| step.graph).collect();
        hidden.sort_unstable();
        Side { aspect, rank, steps, hidden, cut: rank.is_cut() || ends_early(rank, aspect, steps) }
    }

    /// The steps about which the other side knows, with their positions.
    fn known_to<'s>(&'s self, other: &'s Side<'_>) -> impl Iterator<Item = (usize, Option<FactValue>)> + 's {
        let seen = |step: &Step| {
            step.graph.is_none_or(|id| {
                other.hidden.binary_search(&id).is_err() && self.hidden.binary_search(&id).is_err()
            })
        };
        let known = self.steps.iter().enumerate().filter(move |(_, step)| seen(step));
        known.map(|(index, step)| (index, step.value))
    }
}

/// Facts whose list goes by position: an unknown step may hold anything, so it is not a gap in a graph.
fn is_by_position(aspect: Aspect) -> bool {
    matches!(aspect, Aspect::Functions | Aspect::ExecOrder)
}

/// Whether an order in which graphs ran lacks some that the rank compiled: then it was not recorded to its end.
pub(super) fn ends_early(rank: &RankSummary, aspect: Aspect, steps: &[Step]) -> bool {
    let mut captured = rank.steps(Aspect::Graphs).iter();
    let lacks = |step: &Step| steps.iter().all(|own| own.graph.is_some() && own.graph != step.graph);
    aspect == Aspect::ExecOrder && captured.any(|step| step.value.is_some() && lacks(step))
}

/// Compares the ranks by the facts of one kind.
pub fn compare(job: &Job, aspect: Aspect) -> Result<Comparison, Unknown> {
    let ranks: Vec<(usize, &RankSummary)> =
        job.ranks.iter().enumerate().filter(|(_, rank)| rank.is_comparable()).collect();
    let found = ranks.iter().filter_map(|(index, rank)| Some((*index, *rank, list(rank, aspect)?)));
    let mut known: Vec<(usize, &RankSummary, Sequence)> = found.collect();
    // That no rank calls a collective is nothing to compare.
    let is_some = |steps: &Sequence| !steps.is_empty() || !is_of_collectives(aspect);
    let has_facts = known.iter().any(|(_, _, steps)| is_some(steps));
    if !has_facts {
        return Err(if ranks.is_empty() { Unknown::NoRank } else { why_none(&ranks, aspect, false) });
    }
    if known.len() < 2 && ranks.len() > 1 {
        return Err(why_none(&ranks, aspect, true));
    }
    let left_out = ranks.iter().map(|(index, _)| *index);
    let is_known = |index: &usize| known.binary_search_by_key(index, |(known, ..)| *known).is_ok();
    let left_out = left_out.filter(|index| !is_known(index)).collect();
    // Complete lists make the groups; a list with gaps joins one that it does not contradict.
    known.sort_by_key(|(_, rank, steps)| {
        let has_gaps = steps.iter().any(|step| step.value.is_none());
        let is_whole = !has_gaps && !rank.is_cut() && !ends_early(rank, aspect, steps);
        (!is_whole, Reverse(length(aspect, steps)))
    });
    let mut groups = Groups { job, aspect, groups: Vec::new(), by_values: TextMap::default() };
    for (index, rank, steps) in known {
        groups.add(index, rank, steps);
    }
    let mut groups = groups.groups;
    groups.iter_mut().for_each(|group| group.ranks.sort_unstable());
    groups.sort_by_key(|group| (Reverse(group.ranks.len()), group.ranks.first().copied()));
    let first = first(job, aspect, &groups);
    let in_part = in_part(job, aspect, &groups);
    Ok(Comparison { aspect, groups, first, left_out, in_part })
}

/// How much of a graph may be missing: of these facts, the longer list is the one that knows more.
fn length(aspect: Aspect, steps: &[Step]) -> usize {
    if may_be_short(aspect) { steps.len() } else { 0 }
}

/// Facts of which a graph has several, each in its record: one that a rank lacks is not known, as what it is about differs
/// in the graph as well.
fn may_be_short(aspect: Aspect) -> bool {
    matches!(
        aspect,
        Aspect::Cache | Aspect::CacheKeys | Aspect::Inputs | Aspect::TensorMeta | Aspect::ProcessGroups
    )
}

/// Ranks that lack a part of what another rank has that they do not contradict.
fn in_part(job: &Job, aspect: Aspect, groups: &[Group]) -> Vec<usize> {
    let lists = |group: &Group| -> Vec<(usize, &RankSummary, Sequence)> {
        let ranks = group.ranks.iter().filter_map(|index| Some((*index, job.ranks.get(*index)?)));
        ranks.filter_map(|(index, rank)| Some((index, rank, list(rank, aspect)?))).collect()
    };
    let mut lacking = Vec::new();
    // What a gap hides may be known to a rank of another group.
    let mut known_to_any: FxHashSet<Option<GraphId>> = FxHashSet::default();
    for group in groups {
        known_to_any.extend(group.steps.iter().filter(|step| step.value.is_some()).map(|step| step.graph));
    }
    for lists in groups.iter().map(lists) {
        let known_steps = |steps: &[Step]| steps.iter().filter(|step| step.value.is_some()).count();
        let longest = lists.iter().map(|(.., steps)| known_steps(steps)).max().unwrap_or_default();
        let is_gap = |step: &&Step| is_by_position(aspect) || known_to_any.contains(&step.graph);
        let gaps = |steps: &[Step]| steps.iter().filter(|step| step.value.is_none()).filter(is_gap).count();
        // A position that nobody knows is nobody's gap.
        let fewest = lists.iter().map(|(.., steps)| gaps(steps)).min().filter(|_| is_by_position(aspect));
        let mut known: FxHashMap<*const Step, bool> = FxHashMap::default();
        let mut has_gaps = |steps: &Sequence| {
            *known.entry(steps.as_ptr()).or_insert_with(|| gaps(steps) > fewest.unwrap_or_default())
        };
        let is_in_part = |(_, rank, steps): &&(usize, &RankSummary, Sequence)| {
            let may_end = may_be_short(aspect) || rank.is_cut() || ends_early(rank, aspect, steps);
            has_gaps(steps) || may_end && known_steps(steps) < longest
        };
        lacking.extend(lists.iter().filter(is_in_part).map(|(index, ..)| *index));
    }
    lacking.sort_unstable();
    lacking
}

/// The facts of a rank; None where its log cannot know them.
fn list(rank: &RankSummary, aspect: Aspect) -> Option<Sequence> {
    match rank.fact(aspect) {
        // Nothing of the kind is known.
        Some(steps) if steps.iter().all(|step| step.value.is_none()) && !steps.is_empty() => None,
        // A log that ends before it says anything of the kind.
        Some(steps) if steps.is_empty() && rank.is_cut() && is_of_collectives(aspect) => None,
        steps => steps.cloned(),
    }
}

fn is_of_collectives(aspect: Aspect) -> bool {
    matches!(aspect, Aspect::Collectives | Aspect::ProcessGroups)
}

/// Why fewer than two ranks have such facts; `has_facts` says that one does.
fn why_none(ranks: &[(usize, &RankSummary)], aspect: Aspect, has_facts: bool) -> Unknown {
    let by_graph = matches!(aspect, Aspect::Collectives | Aspect::TensorMeta | Aspect::ExecOrder);
    let mut lacking =
        ranks.iter().map(|(_, rank)| *rank).filter(|rank| list(rank, aspect).is_none()).peekable();
    if by_graph && lacking.peek().is_some() && lacking.all(|rank| !rank.cached.is_empty()) {
        return Unknown::Cached;
    }
    if has_facts { Unknown::OneRank } else { Unknown::NotRecorded }
}

/// Groups that a list which is none of theirs is compared with: a job of many ranks may have as many groups.
const COMPARED: usize = 64;

struct Groups<'j> {
    job: &'j Job,
    aspect: Aspect,
    groups: Vec<Group>,
    by_values: TextMap<Vec<ComparedFact>, usize>,
}

impl Groups<'_> {
    fn add(&mut self, index: usize, rank: &RankSummary, steps: Sequence) {
        let key: Vec<ComparedFact> = steps.iter().map(|step| step.compared(self.aspect)).collect();
        let side = Side::new(rank, self.aspect, &steps);
        let has_gaps = side.cut || key.iter().any(|step| step.value.is_none());
        let known = self.by_values.get(&key).copied().filter(|_| !side.cut);
        let fitting = || {
            // The largest group that it fits. Groups are few, or the ranks have nothing in common.
            let fits = |group: &Group| {
                let source = self.job.ranks.get(group.source);
                source.is_some_and(|source| {
                    agree(&Side::new(source, self.aspect, &group.steps), &side).is_none()
                })
            };
            let most = if has_gaps { self.groups.len() } else { COMPARED };
            let groups = self.groups.iter().enumerate().take(most);
            let fitting = groups.filter(|(_, group)| (has_gaps || may_be_short(self.aspect)) && fits(group));
            fitting.max_by_key(|(at, group)| (group.ranks.len(), Reverse(*at))).map(|(at, _)| at)
        };
        let at = known.or_else(fitting).unwrap_or(self.groups.len());
        self.by_values.entry(key).or_insert(at);
        match self.groups.get_mut(at) {
            Some(group) => group.ranks.push(index),
            None => self.groups.push(Group { ranks: vec![index], steps, source: index }),
        }
    }
}

/// The first positions, one in each list, at which two lists differ; None when they agree.
fn agree(one: &Side<'_>, other: &Side<'_>) -> Option<Parting> {
    if one.aspect.is_by_graph() { by_graph(one, other, false) } else { in_sequence(one, other) }
}

fn in_sequence(one: &Side<'_>, other: &Side<'_>) -> Option<Parting> {
    let (mut mine, mut theirs) = (one.known_to(other), other.known_to(one));
    loop {
        let (one, other) = match (mine.next(), theirs.next()) {
            (None, None) => return None,
            (Some((at, a)), Some((there, b))) if a != b && a.is_some() && b.is_some() => (at, there),
            (Some(_), Some(_)) => continue,
            // What a log that ends inside a compile would have said next is not known.
            (Some(_), None) if other.cut => return None,
            (None, Some(_)) if one.cut => return None,
            (Some((at, _)), None) => (at, other.steps.len()),
            (None, Some((there, _))) => (one.steps.len(), there),
        };
        return Some(Parting { one, other });
    }
}

/// The same for lists in the order of graphs, of which each graph is compared by itself; `shared_only` leaves out the graphs
/// that one side does not compile.
fn by_graph(one: &Side<'_>, other: &Side<'_>, shared_only: bool) -> Option<Parting> {
    let (mut at, mut there) = (0, 0);
    loop {
        let (mine, theirs) = (of_next_graph(one.steps, at), of_next_graph(other.steps, there));
        let is_known = |steps: &[Step]| steps.iter().all(|step| step.value.is_some());
        let order = match (mine.first(), theirs.first()) {
            (None, None) => return None,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(mine), Some(theirs)) => mine.graph.cmp(&theirs.graph),
        };
        let parts = match order {
            Ordering::Less => (!shared_only && !other.cut && is_known(mine)).then_some(0),
            Ordering::Greater => (!shared_only && !one.cut && is_known(theirs)).then_some(0),
            Ordering::Equal if is_known(mine) && is_known(theirs) => first_unequal(one, other, mine, theirs),
            Ordering::Equal => None,
        };
        if let Some(parts) = parts {
            return Some(Parting { one: at + parts, other: there + parts });
        }
        at += if order.is_le() { mine.len() } else { 0 };
        there += if order.is_ge() { theirs.len() } else { 0 };
    }
}

/// The steps from a position on that belong to one graph.
fn of_next_graph(steps: &[Step], at: usize) -> &[Step] {
    let rest = steps.get(at..).unwrap_or_default();
    let count =
        rest.iter().take_while(|step| Some(step.graph) == rest.first().map(|first| first.graph)).count();
    rest.get(..count).unwrap_or_default()
}

/// Where the facts of a graph first differ. A list that is a part of the other's is not known to be whole, if the ranks
/// captured the same.
fn first_unequal(one: &Side<'_>, other: &Side<'_>, mine: &[Step], theirs: &[Step]) -> Option<usize> {
    let same = mine.iter().zip(theirs).take_while(|(mine, theirs)| mine.value == theirs.value).count();
    if same == mine.len().max(theirs.len()) {
        return None;
    }
    let (fewer, more) = if mine.len() < theirs.len() { (mine, theirs) } else { (theirs, mine) };
    let mut more = more.iter();
    let is_part =
        may_be_short(one.aspect) && fewer.iter().all(|step| more.any(|other| other.value == step.value));
    let graph = mine.first().and_then(|step| step.graph);
    let captured = |side: &Side<'_>| {
        let of_graph = |aspect| -> Vec<Option<FactValue>> {
            side.rank.steps(aspect).iter().filter(|step| step.graph == graph).map(|step| step.value).collect()
        };
        [of_graph(Aspect::Graphs), of_graph(Aspect::Functions)]
    };
    (!is_part || captured(one) != captured(other)).then_some(same)
}

/// Where each group parts from the largest, and the first of these places.
fn first(job: &Job, aspect: Aspect, groups: &[Group]) -> Option<First> {
    let sides = groups.iter().filter_map(|group| {
        let source = job.ranks.get(group.source)?;
        Some(Side::new(source, aspect, &group.steps))
    });
    let sides: Vec<Side<'_>> = sides.collect();
    let (reference, others) = sides.split_first()?;
    let parts: Vec<Option<Parting>> = others.iter().map(|side| agree(reference, side)).collect();
    let index = parts.iter().flatten().map(|part| part.one).min()?;
    let mine = reference.steps.get(index).copied();
    let mut by_group = vec![mine];
    let mut own = vec![index];
    for (part, side) in parts.iter().zip(others) {
        own.push(part.map_or(index, |part| part.other));
        by_group.push(match part {
            Some(part) if part.one == index => side.steps.get(part.other).copied(),
            _ => mine,
        });
    }
    let compile = by_group.iter().flatten().find_map(|step| step.compile);
    Some(First { index, compile, by_group, own })
}
