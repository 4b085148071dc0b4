//! The tensors that a graph was traced with: the inputs of the call, then the module's own tensors, folded.

use crate::analysis::parameter_name;
use crate::model::{Column, Compile, InputTensor, Section};
use crate::read::expr::as_written;
use crate::report::doc::{AddedRow, Block, Rows, added_rows, own};
use crate::report::kit::formats::counted;
use crate::report::subject::Report;

/// The tables. Tensors have the names that the program uses; torch's own names are shown on hover.
pub(super) fn blocks<'m>(report: Report<'m>, compile: &'m Compile, section: &'m Section) -> Vec<Block<'m>> {
    let (held, inputs): (Vec<&InputTensor>, Vec<&InputTensor>) =
        compile.inputs.iter().partition(|input| is_held(input));
    let none = "The call itself has no tensor inputs.";
    let columns = &section.columns;
    let mut blocks =
        vec![Block::Table(listing(report, columns, &inputs).listing("input-tensors", "Input tensors", none))];
    if !held.is_empty() {
        let summary = counted(held.len(), "parameter or buffer", "parameters and buffers") + " of the module";
        let list = listing(report, columns, &held).listing("parameters", "Parameters and buffers", "");
        blocks.push(Block::More { summary: own(summary), blocks: vec![Block::Table(list)] });
    }
    blocks
}

/// Whether a tensor belongs to a module: a parameter, or a buffer, which only its path gives away.
fn is_held(input: &InputTensor) -> bool {
    input.tensor.parameter || parameter_name(&input.source).is_some()
}

fn listing<'m>(
    report: Report<'m>,
    columns: &[Column],
    inputs: &[&InputTensor],
) -> Rows<'m, AddedRow<'m>, Vec<AddedRow<'m>>> {
    let row = |input: &&InputTensor| AddedRow {
        cells: input.row().to_vec().into(),
        name: Some(parameter_name(&input.source).unwrap_or_else(|| as_written(&input.source))),
        stacks: Vec::new(),
    };
    added_rows(report, columns, inputs.iter().map(row).collect())
}
