//! Tables, written row by row so that memory stays bounded.

use crate::limits::SHOWN;
use crate::report::kit::formats::{UNKNOWN, counted};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{Element, note_below, push_close, push_element, push_open};
use crate::report::kit::view::Render;
use std::borrow::Cow;
use std::io::Write;

/// Rows of a long table that a browser draws at once. Further ones are in a `noscript` element: with scripts that is text,
/// which becomes rows when the reader asks for it; a page of 40,000 elements took 1.6 seconds to open. A few more rows
/// than this are drawn with the others.
const DRAWN: usize = 200;
const A_FEW: usize = 50;

/// Rows of the shortest sortable table: fewer fit on one screen, and the script is as large as thirty rows.
pub(crate) const SORTED: usize = 30;

/// A table without its rows.
pub(crate) struct Table<'t> {
    /// Its anchor, also used by its controls.
    pub id: &'t str,
    /// Its name for screen readers.
    pub label: &'t str,
    pub columns: Vec<TableColumn>,
}

#[derive(Debug, Clone)]
pub(crate) struct TableColumn {
    title: String,
    sort: Option<&'static str>,
    about: Option<&'static str>,
    /// The class of all its cells: `num`, `soft`, `mono`.
    cells: Option<&'static str>,
    /// The class of its title: titles of numbers are right-aligned, too.
    class: Option<&'static str>,
    absent: bool,
}

impl TableColumn {
    /// A column of words or code, sorted as text.
    pub fn text(title: &str) -> TableColumn {
        TableColumn {
            title: title.to_owned(),
            sort: Some("text"),
            about: None,
            cells: None,
            class: None,
            absent: false,
        }
    }

    pub fn number(title: &str) -> TableColumn {
        TableColumn { sort: Some("num"), cells: Some("num"), class: Some("num"), ..TableColumn::text(title) }
    }

    /// A column of compiles, sorted by their order in the log.
    pub fn compiles(title: &str) -> TableColumn {
        TableColumn { sort: Some("num"), ..TableColumn::text(title) }
    }

    /// A column that cannot be sorted.
    pub fn unsorted(title: &str) -> TableColumn {
        TableColumn { sort: None, ..TableColumn::text(title) }
    }

    /// Disables sorting, as the order of the rows is meaningful.
    pub fn fixed(self) -> TableColumn {
        TableColumn { sort: None, ..self }
    }

    /// Explains the column on hover.
    pub fn about(self, about: &'static str) -> TableColumn {
        TableColumn { about: Some(about), ..self }
    }

    /// Shows its cells in the code font.
    pub fn mono(self) -> TableColumn {
        TableColumn { cells: Some("mono"), ..self }
    }

    /// Shows its cells as explanations.
    pub fn soft(self) -> TableColumn {
        TableColumn { cells: Some("soft"), ..self }
    }

    /// Leaves the column out and names it below the table.
    pub fn absent_if(self, absent: bool) -> TableColumn {
        TableColumn { absent, ..self }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Row {
    id: Option<String>,
    words: Option<String>,
    cells: Vec<TableCell>,
}

impl Row {
    /// A row of these cells, one per column.
    pub fn of(cells: Vec<TableCell>) -> Row {
        Row { id: None, words: None, cells }
    }

    /// Gives it an anchor.
    pub fn anchored(self, id: String) -> Row {
        Row { id: Some(id), ..self }
    }

    /// Gives it words by which a filter selects it, separated by spaces.
    pub fn selected_by(self, words: String) -> Row {
        Row { words: Some(words), ..self }
    }
}

#[derive(Debug, Default)]
pub(crate) struct TableCell {
    html: Html,
    class: Option<Cow<'static, str>>,
    sort: Option<String>,
    style: Option<String>,
}

impl TableCell {
    pub fn html(html: Html) -> TableCell {
        TableCell { html, ..TableCell::default() }
    }

    /// A cell of words.
    pub fn text(text: &str) -> TableCell {
        TableCell::html(Html::escaped(text))
    }

    /// A formatted number, sorted by its value.
    pub fn number(value: f64, shown: &str) -> TableCell {
        let sort = (!sorts_by_itself(shown)).then(|| value.to_string());
        TableCell { class: Some("num".into()), sort, ..TableCell::text(shown) }
    }

    /// A number that may be unknown.
    pub fn maybe(value: Option<f64>, show: impl Fn(f64) -> String) -> TableCell {
        match value {
            Some(value) => TableCell::number(value, &show(value)),
            None => TableCell::text(UNKNOWN).class("num"),
        }
    }

    /// Sorts it by this value.
    pub fn sorted(self, by: impl ToString) -> TableCell {
        TableCell { sort: Some(by.to_string()), ..self }
    }

    /// Style declarations for this cell alone, such as the length of the bar behind its number.
    pub fn style(self, style: String) -> TableCell {
        TableCell { style: Some(style), ..self }
    }

    /// A class in addition to the column's: `num`, `mono`, `soft`, `nowrap`.
    pub fn class(self, class: impl Into<Cow<'static, str>>) -> TableCell {
        TableCell { class: Some(class.into()), ..self }
    }

    /// Its class combined with the column's.
    fn class_in(&self, column: &TableColumn) -> Option<Cow<'_, str>> {
        let own = self.class.as_deref();
        // Classes have no effect on empty cells.
        match (column.cells.filter(|_| !self.html.is_empty()), own) {
            (Some(column), Some(own)) if own.split(' ').all(|one| one != column) => {
                Some(format!("{column} {own}").into())
            }
            (column, own) => own.or(column).map(Cow::from),
        }
    }
}

/// Units that the script of tables knows.
const UNITS: [&str; 10] = ["us", "ms", "s", "byte", "bytes", "KB", "MB", "GB", "TB", "%"];

/// Whether the script can parse the number from the text, `1,234` or `38 ms`, so that no sort value is needed.
fn sorts_by_itself(shown: &str) -> bool {
    let (number, unit) = shown.split_once('\u{a0}').unwrap_or((shown, "%"));
    number.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b',' | b'-'))
        && UNITS.contains(&unit)
}

/// The end of a table in its frame, and of rows that wait.
const TABLE_END: &str = "</tbody>\n</table>\n</div>\n";
const WAITING_END: &str = "</tbody>\n</table>\n</noscript>\n";

impl Table<'_> {
    fn push_start(&self, html: &mut String, is_sorted: bool, is_capped: bool) {
        let region = [
            ("class", Some("scroll")),
            ("tabindex", Some("0")),
            ("role", Some("group")),
            ("aria-label", Some(self.label)),
        ];
        push_open(html, "div", &region);
        html.push('\n');
        let cap = is_capped.then(|| SHOWN.to_string());
        push_open(html, "table", &[("id", Some(self.id)), ("data-cap", cap.as_deref())]);
        html.push_str("\n<thead>\n<tr>");
        for head in self.columns.iter().filter(|head| !head.absent) {
            let sort = head.sort.filter(|_| is_sorted);
            let attributes = [("class", head.class), ("data-sort", sort), ("title", head.about)];
            push_element(html, "th", &attributes, &head.title);
        }
        html.push_str("</tr>\n</thead>\n<tbody>\n");
    }

    fn push_row(&self, html: &mut String, row: &Row, is_sorted: bool) {
        let words = row.words.as_deref().filter(|_| is_sorted);
        push_open(html, "tr", &[("id", row.id.as_deref()), ("data-row", words)]);
        for (cell, head) in row.cells.iter().zip(&self.columns).filter(|(_, head)| !head.absent) {
            let class = cell.class_in(head);
            let sort = cell.sort.as_deref().filter(|_| is_sorted && head.sort.is_some());
            let attributes =
                [("class", class.as_deref()), ("data-v", sort), ("style", cell.style.as_deref())];
            push_open(html, "td", &attributes);
            html.push_str(cell.html.as_str());
            push_close(html, "td");
        }
        push_close(html, "tr");
        html.push('\n');
    }

    /// Ends the drawn rows and begins those that wait.
    fn push_waiting(&self, html: &mut String, count: usize) {
        html.push_str(TABLE_END);
        let count = count.to_string();
        push_open(html, "noscript", &[("data-rows", Some(self.id)), ("data-count", Some(&count))]);
        html.push_str("\n<table>\n<tbody>\n");
    }

    fn push_end(&self, html: &mut String, is_capped: bool) {
        if is_capped {
            let button =
                Element::new("button").class("button").attribute("data-more", self.id).around("Show all");
            let waits = Element::new("p").class("space-above needs-script").hidden().around(button);
            html.push_str(waits.as_str());
            html.push('\n');
        }
        let absent: Vec<&str> = self.columns.iter().filter(|h| h.absent).map(|h| h.title.as_str()).collect();
        if !absent.is_empty() {
            let words = format!("Not in this log: {}.", absent.join(", "));
            push_element(html, "p", &[("class", Some("soft space-above"))], &words);
            html.push('\n');
        }
    }
}

impl Render<'_> {
    /// Writes a table. With scripts, rows beyond [`SHOWN`] are behind a button. Short tables cannot be sorted. Pages of
    /// compiles keep the compiler's order, so only their long tables can be sorted.
    pub fn table(
        &self,
        out: &mut dyn Write,
        table: &Table<'_>,
        rows: impl ExactSizeIterator<Item = Row>,
    ) -> anyhow::Result<()> {
        self.table_sorted_from(out, (table, if self.depth == 0 { SORTED } else { SHOWN }), rows)
    }

    /// Writes a table that can be sorted and filtered if it has at least this many rows.
    pub fn table_sorted_from(
        &self,
        out: &mut dyn Write,
        (table, least): (&Table<'_>, usize),
        rows: impl ExactSizeIterator<Item = Row>,
    ) -> anyhow::Result<()> {
        let total = rows.len();
        let (is_sorted, is_capped) = (total >= least, total > SHOWN);
        // Pages in folders may lack the script of tables.
        let waits = self.depth == 0 && is_sorted && total > DRAWN + A_FEW;
        let mut shown = 0;
        let mut html = String::new();
        table.push_start(&mut html, is_sorted, is_capped);
        out.write_all(html.as_bytes())?;
        for row in rows {
            if !self.worker.has_room() {
                break;
            }
            if waits && shown == DRAWN {
                html.clear();
                table.push_waiting(&mut html, total - shown);
                out.write_all(html.as_bytes())?;
            }
            shown += 1;
            html.clear();
            table.push_row(&mut html, &row, is_sorted);
            out.write_all(html.as_bytes())?;
        }
        html.clear();
        html.push_str(if waits && shown > DRAWN { WAITING_END } else { TABLE_END });
        table.push_end(&mut html, is_capped);
        out.write_all(html.as_bytes())?;
        if shown < total {
            let rest = counted(total - shown, "more row", "more rows");
            note_below(
                out,
                format!("{rest} would make the page too large; report.json and raw.jsonl have all."),
            )?;
        }
        Ok(())
    }
}
