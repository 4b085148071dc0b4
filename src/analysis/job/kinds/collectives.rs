//! Ranks that schedule different collectives, or the same in other compiles.

use crate::analysis::job::finding::{JobFinding, JobKind};
use crate::analysis::job::groups::Group;
use crate::analysis::job::sides::{Sides, verb};
use crate::analysis::job::words::short_operation;
use crate::model::{Fact, FactValue, Step, TextId};

const KIND: JobKind = JobKind::difference(Fact::Collectives, "collectives_differ", "Collectives");

pub(super) fn finding(sides: &Sides<'_>) -> JobFinding {
    let texts = sides.texts();
    let (theirs, mine) = (operation(sides.theirs), operation(sides.mine));
    if let (Some(theirs), Some(mine)) = (theirs, mine)
        && theirs == mine
    {
        let title = format!(
            "{} {} `{}` in {}, {} in {}",
            sides.who(sides.other),
            verb(sides.other, "schedules", "schedule"),
            short_operation(texts.get(mine)),
            sides.id_or_dash(sides.theirs),
            sides.who(sides.most),
            sides.id_or_dash(sides.mine),
        );
        let finding = sides.diverging(KIND, title);
        return match operations(sides.other).eq(operations(sides.most)) {
            true => finding
                .with_detail("Both schedule the same collectives in the same order, in other compiles."),
            false => finding,
        };
    }
    let side = |group: &Group, step: Option<Step>| match operation(step) {
        Some(name) => format!(
            "`{}` in {} on {}",
            short_operation(texts.get(name)),
            sides.id_or_dash(step),
            sides.who(group)
        ),
        None => format!("none on {}", sides.who(group)),
    };
    let title = format!(
        "operation {} of the collective schedule is {}, {}",
        sides.first.index + 1,
        side(sides.other, sides.theirs),
        side(sides.most, sides.mine)
    );
    let counts = format!(
        "Operations scheduled: {} on {}, {} on {}.",
        sides.other.steps.len(),
        sides.who(sides.other),
        sides.most.steps.len(),
        sides.who(sides.most)
    );
    sides.diverging(KIND, title).with_detail(counts)
}

fn operation(step: Option<Step>) -> Option<TextId> {
    match step?.value {
        Some(FactValue::Collective { operation, .. }) => Some(operation),
        _ => None,
    }
}

fn operations(group: &Group) -> impl Iterator<Item = Option<TextId>> {
    group.steps.iter().map(|step| operation(Some(*step)))
}
