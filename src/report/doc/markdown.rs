//! Lists as tables of a Markdown document.

use super::cell::Cell;
use super::listing::{Listing, Sorting};
use super::terminal;
use crate::limits::{CELL, IN_ROW, LONG_LINE};
use crate::model::words::file_line;
use crate::report::kit::formats::{UNKNOWN, and_more};
use crate::report::kit::markdown::{MarkdownPart, code, plain, prose};

/// Adds the first rows of a list while there is room, with the columns that are text and of which some row knows the value.
pub(crate) fn table(part: &mut MarkdownPart<'_>, listing: &Listing<'_>) {
    let absent = listing.absent(|cell| cell.is_unknown() || cell.is_drawn());
    let heads = listing.heads.iter().zip(&absent).filter(|(_, absent)| !**absent).map(|(head, _)| {
        let end = if matches!(head.sorting, Sorting::Number | Sorting::Fixed) { ":" } else { "" };
        prose(&head.title, CELL) + end
    });
    let heads: Vec<String> = heads.collect();
    let rows = (0..listing.count().min(listing.most)).map(|at| {
        let cells = listing.row(at);
        cells.iter().zip(&absent).filter(|(_, absent)| !**absent).map(|(cell, _)| text(cell)).collect()
    });
    part.table(&heads.iter().map(String::as_str).collect::<Vec<_>>(), rows);
}

/// A cell as Markdown.
pub(crate) fn text(cell: &Cell<'_>) -> String {
    match cell {
        Cell::Link { href, .. } => return code(href, CELL),
        Cell::LogLink { words, url } => {
            return format!("{}, {}", prose(words, LONG_LINE), code(url, LONG_LINE));
        }
        _ => {}
    }
    if let Some(inner) = cell.inner() {
        return text(inner);
    }
    match cell {
        Cell::Place { file, line } => code(&file_line(file, line.filter(|line| *line >= 0)), LONG_LINE),
        Cell::Unknown => UNKNOWN.to_owned(),
        Cell::Words(words) => plain(words),
        Cell::Figure { shown, .. } => plain(shown),
        Cell::Code(text) | Cell::Function(text) => code(text, CELL),
        Cell::Prose(text) => prose(text, LONG_LINE),
        Cell::File { path, .. } => code(path.as_str(), CELL),
        Cell::Compiles(ids) => {
            let shown: Vec<String> = ids.iter().take(IN_ROW).map(|id| code(id, CELL)).collect();
            shown.join(" ") + &and_more(ids.len(), IN_ROW)
        }
        Cell::Beside(cells, between) => cells.iter().map(text).collect::<Vec<_>>().join(between),
        Cell::Stacked(cells) => cells.iter().map(text).collect::<Vec<_>>().join("; "),
        other => prose(&terminal::text(other), LONG_LINE),
    }
}
