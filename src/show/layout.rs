//! Formats tables as text that fits the terminal.

use super::table::Table;
use crate::hidden::visible;
use std::fmt::Write;

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
    let mut text = format!("{} ({})\n", table.title, table.rows.len());
    if table.rows.is_empty() {
        let _ = writeln!(text, "{}", table.empty);
        return text;
    }
    let shown = if showing.all { table.rows.len() } else { ROWS };
    let heads = table.columns.iter().map(|head| (*head).to_owned()).collect();
    let rows: Vec<Vec<String>> = std::iter::once(heads)
        .chain(table.rows.iter().take(shown).map(|row| row.iter().map(|cell| plain(cell)).collect()))
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
fn plain(text: &str) -> String {
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
        Table { title: "Things", columns: vec!["Name", "What it is"], rows, empty: "There is none." }
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
