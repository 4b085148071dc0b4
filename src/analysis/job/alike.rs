//! How each rank compares to the others, and which ranks are alike: a job may have thousands, mostly equal ones.

use super::groups::{Compared, Comparison, Membership, memberships};
use super::ranks::Fleet;
use crate::facts::ranks::{Aspect, Job, RankState, RankSummary};
use fxhash::FxHashMap;
use std::collections::BTreeMap;

/// How a rank compares to the others, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// Its log is damaged, or cannot be read.
    Damaged,
    /// Its log ends inside a compile, or long before the other logs.
    EndsEarly,
    /// Its log holds no record.
    Empty,
    /// Its program took another path than most ranks.
    Diverges,
    /// Its program did the same, with other caches, settings or process groups.
    Differs,
    /// Everything is as on most ranks.
    Same,
}

impl Standing {
    /// The word that pages show.
    pub fn word(self) -> &'static str {
        match self {
            Standing::Damaged => "damaged",
            Standing::EndsEarly => "ends early",
            Standing::Empty => "empty",
            Standing::Diverges => "diverges",
            Standing::Differs => "differs",
            Standing::Same => "ok",
        }
    }
}

/// A rank among the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RankStanding {
    /// How it compares.
    pub standing: Standing,
    /// Kinds of facts in which it is not in the largest group.
    pub facts: Vec<Aspect>,
    /// Whether it took much longer to compile than most.
    pub late: bool,
}

/// Ranks about which the same is said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlikeRanks {
    /// Indices into the job's ranks, ascending.
    pub ranks: Vec<usize>,
    /// How they compare.
    pub standing: Standing,
}

/// How each rank compares, by its index.
pub(super) fn standings(job: &Job, compared: &[Compared], fleet: &Fleet) -> Vec<RankStanding> {
    let odd = odd_facts(job, compared);
    let stops = stops_by_rank(fleet);
    let of = |(index, (rank, facts)): (usize, (&RankSummary, Vec<Aspect>))| {
        let standing = match rank.whole_state() {
            RankState::Damaged(_) => Standing::Damaged,
            RankState::Empty => Standing::Empty,
            RankState::Ok if stops.contains_key(&index) => Standing::EndsEarly,
            RankState::Ok if facts.iter().any(|aspect| aspect.is_of_program()) => Standing::Diverges,
            RankState::Ok if !facts.is_empty() => Standing::Differs,
            RankState::Ok => Standing::Same,
        };
        RankStanding { standing, facts, late: fleet.stragglers.binary_search(&index).is_ok() }
    };
    job.ranks.iter().zip(odd).enumerate().map(of).collect()
}

/// Where the log of each rank ends that ends early: an index into the stops.
fn stops_by_rank(fleet: &Fleet) -> FxHashMap<usize, usize> {
    let stops = fleet.stops.iter().enumerate();
    stops.flat_map(|(at, stop)| stop.ranks.iter().map(move |rank| (*rank, at))).collect()
}

/// Kinds of facts in which a rank is not in the largest group, by index of the rank. Where no group is larger than any
/// other, nobody is the odd one out, so all differ.
fn odd_facts(job: &Job, compared: &[Compared]) -> Vec<Vec<Aspect>> {
    let mut odd = vec![Vec::new(); job.ranks.len()];
    let reported = compared.iter().filter(|one| one.aspect.is_compared());
    for comparison in reported.filter_map(|one| one.outcome.as_ref().ok()).filter(|one| one.differs()) {
        let usual = usize::from(!is_tied(comparison));
        for &rank in comparison.groups.iter().skip(usual).flat_map(|group| &group.ranks) {
            if let Some(facts) = odd.get_mut(rank) {
                facts.push(comparison.aspect);
            }
        }
    }
    odd
}

/// Whether no group of ranks is larger than any other.
pub fn is_tied(comparison: &Comparison) -> bool {
    match comparison.groups.as_slice() {
        [first, second, ..] => first.ranks.len() == second.ranks.len(),
        _ => false,
    }
}

/// What ranks have in common that are alike.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Likeness {
    standing: Standing,
    late: bool,
    /// Its group in each comparison.
    groups: Vec<Option<Membership>>,
    counts: [u64; 4],
    /// Where its log ends, of those that end early.
    stop: Option<usize>,
    /// What sets it apart from all others: what is damaged, its further processes.
    apart: Option<String>,
}

/// Ranks grouped by what is said about them: the worst first, then by their first rank.
pub(super) fn alike(
    job: &Job,
    compared: &[Compared],
    fleet: &Fleet,
    all: &[RankStanding],
) -> Vec<AlikeRanks> {
    let known: Vec<&Comparison> = compared.iter().filter_map(|one| one.outcome.as_ref().ok()).collect();
    let (groups, stops) = (memberships(job, &known), stops_by_rank(fleet));
    let mut found: BTreeMap<Likeness, Vec<usize>> = BTreeMap::new();
    for (index, ((rank, own), groups)) in job.ranks.iter().zip(all).zip(groups).enumerate() {
        let counts = rank.all_counts();
        let apart = match rank.whole_state() {
            RankState::Damaged(why) => Some(why),
            _ if !rank.processes.is_empty() => Some(format!("rank {}", rank.number)),
            _ => None,
        };
        let likeness = Likeness {
            standing: own.standing,
            late: own.late,
            groups,
            counts: [counts.compiles, counts.graph_breaks, counts.recompiles, counts.failures],
            stop: stops.get(&index).copied(),
            apart,
        };
        found.entry(likeness).or_default().push(index);
    }
    let mut alike: Vec<AlikeRanks> = found
        .into_iter()
        .map(|(likeness, ranks)| AlikeRanks { ranks, standing: likeness.standing })
        .collect();
    alike.sort_by_key(|one| (one.standing, one.ranks.first().copied()));
    alike
}
