//! The input of a job's pages and data files.

use crate::analysis::JobFound;
use crate::facts::ranks::{Aspect, Job, JobEvidence, RankSummary};
use crate::report::subject::{Around, Settings};

/// Everything a page of a job can use.
#[derive(Clone, Copy)]
pub struct JobReport<'m> {
    pub job: &'m Job,
    /// Conclusions.
    pub found: &'m JobFound,
    /// Evidence from the reports of a few ranks.
    pub evidence: &'m JobEvidence,
    /// Display settings.
    pub settings: &'m Settings,
    /// The comparison that it is a side of.
    pub around: &'m Around,
}

impl<'m> JobReport<'m> {
    pub(super) fn rank_at(&self, index: usize) -> Option<&'m RankSummary> {
        self.job.ranks.get(index)
    }

    /// The anchor of a difference; the first one has a special anchor.
    pub(super) fn anchor(&self, aspect: Aspect) -> &'static str {
        let is_cause = self.found.cause().is_some_and(|cause| cause.kind.facts().aspect == Some(aspect));
        if is_cause { "first" } else { aspect.key() }
    }
}
