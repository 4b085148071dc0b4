//! Ranks that compile different functions.

use crate::analysis::findings::{Finding, KindOfFinding, Severity};
use crate::analysis::job::groups::Group;
use crate::analysis::job::names::NamedFunction;
use crate::analysis::job::schedules::{ScheduleDifference, Sureness};
use crate::analysis::job::sides::{Sides, verb};
use crate::analysis::job::words::how_often;
use crate::analysis::own_code::resumed;
use crate::facts::ranks::{FactValue, FunctionFact, Step};
use crate::model::Sentence;
use crate::model::sentence::{compile_id, own, sentence};
use std::collections::BTreeSet;

/// Whether the sides differ in which functions they compile, and call the same collectives in those that both do.
fn is_by_design(sides: &Sides<'_>) -> bool {
    let functions = |group: &Group| -> BTreeSet<FunctionFact> {
        let compiled = group.steps.iter().filter_map(|step| match step.value {
            Some(FactValue::Compiled { function, .. }) => Some(function),
            _ => None,
        });
        let is_resumed = |function: &FunctionFact| {
            sides.texts().maybe(function.name).is_some_and(|name| resumed(name).is_some())
        };
        compiled.filter(|function| !is_resumed(function)).collect()
    };
    let by_groups = |one: &ScheduleDifference| one.sureness == Sureness::OtherGroups;
    functions(sides.other) != functions(sides.most) && sides.found.schedules.differences.iter().all(by_groups)
}

/// A compile that one side has more often under one id: after a reset.
fn again(sides: &Sides<'_>) -> Option<Finding> {
    let value = sides.theirs.or(sides.mine)?.value?;
    let Some(FactValue::Compiled { id, function }) = Some(value) else { return None };
    let times = |group: &Group| group.steps.iter().filter(|step| step.value == Some(value)).count();
    let (theirs, mine) = (times(sides.other), times(sides.most));
    if theirs == mine || theirs == 0 || mine == 0 {
        return None;
    }
    let words = |times: usize| how_often(times as u64);
    let graph = sides.theirs.or(sides.mine).and_then(|step| step.graph);
    let named = NamedFunction::new(sides.texts(), graph, function);
    let title = sentence![
        sides.who(sides.other),
        verb(sides.other, " compiles ", " compile "),
        named.words(),
        " (",
        compile_id(sides.texts().get(id)),
        own(format!(") {}, ", words(theirs))),
        sides.who(sides.most),
        own(format!(" {}", words(mine))),
    ];
    let mut finding =
        sides.finding(KindOfFinding::CompileIdsDiffer, Severity::Warning, title).in_case("reset");
    sides.place(&mut finding, named.place);
    Some(finding)
}

pub(super) fn finding(sides: &Sides<'_>) -> Finding {
    if let Some(finding) = again(sides) {
        return finding;
    }
    let title = sides.both(|group, step| side(sides, group, step));
    let (other, most) = (sides.other.steps.len(), sides.most.steps.len());
    let counts =
        format!("Compilations: {other} on {}, {most} on {}.", sides.who(sides.other), sides.who(sides.most));
    let mut finding = match is_by_design(sides) {
        true => sides.finding(KindOfFinding::CompileIdsDiffer, Severity::Info, title).in_case("by_design"),
        false => sides.diverging(KindOfFinding::CompileIdsDiffer, Severity::Info, title),
    };
    finding.explain(counts);
    if let Some(step) = sides.theirs.or(sides.mine)
        && let Some(FactValue::Compiled { function, .. }) = step.value
    {
        sides.place(&mut finding, NamedFunction::new(sides.texts(), step.graph, function).place);
    }
    finding
}

fn side(sides: &Sides<'_>, group: &Group, step: Option<Step>) -> Sentence {
    let who = sentence![sides.who(group), verb(group, " compiles ", " compile ")];
    let graph = step.and_then(|step| step.graph);
    match step.and_then(|step| step.value) {
        Some(FactValue::Compiled { id, function }) => {
            let name = NamedFunction::new(sides.texts(), graph, function).words();
            sentence![who, name, " as ", compile_id(sides.texts().get(id))]
        }
        _ => sentence![who, "nothing more"],
    }
}
