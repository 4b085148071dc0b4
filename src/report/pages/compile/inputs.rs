//! The tensors that a graph was traced with: the inputs of the call, then the module's own tensors, folded.

use crate::analysis::parameter_name;
use crate::model::{Cell, Column, Compile, InputTensor, Section};
use crate::read::expr::as_written;
use crate::report::kit::prelude::*;

/// The tables. Tensors have the names that the program uses; torch's own names are shown on hover.
pub(super) fn write(
    view: View<'_>,
    compile: &Compile,
    section: &Section,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let (held, inputs): (Vec<&InputTensor>, Vec<&InputTensor>) =
        compile.inputs.iter().partition(|input| is_held(input));
    if inputs.is_empty() {
        soft_paragraph(out, "The call itself has no tensor inputs.")?;
    } else {
        table(view, (&section.columns, "input-tensors-table", "Input tensors"), &inputs, out)?;
    }
    if !held.is_empty() {
        let tensors = counted(held.len(), "parameter or buffer", "parameters and buffers");
        open_more(out, format!("{tensors} of the module"))?;
        table(view, (&section.columns, "parameters-table", "Parameters and buffers"), &held, out)?;
        close(out, "details")?;
    }
    Ok(())
}

/// Whether a tensor belongs to a module: a parameter, or a buffer, which only its path gives away.
fn is_held(input: &InputTensor) -> bool {
    input.tensor.parameter || parameter_name(&input.source).is_some()
}

fn table(
    view: View<'_>,
    (columns, id, label): (&[Column], &str, &str),
    inputs: &[&InputTensor],
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let rows: Vec<[Cell; 8]> = inputs.iter().map(|input| input.row()).collect();
    let columns = columns.iter().enumerate().map(|(index, column)| {
        let known = |row: &[Cell; 8]| row.get(index).is_some_and(|cell| !matches!(cell, Cell::Unknown));
        let code = |row: &[Cell; 8]| matches!(row.get(index), Some(Cell::Code(_) | Cell::Unknown));
        let head =
            if column.numeric { TableColumn::number(column.title) } else { TableColumn::text(column.title) };
        let head = if rows.iter().all(code) { head.mono() } else { head };
        head.absent_if(!rows.iter().any(known))
    });
    let table = Table { id, label, columns: columns.collect() };
    let rows = rows.iter().map(|row| {
        let cells = row.iter().enumerate().map(|(index, cell)| match cell {
            Cell::Code(source) if index == 0 => TableCell::html(name(view, source)),
            Cell::Code(text) => TableCell::html(view.folded(text, false)),
            cell => view.cell(cell),
        });
        Row::of(cells.collect())
    });
    view.table(out, &table, rows)
}

/// `self.model.layers.0.mlp.up_proj.weight`
fn name(view: View<'_>, source: &str) -> Html {
    let name = parameter_name(source).unwrap_or_else(|| as_written(source));
    let shown = view.folded(&name, false);
    if name == source { shown } else { titled(source, shown) }
}
