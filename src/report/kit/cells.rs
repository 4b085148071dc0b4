//! The model's table cells as HTML.

use crate::limits::{KEPT, LONGEST_FOLDED, PARAGRAPH, beginning};
use crate::model::{Cell, Section, Unit};
use crate::report::kit::formats::{UNKNOWN, bytes, clipped, count, micros, whole};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{close_section, fold, long_text, soft, soft_paragraph, stacked};
use crate::report::kit::tables::{Row, Table, TableCell, TableColumn};
use crate::report::kit::view::{Render, View};
use fxhash::FxHashMap;
use std::io::Write;

/// Characters of the first line shown before the fold.
const LONGEST_START: usize = 140;

impl Render<'_> {
    /// Text or code. A long one is folded, and its beginning is shown.
    pub fn folded(&self, text: &str, code: bool) -> Html {
        let wrapped = |text: &str| if code { self.code(text) } else { Html::escaped(text) };
        if !clipped(text, PARAGRAPH).1 {
            return wrapped(text);
        }
        let first = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        let size = whole(text.chars().count());
        let start = wrapped(clipped(first, LONGEST_START).0);
        let summary = Html::joined([start, "…".into(), soft(format!("{size} characters"))], " ");
        let shown = beginning(text, LONGEST_FOLDED);
        let mut body = long_text(shown);
        if shown.len() < text.len() {
            let rest = format!(
                "{} more would make the page too large; raw.log has all.",
                bytes((text.len() - shown.len()) as f64)
            );
            body = Html::joined([body, soft(rest)], "");
        }
        fold(summary, &body)
    }
}

impl View<'_> {
    pub fn cell(&self, cell: &Cell) -> TableCell {
        match cell {
            Cell::Unknown => TableCell::text(UNKNOWN),
            Cell::Text(text) => TableCell::html(self.folded(text, false)),
            Cell::Code(text) => TableCell::html(self.folded(text, true)),
            Cell::Codes(texts) => TableCell::html(stacked(texts.iter().map(|text| self.folded(text, true)))),
            Cell::Number(value, unit) => TableCell::number(*value, &number(*value, *unit)),
            Cell::Compile(id) => {
                let pill = TableCell::html(self.pill_of(Some(id)));
                match self.report.model.by_id.get(&Some(id.clone())) {
                    Some(index) => pill.sorted(index),
                    None => pill,
                }
            }
            Cell::Stack(Some(stack)) => TableCell::html(self.stack(stack)),
            Cell::Stack(None) => TableCell::text(UNKNOWN),
            Cell::Link { text, url } => TableCell::html(self.log_link(text, url)),
        }
    }

    /// A table that an event added: heading and rows, without empty columns.
    pub fn section(&self, out: &mut dyn Write, section: &Section) -> anyhow::Result<()> {
        let rows = Some(whole(section.rows.len()));
        self.open_section(out, (section.id, &section.title, &section.note), rows, Html::default())?;
        self.section_rows(out, section)?;
        Ok(close_section(out)?)
    }

    /// Only the rows.
    pub fn section_rows(&self, out: &mut dyn Write, section: &Section) -> anyhow::Result<()> {
        match section.rows.is_empty() {
            true => Ok(soft_paragraph(out, Html::escaped("None."))?),
            false => self.section_table(out, section),
        }
    }

    fn section_table(&self, out: &mut dyn Write, section: &Section) -> anyhow::Result<()> {
        let columns = section.columns.iter().enumerate().map(|(index, column)| {
            let known = |cell: &Cell| !matches!(cell, Cell::Unknown | Cell::Stack(None));
            let absent = !section.rows.iter().any(|row| row.get(index).is_some_and(known));
            let head = if column.numeric {
                TableColumn::number(column.title)
            } else {
                TableColumn::text(column.title)
            };
            let code = !absent && section.rows.iter().filter_map(|row| row.get(index)).all(is_code);
            let head = if code { head.mono() } else { head };
            (code, head.absent_if(absent))
        });
        let (code, columns): (Vec<bool>, Vec<TableColumn>) = columns.unzip();
        let id = format!("{}-table", section.id);
        let table = Table { id: &id, label: &section.title, columns };
        let mut stacks = Stacks::of(section);
        let rows = section.rows.iter().map(|row| {
            let cells = row.iter().zip(&code).map(|(cell, code)| match cell {
                // The column's font shows that it is code.
                Cell::Code(text) if *code => TableCell::html(self.folded(text, false)),
                _ => stacks.cell(*self, cell),
            });
            Row::of(cells.collect())
        });
        self.table(out, &table, rows)
    }
}

/// Whether a cell can be in a column of code.
fn is_code(cell: &Cell) -> bool {
    matches!(cell, Cell::Code(_) | Cell::Unknown)
}

/// Stacks of a table. Many are equal, as expressions are made from others on the same lines.
struct Stacks<'s> {
    section: &'s str,
    /// By address, as equal stacks are shared: how often a stack occurs, and the number of its first occurrence, which
    /// shows all frames.
    known: FxHashMap<usize, (usize, Option<usize>)>,
    shown: usize,
    /// Frames so far.
    frames: usize,
}

impl<'s> Stacks<'s> {
    fn of(section: &'s Section) -> Stacks<'s> {
        let mut known: FxHashMap<usize, (usize, Option<usize>)> = FxHashMap::default();
        for cell in section.rows.iter().flatten() {
            if let Cell::Stack(Some(stack)) = cell {
                known.entry(stack.as_ptr().addr()).or_default().0 += 1;
            }
        }
        Stacks { section: section.id, known, shown: 0, frames: 0 }
    }

    /// A cell; a repeated stack links to its first occurrence.
    fn cell(&mut self, view: View<'_>, cell: &Cell) -> TableCell {
        let Cell::Stack(Some(stack)) = cell else { return view.cell(cell) };
        let mut id = None;
        if let Some((times, first)) = self.known.get_mut(&stack.as_ptr().addr())
            && *times > 1
            && stack.len() > 1
        {
            let name = |number: usize| format!("{}-stack-{number}", self.section);
            if let Some(number) = *first {
                return TableCell::html(view.stack_again(stack, &format!("#{}", name(number))));
            }
            self.shown += 1;
            *first = Some(self.shown);
            id = Some(name(self.shown));
        }
        self.frames += stack.len();
        TableCell::html(match self.frames <= KEPT {
            true => view.anchored_stack(stack, id),
            false => view.inner_stack(stack, id),
        })
    }
}

fn number(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Count => count(value),
        Unit::Micros => micros(value),
        Unit::Bytes => bytes(value),
    }
}
