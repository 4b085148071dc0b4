//! Lists: rows of facts, with columns that say how they are sorted and what they show.

use super::cell::Cell;
use std::borrow::Cow;
use std::ops::Deref;

/// A list of a report as a table. Its cells are made row by row when they are written, since a log may have 40,000 rows.
pub(crate) struct Listing<'m> {
    /// The anchor of its section; that of its table ends with `-table`.
    pub id: Cow<'static, str>,
    pub title: Cow<'m, str>,
    /// What is shown instead of a list without rows.
    pub empty: Cow<'m, str>,
    pub look: Look,
    rows: Box<dyn Cells + 'm>,
}

/// How a list is shown.
pub(crate) struct Look {
    /// What its rows are, in words beside the title.
    pub about: Cow<'static, str>,
    /// Whether the number of rows stands beside the title.
    pub is_counted: bool,
    pub heads: Vec<Head>,
    /// How many rows a page shows, and what the others are called.
    pub most: usize,
    pub others: Others,
    pub filter: Option<Filter>,
    /// From how many rows on it can be sorted and filtered, if not from as many as other lists.
    pub narrowed_from: Option<usize>,
}

impl Deref for Listing<'_> {
    type Target = Look;

    fn deref(&self) -> &Look {
        &self.look
    }
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
pub(crate) struct Filter {
    /// Shown in the empty field.
    pub hint: &'static str,
    /// The words in the order in which they are offered, with their labels.
    pub words: Vec<(&'static str, &'static str)>,
}

/// The head of a column.
pub(crate) struct Head {
    pub title: Cow<'static, str>,
    pub sorting: Sorting,
    /// Explains it on hover.
    pub about: Option<&'static str>,
    /// The class of its cells: `mono` for code, `soft` for explanations.
    pub class: Option<&'static str>,
    /// Whether a terminal shows it last, where it has the rest of the line.
    pub is_wide: bool,
    /// What becomes of it if no row knows its value.
    pub where_unknown: WhereUnknown,
}

/// What a page does with a column of which no row knows the value. Other writers leave it out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum WhereUnknown {
    /// Says below the table that the log does not have it.
    Named,
    /// Leaves it out.
    LeftOut,
    /// Shows it.
    Kept,
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

/// How the search finds a row, besides by its cells.
pub(crate) struct FoundRow<'r> {
    /// What the row is called.
    pub name: Cow<'r, str>,
    /// Further texts by which it is found, the most telling first.
    pub more: Vec<Cow<'r, str>>,
    pub leads_to: LeadsTo<'r>,
}

/// Where a row is shown.
pub(crate) enum LeadsTo<'r> {
    /// At this address, relative to the report's top.
    Address(Cow<'r, str>),
    /// On the page of this compile at this anchor; of a log that names no compile, at this address.
    Compile { id: Option<&'r str>, anchor: &'static str, or: &'static str },
}

impl<'r> FoundRow<'r> {
    /// A row that is shown at this address.
    pub fn at(name: impl Into<Cow<'r, str>>, address: impl Into<Cow<'r, str>>) -> FoundRow<'r> {
        FoundRow { name: name.into(), more: Vec::new(), leads_to: LeadsTo::Address(address.into()) }
    }

    /// A row that is shown on the page of a compile.
    pub fn of_compile(
        name: impl Into<Cow<'r, str>>,
        id: Option<&'r str>,
        anchor: &'static str,
    ) -> FoundRow<'r> {
        FoundRow { name: name.into(), more: Vec::new(), leads_to: LeadsTo::Compile { id, anchor, or: "" } }
    }

    /// The address of rows of which the log does not say the compile.
    pub fn or_at(mut self, address: &'static str) -> FoundRow<'r> {
        if let LeadsTo::Compile { or, .. } = &mut self.leads_to {
            *or = address;
        }
        self
    }

    /// Adds further texts.
    pub fn more<T: Into<Cow<'r, str>>>(mut self, texts: impl IntoIterator<Item = T>) -> FoundRow<'r> {
        self.more.extend(texts.into_iter().map(T::into));
        self
    }
}

/// Rows of any type.
trait Cells {
    fn count(&self) -> usize;
    fn row(&self, at: usize) -> Vec<Cell<'_>>;
    fn anchor(&self, at: usize) -> Option<String>;
    fn words(&self, at: usize) -> Option<Cow<'static, str>>;
    fn found(&self, at: usize) -> Option<FoundRow<'_>>;
}

/// Makes the cell of a column.
type CellOf<'m, R> = Box<dyn for<'r> Fn(&'r R) -> Cell<'r> + 'm>;

/// Makes the words by which a filter selects a row, with spaces between them.
type WordsOf<'m, R> = Box<dyn Fn(&R) -> Cow<'static, str> + 'm>;

/// Makes the anchor of a row from its place, counted from 0, and what it is about.
type AnchorOf<'m, R> = Box<dyn Fn(usize, &R) -> Option<String> + 'm>;

/// Says how the search finds a row, of its place, counted from 0, and what it is about.
type FoundOf<'m, R> = Box<dyn for<'r> Fn(usize, &'r R) -> FoundRow<'r> + 'm>;

/// A list while its columns are added.
pub(crate) struct Rows<'m, R, L> {
    look: Look,
    made: Made<'m, R, L>,
}

/// Facts with what makes rows of them.
struct Made<'m, R, L> {
    facts: L,
    cells: Vec<CellOf<'m, R>>,
    anchor: Option<AnchorOf<'m, R>>,
    words: Option<WordsOf<'m, R>>,
    found: Option<FoundOf<'m, R>>,
}

impl<'m, R, L: Deref<Target = [R]>> Rows<'m, R, L> {
    /// A row for each of these facts.
    pub fn of(facts: L) -> Self {
        let look = Look {
            about: "".into(),
            is_counted: true,
            heads: Vec::new(),
            most: usize::MAX,
            others: Others::InFacts("rows"),
            filter: None,
            narrowed_from: None,
        };
        Rows { look, made: Made { facts, cells: Vec::new(), anchor: None, words: None, found: None } }
    }

    /// A column of words.
    pub fn text(
        self,
        title: impl Into<Cow<'static, str>>,
        cell: impl for<'r> Fn(&'r R) -> Cell<'r> + 'm,
    ) -> Self {
        self.column(title, Sorting::Text, cell)
    }

    /// A column of numbers.
    pub fn number(
        self,
        title: impl Into<Cow<'static, str>>,
        cell: impl for<'r> Fn(&'r R) -> Cell<'r> + 'm,
    ) -> Self {
        self.column(title, Sorting::Number, cell)
    }

    /// A column with the compile that a row is about.
    pub fn compile(
        self,
        title: impl Into<Cow<'static, str>>,
        cell: impl for<'r> Fn(&'r R) -> Cell<'r> + 'm,
    ) -> Self {
        self.column(title, Sorting::Compiles, cell)
    }

    /// A column by which nobody sorts.
    pub fn unsorted(
        self,
        title: impl Into<Cow<'static, str>>,
        cell: impl for<'r> Fn(&'r R) -> Cell<'r> + 'm,
    ) -> Self {
        self.column(title, Sorting::No, cell)
    }

    /// A column that is sorted like this.
    pub(super) fn column(
        mut self,
        title: impl Into<Cow<'static, str>>,
        sorting: Sorting,
        cell: impl for<'r> Fn(&'r R) -> Cell<'r> + 'm,
    ) -> Self {
        let where_unknown = WhereUnknown::Named;
        self.look.heads.push(Head {
            title: title.into(),
            sorting,
            about: None,
            class: None,
            is_wide: false,
            where_unknown,
        });
        self.made.cells.push(Box::new(cell));
        self
    }

    fn last(mut self, change: impl FnOnce(&mut Head)) -> Self {
        if let Some(head) = self.look.heads.last_mut() {
            change(head);
        }
        self
    }

    /// Shows the last column as code.
    pub fn mono(self) -> Self {
        self.last(|head| head.class = Some("mono"))
    }

    /// Shows the last column as explanations.
    pub fn soft(self) -> Self {
        self.last(|head| head.class = Some("soft"))
    }

    /// Shows the last column at the end of the lines of a terminal.
    pub fn wide(self) -> Self {
        self.last(|head| head.is_wide = true)
    }

    /// Keeps rows from being sorted by the last column, which has numbers.
    pub fn fixed(self) -> Self {
        self.last(|head| head.sorting = Sorting::Fixed)
    }

    /// Explains the last column on hover.
    pub fn explained(self, about: &'static str) -> Self {
        self.last(|head| head.about = Some(about))
    }

    /// Shows the last column even where no row knows its value.
    pub fn kept(self) -> Self {
        self.last(|head| head.where_unknown = WhereUnknown::Kept)
    }

    /// Leaves the last column out without a word where no row knows its value.
    pub fn optional(self) -> Self {
        self.last(|head| head.where_unknown = WhereUnknown::LeftOut)
    }

    /// Gives rows anchors.
    pub fn anchored(mut self, anchor: impl Fn(usize, &R) -> Option<String> + 'm) -> Self {
        self.made.anchor = Some(Box::new(anchor));
        self
    }

    /// Lets the search find rows by this and by their cells.
    pub fn found(mut self, found: impl for<'r> Fn(usize, &'r R) -> FoundRow<'r> + 'm) -> Self {
        self.made.found = Some(Box::new(found));
        self
    }

    /// Adds a filter by text, and by the words of each row.
    pub fn filtered(mut self, filter: Filter, words: impl Fn(&R) -> Cow<'static, str> + 'm) -> Self {
        self.look.filter = Some(filter);
        self.made.words = Some(Box::new(words));
        self
    }

    /// Can be sorted and filtered from so many rows on.
    pub fn narrowed_from(mut self, rows: usize) -> Self {
        self.look.narrowed_from = Some(rows);
        self
    }

    /// Says beside the title what the rows are.
    pub fn about(mut self, about: impl Into<Cow<'static, str>>) -> Self {
        self.look.about = about.into();
        self
    }

    /// Leaves out the number beside the title, of rows that share what they are about.
    pub fn uncounted(mut self) -> Self {
        self.look.is_counted = false;
        self
    }

    /// Shows the first rows on a page, which says where the others are.
    pub fn first(mut self, most: usize, others: Others) -> Self {
        (self.look.most, self.look.others) = (most, others);
        self
    }

    /// The list with its anchor, its title, and what is shown if it is empty.
    pub fn listing(
        self,
        id: impl Into<Cow<'static, str>>,
        title: impl Into<Cow<'m, str>>,
        empty: impl Into<Cow<'m, str>>,
    ) -> Listing<'m>
    where
        R: 'm,
        L: 'm,
    {
        let rows = Box::new(self.made);
        Listing { id: id.into(), title: title.into(), empty: empty.into(), look: self.look, rows }
    }
}

impl<R, L: Deref<Target = [R]>> Cells for Made<'_, R, L> {
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

    fn found(&self, at: usize) -> Option<FoundRow<'_>> {
        Some(self.found.as_ref()?(at, self.facts.get(at)?))
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

    /// How the search finds a row.
    pub fn found(&self, at: usize) -> Option<FoundRow<'_>> {
        self.rows.found(at)
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
