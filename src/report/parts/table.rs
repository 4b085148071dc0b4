//! Tables: written row by row, so that a long one never stands in memory.

use super::Pieces;
use crate::report::Html;
use serde::Serialize;
use std::io::Write;

/// Rows that stand there before the reader asks for more.
pub(in crate::report) const CAP: usize = 40;

/// A table without its rows.
pub(in crate::report) struct Table<'t> {
    /// Anchor, also the name by which controls find it.
    pub id: &'t str,
    /// What a screen reader calls it.
    pub label: &'t str,
    /// Its columns.
    pub heads: Vec<Head>,
}

/// Head of a column.
#[derive(Debug, Clone, Serialize)]
pub(in crate::report) struct Head {
    title: String,
    numeric: bool,
    sort: Option<&'static str>,
    about: Option<&'static str>,
    #[serde(skip)]
    absent: bool,
}

impl Head {
    /// A column of words or code, sorted as such.
    pub fn text(title: &str) -> Head {
        Head { title: title.to_owned(), numeric: false, sort: Some("text"), about: None, absent: false }
    }

    /// A column of numbers.
    pub fn number(title: &str) -> Head {
        Head { numeric: true, sort: Some("num"), ..Head::text(title) }
    }

    /// A column of compiles: sorted by their order in the log.
    pub fn compiles(title: &str) -> Head {
        Head { sort: Some("num"), ..Head::text(title) }
    }

    /// A column that is not sorted.
    pub fn unsorted(title: &str) -> Head {
        Head { sort: None, ..Head::text(title) }
    }

    /// What the column means, on hover.
    pub fn about(self, about: &'static str) -> Head {
        Head { about: Some(about), ..self }
    }

    /// A column that is empty throughout: left out, and named below the table.
    pub fn absent_if(self, absent: bool) -> Head {
        Head { absent, ..self }
    }
}

/// A row.
#[derive(Debug, Default, Serialize)]
pub(in crate::report) struct Row {
    id: Option<String>,
    row: Option<String>,
    cells: Vec<Td>,
}

impl Row {
    /// A row of these cells, one a column.
    pub fn of(cells: Vec<Td>) -> Row {
        Row { id: None, row: None, cells }
    }

    /// Gives it an anchor.
    pub fn anchored(self, id: String) -> Row {
        Row { id: Some(id), ..self }
    }

    /// Gives it words by which a filter selects it: statuses, separated by spaces.
    pub fn selected_by(self, words: String) -> Row {
        Row { row: Some(words), ..self }
    }
}

/// A cell of a row.
#[derive(Debug, Default, Serialize)]
pub(in crate::report) struct Td {
    html: Html,
    class: Option<&'static str>,
    sort: Option<String>,
}

impl Td {
    /// A cell of HTML.
    pub fn html(html: Html) -> Td {
        Td { html, ..Td::default() }
    }

    /// A cell of words.
    pub fn text(text: &str) -> Td {
        Td::html(Html::escaped(text))
    }

    /// A number as it is shown, sorted by its value.
    pub fn number(value: f64, shown: &str) -> Td {
        Td { class: Some("num"), sort: Some(value.to_string()), ..Td::text(shown) }
    }

    /// A number that may be unknown.
    pub fn maybe(value: Option<f64>, show: impl Fn(f64) -> String) -> Td {
        match value {
            Some(value) => Td::number(value, &show(value)),
            None => Td { class: Some("num"), ..Td::text(crate::report::units::UNKNOWN) },
        }
    }

    /// What it is sorted by.
    pub fn sorted(self, by: impl ToString) -> Td {
        Td { sort: Some(by.to_string()), ..self }
    }

    /// Its class: `num`, `mono`, `soft`, `nw`.
    pub fn class(self, class: &'static str) -> Td {
        Td { class: Some(class), ..self }
    }
}

#[derive(Serialize)]
struct TableHead<'t> {
    id: &'t str,
    label: &'t str,
    cap: Option<usize>,
    heads: Vec<&'t Head>,
}

#[derive(Serialize)]
struct TableFoot<'t> {
    id: &'t str,
    cap: Option<usize>,
    absent: String,
}

impl Pieces<'_> {
    /// Writes a table. Rows beyond 40 wait behind a button where scripts run.
    pub fn table(
        &self,
        out: &mut dyn Write,
        table: &Table<'_>,
        rows: impl ExactSizeIterator<Item = anyhow::Result<Row>>,
    ) -> anyhow::Result<()> {
        let cap = (rows.len() > CAP).then_some(CAP);
        let heads: Vec<&Head> = table.heads.iter().filter(|head| !head.absent).collect();
        let head = TableHead { id: table.id, label: table.label, cap, heads };
        writeln!(out, "{}", self.render("table_head", &head)?.as_str())?;
        for row in rows {
            let mut row = row?;
            let mut heads = table.heads.iter();
            row.cells.retain(|_| heads.next().is_some_and(|head| !head.absent));
            writeln!(out, "{}", self.render("row", &row)?.as_str())?;
        }
        let absent: Vec<&str> = table.heads.iter().filter(|h| h.absent).map(|h| h.title.as_str()).collect();
        let foot = TableFoot { id: table.id, cap, absent: absent.join(", ") };
        writeln!(out, "{}", self.render("table_foot", &foot)?.as_str())?;
        Ok(())
    }
}
