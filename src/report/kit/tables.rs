//! Tables: written row by row, so that a long one is never in memory as a whole.

use crate::report::kit::formats::counted;
use crate::report::kit::html::Html;
use crate::report::kit::markup::{Element, note_below, push_close, push_element, push_open};
use crate::report::kit::view::Pieces;
use std::borrow::Cow;
use std::io::Write;

/// How many rows are shown before the reader asks for more.
pub(crate) const CAP: usize = 40;

/// Rows of the shortest table that can be sorted and narrowed: fewer are seen on one screen, and the script for it takes
/// as much as thirty rows.
pub(crate) const SORTED: usize = 30;

/// A table without its rows.
pub(crate) struct Table<'t> {
    /// Anchor, also the name by which controls find it.
    pub id: &'t str,
    /// What a screen reader calls it.
    pub label: &'t str,
    /// Its columns.
    pub heads: Vec<Head>,
}

/// Head of a column.
#[derive(Debug, Clone)]
pub(crate) struct Head {
    title: String,
    sort: Option<&'static str>,
    about: Option<&'static str>,
    /// The class of all its cells: `num`, `soft`, `mono`.
    cells: Option<&'static str>,
    /// The class of the head itself: that of a column of numbers stands at the right as its numbers do.
    class: Option<&'static str>,
    absent: bool,
}

impl Head {
    /// A column of words or code, sorted as such.
    pub fn text(title: &str) -> Head {
        Head {
            title: title.to_owned(),
            sort: Some("text"),
            about: None,
            cells: None,
            class: None,
            absent: false,
        }
    }

    /// A column of numbers.
    pub fn number(title: &str) -> Head {
        Head { sort: Some("num"), cells: Some("num"), class: Some("num"), ..Head::text(title) }
    }

    /// A column of compiles: sorted by their order in the log.
    pub fn compiles(title: &str) -> Head {
        Head { sort: Some("num"), ..Head::text(title) }
    }

    /// A column that is not sorted.
    pub fn unsorted(title: &str) -> Head {
        Head { sort: None, ..Head::text(title) }
    }

    /// In the order of the table, which says something.
    pub fn fixed(self) -> Head {
        Head { sort: None, ..self }
    }

    /// What the column means, on hover.
    pub fn about(self, about: &'static str) -> Head {
        Head { about: Some(about), ..self }
    }

    /// Its cells are in the font of code.
    pub fn mono(self) -> Head {
        Head { cells: Some("mono"), ..self }
    }

    /// Its cells are explanations.
    pub fn soft(self) -> Head {
        Head { cells: Some("soft"), ..self }
    }

    /// The start of a cell of this column, as HTML.
    fn cell_begin(&self) -> String {
        let mut begin = String::new();
        push_open(&mut begin, "td", &[("class", self.cells)]);
        begin
    }

    /// A column that is empty throughout: left out, and named below the table.
    pub fn absent_if(self, absent: bool) -> Head {
        Head { absent, ..self }
    }
}

/// A row.
#[derive(Debug, Default)]
pub(crate) struct Row {
    id: Option<String>,
    row: Option<String>,
    cells: Vec<Td>,
}

impl Row {
    /// A row of these cells, one per column.
    pub fn of(cells: Vec<Td>) -> Row {
        Row { id: None, row: None, cells }
    }

    /// Gives it an anchor.
    pub fn anchored(self, id: String) -> Row {
        Row { id: Some(id), ..self }
    }

    /// Whether it has that anchor.
    pub fn is_at(&self, anchor: &str) -> bool {
        self.id.as_deref() == Some(anchor)
    }

    /// Appends it as HTML, on a line of its own.
    fn push_to(&self, html: &mut String) {
        push_open(html, "tr", &[("id", self.id.as_deref()), ("data-row", self.row.as_deref())]);
        for cell in &self.cells {
            // Most cells have nothing but their text.
            if cell.class.is_none() && cell.sort.is_none() && cell.style.is_none() {
                html.push_str("<td>");
                html.push_str(cell.html.as_str());
                html.push_str("</td>");
                continue;
            }
            let attributes = [
                ("class", cell.class.as_deref()),
                ("data-v", cell.sort.as_deref()),
                ("style", cell.style.as_deref()),
            ];
            push_open(html, "td", &attributes);
            html.push_str(cell.html.as_str());
            push_close(html, "td");
        }
        push_close(html, "tr");
        html.push('\n');
    }

    /// Gives it words by which a filter selects it: statuses, separated by spaces.
    pub fn selected_by(self, words: String) -> Row {
        Row { row: Some(words), ..self }
    }
}

/// A row of nothing but text, for tables of many rows: its cells are escaped into the page, where making a [`Row`] of a
/// thousand settings took a twelfth of the work on a short log.
#[derive(Debug)]
pub(crate) struct TextRow<'r, const COLUMNS: usize> {
    /// Its anchor, if it has one.
    pub id: Option<&'r str>,
    /// Words by which a filter selects it, separated by spaces.
    pub words: String,
    /// The texts of its cells.
    pub cells: [Cow<'r, str>; COLUMNS],
}

impl<const COLUMNS: usize> TextRow<'_, COLUMNS> {
    /// Appends it as HTML, on a line of its own; `begins` has the start of a cell of each column.
    fn push_to(&self, can_be_selected: bool, begins: &[String], html: &mut String) {
        let words = can_be_selected.then_some(&*self.words);
        push_open(html, "tr", &[("id", self.id), ("data-row", words)]);
        for (cell, begin) in self.cells.iter().zip(begins) {
            // An empty cell shows nothing that a class could change.
            html.push_str(if cell.is_empty() { "<td>" } else { begin });
            Html::push_escaped(cell, html);
            html.push_str("</td>");
        }
        push_close(html, "tr");
        html.push('\n');
    }
}

/// A cell of a row.
#[derive(Debug, Default)]
pub(crate) struct Td {
    html: Html,
    class: Option<Cow<'static, str>>,
    sort: Option<String>,
    style: Option<String>,
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
        let sort = (!sorts_by_itself(shown)).then(|| value.to_string());
        Td { class: Some("num".into()), sort, ..Td::text(shown) }
    }

    /// A number that may be unknown.
    pub fn maybe(value: Option<f64>, show: impl Fn(f64) -> String) -> Td {
        match value {
            Some(value) => Td::number(value, &show(value)),
            None => Td { class: Some("num".into()), ..Td::text(crate::report::kit::formats::UNKNOWN) },
        }
    }

    /// What it is sorted by.
    pub fn sorted(self, by: impl ToString) -> Td {
        Td { sort: Some(by.to_string()), ..self }
    }

    /// Declarations for this cell alone, such as the length of the bar behind its number.
    pub fn style(self, style: String) -> Td {
        Td { style: Some(style), ..self }
    }

    /// Its own class, beside that of its column: `num`, `mono`, `soft`, `nowrap`.
    pub fn class(self, class: impl Into<Cow<'static, str>>) -> Td {
        Td { class: Some(class.into()), ..self }
    }

    /// Gives it the class of its column, where that is not its own already.
    fn in_column(&mut self, column: Option<&'static str>) {
        // An empty cell shows nothing that a class could change.
        let Some(column) = column.filter(|_| !self.html.as_str().is_empty()) else { return };
        let class = match self.class.take() {
            Some(own) if own.split(' ').any(|one| one == column) => own,
            Some(own) => format!("{column} {own}").into(),
            None => column.into(),
        };
        self.class = Some(class);
    }
}

/// Units that the script of tables knows.
const UNITS: [&str; 10] = ["us", "ms", "s", "byte", "bytes", "KB", "MB", "GB", "TB", "%"];

/// Whether the script of tables reads the number from what is shown: `1,234`, `38 ms`. It sorts by what a reader sees.
fn sorts_by_itself(shown: &str) -> bool {
    let (number, unit) = shown.split_once('\u{a0}').unwrap_or((shown, "%"));
    number.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b',' | b'-'))
        && UNITS.contains(&unit)
}

impl<'t> Table<'t> {
    /// The same table; one that is not to be sorted has no columns for it.
    fn sorted(&self, can_be_sorted: bool) -> Table<'t> {
        let heads = self.heads.iter().cloned();
        let heads = heads.map(|head| Head { sort: head.sort.filter(|_| can_be_sorted), ..head }).collect();
        Table { heads, ..*self }
    }

    /// Appends its start as HTML, up to where its rows stand.
    fn push_start(&self, html: &mut String, cap: Option<usize>) {
        let region = [
            ("class", Some("scroll")),
            ("tabindex", Some("0")),
            ("role", Some("group")),
            ("aria-label", Some(self.label)),
        ];
        push_open(html, "div", &region);
        html.push('\n');
        let cap = cap.map(|cap| cap.to_string());
        push_open(html, "table", &[("id", Some(self.id)), ("data-cap", cap.as_deref())]);
        html.push_str("\n<thead>\n<tr>");
        for head in self.heads.iter().filter(|head| !head.absent) {
            let attributes = [("class", head.class), ("data-sort", head.sort), ("title", head.about)];
            push_element(html, "th", &attributes, &head.title);
        }
        html.push_str("</tr>\n</thead>\n<tbody>\n");
    }

    /// Appends its end as HTML: a button where rows wait, and which columns the log left empty.
    fn push_end(&self, html: &mut String, cap: Option<usize>) {
        html.push_str("</tbody>\n</table>\n</div>\n");
        if cap.is_some() {
            let button =
                Element::new("button").class("button").attribute("data-more", self.id).around("Show all");
            let waits = Element::new("p").class("space-above needs-script").hidden().around(button);
            html.push_str(waits.as_str());
            html.push('\n');
        }
        let absent: Vec<&str> = self.heads.iter().filter(|h| h.absent).map(|h| h.title.as_str()).collect();
        let absent = absent.join(", ");
        if !absent.is_empty() {
            let words = format!("Not in this log: {absent}.");
            push_element(html, "p", &[("class", Some("soft space-above"))], &words);
            html.push('\n');
        }
    }
}

impl Pieces<'_> {
    /// Writes a table. Rows beyond 40 wait behind a button where scripts run; a few rows need no sorting.
    pub fn table(
        &self,
        out: &mut dyn Write,
        table: &Table<'_>,
        rows: impl ExactSizeIterator<Item = anyhow::Result<Row>>,
    ) -> anyhow::Result<()> {
        self.table_sorted_from(out, (table, self.sorted_from()), rows)
    }

    /// Writes a table that can be sorted and narrowed from so many rows on.
    pub fn table_sorted_from(
        &self,
        out: &mut dyn Write,
        (table, least): (&Table<'_>, usize),
        rows: impl ExactSizeIterator<Item = anyhow::Result<Row>>,
    ) -> anyhow::Result<()> {
        let short = rows.len() < least;
        let table = table.sorted(!short);
        let heads: Vec<&Head> = table.heads.iter().filter(|head| !head.absent).collect();
        self.write_table(out, &table, rows, |row, html| {
            let mut row = row?;
            if short {
                row.row = None;
            }
            row.cells.truncate(table.heads.len());
            if heads.len() < table.heads.len() {
                let mut heads = table.heads.iter();
                row.cells.retain(|_| heads.next().is_some_and(|head| !head.absent));
            }
            for (cell, head) in row.cells.iter_mut().zip(&heads) {
                cell.in_column(head.cells);
                cell.sort = cell.sort.take().filter(|_| head.sort.is_some());
            }
            row.push_to(html);
            Ok(())
        })
    }

    /// As [`table`](Pieces::table), with rows of plain text; all of its columns are there.
    pub fn text_table<'r, const COLUMNS: usize>(
        &self,
        out: &mut dyn Write,
        table: &Table<'_>,
        rows: impl ExactSizeIterator<Item = TextRow<'r, COLUMNS>>,
    ) -> anyhow::Result<()> {
        let short = rows.len() < self.sorted_from();
        let begins: Vec<String> = table.heads.iter().map(Head::cell_begin).collect();
        self.write_table(out, &table.sorted(!short), rows, |row, html| {
            row.push_to(!short, &begins, html);
            Ok(())
        })
    }

    /// Rows of the shortest table that can be sorted. Those of a compile's own pages are in the order that the compiler has;
    /// only long ones are sorted.
    fn sorted_from(&self) -> usize {
        if self.depth == 0 { SORTED } else { CAP }
    }

    /// Writes a table whose rows are appended by `push`, each on a line of its own.
    fn write_table<R>(
        &self,
        out: &mut dyn Write,
        table: &Table<'_>,
        rows: impl ExactSizeIterator<Item = R>,
        mut push: impl FnMut(R, &mut String) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let total = rows.len();
        let cap = (total > CAP).then_some(CAP);
        let mut shown = 0;
        let mut html = String::new();
        table.push_start(&mut html, cap);
        out.write_all(html.as_bytes())?;
        for row in rows {
            if !self.worker.has_room() {
                break;
            }
            shown += 1;
            html.clear();
            push(row, &mut html)?;
            out.write_all(html.as_bytes())?;
        }
        html.clear();
        table.push_end(&mut html, cap);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_text_is_written_as_one_of_cells_is() {
        let heads = [Head::text("Of"), Head::text("Setting").mono(), Head::text("What it does").soft()];
        for (id, words, cells) in [
            (Some("dynamo"), "dynamo changed", ["Dynamo", "a < \"b\"", "says & does"]),
            (None, "", ["", "", ""]),
        ] {
            let mut row = Row::of(cells.map(Td::text).into()).selected_by(words.to_owned());
            row.id = id.map(str::to_owned);
            row.cells.iter_mut().zip(&heads).for_each(|(cell, head)| cell.in_column(head.cells));
            let text_row = TextRow { id, words: words.to_owned(), cells: cells.map(Cow::from) };
            let (mut of_cells, mut of_text) = (String::new(), String::new());
            row.push_to(&mut of_cells);
            text_row.push_to(true, &heads.each_ref().map(Head::cell_begin), &mut of_text);
            assert_eq!(of_text, of_cells);
            of_text.clear();
            text_row.push_to(false, &[], &mut of_text);
            assert!(!of_text.contains("data-row"), "{of_text}");
        }
    }
}
