//! Tables that a parser fills.

use super::stacks::Texts;
use crate::model::words::lines_of;
use crate::model::{Cell, Column, Section};
use crate::trace::push_mostly_one;
use std::sync::LazyLock;

/// The heading, note and columns of a table: a row of `tables.txt`.
pub(super) struct Head {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    pub(super) note: &'static str,
    pub(super) columns: Vec<Column>,
}

impl Head {
    pub(super) fn with_id(id: &str) -> Option<&'static Head> {
        HEADS.iter().find(|head| head.id == id)
    }

    fn read(row: &'static str) -> Option<Head> {
        let mut parts = row.split(" | ");
        let [id, title, note, columns] = [parts.next()?, parts.next()?, parts.next()?, parts.next()?];
        let column =
            |title: &'static str| title.strip_prefix('#').map_or(Column::text(title), Column::number);
        Some(Head { id, title, note, columns: columns.split(", ").map(column).collect() })
    }
}

static HEADS: LazyLock<Vec<Head>> =
    LazyLock::new(|| lines_of(include_str!("tables.txt")).into_iter().filter_map(Head::read).collect());

/// A page that a parser made, to which tables can be added.
pub struct PageTables<'a> {
    sections: Option<&'a mut Vec<Section>>,
    texts: &'a mut Texts,
}

impl<'a> PageTables<'a> {
    pub(super) fn new(sections: Option<&'a mut Vec<Section>>, texts: &'a mut Texts) -> Self {
        PageTables { sections, texts }
    }

    /// The table `id` on the page, to which rows can be added. It is created when it is first asked for.
    pub fn section(
        &mut self,
        id: &'static str,
        title: &str,
        note: &str,
        columns: &[Column],
    ) -> SectionRows<'_> {
        SectionRows::find_or_add(self.sections.as_deref_mut(), self.texts, id, [title, note], columns)
    }
}

/// A table to which rows can be added.
#[derive(Default)]
pub struct SectionRows<'a> {
    section: Option<&'a mut Section>,
}

impl<'a> SectionRows<'a> {
    /// The section `id` among `sections`, created if it is not there yet; `words` are its title and its note.
    pub(super) fn find_or_add(
        sections: Option<&'a mut Vec<Section>>,
        texts: &mut Texts,
        id: &'static str,
        words: [&str; 2],
        columns: &[Column],
    ) -> Self {
        let Some(sections) = sections else { return SectionRows { section: None } };
        if !sections.iter().any(|section| section.id == id) {
            let [title, note] = words.map(|words| texts.text(words));
            let section = Section { id, title, note, columns: texts.columns(columns), rows: Vec::new() };
            push_mostly_one(sections, section);
        }
        SectionRows { section: sections.iter_mut().find(|section| section.id == id) }
    }

    /// Adds a row, one cell per column. A missing cell is shown as unknown; a surplus one is dropped.
    pub fn row(&mut self, mut cells: Vec<Cell>) -> &mut Self {
        if let Some(section) = &mut self.section {
            cells.resize(section.columns.len(), Cell::Unknown);
            section.rows.push(cells);
        }
        self
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.section.as_ref().map_or(0, |section| section.rows.len())
    }

    /// Adds one to the count in the last cell of a row.
    pub fn count(&mut self, row: usize) {
        let row = self.section.as_mut().and_then(|section| section.rows.get_mut(row));
        if let Some(Cell::Number(count, _)) = row.and_then(|row| row.last_mut()) {
            *count += 1.0;
        }
    }
}
