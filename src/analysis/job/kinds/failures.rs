//! Failed compiles: of some ranks, or of all alike.

use crate::analysis::findings::{Finding, KindOfFinding, Severity};
use crate::analysis::job::found::JobFound;
use crate::analysis::job::names::short;
use crate::analysis::job::sides::{Sides, does_not, verb};
use crate::model::sentence::{compile_id, quoted, sentence};
use crate::model::{Fact, Job};

static DIFFERENCE: KindOfFinding = KindOfFinding::difference(Fact::Failures, "failures_differ", "Failures");

static EVERYWHERE: KindOfFinding =
    KindOfFinding { in_verdict: true, ..KindOfFinding::of("failures", "Failures") };

pub(super) fn difference(sides: &Sides<'_>) -> Finding {
    let Some(extra) = sides.extra() else {
        return sides.diverging(&DIFFERENCE, Severity::Warning, sides.plainly("fails with", "fail with"));
    };
    let id = sides.id(Some(extra.step)).map(|id| sentence![" ", compile_id(id)]);
    let title = sentence![
        sides.who(extra.doing),
        verb(extra.doing, " fails to compile", " fail to compile"),
        id,
        ", ",
        sides.who(extra.lacking),
        does_not(extra.lacking),
        ": ",
        quoted(short(&sides.job.value(&extra.step).unwrap_or_default())),
    ];
    sides.diverging(&DIFFERENCE, Severity::Warning, title)
}

/// Failures that all ranks have alike, so that no comparison shows them.
pub(super) fn everywhere(job: &Job, found: &JobFound) -> Vec<Finding> {
    let Some(steps) = found.alike(Fact::Failures) else { return Vec::new() };
    let Some(first) = steps.first().and_then(|step| job.value(step)) else { return Vec::new() };
    let title = sentence!["all ranks fail alike, ", steps.len(), " times each; first: ", quoted(first)];
    vec![Finding::new(&EVERYWHERE, Severity::Warning, title)]
}
