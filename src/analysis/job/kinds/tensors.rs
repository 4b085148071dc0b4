//! Graphs whose operations return other tensors.

use crate::analysis::findings::Severity;
use crate::analysis::job::finding::{JobFinding, JobKind};
use crate::analysis::job::sides::{Sides, short};
use crate::analysis::job::words::short_operation;
use crate::model::{Fact, FactValue, Step, TensorFact, TextId};

const KIND: JobKind = JobKind::difference(Fact::TensorMeta, "tensor_meta_differs", "Tensors");

const ADVICE: &str = "A collective on tensors of different sizes hangs, fails or mixes data up. Check that each rank gets a batch of the same size (drop_last in its sampler), or pad it.";

pub(super) fn finding(sides: &Sides<'_>) -> JobFinding {
    sides.finding(KIND, Severity::Warning, title(sides)).with_hint(ADVICE)
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

fn title(sides: &Sides<'_>) -> String {
    let (Some(theirs), Some(mine)) = (operation(sides, sides.theirs), operation(sides, sides.mine)) else {
        return sides.plainly("has");
    };
    let texts = sides.texts();
    let (there, here) = (sides.id_or_dash(sides.theirs), sides.id_or_dash(sides.mine));
    if theirs.name != mine.name || there != here {
        return format!(
            "graphs hold other operations: `{}` in {there} on {}, `{}` in {here} on {}",
            short(short_operation(texts.get(theirs.name))),
            sides.who(sides.other),
            short(short_operation(texts.get(mine.name))),
            sides.who(sides.most)
        );
    }
    let (after, before) = outputs_that_differ(sides, theirs.outputs, mine.outputs);
    let function = sides.function(sides.other, sides.theirs.and_then(|step| step.compile));
    let name = function.map(|function| format!(" (`{}`)", function.name_or_unknown(texts)));
    format!(
        "in {there}{}, `{}` gives `{after}` on {}, `{before}` on {}",
        name.unwrap_or_default(),
        short(texts.get(theirs.name)),
        sides.who(sides.other),
        sides.who(sides.most)
    )
}

/// The first output that differs, with its dtype and sizes; strides follow from them nearly always.
fn outputs_that_differ(sides: &Sides<'_>, theirs: &[TensorFact], mine: &[TensorFact]) -> (String, String) {
    let texts = sides.texts();
    let Some((theirs, mine)) = theirs.iter().zip(mine).find(|(theirs, mine)| theirs != mine) else {
        let count = |tensors: &[TensorFact]| format!("{} tensors", tensors.len());
        return (count(theirs), count(mine));
    };
    let shown = |tensor: &TensorFact| match (theirs.dtype, theirs.sizes) == (mine.dtype, mine.sizes) {
        true => short(&tensor.text(texts)).to_owned(),
        false => tensor.without_strides(texts),
    };
    (shown(theirs), shown(mine))
}
