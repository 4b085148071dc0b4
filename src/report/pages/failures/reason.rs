//! A reason why compiles failed.

use crate::analysis::Finding;
use crate::analysis::failed_in::FailedIn;
use crate::analysis::failures::FailureCause;

/// Compiles that the body of an entry links.
pub(super) const LINKED: usize = 40;

/// Characters of a failure's first line in the head of its entry.
pub(super) const LONGEST_HEAD: usize = 160;

/// A cause with what is known about it.
pub(super) struct Reason<'m> {
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
