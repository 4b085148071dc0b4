//! The reasons why compiles failed: the entries of the page of failures, in its order.

use crate::analysis::Finding;
use crate::analysis::failed_in::{FailedIn, failed_in};
use crate::analysis::failures::{FailureCause, failure_causes};
use crate::analysis::findings::{EntryKey, by_entry};
use crate::limits::SHOWN;
use crate::report::subject::Report;
use fxhash::FxHashMap;

/// A cause with what is known about it.
pub(crate) struct Reason<'m> {
    /// The failures.
    pub cause: FailureCause<'m>,
    /// Where its compiles failed.
    pub failed_in: FailedIn,
    /// The finding about it; none if it belongs to a function's recompilations.
    pub finding: Option<&'m Finding>,
}

impl Reason<'_> {
    /// Microseconds that its compiles took in vain.
    pub fn lost_us(&self) -> f64 {
        self.finding.and_then(|finding| finding.cost.as_ref()).map_or(0.0, |cost| cost.us)
    }

    /// Whether neither torch nor an experiment says what to do.
    pub fn has_no_hint(&self) -> bool {
        self.finding.is_some_and(|finding| finding.advice.is_empty())
    }
}

/// Failures by cause, most time lost first.
pub(crate) fn reasons(report: Report<'_>) -> Vec<Reason<'_>> {
    let findings = by_entry(&report.found.findings);
    let causes = failure_causes(report.model).into_iter().enumerate();
    let reason = |(number, cause)| {
        let failed_in = failed_in(&cause);
        Reason { cause, failed_in, finding: findings.get(&EntryKey::Failure(number)).copied() }
    };
    let mut reasons: Vec<Reason<'_>> = causes.map(reason).collect();
    reasons.sort_by(|one, other| other.lost_us().total_cmp(&one.lost_us()));
    reasons
}

/// The number of the entry of each failure of a report, by the failure's record.
pub(crate) fn entries(report: Report<'_>) -> FxHashMap<u64, usize> {
    numbered(&reasons(report))
}

/// The number of the entry of each failure among these reasons, by the failure's record.
pub(crate) fn numbered(reasons: &[Reason<'_>]) -> FxHashMap<u64, usize> {
    let shown = (1..).zip(reasons.iter().take(SHOWN));
    shown
        .flat_map(|(number, reason)| {
            reason.cause.failures.iter().map(move |failure| (failure.record, number))
        })
        .collect()
}
