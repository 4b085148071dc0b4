//! Which ranks there are, which are missing, and which stand out by their time.

use crate::model::{Job, RankState, TextId};
use std::collections::BTreeMap;

/// A rank is a straggler if it took this many times as long as the rank in the middle,
const STRAGGLER_FACTOR: f64 = 1.5;

/// and this many seconds more: a tenth of a second on top of a tenth holds nobody up.
const STRAGGLER_SECONDS: f64 = 1.0;

/// Gaps are named where ranks are numbered in a row; a job that numbers them otherwise has gaps everywhere.
const MOST_GAPS: u64 = 64;

/// The ranks as a whole. Ranks are indices into the job's.
#[derive(Debug, Clone, Default)]
pub struct Fleet {
    /// Ranks whose log is damaged or cannot be read.
    pub damaged: Vec<usize>,
    /// Ranks whose log holds nothing.
    pub empty: Vec<usize>,
    /// Numbers below the highest that no log has.
    pub missing: Vec<u64>,
    /// Ranks whose log says that it is another's.
    pub mislabelled: Vec<usize>,
    /// Ranks that took much longer to compile than most.
    pub stragglers: Vec<usize>,
    /// Seconds of the rank in the middle.
    pub median_s: Option<f64>,
    /// The fastest and the slowest rank.
    pub extremes: Option<Extremes>,
    /// Ranks by the torch that wrote their log.
    pub torch: Vec<TorchGroup>,
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
    /// The ranks.
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
    let mut fleet = Fleet { missing: missing(job), ..Fleet::default() };
    let mut torch: BTreeMap<Option<TextId>, Vec<usize>> = BTreeMap::new();
    let mut times: Vec<(usize, f64)> = Vec::new();
    for (index, rank) in job.ranks.iter().enumerate() {
        match rank.whole_state() {
            RankState::Damaged(_) => fleet.damaged.push(index),
            RankState::Empty => fleet.empty.push(index),
            RankState::Ok => {}
        }
        if rank.log.as_ref().and_then(|log| log.rank).is_some_and(|own| own != rank.number) {
            fleet.mislabelled.push(index);
        }
        if rank.is_comparable() {
            torch.entry(rank.torch).or_default().push(index);
            times.extend(rank.compile_time_s.filter(|s| s.is_finite()).map(|seconds| (index, seconds)));
        }
    }
    fleet.torch = torch.into_iter().map(|(version, ranks)| TorchGroup { version, ranks }).collect();
    fleet.median_s = median(&times.iter().map(|(_, seconds)| *seconds).collect::<Vec<_>>());
    let fastest = times.iter().min_by(|a, b| a.1.total_cmp(&b.1));
    // The first of equals in both cases.
    let slowest = times.iter().rev().max_by(|a, b| a.1.total_cmp(&b.1));
    fleet.extremes = fastest.zip(slowest).map(|(fast, slow)| Extremes { fastest: fast.0, slowest: slow.0 });
    if let Some(median) = fleet.median_s {
        let late = |seconds: f64| seconds > median * STRAGGLER_FACTOR && seconds > median + STRAGGLER_SECONDS;
        fleet.stragglers = times.iter().filter(|(_, s)| late(*s)).map(|(index, _)| *index).collect();
    }
    fleet
}

/// Numbers from 0 up that no rank has.
fn missing(job: &Job) -> Vec<u64> {
    let Some(highest) = job.ranks.last().map(|rank| rank.number) else { return Vec::new() };
    let gaps = highest.saturating_add(1).saturating_sub(job.ranks.len() as u64);
    if gaps == 0 || gaps > MOST_GAPS.max(job.ranks.len() as u64 / 2) {
        return Vec::new();
    }
    let known: std::collections::BTreeSet<u64> = job.ranks.iter().map(|rank| rank.number).collect();
    (0..highest).filter(|number| !known.contains(number)).collect()
}
