//! What the pages and data files of a job are made from.

use crate::analysis::JobFound;
use crate::model::{Fact, Job, JobEvidence, RankSummary};
use crate::report::subject::Settings;

/// All that a page of a job may ask.
#[derive(Clone, Copy)]
pub struct JobReport<'m> {
    /// Facts.
    pub job: &'m Job,
    /// What follows from them.
    pub found: &'m JobFound,
    /// What the reports of a few ranks show.
    pub evidence: &'m JobEvidence,
    /// How it is to look.
    pub settings: &'m Settings,
}

impl<'m> JobReport<'m> {
    /// The rank of an index.
    pub(super) fn rank_at(&self, index: usize) -> Option<&'m RankSummary> {
        self.job.ranks.get(index)
    }

    /// The anchor of a difference; the first difference has its own.
    pub(super) fn anchor(&self, fact: Fact) -> &'static str {
        let is_cause = self.found.cause().is_some_and(|cause| cause.kind.fact == Some(fact));
        if is_cause { "first" } else { fact.key() }
    }
}
