//! Ranks that compile different functions.

use crate::analysis::findings::{Finding, KindOfFinding, Severity};
use crate::analysis::job::groups::Group;
use crate::analysis::job::names::NamedFunction;
use crate::analysis::job::sides::{Sides, verb};
use crate::model::sentence::{compile_id, sentence};
use crate::model::{Fact, FactValue, Sentence, Step};

static KIND: KindOfFinding = KindOfFinding::difference(Fact::CompileIds, "compile_ids_differ", "Compiles");

pub(super) fn finding(sides: &Sides<'_>) -> Finding {
    let title = sentence![side(sides, sides.other, sides.theirs), ", ", side(sides, sides.most, sides.mine)];
    let (other, most) = (sides.other.steps.len(), sides.most.steps.len());
    let counts =
        format!("Compilations: {other} on {}, {most} on {}.", sides.who(sides.other), sides.who(sides.most));
    let mut finding = sides.diverging(&KIND, Severity::Info, title).with_detail(counts);
    if let Some(step) = sides.theirs.or(sides.mine)
        && let Some(FactValue::Compiled { function, .. }) = step.value
    {
        sides.place(&mut finding, NamedFunction::of(sides.texts(), step.graph, function).place);
    }
    finding
}

fn side(sides: &Sides<'_>, group: &Group, step: Option<Step>) -> Sentence {
    let who = sentence![sides.who(group), verb(group, " compiles ", " compile ")];
    let graph = step.and_then(|step| step.graph);
    match step.and_then(|step| step.value) {
        Some(FactValue::Compiled { id, function }) => {
            let name = NamedFunction::of(sides.texts(), graph, function).words();
            sentence![who, name, " as ", compile_id(sides.texts().get(id))]
        }
        _ => sentence![who, "nothing more"],
    }
}
