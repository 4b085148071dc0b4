//! Lists as tables of a page.

use super::cell::Cell;
use super::listing::{Head, Listing, Sorting};
use crate::facts::safe::address;
use crate::report::kit::formats::{UNKNOWN, whole};
use crate::report::kit::html::Html;
use crate::report::kit::lists::and_more;
use crate::report::kit::markup::close_section;
use crate::report::kit::tables::{Row, Table, TableCell, TableColumn};
use crate::report::kit::view::Render;
use std::io::Write;

/// Ids that a cell shows; it counts the others.
const SHOWN: usize = 12;

/// Shows a compile by its id, as a page does.
pub(crate) type Pills<'p> = &'p dyn Fn(&str) -> Html;

/// Writes a list as a section with a table.
pub(crate) fn section(
    view: Render<'_>,
    out: &mut dyn Write,
    listing: &Listing<'_>,
    pills: Pills<'_>,
) -> anyhow::Result<()> {
    view.open_section(out, (listing.id, listing.title, ""), Some(whole(listing.count())), Html::default())?;
    let id = format!("{}-table", listing.id);
    let columns = listing
        .heads
        .iter()
        .zip(listing.absent(|cell| matches!(cell, Cell::Unknown)))
        .map(|(head, absent)| column(head, absent));
    let table = Table { id: &id, label: listing.title, columns: columns.collect() };
    let rows = (0..listing.count()).map(|at| {
        let cells = listing.row(at).iter().map(|cell| table_cell(cell, view, pills)).collect();
        match listing.anchor(at) {
            Some(anchor) => Row::of(cells).anchored(anchor),
            None => Row::of(cells),
        }
    });
    view.table(out, &table, rows)?;
    Ok(close_section(out)?)
}

fn column(head: &Head, absent: bool) -> TableColumn {
    let column = match head.sorting {
        Sorting::Text => TableColumn::text(head.title),
        Sorting::Number => TableColumn::number(head.title),
        Sorting::No => TableColumn::unsorted(head.title),
    };
    column.absent_if(absent)
}

fn table_cell(cell: &Cell<'_>, view: Render<'_>, pills: Pills<'_>) -> TableCell {
    match cell {
        Cell::Unknown => TableCell::text(UNKNOWN),
        Cell::Words(words) => TableCell::text(words),
        Cell::Log(text) => TableCell::html(view.folded(text, false)),
        Cell::Code(text) => TableCell::html(view.folded(text, true)),
        Cell::Prose(text) => TableCell::html(view.prose(text)),
        Cell::Figure { value, shown } => TableCell::number(*value, shown),
        Cell::Function(name) => TableCell::html(view.function(name)),
        Cell::CatalogEntry(number) => TableCell::html(view.log_link(number, &address(number))),
        Cell::Compiles(ids) => {
            let more = and_more(ids.len(), SHOWN);
            let shown = ids.iter().take(SHOWN).map(|id| pills(id));
            TableCell::html(Html::joined(shown.chain([more.into()]).collect::<Vec<_>>(), " "))
        }
        Cell::Place { file, line: Some(line) } => TableCell::text(&format!("{file}:{line}")),
        Cell::Place { file, line: None } => TableCell::text(file),
        Cell::Parts(parts) => TableCell::html(view.bar(parts, false)),
    }
}
