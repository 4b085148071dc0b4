//! All that follows from the facts of a job.

use super::alike::{AlikeRanks, RankStanding};
use super::groups::{Compared, Comparison};
use super::ranks::Fleet;
use super::runtime::RuntimeComparison;
use super::schedules::Schedules;
use crate::analysis::findings::Finding;
use crate::model::{CollectiveCounts, Fact, Step};

/// All that follows from the facts of a job.
pub struct JobFound {
    /// One comparison per kind of fact, then those that are only shown.
    pub compared: Vec<Compared>,
    /// Estimated runtimes; None where no log has any.
    pub runtime: Option<RuntimeComparison>,
    /// Compiles whose code makes other collectives than were scheduled.
    pub parity: Vec<RankParity>,
    /// Compiles that have a schedule, on all ranks.
    pub scheduled: usize,
    /// How the collectives of functions differ between ranks.
    pub schedules: Schedules,
    /// Which ranks there are, and which stand out.
    pub fleet: Fleet,
    /// How each rank compares to the others, by its index.
    pub standings: Vec<RankStanding>,
    /// Ranks grouped by what is said about them, the worst first.
    pub alike: Vec<AlikeRanks>,
    /// What a reader should know, most important first.
    pub findings: Vec<Finding>,
}

/// A compile whose code makes other collectives than were scheduled.
pub struct RankParity {
    /// Its rank: an index into the job's.
    pub rank: usize,
    /// Both counts.
    pub counts: CollectiveCounts,
}

impl JobFound {
    /// The comparison of one kind of fact, where there is one.
    pub fn comparison(&self, fact: Fact) -> Option<&Comparison> {
        self.compared.iter().find(|compared| compared.fact == fact)?.outcome.as_ref().ok()
    }

    /// Kinds of facts in which ranks differ, of those that report.json compares.
    pub fn differing(&self) -> impl Iterator<Item = &Comparison> {
        let compared = self.compared.iter().filter(|compared| compared.fact.is_compared());
        compared.filter_map(|compared| compared.outcome.as_ref().ok()).filter(|compared| compared.differs())
    }

    /// The facts of one kind where all ranks have the same.
    pub fn alike(&self, fact: Fact) -> Option<&[Step]> {
        let comparison = self.comparison(fact).filter(|comparison| !comparison.differs())?;
        Some(&comparison.groups.first()?.steps)
    }

    /// Whether there are two sides to show of what a finding is about.
    pub fn has_sides(&self, finding: &Finding) -> bool {
        finding.kind.fact.and_then(|fact| self.comparison(fact)).is_some_and(|one| one.first.is_some())
    }

    /// Whether all ranks are known to call the same collectives in each function.
    pub fn call_the_same(&self) -> bool {
        self.schedules.are_known && self.schedules.differences.is_empty()
    }

    /// The difference that may be the cause of all others.
    pub fn cause(&self) -> Option<&Finding> {
        self.findings.iter().find(|finding| finding.kind.fact.is_some())
    }
}
