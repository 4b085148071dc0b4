//! Which ranks there are, which are missing, and which stand out by their time.

use super::causes::ends_with_failure;
use crate::facts::ranks::{Aspect, FunctionFact, Job, RankState, RankSummary, TextId};
use fxhash::FxHashSet;
use std::collections::BTreeMap;

/// A rank is a straggler if it took this many times as long as the rank in the middle,
const STRAGGLER_FACTOR: f64 = 1.5;

/// and this many seconds more: a tenth of a second on top of a tenth holds nobody up.
const STRAGGLER_SECONDS: f64 = 1.0;

/// A log without an open compile ends early if it ends this much before all others, microseconds: ranks that run to
/// their end leave the last compile within seconds of each other.
const EARLY_US: i64 = 10_000_000;

/// A rank is ahead of another whose log ends this much later, microseconds.
const AHEAD_US: i64 = 500_000;

/// Gaps are named where ranks are numbered in a row; a job that numbers them otherwise has gaps everywhere.
const MOST_GAPS: u64 = 64;

/// Ranks that a job may have; a log that says more is not believed.
const MOST_RANKS: u64 = 1 << 20;

/// The ranks as a whole. Ranks are indices into the job's.
#[derive(Debug, Clone, Default)]
pub struct Fleet {
    /// Ranks whose log is damaged or cannot be read.
    pub damaged: Vec<usize>,
    /// Ranks whose log holds nothing.
    pub empty: Vec<usize>,
    /// Numbers that no log has, below the highest or the size of the default process group.
    pub missing: Vec<u64>,
    /// Ranks whose log says that it is another's.
    pub mislabeled: Vec<usize>,
    /// Ranks that took much longer to compile than most.
    pub stragglers: Vec<usize>,
    /// Ranks that ran to the end and took time to compile.
    pub timed: usize,
    /// Seconds of the rank in the middle.
    pub median_s: Option<f64>,
    /// Logs that end inside a compile or long before the others, the earliest first.
    pub stops: Vec<Stop>,
    /// The fastest and the slowest rank of those that ran to the end.
    pub extremes: Option<Extremes>,
    /// Ranks by the torch that wrote their log.
    pub torch: Vec<TorchGroup>,
}

/// Ranks whose logs end in the same place.
#[derive(Debug, Clone, PartialEq)]
pub struct Stop {
    pub ranks: Vec<usize>,
    /// Whether they end inside a compile.
    pub inside: bool,
    /// Seconds from the end of the last of them to the first end of any other rank; None where another rank ended before,
    /// or times are not known.
    pub before_others_s: Option<f64>,
    /// When the first of them ends, microseconds since 1970.
    pub end_us: Option<i64>,
}

/// The ranks that took the least and the most time to compile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extremes {
    /// The first of those with the least.
    pub fastest: usize,
    /// The first of those with the most.
    pub slowest: usize,
}

/// Ranks that run the same torch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TorchGroup {
    /// Its version, where the logs say.
    pub version: Option<TextId>,
    pub ranks: Vec<usize>,
}

/// The middle of some numbers, the mean of the two in the middle where their count is even.
pub fn median(numbers: &[f64]) -> Option<f64> {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = *sorted.get((sorted.len() - 1) / 2)?;
    Some((upper + lower) / 2.0)
}

pub(super) fn of_job(job: &Job) -> Fleet {
    let stops = if job.still_runs { Vec::new() } else { stops(job) };
    let mut fleet = Fleet { missing: missing(job), stops, ..Fleet::default() };
    let stopped: FxHashSet<usize> = fleet.stops.iter().flat_map(|stop| stop.ranks.iter().copied()).collect();
    let mut torch: BTreeMap<Option<TextId>, Vec<usize>> = BTreeMap::new();
    let mut times: Vec<(usize, f64)> = Vec::new();
    for (index, rank) in job.ranks.iter().enumerate() {
        match rank.whole_state() {
            RankState::Damaged(_) => fleet.damaged.push(index),
            RankState::Empty => fleet.empty.push(index),
            RankState::Ok => {}
        }
        if rank.log.as_ref().and_then(|log| log.rank).is_some_and(|own| own != rank.number) {
            fleet.mislabeled.push(index);
        }
        if rank.is_comparable() {
            torch.entry(rank.torch).or_default().push(index);
            // A rank that stopped or failed is not a fast one.
            let is_ended = stopped.contains(&index) || ends_with_failure(job, index);
            let seconds = rank.compile_time_s.filter(|s| s.is_finite() && !is_ended);
            times.extend(seconds.map(|seconds| (index, seconds)));
        }
    }
    fleet.torch = torch.into_iter().map(|(version, ranks)| TorchGroup { version, ranks }).collect();
    fleet.timed = times.len();
    fleet.median_s = median(&times.iter().map(|(_, seconds)| *seconds).collect::<Vec<_>>());
    let fastest = times.iter().min_by(|a, b| a.1.total_cmp(&b.1));
    // The first of equals in both cases.
    let slowest = times.iter().rev().max_by(|a, b| a.1.total_cmp(&b.1));
    fleet.extremes = fastest.zip(slowest).map(|(fast, slow)| Extremes { fastest: fast.0, slowest: slow.0 });
    if let Some(median) = fleet.median_s {
        // Of two, the faster is what the slower is compared with.
        let least = times.iter().map(|(_, seconds)| *seconds).reduce(f64::min);
        let median = least.filter(|_| times.len() == 2).unwrap_or(median);
        let late = |seconds: f64| seconds > median * STRAGGLER_FACTOR && seconds > median + STRAGGLER_SECONDS;
        fleet.stragglers = times.iter().filter(|(_, s)| late(*s)).map(|(index, _)| *index).collect();
    }
    fleet
}

/// Where logs end that should not.
fn stops(job: &Job) -> Vec<Stop> {
    let ranks = job.ranks.iter().enumerate().filter(|(_, rank)| rank.is_comparable());
    let (cut, whole): (Vec<_>, Vec<_>) = ranks.partition(|(_, rank)| rank.is_cut());
    let time = |rank: &RankSummary| rank.end.as_ref().and_then(|end| end.time_us);
    let mut places: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (index, rank) in &cut {
        let place = rank.end.as_ref().map(|end| (end.compile, end.phases.clone()));
        places.entry(place).or_default().push(*index);
    }
    let mut early = early(job, &whole);
    early.extend(never_reached(job, &cut, &whole));
    early.sort_unstable();
    early.dedup();
    let early = early.into_iter().map(|rank| (vec![rank], false));
    let places = early.chain(places.into_values().map(|ranks| (ranks, true)));
    let all: Vec<(usize, &RankSummary)> = job.ranks.iter().enumerate().collect();
    let ends = ends(&all);
    let mut stops: Vec<Stop> = places
        .map(|(ranks, inside)| Stop {
            inside,
            before_others_s: before_others_s(&ends, &ranks),
            end_us: ranks.iter().filter_map(|rank| time(job.ranks.get(*rank)?)).min(),
            ranks,
        })
        .collect();
    // Those of which no time is known come last.
    stops.sort_by_key(|stop| (stop.end_us.is_none(), stop.end_us, !stop.inside));
    stops
}

/// When the logs end, the earliest first.
fn ends(ranks: &[(usize, &RankSummary)]) -> Vec<End> {
    let mut ends: Vec<End> = ranks.iter().filter_map(end).collect();
    ends.sort_unstable();
    ends
}

/// Seconds from the last end of these ranks to the first of all others, where that is later.
fn before_others_s(ends: &[End], ranks: &[usize]) -> Option<f64> {
    // They are the first of all, or another ended before.
    let (own, others) = ends.split_at_checked(ranks.len())?;
    let is_first = own.iter().all(|end| ranks.binary_search(&end.rank).is_ok());
    let (last, next) = (own.last()?, others.first().filter(|_| is_first)?);
    Some((next.time_us - last.time_us) as f64 / 1e6)
}

/// Ranks whose logs end, outside of any compile, before those of ranks that stopped in a compile which all but these reached.
fn never_reached(job: &Job, cut: &[(usize, &RankSummary)], whole: &[(usize, &RankSummary)]) -> Vec<usize> {
    let first = cut.iter().filter_map(|(_, rank)| {
        let end = rank.end.as_ref()?;
        Some((end.time_us?, rank.graph(end.compile)?))
    });
    let Some((time_us, graph)) = first.min() else { return Vec::new() };
    let has_reached =
        |rank: &RankSummary| rank.steps(Aspect::Functions).iter().any(|step| step.graph == Some(graph));
    let lacking: Vec<usize> = whole
        .iter()
        .filter(|(_, rank)| !has_reached(rank))
        .filter(|one| end(one).is_some_and(|end| end.time_us + AHEAD_US <= time_us))
        .map(|(index, _)| *index)
        .collect();
    let others = job.ranks.iter().filter(|rank| rank.is_comparable()).count().saturating_sub(lacking.len());
    let reached = cut.iter().chain(whole).filter(|(_, rank)| has_reached(rank)).count();
    if lacking.len() < others && reached > 1 && reached == others { lacking } else { Vec::new() }
}

/// A rank whose log is whole, by its end.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct End {
    time_us: i64,
    rank: usize,
    compiles: u64,
}

/// The end of a rank's log, where its time is known.
fn end((index, rank): &(usize, &RankSummary)) -> Option<End> {
    let time_us = rank.end.as_ref()?.time_us?;
    Some(End { time_us, rank: *index, compiles: rank.counts.compiles })
}

/// Ranks whose logs end long before most logs, with fewer compiles.
fn early(job: &Job, ranks: &[(usize, &RankSummary)]) -> Vec<usize> {
    let ends = ends(ranks);
    // Most ranks come after the gap.
    let gap = ends.windows(2).take(ends.len() / 2).rposition(|pair| match pair {
        [one, next] => next.time_us - one.time_us >= EARLY_US,
        _ => false,
    });
    let Some((early, others)) = gap.and_then(|last| ends.split_at_checked(last + 1)) else {
        return Vec::new();
    };
    let least = others.iter().map(|end| end.compiles).min().unwrap_or_default();
    let stopped = early.iter().filter(|end| end.compiles < least).map(|end| end.rank);
    // Ranks that only needed fewer versions of the same functions have not stopped.
    let begun = |rank: usize| -> FxHashSet<FunctionFact> {
        let functions = job.ranks.get(rank).into_iter().flat_map(RankSummary::functions);
        functions.map(|(_, function)| function).collect()
    };
    let Some(usual) = others.first().map(|end| begun(end.rank)) else { return Vec::new() };
    stopped.filter(|rank| !usual.is_subset(&begun(*rank))).collect()
}

/// Numbers from 0 up that no rank has: as far as the size of the default process group goes, or else the highest number.
fn missing(job: &Job) -> Vec<u64> {
    let Some(highest) = job.ranks.last().map(|rank| rank.number) else { return Vec::new() };
    let size = job.ranks.iter().filter_map(|rank| rank.world_size).max().filter(|size| *size <= MOST_RANKS);
    let end = highest.saturating_add(1).max(size.unwrap_or_default());
    let gaps = end.saturating_sub(job.ranks.len() as u64);
    let is_certain = size.is_some_and(|size| size == end);
    if gaps == 0 || !is_certain && gaps > MOST_GAPS.max(job.ranks.len() as u64 / 2) {
        return Vec::new();
    }
    let known: std::collections::BTreeSet<u64> = job.ranks.iter().map(|rank| rank.number).collect();
    (0..end).filter(|number| !known.contains(number)).collect()
}
