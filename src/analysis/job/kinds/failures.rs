//! Failed compiles: of some ranks, or of all alike.

use crate::analysis::findings::Severity;
use crate::analysis::job::finding::{JobFinding, JobKind};
use crate::analysis::job::found::JobFound;
use crate::analysis::job::sides::{Sides, does_not, short, verb};
use crate::model::{Fact, Job};

const DIFFERENCE: JobKind = JobKind::difference(Fact::Failures, "failures_differ", "Failures");

const EVERYWHERE: JobKind = JobKind::of_verdict("failures", "Failures");

pub(super) fn difference(sides: &Sides<'_>) -> JobFinding {
    let Some(extra) = sides.extra() else {
        return sides.diverging(DIFFERENCE, Severity::Warning, sides.plainly("fails with"));
    };
    let id = sides.id(Some(extra.step)).map(|id| format!(" {id}")).unwrap_or_default();
    let title = format!(
        "{} {} to compile{id}, {} {}: {}",
        sides.who(extra.doing),
        verb(extra.doing, "fails", "fail"),
        sides.who(extra.lacking),
        does_not(extra.lacking),
        short(&sides.job.value(&extra.step).unwrap_or_default()),
    );
    sides.diverging(DIFFERENCE, Severity::Warning, title)
}

/// Failures that all ranks have alike, so that no comparison shows them.
pub(super) fn everywhere(job: &Job, found: &JobFound) -> Vec<JobFinding> {
    let Some(steps) = found.alike(Fact::Failures) else { return Vec::new() };
    let Some(first) = steps.first().and_then(|step| job.value(step)) else { return Vec::new() };
    let title = format!("all ranks fail alike, {} times each; first: {first}", steps.len());
    vec![JobFinding::new(EVERYWHERE, Severity::Warning, title)]
}
