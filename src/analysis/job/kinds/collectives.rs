//! Ranks that schedule different collectives.

use crate::analysis::findings::Severity;
use crate::analysis::job::finding::{JobFinding, JobKind};
use crate::analysis::job::groups::Group;
use crate::analysis::job::names::in_brackets;
use crate::analysis::job::sides::Sides;
use crate::analysis::job::words::short_operation;
use crate::model::{Fact, FactValue, Step, TextId};

const KIND: JobKind = JobKind::difference(Fact::Collectives, "collectives_differ", "Collectives");

pub(super) fn finding(sides: &Sides<'_>) -> JobFinding {
    let side = |group: &Group, step: Option<Step>| match operation(step) {
        Some(name) => {
            format!(
                "`{}` in {}{} on {}",
                short_operation(sides.texts().get(name)),
                sides.id_or_dash(step),
                in_brackets(sides.texts(), step.and_then(|step| step.graph)),
                sides.who(group)
            )
        }
        None => format!("none on {}", sides.who(group)),
    };
    let title = format!(
        "operation {} of the collective schedule is {}, {}",
        sides.first.index + 1,
        side(sides.other, sides.theirs),
        side(sides.most, sides.mine)
    );
    let counts = format!(
        "Operations scheduled, waits among them: {} on {}, {} on {}.",
        sides.other.steps.len(),
        sides.who(sides.other),
        sides.most.steps.len(),
        sides.who(sides.most)
    );
    let mut finding = sides.diverging(KIND, Severity::Error, title).with_detail(counts);
    // One function with other collectives on some ranks is wrong whatever the process groups.
    if sides.theirs.and_then(|step| step.graph) == sides.mine.and_then(|step| step.graph) {
        finding.severity = Severity::Error;
    }
    finding
}

fn operation(step: Option<Step>) -> Option<TextId> {
    match step?.value {
        Some(FactValue::Collective(operation)) => Some(operation),
        _ => None,
    }
}
