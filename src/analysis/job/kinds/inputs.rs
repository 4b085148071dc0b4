//! Compiles of one function that get other inputs.

use super::tensors;
use crate::analysis::findings::{Finding, KindOfFinding, Severity};
use crate::analysis::job::names::NamedFunction;
use crate::analysis::job::names::short;
use crate::analysis::job::sides::Sides;
use crate::model::sentence::{code, sentence};
use crate::model::{Fact, FactValue, Sentence, Step, TensorFact, TextId};

static KIND: KindOfFinding = KindOfFinding::difference(Fact::Inputs, "inputs_differ", "Inputs");

pub(super) fn finding(sides: &Sides<'_>) -> Finding {
    let graph = sides.theirs.or(sides.mine).and_then(|step| step.graph);
    let mut finding =
        sides.finding(&KIND, Severity::Warning, title(sides)).with_advice(tensors::advice(sides, graph));
    sides.place(&mut finding, NamedFunction::of_graph(sides.texts(), graph).and_then(|name| name.place));
    finding
}

/// An input of a compile.
struct Input {
    name: TextId,
    tensor: TensorFact,
}

fn input(step: Option<Step>) -> Option<Input> {
    match step?.value? {
        FactValue::Input { name, tensor, .. } => Some(Input { name, tensor }),
        _ => None,
    }
}

fn title(sides: &Sides<'_>) -> Sentence {
    let texts = sides.texts();
    let function = |step: Option<Step>| Some(NamedFunction::of_graph(texts, step?.graph)?.words());
    match (input(sides.theirs), input(sides.mine)) {
        (Some(theirs), Some(mine))
            if theirs.name == mine.name && graph(sides.theirs) == graph(sides.mine) =>
        {
            let (after, before) = tensors::pair(texts, theirs.tensor, mine.tensor);
            let (there, here) = (sides.id_or_dash(sides.theirs), sides.id_or_dash(sides.mine));
            let also = (there != here).then(|| sentence![" (", here, " there)"]);
            let input = code(short(texts.get(theirs.name)));
            let (other, most) = (sides.who(sides.other), sides.who(sides.most));
            let place = sentence!["in ", there, ", ", function(sides.theirs), ", the input ", input];
            sentence![place, " is ", after, " on ", other, ", ", before, " on ", most, also]
        }
        _ => sides.plainly("gets", "get"),
    }
}

fn graph(step: Option<Step>) -> Option<crate::model::GraphId> {
    step?.graph
}
