//! What follows from the facts of a job's ranks: where they part ways, and what that leads to.
//!
//! There is one mechanism, [`compare`](groups::compare): ranks are grouped by a list of facts, and the first position at
//! which the lists differ is found. Everything else puts its outcome into words.

mod differences;
mod findings;
mod groups;
mod ranks;
mod runtime;
mod words;

pub use findings::{JobFinding, JobKind};
pub use groups::{Comparison, Group, Unknown};
pub use ranks::Fleet;
pub use runtime::{GraphTimes, RankTime, RuntimeComparison};
pub use words::{list_of, numbers, rank_words};

use crate::model::{CollectiveCounts, Fact, Job};

/// All that follows from the facts of a job.
pub struct JobFound {
    /// One comparison a kind of fact, in the order of [`Fact::COMPARED`], then those that are only shown.
    pub compared: Vec<(Fact, Result<Comparison, Unknown>)>,
    /// Estimated runtimes; None where no log has any.
    pub runtime: Option<RuntimeComparison>,
    /// Compiles whose code makes other collectives than were scheduled, with the index of their rank.
    pub parity: Vec<(usize, CollectiveCounts)>,
    /// Compiles that have a schedule, on all ranks.
    pub scheduled: usize,
    /// Which ranks there are, and which stand out.
    pub fleet: Fleet,
    /// What a reader should know, most important first.
    pub findings: Vec<JobFinding>,
}

impl JobFound {
    /// The comparison of one kind of fact, where there is one.
    pub fn comparison(&self, fact: Fact) -> Option<&Comparison> {
        self.compared.iter().find(|(kind, _)| *kind == fact)?.1.as_ref().ok()
    }

    /// Kinds of facts in which ranks differ, of those that report.json compares.
    pub fn differing(&self) -> impl Iterator<Item = &Comparison> {
        let compared = self.compared.iter().filter(|(fact, _)| Fact::COMPARED.contains(fact));
        compared.filter_map(|(_, compared)| compared.as_ref().ok()).filter(|compared| compared.differs())
    }
}

/// Draws the conclusions of a job.
pub fn of_job(job: &Job) -> JobFound {
    let shown = [Fact::Status, Fact::Ops, Fact::Failures];
    let facts = Fact::COMPARED.into_iter().chain(shown);
    let mut found = JobFound {
        compared: facts.map(|fact| (fact, groups::compare(job, fact))).collect(),
        runtime: runtime::of_job(job),
        parity: Vec::new(),
        scheduled: job.ranks.iter().flat_map(|rank| &rank.parity).map(Vec::len).sum(),
        fleet: ranks::of_job(job),
        findings: Vec::new(),
    };
    for (index, rank) in job.ranks.iter().enumerate() {
        let differing = rank.parity.iter().flatten().filter(|counts| differs(counts));
        found.parity.extend(differing.map(|counts| (index, counts.clone())));
    }
    found.findings = findings::of_job(job, &found);
    found
}

/// Whether code and schedule disagree, or a wait is missing.
fn differs(counts: &CollectiveCounts) -> bool {
    let same = counts.scheduled.len() == counts.in_code.len()
        && counts.scheduled.iter().all(|count| counts.in_code.contains(count));
    !same || counts.missing_waits > 0
}

#[cfg(test)]
mod tests;
