//! Ranks that schedule different collectives.

use crate::analysis::findings::{Finding, KindOfFinding, Severity};
use crate::analysis::job::groups::Group;
use crate::analysis::job::sides::Sides;
use crate::analysis::job::words::short_operation;
use crate::model::sentence::sentence;
use crate::model::{Fact, FactValue, Part, Step, TextId};

static KIND: KindOfFinding =
    KindOfFinding::difference(Fact::Collectives, "collectives_differ", "Collectives");

pub(super) fn finding(sides: &Sides<'_>) -> Finding {
    let side = |group: &Group, step: Option<Step>| match operation(step) {
        Some(name) => {
            let operator = Part::Operator(short_operation(sides.texts().get(name)).to_owned());
            sentence![operator, " in ", sides.compile(step), " on ", sides.who(group)]
        }
        None => sentence!["none on ", sides.who(group)],
    };
    let title = sentence![
        "operation ",
        sides.first.index + 1,
        " of the collective schedule is ",
        side(sides.other, sides.theirs),
        ", ",
        side(sides.most, sides.mine),
    ];
    let counts = format!(
        "Operations scheduled, waits among them: {} on {}, {} on {}.",
        sides.other.steps.len(),
        sides.who(sides.other),
        sides.most.steps.len(),
        sides.who(sides.most)
    );
    let mut finding = sides.diverging(&KIND, Severity::Error, title).with_detail(counts);
    // One function with different collectives on some ranks is wrong in any process group.
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
