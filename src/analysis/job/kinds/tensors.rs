//! Graphs whose operations return different tensors.

use crate::analysis::findings::{Finding, KindOfFinding, Severity};
use crate::analysis::job::names::short;
use crate::analysis::job::sides::Sides;
use crate::analysis::job::words::short_operation;
use crate::model::sentence::{code, sentence};
use crate::model::{Fact, FactValue, GraphId, Part, Sentence, Step, TensorFact, TextId, Texts};

static KIND: KindOfFinding = KindOfFinding::difference(Fact::TensorMeta, "tensor_meta_differs", "Tensors");

pub(super) fn finding(sides: &Sides<'_>) -> Finding {
    let graph = sides.theirs.or(sides.mine).and_then(|step| step.graph);
    sides.finding(&KIND, Severity::Warning, title(sides)).with_advice(advice(sides, graph))
}

/// What different sizes lead to; a graph that calls collectives may hang.
pub(super) fn advice(sides: &Sides<'_>, graph: Option<GraphId>) -> &'static str {
    match sides.has_collective(graph) {
        true => {
            "This graph calls collectives: on tensors of different sizes they hang, fail or mix data up. Check that each rank gets a batch of the same size (drop_last in its sampler), or pad it."
        }
        false => {
            "No collective of this graph is recorded, so the sizes need not be equal. Each rank compiles for its own sizes: if they vary from step to step, ranks recompile at different times and wait for each other; mark the size as dynamic, or give all ranks batches of the same size."
        }
    }
}

/// An operation with what it returns.
struct Operation<'j> {
    name: TextId,
    outputs: &'j [TensorFact],
}

fn operation<'j>(sides: &Sides<'j>, step: Option<Step>) -> Option<Operation<'j>> {
    match step?.value? {
        FactValue::Output { operation, outputs, .. } => {
            Some(Operation { name: operation, outputs: sides.texts().tensors(outputs) })
        }
        _ => None,
    }
}

fn title(sides: &Sides<'_>) -> Sentence {
    let texts = sides.texts();
    let (there, here) = (sides.compile(sides.theirs), sides.compile(sides.mine));
    let (other, most) = (sides.who(sides.other), sides.who(sides.most));
    let (Some(theirs), Some(mine)) = (operation(sides, sides.theirs), operation(sides, sides.mine)) else {
        return sides.plainly("has", "have");
    };
    let same_graph = sides.theirs.map(|step| step.graph) == sides.mine.map(|step| step.graph);
    if theirs.name != mine.name || !same_graph {
        let (theirs, mine) = (operation_words(texts.get(theirs.name)), operation_words(texts.get(mine.name)));
        let theirs = sentence![theirs, " in ", there, " on ", other];
        let mine = sentence![mine, " in ", here, " on ", most];
        return sentence!["graphs hold other operations: ", theirs, ", ", mine];
    }
    let (after, before) = outputs_that_differ(texts, theirs.outputs, mine.outputs);
    let operation = operation_words(texts.get(theirs.name));
    sentence!["in ", there, ", ", operation, " gives ", after, " on ", other, ", ", before, " on ", most]
}

/// An operation in words. Inductor names its own operations `op7`, and a fused one after all of its parts.
fn operation_words(name: &str) -> Sentence {
    let parts: Vec<&str> = name.split('_').collect();
    let is_number = |part: &&str| {
        part.strip_prefix("op")
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
    };
    match parts.len() {
        1 if parts.iter().all(is_number) => {
            sentence!["a kernel (", Part::Operator(name.to_owned()), " of the schedule)"]
        }
        count if parts.iter().all(is_number) => sentence!["a kernel of ", count, " fused operations"],
        _ => Part::Operator(short(short_operation(name)).to_owned()).into(),
    }
}

/// The first output that differs.
fn outputs_that_differ(texts: &Texts, theirs: &[TensorFact], mine: &[TensorFact]) -> (Part, Part) {
    match theirs.iter().zip(mine).find(|(theirs, mine)| theirs != mine) {
        Some((theirs, mine)) => pair(texts, *theirs, *mine),
        None => (code(format!("{} tensors", theirs.len())), code(format!("{} tensors", mine.len()))),
    }
}

/// Two tensors with dtype and sizes; with strides where only these differ.
pub(super) fn pair(texts: &Texts, theirs: TensorFact, mine: TensorFact) -> (Part, Part) {
    let shown = |tensor: TensorFact| match (theirs.dtype, theirs.sizes) == (mine.dtype, mine.sizes) {
        true => Part::Shape(short(&tensor.text(texts)).to_owned()),
        false => Part::Shape(tensor.without_strides(texts)),
    };
    (shown(theirs), shown(mine))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_that_inductor_numbered_is_told_in_words() {
        assert_eq!(operation_words("op0_op1_op2_op3"), "a kernel of 4 fused operations");
        assert_eq!(operation_words("op5"), "a kernel (`op5` of the schedule)");
        assert_eq!(operation_words("mm"), "`mm`");
        assert_eq!(operation_words("torch.ops._c10d_functional.all_reduce_.default"), "`all_reduce_`");
        assert_eq!(operation_words("op"), "`op`");
    }
}
