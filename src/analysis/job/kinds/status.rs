//! Compiles that end differently, or capture another number of operations.

use crate::analysis::findings::Severity;
use crate::analysis::job::finding::{JobFinding, JobKind};
use crate::analysis::job::names::in_brackets;
use crate::analysis::job::sides::Sides;
use crate::model::Fact;

const STATUS: JobKind = JobKind::difference(Fact::Status, "status_differs", "Status");

const OPERATIONS: JobKind = JobKind::difference(Fact::Ops, "ops_differ", "Graphs");

pub(super) fn status(sides: &Sides<'_>) -> JobFinding {
    sides
        .diverging(STATUS, Severity::Warning, of_compile(sides, "ends as"))
        .with_detail("A compile is missing its end where the process stopped in it.")
}

pub(super) fn operations(sides: &Sides<'_>) -> JobFinding {
    sides.diverging(OPERATIONS, Severity::Warning, of_compile(sides, "captures so many operations:"))
}

/// `0/0 (f) ends as missing on rank 1, ok on rank 0`
fn of_compile(sides: &Sides<'_>, verb: &str) -> String {
    let step = sides.theirs.or(sides.mine);
    let name = in_brackets(sides.texts(), step.and_then(|step| step.graph));
    let text = |step| sides.text(step).unwrap_or_else(|| "nothing".to_owned());
    format!(
        "{}{name} {verb} {} on {}, {} on {}",
        sides.id_or_dash(step),
        text(sides.theirs),
        sides.who(sides.other),
        text(sides.mine),
        sides.who(sides.most),
    )
}
