//! Lists as text that fits the terminal.

use super::cell::Cell;
use super::listing::{Head, Listing, Sorting};
use crate::hidden::visible;
use crate::model::Compile;
use crate::model::words::plain;
use crate::report::kit::formats::{percent, short_path};
use std::borrow::Cow;
use std::fmt::Write;

/// A list of which every cell is text.
#[derive(Debug)]
pub struct Table {
    title: String,
    columns: Vec<Cow<'static, str>>,
    rows: Vec<Vec<String>>,
    /// Shown instead of an empty table.
    empty: String,
}

/// Stands for a value that is not known.
const DASH: &str = "-";

impl Table {
    /// The columns that are text, of which some row knows the value.
    pub(crate) fn of(listing: &Listing<'_>) -> Table {
        let absent = listing.absent(|cell| cell.is_unknown() || cell.is_drawn());
        let present = absent.iter().enumerate().filter(|(_, absent)| !**absent).map(|(at, _)| at);
        let mut order: Vec<usize> = present.collect();
        order.sort_by_key(|at| listing.heads.get(*at).is_some_and(|head| head.is_wide));
        let shown = |cells: Vec<Cell<'_>>| order.iter().filter_map(|at| cells.get(*at)).map(text).collect();
        let heads = order.iter().filter_map(|at| listing.heads.get(*at));
        Table {
            title: listing.title.clone().into_owned(),
            columns: heads.map(|head| head.title.clone()).collect(),
            rows: (0..listing.count()).map(|at| shown(listing.row(at))).collect(),
            empty: listing.empty.clone().into_owned(),
        }
    }
}

pub(super) fn text(cell: &Cell<'_>) -> String {
    let joined = |cells: &[Cell<'_>], between: &str| cells.iter().map(text).collect::<Vec<_>>().join(between);
    let labels = |compiles: &[&Compile]| {
        let ids: Vec<_> = compiles.iter().map(|one| Cow::from(one.label())).collect();
        some_ids(&ids)
    };
    if let Some(inner) = cell.inner() {
        return text(inner);
    }
    match cell {
        Cell::Unknown => DASH.to_owned(),
        Cell::Words(words) => plain(words),
        Cell::Log(text)
        | Cell::Code(text)
        | Cell::Function(text)
        | Cell::CatalogEntry(text)
        | Cell::Phase { shown: text, .. } => text.clone().into_owned(),
        Cell::Share { part, whole, .. } => plain(&percent(*part, *whole, true)),
        Cell::Stack { frames, .. } => {
            frames.last().map_or_else(|| DASH.to_owned(), |frame| frame.name.to_string())
        }
        Cell::File { name, .. } => name.clone().into_owned(),
        Cell::Prose(text) => plain(text),
        Cell::Figure { shown, .. } => plain(shown),
        Cell::Compiles(ids) => some_ids(ids),
        Cell::Place { file, line } => {
            let name = file.rsplit('/').next().unwrap_or(file);
            line.map_or_else(|| name.to_owned(), |line| format!("{name}:{line}"))
        }
        Cell::Compile { compile, after } => format!("{}{after}", compile.label()),
        Cell::CompileBeside(compile) => compile.label(),
        Cell::SomeCompiles { compiles, .. } => labels(compiles),
        Cell::FunctionOf(compile) => {
            compile.function.as_ref().map_or_else(|| DASH.to_owned(), |function| function.name.clone())
        }
        Cell::Beside(cells, between) => joined(cells, between),
        Cell::Stacked(cells) => joined(cells, ", "),
        Cell::LinkedCompiles(compiles) => {
            let ids: Vec<_> = compiles.iter().map(|one| Cow::from(one.id.as_str())).collect();
            some_ids(&ids)
        }
        Cell::ClassedCode(_, text) => text.clone(),
        Cell::LogLink { words, .. } => words.clone(),
        Cell::Advice(all) => all.iter().map(|one| &*one.text).collect::<Vec<_>>().join(" "),
        Cell::Hints(hints) => hints.join(" "),
        Cell::Sentence(sentence) => plain(&sentence.text()),
        // Drawings, and a control of a page.
        _ => String::new(),
    }
}

/// A cell in words.
pub(crate) struct InWords<'l> {
    /// The title of its column.
    pub title: &'l str,
    pub is_number: bool,
    pub shown: String,
    /// What it says on hover; may be empty.
    pub hover: String,
}

impl Listing<'_> {
    /// A row in words, without what is unknown, and without links to files.
    pub(crate) fn in_words<'l>(&'l self, at: usize) -> Vec<InWords<'l>> {
        let in_words = |(head, cell): (&'l Head, Cell<'_>)| InWords {
            title: &head.title,
            is_number: matches!(head.sorting, Sorting::Number | Sorting::Fixed),
            shown: whole_place(&cell).unwrap_or_else(|| text(&cell)),
            hover: hover(&cell).to_owned(),
        };
        let cells =
            self.heads.iter().zip(self.row(at)).filter(|(_, cell)| !matches!(cell, Cell::File { .. }));
        let cells = cells.map(in_words);
        cells.filter(|cell| !cell.shown.is_empty() && cell.shown != DASH).collect()
    }
}

/// A place as a page shows it, with the path that it is found by: `model.py:12 · /app/model.py`.
fn whole_place(cell: &Cell<'_>) -> Option<String> {
    match cell {
        Cell::Place { file, line: Some(line) } => Some(format!("{}:{line} · {file}", short_path(file))),
        Cell::Place { file, line: None } => Some(file.clone().into_owned()),
        cell => cell.inner().and_then(whole_place),
    }
}

fn hover<'c>(cell: &'c Cell<'_>) -> &'c str {
    match cell {
        Cell::Titled(words, _) => words,
        cell => cell.inner().map_or("", hover),
    }
}

/// As many ids as a narrow column has room for, and the number of the others: `0/0 0/1 +3`.
fn some_ids(ids: &[Cow<'_, str>]) -> String {
    let mut text = String::new();
    for (at, id) in ids.iter().enumerate() {
        if at > 0 && text.len() + id.len() > NARROW - "+12345 ".len() {
            return format!("{text} +{}", ids.len() - at);
        }
        text.extend((at > 0).then_some(" "));
        text.push_str(id);
    }
    text
}

/// How much to show.
#[derive(Debug, Clone, Copy, Default)]
pub struct Showing {
    /// Columns of the terminal; None if the output is not a terminal.
    pub width: Option<usize>,
    /// Whether to show all rows.
    pub all: bool,
}

/// Rows shown per table.
const ROWS: usize = 50;

/// Characters of a cell without a terminal.
const CELL: usize = 300;

/// Characters of a cell, except in the last column.
const NARROW: usize = 40;

/// Minimum width of the last column, however narrow the terminal is.
const LAST: usize = 20;

/// Between columns.
const GAP: &str = "  ";

/// Writes tables, each followed by an empty line.
pub fn write(text: &mut String, tables: &[Table], showing: Showing) {
    for table in tables {
        text.push_str(&lines(table, showing));
        text.push('\n');
    }
}

fn lines(table: &Table, showing: Showing) -> String {
    let mut text = format!("{} ({})\n", visible(&table.title), table.rows.len());
    if table.rows.is_empty() {
        let _ = writeln!(text, "{}", table.empty);
        return text;
    }
    let shown = if showing.all { table.rows.len() } else { ROWS };
    let heads = table.columns.iter().map(|head| head.clone().into_owned()).collect();
    let rows: Vec<Vec<String>> = std::iter::once(heads)
        .chain(table.rows.iter().take(shown).map(|row| row.iter().map(|cell| one_line(cell)).collect()))
        .collect();
    let widths = widths(&rows, showing.width);
    for row in &rows {
        let cells: Vec<String> = row
            .iter()
            .zip(&widths)
            .enumerate()
            .map(|(at, (cell, width))| {
                let cell = cut(cell, *width);
                // The last column needs no padding.
                if at + 1 == row.len() { cell } else { format!("{cell:width$}") }
            })
            .collect();
        let _ = writeln!(text, "{}", cells.join(GAP).trim_end());
    }
    if table.rows.len() > shown {
        let _ = writeln!(text, "{} more; --all shows them", table.rows.len() - shown);
    }
    text
}

/// Width of each column in characters.
fn widths(rows: &[Vec<String>], terminal: Option<usize>) -> Vec<usize> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let longest = |at: usize| {
        rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.chars().count()).max().unwrap_or_default()
    };
    let mut widths: Vec<usize> = (0..columns).map(|at| longest(at).min(NARROW)).collect();
    if let Some((last, others)) = widths.split_last_mut() {
        let taken: usize = others.iter().map(|width| width + GAP.len()).sum();
        *last = terminal.map_or(CELL, |terminal| terminal.saturating_sub(taken).max(LAST));
    }
    widths
}

/// A text on one line, without hidden characters.
fn one_line(text: &str) -> String {
    let short: String = text.chars().take(CELL + 1).collect();
    visible(&short.replace(['\n', '\t'], " ")).into_owned()
}

/// At most `width` characters, ending with an ellipsis if cut.
fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(width.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[[&str; 2]]) -> Table {
        let rows = rows.iter().map(|row| row.map(str::to_owned).to_vec()).collect();
        Table {
            title: "Things".to_owned(),
            columns: vec!["Name".into(), "What it is".into()],
            rows,
            empty: "There is none.".to_owned(),
        }
    }

    fn shown(table: &Table, width: Option<usize>, all: bool) -> String {
        lines(table, Showing { width, all })
    }

    #[test]
    fn columns_are_aligned_and_fit_the_terminal() {
        let table = table(&[["a", "short"], ["abc", "a text that is much longer than the terminal is wide"]]);
        let text = shown(&table, Some(30), false);
        assert_eq!(text, "Things (2)\nName  What it is\na     short\nabc   a text that is much lon…\n");
        assert!(shown(&table, None, false).contains("than the terminal is wide"));
    }

    #[test]
    fn texts_of_the_log_cannot_control_the_terminal() {
        let text = shown(&table(&[["\u{1b}[31m", "a\u{202e}b\r\nc\u{7}"]]), None, false);
        assert!(!text.contains(['\u{1b}', '\u{202e}', '\r', '\u{7}']), "{text:?}");
        assert_eq!(text.lines().count(), 3, "{text:?}");
        assert!(text.contains("\\u{1b}[31m") && text.contains("\\u{202e}"), "{text}");
    }

    #[test]
    fn long_tables_are_cut_and_say_so() {
        let table = table(&[["a", "b"]; 70]);
        let text = shown(&table, None, false);
        assert!(text.ends_with("20 more; --all shows them\n"), "{text}");
        assert_eq!(shown(&table, None, true).lines().count(), 72);
    }
}
