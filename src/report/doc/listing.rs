//! Lists: rows of facts, with columns that say how they are sorted and what they show.

use super::cell::Cell;
use std::ops::Deref;

/// A list of a report as a table. Its cells are made row by row when they are written, since a log may have 40,000 rows.
pub(crate) struct Listing<'m> {
    /// The anchor of its section.
    pub id: &'static str,
    pub title: &'static str,
    /// Stands in its place if it has no rows.
    pub empty: &'static str,
    pub heads: Vec<Head>,
    rows: Box<dyn Cells + 'm>,
}

/// The head of a column.
#[derive(Clone, Copy)]
pub(crate) struct Head {
    pub title: &'static str,
    pub sorting: Sorting,
}

/// How the rows can be sorted by a column.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sorting {
    /// As text.
    Text,
    /// By value. Its cells are right-aligned.
    Number,
    /// Not at all.
    No,
}

/// Rows of any type.
trait Cells {
    fn count(&self) -> usize;
    fn row(&self, at: usize) -> Vec<Cell<'_>>;
    fn anchor(&self, at: usize) -> Option<String>;
}

/// Makes the cell of a column.
type CellOf<R> = for<'r> fn(&'r R) -> Cell<'r>;

/// Makes the anchor of a row from its place, counted from 0, and what it is about.
type AnchorOf<R> = fn(usize, &R) -> Option<String>;

/// A list while its columns are added.
pub(crate) struct Rows<R, L> {
    facts: L,
    heads: Vec<Head>,
    cells: Vec<CellOf<R>>,
    anchor: AnchorOf<R>,
}

impl<R, L: Deref<Target = [R]>> Rows<R, L> {
    /// A row for each of these facts.
    pub fn of(facts: L) -> Self {
        Rows { facts, heads: Vec::new(), cells: Vec::new(), anchor: |_, _| None }
    }

    /// A column of words.
    pub fn text(self, title: &'static str, cell: CellOf<R>) -> Self {
        self.column(title, Sorting::Text, cell)
    }

    /// A column of numbers.
    pub fn number(self, title: &'static str, cell: CellOf<R>) -> Self {
        self.column(title, Sorting::Number, cell)
    }

    /// A column by which nobody sorts.
    pub fn unsorted(self, title: &'static str, cell: CellOf<R>) -> Self {
        self.column(title, Sorting::No, cell)
    }

    fn column(mut self, title: &'static str, sorting: Sorting, cell: CellOf<R>) -> Self {
        self.heads.push(Head { title, sorting });
        self.cells.push(cell);
        self
    }

    /// Gives rows anchors.
    pub fn anchored(self, anchor: AnchorOf<R>) -> Self {
        Rows { anchor, ..self }
    }

    /// The list with its anchor, its title, and what stands there if it is empty.
    pub fn listing<'m>(self, id: &'static str, title: &'static str, empty: &'static str) -> Listing<'m>
    where
        R: 'm,
        L: 'm,
    {
        Listing { id, title, empty, heads: self.heads.clone(), rows: Box::new(self) }
    }
}

impl<R, L: Deref<Target = [R]>> Cells for Rows<R, L> {
    fn count(&self) -> usize {
        self.facts.len()
    }

    fn row(&self, at: usize) -> Vec<Cell<'_>> {
        let fact = self.facts.get(at);
        fact.map(|fact| self.cells.iter().map(|cell| cell(fact)).collect()).unwrap_or_default()
    }

    fn anchor(&self, at: usize) -> Option<String> {
        (self.anchor)(at, self.facts.get(at)?)
    }
}

impl Listing<'_> {
    /// How many rows it has.
    pub fn count(&self) -> usize {
        self.rows.count()
    }

    /// The cells of a row.
    pub fn row(&self, at: usize) -> Vec<Cell<'_>> {
        self.rows.row(at)
    }

    /// The anchor of a row.
    pub fn anchor(&self, at: usize) -> Option<String> {
        self.rows.anchor(at)
    }

    /// Of each column, whether all its cells are such that they show nothing. Columns of an empty list are all shown.
    pub fn absent(&self, shows_nothing: impl Fn(&Cell<'_>) -> bool) -> Vec<bool> {
        let mut absent = vec![self.count() > 0; self.heads.len()];
        // Most columns show something in the first rows.
        for at in 0..self.count() {
            if !absent.contains(&true) {
                break;
            }
            for (absent, cell) in absent.iter_mut().zip(self.row(at)) {
                *absent &= shows_nothing(&cell);
            }
        }
        absent
    }
}
