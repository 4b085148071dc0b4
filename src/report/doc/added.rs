//! The tables that events added to the log's compiles, as lists.

use super::cell::{Cell, StackShown, log};
use super::listing::{Listing, Rows, Sorting};
use crate::limits::KEPT;
use crate::model::{self, Column, Section, Unit};
use crate::report::kit::formats::{bytes, count, micros};
use crate::report::subject::Report;
use fxhash::FxHashMap;
use std::borrow::Cow;

/// A row of such a table.
pub(crate) struct AddedRow<'m> {
    pub cells: Cow<'m, [model::Cell]>,
    /// What the program calls the thing that the first cell names in torch's words.
    pub name: Option<String>,
    /// How much of each stack is shown.
    pub stacks: Vec<StackShown>,
}

/// A table that an event added.
pub(crate) fn added<'m>(report: Report<'m>, section: &'m Section) -> Listing<'m> {
    let mut stacks = Stacks::of(section);
    let row = |cells: &'m Vec<model::Cell>| AddedRow {
        cells: cells.into(),
        name: None,
        stacks: cells.iter().map(|cell| stacks.shown(cell)).collect(),
    };
    let rows = added_rows(report, &section.columns, section.rows.iter().map(row).collect());
    rows.about(section.note.to_string()).listing(section.id, &*section.title, "None.")
}

/// These rows with their columns. A column of code has the font of code.
pub(crate) fn added_rows<'m>(
    report: Report<'m>,
    columns: &[Column],
    rows: Vec<AddedRow<'m>>,
) -> Rows<'m, AddedRow<'m>, Vec<AddedRow<'m>>> {
    let is_code = |at| rows.iter().filter_map(|row| row.cells.get(at)).all(is_code);
    let code: Vec<bool> = (0..columns.len()).map(is_code).collect();
    columns.iter().zip(code).enumerate().fold(Rows::of(rows), |rows, (at, (column, is_code))| {
        let sorting = if column.numeric { Sorting::Number } else { Sorting::Text };
        let rows = rows.column(column.title, sorting, move |row| row.cell(report, at, is_code));
        if is_code { rows.mono() } else { rows }
    })
}

impl AddedRow<'_> {
    fn cell<'r>(&'r self, report: Report<'r>, at: usize, is_code: bool) -> Cell<'r> {
        let Some(one) = self.cells.get(at) else { return Cell::Unknown };
        match (one, &self.name, self.stacks.get(at)) {
            (model::Cell::Code(source), Some(name), _) if at == 0 => {
                let shown = log(name.as_str());
                if name == source { shown } else { shown.titled(source) }
            }
            (model::Cell::Code(text), ..) if is_code => log(text.as_str()),
            (model::Cell::Stack(Some(frames)), _, Some(shown)) => {
                Cell::Stack { frames, shown: shown.clone() }
            }
            _ => cell(report, one),
        }
    }
}

/// Whether a cell can be in a column of code.
fn is_code(cell: &model::Cell) -> bool {
    matches!(cell, model::Cell::Code(_) | model::Cell::Unknown)
}

/// A cell of the model.
fn cell<'r>(report: Report<'r>, cell: &'r model::Cell) -> Cell<'r> {
    match cell {
        model::Cell::Unknown | model::Cell::Stack(None) => Cell::Unknown,
        model::Cell::Text(text) => log(text.as_str()),
        model::Cell::Code(text) => Cell::Code(text.into()),
        model::Cell::Codes(texts) => {
            Cell::Stacked(texts.iter().map(|text| Cell::Code(text.into())).collect())
        }
        model::Cell::Number(value, unit) => Cell::Figure { value: *value, shown: number(*value, *unit) },
        model::Cell::Compile(id) => match report.model.compile(Some(id)) {
            Some(compile) => Cell::Compile { compile, after: String::new() },
            None => Cell::Code(id.to_string().into()),
        },
        model::Cell::Stack(Some(frames)) => Cell::Stack { frames, shown: StackShown::Whole(None) },
        model::Cell::Link { text, url } => Cell::LogLink { words: text.clone(), url: url.into() },
    }
}

/// Stacks of a table. Many are equal, as expressions are made from others on the same lines.
struct Stacks {
    section: &'static str,
    /// By address, as equal stacks are shared: how often a stack occurs, and the number of its first occurrence, which
    /// shows all frames.
    known: FxHashMap<usize, (usize, Option<usize>)>,
    shown: usize,
    /// Frames so far.
    frames: usize,
}

impl Stacks {
    fn of(section: &Section) -> Stacks {
        let mut known: FxHashMap<usize, (usize, Option<usize>)> = FxHashMap::default();
        for cell in section.rows.iter().flatten() {
            if let model::Cell::Stack(Some(stack)) = cell {
                known.entry(stack.as_ptr().addr()).or_default().0 += 1;
            }
        }
        Stacks { section: section.id, known, shown: 0, frames: 0 }
    }

    /// How much of a stack is shown; a repeated one links to its first occurrence.
    fn shown(&mut self, cell: &model::Cell) -> StackShown {
        let model::Cell::Stack(Some(stack)) = cell else { return StackShown::Whole(None) };
        let mut id = None;
        if let Some((times, first)) = self.known.get_mut(&stack.as_ptr().addr())
            && *times > 1
            && stack.len() > 1
        {
            let name = |number: usize| format!("{}-stack-{number}", self.section);
            if let Some(number) = *first {
                return StackShown::Again(format!("#{}", name(number)));
            }
            self.shown += 1;
            *first = Some(self.shown);
            id = Some(name(self.shown));
        }
        self.frames += stack.len();
        if self.frames <= KEPT { StackShown::Whole(id) } else { StackShown::Inner(id) }
    }
}

fn number(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Count => count(value),
        Unit::Micros => micros(value),
        Unit::Bytes => bytes(value),
    }
}
