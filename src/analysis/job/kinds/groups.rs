//! Collectives that ranks call in different process groups.

use crate::analysis::findings::Severity;
use crate::analysis::job::finding::{JobFinding, JobKind};
use crate::analysis::job::groups::Group;
use crate::analysis::job::sides::{Sides, in_brackets, verb};
use crate::analysis::job::words::short_operation;
use crate::model::{Fact, FactValue, Step};

const KIND: JobKind = JobKind::difference(Fact::ProcessGroups, "process_groups_differ", "Process groups");

const ADVICE: &str = "Ranks wait for each other only within a process group. Other groups are as they should be where the program makes groups of some of the ranks (tensor or pipeline parallel); where all ranks are to take part, check which group each rank passes.";

/// Information: groups of a part of the ranks are how many programs are built.
pub(super) fn finding(sides: &Sides<'_>) -> JobFinding {
    let title =
        format!("{}, {}", side(sides, sides.other, sides.theirs), side(sides, sides.most, sides.mine));
    let names = format!(
        "Groups: {} on {}; {} on {}.",
        groups(sides, sides.other),
        sides.who(sides.other),
        groups(sides, sides.most),
        sides.who(sides.most)
    );
    sides.finding(KIND, Severity::Info, title).with_detail(names).with_hint(ADVICE)
}

fn side(sides: &Sides<'_>, group: &Group, step: Option<Step>) -> String {
    let texts = sides.texts();
    match step.and_then(|step| step.value) {
        Some(FactValue::Call { graph, operation, group: name }) => {
            let function = graph.and_then(|graph| texts.graph(graph)).map(|key| key.function);
            format!(
                "{} {} `{}` of {}{} in process group '{}'",
                sides.who(group),
                verb(group, "calls", "call"),
                short_operation(texts.get(operation)),
                sides.id_or_dash(step),
                in_brackets(function, texts),
                texts.get(name)
            )
        }
        _ => format!("{} {} no further collective", sides.who(group), verb(group, "calls", "call")),
    }
}

/// `'1' and '2'`
fn groups(sides: &Sides<'_>, group: &Group) -> String {
    let mut names = Vec::new();
    for step in group.steps.iter() {
        if let Some(FactValue::Call { group, .. }) = step.value
            && !names.contains(&group)
        {
            names.push(group);
        }
    }
    let names: Vec<String> = names.into_iter().map(|name| format!("'{}'", sides.texts().get(name))).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
