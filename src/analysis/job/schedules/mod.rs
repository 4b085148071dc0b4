//! The collectives that each function calls, compared between ranks.
//!
//! A schedule belongs to a graph, and a graph may run often or never. So ranks are compared by function: a version that
//! only one rank compiled, or that goes on behind a graph break, calls the same as the function does elsewhere, or does
//! not. Where the order in which graphs ran is recorded, that decides.

mod difference;
mod ran;
mod ways;

pub use difference::{CallLine, ScheduleDifference, ScheduleSide, Sureness};
pub use ways::Call;

/// Finds the line of a collective in the graph of a rank, an index into the job's.
pub type FindLine<'f> = &'f dyn Fn(usize, &Call) -> Option<CallLine>;

/// Differences whose lines are looked up: each reads the reports of two ranks.
const WITH_LINES: usize = 2;

use crate::facts::ranks::{Aspect, FunctionFact, Job, RankSummary, TextId};
use crate::limits::LONG_LIST;
use crate::trace::TextMap;
use difference::{Class, WORLD, shares_group};
use fxhash::FxHashSet;
use std::sync::Arc;
use ways::{RankCalls, Version, Versions, Way};

/// What is known of the collectives that ranks call.
#[derive(Debug, Default)]
pub struct Schedules {
    /// Whether it is known of each rank what all its functions call.
    pub are_known: bool,
    /// How ranks differ, the surest first.
    pub differences: Vec<ScheduleDifference>,
}

impl Schedules {
    /// Looks up where the program calls the collectives that differ first.
    pub(super) fn find_lines(&mut self, find: FindLine<'_>) {
        let named = self.differences.iter_mut().filter(|one| one.sureness != Sureness::OtherGroups);
        for one in named.take(WITH_LINES) {
            for side in [&mut one.most, &mut one.other] {
                let rank = side.ranks.first().copied();
                side.line = rank.zip(side.call).and_then(|(rank, call)| find(rank, &call));
            }
        }
    }
}

/// Compares the ranks of a job.
pub(super) fn of_job(job: &Job) -> Schedules {
    let classes = classes(job);
    let has_calls = classes.iter().any(|class| !class.calls.by_graph.is_empty());
    let comparable = job.ranks.iter().filter(|rank| rank.is_comparable()).count();
    let are_known = comparable == classes.iter().map(|class| class.ranks.len()).sum::<usize>()
        && classes
            .iter()
            .all(|class| !class.calls.is_cut && class.calls.functions.values().all(Option::is_some));
    if classes.is_empty() || !has_calls {
        return Schedules::default();
    }
    let Some((most, others)) = classes.split_first() else { return Schedules::default() };
    let mut differences: Vec<ScheduleDifference> = Vec::new();
    for other in others {
        let found = match ran::compare(job, most, other) {
            Some(ran) => ran,
            None => by_function(job, most, other),
        };
        for one in found {
            if let Some(known) = differences.iter_mut().find(|known| is_same(known, &one)) {
                known.other.ranks.extend(&one.other.ranks);
            } else if differences.len() < LONG_LIST {
                differences.push(one);
            }
        }
    }
    differences.iter_mut().for_each(|one| one.other.ranks.sort_unstable());
    differences.sort_by_key(|one| (one.sureness, one.graph));
    Schedules { are_known, differences }
}

/// Whether two differences are one, of several classes of ranks.
fn is_same(one: &ScheduleDifference, other: &ScheduleDifference) -> bool {
    let call = |side: &ScheduleSide| side.call.map(|call| call.operation);
    (one.sureness, one.function, one.nth) == (other.sureness, other.function, other.nth)
        && (call(&one.most), call(&one.other)) == (call(&other.most), call(&other.other))
}

/// Ranks by what they call, the largest class first.
fn classes(job: &Job) -> Vec<Class> {
    let mut known: TextMap<Vec<usize>, usize> = TextMap::default();
    let mut classes: Vec<Class> = Vec::new();
    for (index, rank) in job.ranks.iter().enumerate().filter(|(_, rank)| rank.is_comparable()) {
        let key = identity(rank);
        if let Some(class) = known.get(&key).and_then(|at| classes.get_mut(*at)) {
            class.ranks.push(index);
        } else if let Some(calls) = RankCalls::of_rank(job, rank) {
            known.insert(key, classes.len());
            classes.push(Class { ranks: vec![index], calls });
        }
    }
    // A rank whose log was cut off is nobody's measure.
    classes.sort_by_key(|class| {
        (class.calls.is_cut, std::cmp::Reverse(class.ranks.len()), class.ranks.first().copied())
    });
    classes
}

/// Lists that a rank shares with ranks that have the same facts.
fn identity(rank: &RankSummary) -> Vec<usize> {
    let facts = [Aspect::Functions, Aspect::Collectives, Aspect::ProcessGroups, Aspect::ExecOrder];
    let lists =
        facts.map(|aspect| rank.fact(aspect).map_or(0, |steps| Arc::as_ptr(steps).cast::<()>() as usize));
    let mut identity = lists.to_vec();
    identity.push(usize::from(rank.is_cut()));
    // Graphs by their number: these lists are short.
    identity.extend(rank.broken.iter().map(|graph| graph.index()));
    identity
}

/// What a class calls in functions that the other does not compile by itself.
fn only(class: &Class, other: &Class) -> FxHashSet<TextId> {
    let functions = class.calls.functions.iter();
    let only = functions.filter(|(one, _)| !other.calls.functions.contains_key(*one));
    let versions = only.flat_map(|(_, versions)| versions.iter().flatten());
    versions.flat_map(|one| &one.ways).flat_map(|way| &way.calls).map(|call| call.operation).collect()
}

fn by_function(job: &Job, most: &Class, other: &Class) -> Vec<ScheduleDifference> {
    let (most_only, other_only) = (only(most, other), only(other, most));
    let in_both = |[mine, theirs]: [&Versions; 2]| {
        let both = mine.iter().filter_map(|(function, mine)| {
            let (mine, theirs) = (mine.as_ref()?, theirs.get(function)?.as_ref()?);
            let here = Sided { class: most, versions: mine, only: &most_only };
            let there = Sided { class: other, versions: theirs, only: &other_only };
            in_function(job, *function, &here, &there)
        });
        both.collect::<Vec<_>>()
    };
    let mut found = in_both([&most.calls.functions, &other.calls.functions]);
    for (having, lacking, only, is_other) in
        [(most, other, &other_only, false), (other, most, &most_only, true)]
    {
        for (function, versions) in &having.calls.functions {
            if let Some(versions) = versions
                && !lacking.calls.functions.contains_key(function)
            {
                found.extend(one_sided(
                    job,
                    *function,
                    (having, versions.as_slice()),
                    (lacking, only),
                    is_other,
                ));
            }
        }
    }
    // Behind a branch on data, a rank may have compiled a way that the other never took.
    if found.is_empty() {
        found = in_both([&most.calls.resumed, &other.calls.resumed]);
    }
    found
}

/// A class with what it compiled of a function.
struct Sided<'c> {
    class: &'c Class,
    versions: &'c [Version],
    /// What the class calls in functions that only it compiles.
    only: &'c FxHashSet<TextId>,
}

/// How two classes differ in a function that both run.
fn in_function(
    job: &Job,
    function: FunctionFact,
    here: &Sided<'_>,
    there: &Sided<'_>,
) -> Option<ScheduleDifference> {
    let world = world(job, [here, there]);
    let (my_odd, their_odd) =
        (not_among(world, here.versions, there.versions), not_among(world, there.versions, here.versions));
    // What a log that was cut off would have compiled next is not known.
    let (own, rival, version) = match (their_odd.first(), my_odd.first()) {
        (Some(version), _) if !here.class.calls.is_cut => (there, here, *version),
        (_, Some(version)) if !there.class.calls.is_cut => (here, there, *version),
        _ => return None,
    };
    let against = rival.versions.iter().filter(|one| !one.ways.is_empty());
    let against = against.max_by_key(|one| shared(one, version))?;
    let difference = ways_that_differ(world, (own.class, version), (rival.class, against))?;
    let (own_side, rival_side) = (difference.own, difference.rival);
    let (lacking, having) = if own_side.count < rival_side.count { (own, rival) } else { (rival, own) };
    if difference.has_eager_part || calls_elsewhere(lacking.only, &own_side, &rival_side) {
        return None;
    }
    let none_fits = my_odd.len() == here.versions.len() && their_odd.len() == there.versions.len();
    let calls = [own_side.call, rival_side.call];
    let sureness = match (shares_group(job, having.class, lacking.class, calls), none_fits) {
        (false, _) => Sureness::OtherGroups,
        (true, true) => Sureness::Hang,
        (true, false) => Sureness::OtherVersion,
    };
    let is_mine = std::ptr::eq(own, here);
    let (most, other) = if is_mine { (own_side, rival_side) } else { (rival_side, own_side) };
    let (nth, is_order) = (difference.nth, difference.is_order);
    Some(ScheduleDifference { sureness, function, graph: version.graph, nth, most, other, is_order })
}

/// The versions of which no way is one of the other side's: calls the same, in process groups that change at the same
/// places. Ranks name their groups each by itself.
fn not_among<'v>(world: Option<TextId>, versions: &'v [Version], others: &[Version]) -> Vec<&'v Version> {
    let calls = |way: &Way| {
        let operations = way.calls.iter().map(|call| call.operation);
        operations.zip(groups(world, &way.calls)).collect::<Vec<(TextId, usize)>>()
    };
    let theirs: FxHashSet<_> = others.iter().flat_map(|one| &one.ways).map(calls).collect();
    versions.iter().filter(|one| !one.ways.iter().any(|way| theirs.contains(&calls(way)))).collect()
}

/// The process group of all ranks, which has one name on all of them; None where it is not known of each call in which group it is.
fn world(job: &Job, sides: [&Sided<'_>; 2]) -> Option<TextId> {
    let calls = || {
        let ways = sides.into_iter().flat_map(|side| side.versions).flat_map(|version| &version.ways);
        ways.flat_map(|way| &way.calls).map(|call| call.group)
    };
    let mut known = calls().all(|group| group.is_some()).then(|| calls().flatten()).into_iter().flatten();
    known.find(|group| job.texts.get(*group) == WORLD)
}

/// For each call, the place of its process group in the order in which the groups come.
fn groups(world: Option<TextId>, calls: &[Call]) -> Vec<usize> {
    let mut seen: TextMap<Option<TextId>, usize> = TextMap::default();
    let place = |call: &Call| {
        if world.is_some() && call.group == world {
            return usize::MAX;
        }
        let next = seen.len();
        *seen.entry(call.group).or_insert(next)
    };
    calls.iter().map(place).collect()
}

/// How many calls two versions have in common at the beginning, at most.
fn shared(one: &Version, other: &Version) -> usize {
    let pairs = one.ways.iter().flat_map(|way| other.ways.iter().map(move |other| common(way, other)));
    pairs.max().unwrap_or_default()
}

fn common(one: &Way, other: &Way) -> usize {
    one.calls.iter().zip(&other.calls).take_while(|(mine, theirs)| mine.operation == theirs.operation).count()
}

/// Where two versions differ.
struct VersionDifference {
    nth: usize,
    own: ScheduleSide,
    rival: ScheduleSide,
    is_order: bool,
    /// Whether the side that calls less leaves its compiled code.
    has_eager_part: bool,
}

fn ways_that_differ(
    world: Option<TextId>,
    (own_class, own): (&Class, &Version),
    (rival_class, rival): (&Class, &Version),
) -> Option<VersionDifference> {
    let pairs = own.ways.iter().flat_map(|way| rival.ways.iter().map(move |other| (way, other)));
    let (mine, theirs) = pairs.max_by_key(|(way, other)| common(way, other))?;
    let mut nth = common(mine, theirs);
    if nth == mine.calls.len() && nth == theirs.calls.len() {
        // The same operations, in other process groups.
        let (own_groups, rival_groups) = (groups(world, &mine.calls), groups(world, &theirs.calls));
        nth = own_groups.iter().zip(&rival_groups).position(|(own, rival)| own != rival)?;
    }
    let operations = |way: &Way| -> Vec<TextId> {
        let mut all: Vec<TextId> = way.calls.iter().map(|call| call.operation).collect();
        all.sort_unstable();
        all
    };
    let side = |class: &Class, way: &Way, version: &Version| {
        ScheduleSide::new(class, version.compile, way.calls.get(nth).copied(), way.calls.len())
    };
    let fewer = if mine.calls.len() <= theirs.calls.len() { mine } else { theirs };
    Some(VersionDifference {
        nth,
        own: side(own_class, mine, own),
        rival: side(rival_class, theirs, rival),
        is_order: nth == common(mine, theirs) && operations(mine) == operations(theirs),
        has_eager_part: fewer.has_eager_part,
    })
}

/// Whether a side that lacks a collective calls it in a function that the other side does not compile by itself: `only` is
/// what it calls there.
fn calls_elsewhere(only: &FxHashSet<TextId>, one: &ScheduleSide, other: &ScheduleSide) -> bool {
    let wanted = if one.count < other.count { other.call } else { one.call };
    wanted.is_some_and(|wanted| one.count != other.count && only.contains(&wanted.operation))
}

/// A function with collectives that only one class compiles; None where it calls in groups of its own.
fn one_sided(
    job: &Job,
    function: FunctionFact,
    (having, versions): (&Class, &[Version]),
    (lacking, only): (&Class, &FxHashSet<TextId>),
    is_other: bool,
) -> Option<ScheduleDifference> {
    if lacking.calls.is_cut || !lacking.calls.are_named {
        return None;
    }
    let version = versions.iter().find(|one| one.ways.iter().any(|way| !way.calls.is_empty()))?;
    let call = *version.ways.iter().find_map(|way| way.calls.first())?;
    // A part that one side calls in eager mode, and so compiles by itself, is inside a function of the other.
    let mut ways = having.calls.functions.values().flatten().flatten().flat_map(|one| &one.ways);
    let mut others = lacking.calls.by_graph.values().flatten();
    let is_elsewhere =
        ways.any(|way| way.has_eager_part) && others.any(|other| other.operation == call.operation);
    let sureness = match call.group {
        Some(group) if !lacking.calls.groups.contains(&group) && job.texts.get(group) != WORLD => {
            Sureness::OtherGroups
        }
        // What the other side calls in functions of its own may be the same call.
        None if !only.is_empty() => Sureness::OtherGroups,
        _ if is_elsewhere || only.contains(&call.operation) => Sureness::OtherGroups,
        _ => Sureness::OneSided,
    };
    let count = version.ways.first().map_or(0, |way| way.calls.len());
    let has = ScheduleSide::new(having, version.compile, Some(call), count);
    let lacks = ScheduleSide::new(lacking, None, None, 0);
    let (most, other) = if is_other { (lacks, has) } else { (has, lacks) };
    Some(ScheduleDifference {
        sureness,
        function,
        graph: version.graph,
        nth: 0,
        most,
        other,
        is_order: false,
    })
}
