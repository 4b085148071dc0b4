//! Collectives that ranks call in different process groups.

use crate::analysis::findings::{Finding, KindOfFinding, Severity};
use crate::analysis::job::groups::Group;
use crate::analysis::job::sides::{Sides, verb};
use crate::model::sentence::{name, sentence};
use crate::model::{Fact, FactValue, NameOf, Sentence, Step, TextId};
use indexmap::IndexSet;

static KIND: KindOfFinding =
    KindOfFinding::difference(Fact::ProcessGroups, "process_groups_differ", "Process groups");

const ADVICE: &str = "Ranks wait for each other only within a process group. Different groups are expected if the program splits its ranks into groups (tensor or pipeline parallel); if all ranks should take part, check which group each rank passes.";

/// Information: groups of a part of the ranks are how many programs are built. None where both sides call in the same
/// groups, and differ in what they call.
pub(super) fn finding(sides: &Sides<'_>) -> Option<Finding> {
    let (theirs, mine) = (groups(sides.other), groups(sides.most));
    if theirs.is_empty() || mine.is_empty() || theirs == mine {
        return None;
    }
    let same = sides.found.call_the_same();
    let title = sentence![
        same.then_some("ranks call the same collectives in process groups of their own: "),
        sides.who(sides.other),
        if same {
            " in "
        } else {
            verb(sides.other, " calls its collectives in ", " call their collectives in ")
        },
        words(sides, &theirs),
        ", ",
        sides.who(sides.most),
        " in ",
        words(sides, &mine),
        "; first in ",
        sides.compile(sides.theirs.or(sides.mine)),
    ];
    Some(sides.finding(&KIND, Severity::Info, title).with_advice(ADVICE))
}

/// The names of the groups in which a side calls collectives.
fn groups(side: &Group) -> IndexSet<TextId> {
    let group = |step: &Step| match step.value {
        Some(FactValue::Call { group, .. }) => Some(group),
        _ => None,
    };
    side.steps.iter().filter_map(group).collect()
}

/// `process group '1'`
fn words(sides: &Sides<'_>, names: &IndexSet<TextId>) -> Sentence {
    let quoted = |id: &TextId| sentence!["'", name(NameOf::ProcessGroup, sides.texts().get(*id)), "'"];
    let noun = if names.len() == 1 { "process group " } else { "process groups " };
    sentence![noun, Sentence::list(names.iter().map(quoted).collect())]
}
