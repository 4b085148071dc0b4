//! Lists: rows of facts, with columns that say how they are sorted and what they show.

use super::cell::Cell;
use std::borrow::Cow;
use std::ops::Deref;

/// A list of a report as a table. Its cells are made row by row when they are written, since a log may have 40,000 rows.
pub(crate) struct Listing<'m> {
    /// The anchor of its section; that of its table ends with `-table`.
    pub id: Cow<'static, str>,
    pub title: Cow<'m, str>,
    /// What its rows are, in words beside the title.
    pub about: Cow<'static, str>,
    /// What is shown instead of a list without rows.
    pub empty: &'static str,
    pub heads: Vec<Head>,
    /// How many rows a page shows, and what the others are called.
    pub most: usize,
    pub others: Others,
    pub filter: Option<Filter>,
    /// From how many rows on it can be sorted and filtered, if not from as many as other lists.
    pub narrowed_from: Option<usize>,
    rows: Box<dyn Cells + 'm>,
}

/// What a page says of the rows that it does not show.
#[derive(Clone, Copy)]
pub(crate) enum Others {
    /// They are in report.json: `3 more causes are in report.json`.
    InFacts(&'static str),
    /// These words say where they are: `3 more are left out`.
    Elsewhere(&'static str),
}

/// Selects rows by text and by words.
#[derive(Clone)]
pub(crate) struct Filter {
    /// Shown in the empty field.
    pub hint: &'static str,
    /// The words in the order in which they are offered, with their labels.
    pub words: Vec<(&'static str, &'static str)>,
}

/// The head of a column.
#[derive(Clone)]
pub(crate) struct Head {
    pub title: Cow<'static, str>,
    pub sorting: Sorting,
    /// Explains it on hover.
    pub about: Option<&'static str>,
    /// Whether its cells are code.
    pub mono: bool,
}

/// How the rows can be sorted by a column.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sorting {
    /// As text.
    Text,
    /// By value. Its cells are right-aligned.
    Number,
    /// By the order of compiles in the log.
    Compiles,
    /// Not at all.
    No,
    /// Not at all, though its cells are numbers: their order has a meaning, or their units have nothing in common.
    Fixed,
}

/// Rows of any type.
trait Cells {
    fn count(&self) -> usize;
    fn row(&self, at: usize) -> Vec<Cell<'_>>;
    fn anchor(&self, at: usize) -> Option<String>;
    fn words(&self, at: usize) -> Option<Cow<'static, str>>;
}

/// Makes the cell of a column.
type CellOf<'m, R> = Box<dyn for<'r> Fn(&'r R) -> Cell<'r> + 'm>;

/// Makes the words by which a filter selects a row, with spaces between them.
type WordsOf<'m, R> = Box<dyn Fn(&R) -> Cow<'static, str> + 'm>;

/// Makes the anchor of a row from its place, counted from 0, and what it is about.
type AnchorOf<'m, R> = Box<dyn Fn(usize, &R) -> Option<String> + 'm>;

/// A list while its columns are added.
pub(crate) struct Rows<'m, R, L> {
    facts: L,
    heads: Vec<Head>,
    cells: Vec<CellOf<'m, R>>,
    anchor: Option<AnchorOf<'m, R>>,
    words: Option<WordsOf<'m, R>>,
    filter: Option<Filter>,
    narrowed_from: Option<usize>,
    about: Cow<'static, str>,
    most: usize,
    others: Others,
}

impl<'m, R, L: Deref<Target = [R]>> Rows<'m, R, L> {
    /// A row for each of these facts.
    pub fn of(facts: L) -> Self {
        Rows {
            facts,
            heads: Vec::new(),
            cells: Vec::new(),
            anchor: None,
            words: None,
            filter: None,
            narrowed_from: None,
            about: "".into(),
            most: usize::MAX,
            others: Others::InFacts("rows"),
        }
    }

    /// A column of words.
    pub fn text(
        self,
        title: impl Into<Cow<'static, str>>,
        cell: impl for<'r> Fn(&'r R) -> Cell<'r> + 'm,
    ) -> Self {
        self.column(title.into(), Sorting::Text, Box::new(cell))
    }

    /// A column of numbers.
    pub fn number(
        self,
        title: impl Into<Cow<'static, str>>,
        cell: impl for<'r> Fn(&'r R) -> Cell<'r> + 'm,
    ) -> Self {
        self.column(title.into(), Sorting::Number, Box::new(cell))
    }

    /// A column with the compile that a row is about.
    pub fn compile(
        self,
        title: impl Into<Cow<'static, str>>,
        cell: impl for<'r> Fn(&'r R) -> Cell<'r> + 'm,
    ) -> Self {
        self.column(title.into(), Sorting::Compiles, Box::new(cell))
    }

    /// A column by which nobody sorts.
    pub fn unsorted(
        self,
        title: impl Into<Cow<'static, str>>,
        cell: impl for<'r> Fn(&'r R) -> Cell<'r> + 'm,
    ) -> Self {
        self.column(title.into(), Sorting::No, Box::new(cell))
    }

    fn column(mut self, title: Cow<'static, str>, sorting: Sorting, cell: CellOf<'m, R>) -> Self {
        self.heads.push(Head { title, sorting, about: None, mono: false });
        self.cells.push(cell);
        self
    }

    /// Shows the last column as code.
    pub fn mono(mut self) -> Self {
        self.heads.last_mut().into_iter().for_each(|head| head.mono = true);
        self
    }

    /// Keeps rows from being sorted by the last column, which has numbers.
    pub fn fixed(mut self) -> Self {
        self.heads.last_mut().into_iter().for_each(|head| head.sorting = Sorting::Fixed);
        self
    }

    /// Explains the last column on hover.
    pub fn explained(mut self, about: &'static str) -> Self {
        self.heads.last_mut().into_iter().for_each(|head| head.about = Some(about));
        self
    }

    /// Gives rows anchors.
    pub fn anchored(self, anchor: impl Fn(usize, &R) -> Option<String> + 'm) -> Self {
        Rows { anchor: Some(Box::new(anchor)), ..self }
    }

    /// Adds a filter by text, and by the words of each row.
    pub fn filtered(self, filter: Filter, words: impl Fn(&R) -> Cow<'static, str> + 'm) -> Self {
        Rows { filter: Some(filter), words: Some(Box::new(words)), ..self }
    }

    /// Can be sorted and filtered from so many rows on.
    pub fn narrowed_from(self, rows: usize) -> Self {
        Rows { narrowed_from: Some(rows), ..self }
    }

    /// Says beside the title what the rows are.
    pub fn about(self, about: impl Into<Cow<'static, str>>) -> Self {
        Rows { about: about.into(), ..self }
    }

    /// Shows the first rows on a page, which says where the others are.
    pub fn first(self, most: usize, others: Others) -> Self {
        Rows { most, others, ..self }
    }

    /// The list with its anchor, its title, and what is shown if it is empty.
    pub fn listing(
        self,
        id: impl Into<Cow<'static, str>>,
        title: impl Into<Cow<'m, str>>,
        empty: &'static str,
    ) -> Listing<'m>
    where
        R: 'm,
        L: 'm,
    {
        Listing {
            id: id.into(),
            title: title.into(),
            about: self.about.clone(),
            empty,
            heads: self.heads.clone(),
            most: self.most,
            others: self.others,
            filter: self.filter.clone(),
            narrowed_from: self.narrowed_from,
            rows: Box::new(self),
        }
    }
}

impl<R, L: Deref<Target = [R]>> Cells for Rows<'_, R, L> {
    fn count(&self) -> usize {
        self.facts.len()
    }

    fn row(&self, at: usize) -> Vec<Cell<'_>> {
        let fact = self.facts.get(at);
        fact.map(|fact| self.cells.iter().map(|cell| cell(fact)).collect()).unwrap_or_default()
    }

    fn anchor(&self, at: usize) -> Option<String> {
        self.anchor.as_ref()?(at, self.facts.get(at)?)
    }

    fn words(&self, at: usize) -> Option<Cow<'static, str>> {
        Some(self.words.as_ref()?(self.facts.get(at)?))
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

    /// The words by which a filter selects a row, with spaces between them.
    pub fn words(&self, at: usize) -> Option<Cow<'static, str>> {
        self.rows.words(at)
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
