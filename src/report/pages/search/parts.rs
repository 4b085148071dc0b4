//! Parts of entries: places, and links to compiles.

use crate::model::Compile;
use crate::report::doc::Listing;
use crate::report::kit::formats::short_path;
use crate::report::kit::links;
use crate::report::subject::Report;

/// `model.py:12 /app/model.py`: the short form to read, the full path to find.
pub(crate) fn place(file: Option<&str>, line: Option<u64>) -> String {
    match (file, line) {
        (Some(file), Some(line)) => format!("{}:{line} · {file}", short_path(file)),
        (Some(file), None) => file.to_owned(),
        _ => String::new(),
    }
}

/// The non-empty parts, joined by dots.
pub(crate) fn joined(parts: &[&str]) -> String {
    let parts: Vec<&str> = parts.iter().copied().filter(|part| !part.is_empty()).collect();
    parts.join(" · ")
}

/// A part of the page of a compile; without a page, its row.
pub(crate) fn page_of(report: Report<'_>, compile: &Compile, anchor: &str) -> String {
    let page = links::compile(report, compile);
    if compile.is_bare { page } else { page + anchor }
}

/// What a list says of its rows, one after the other: a new column of a list is found without a change here. Of `without`,
/// the title of the entry has the words.
pub(crate) fn rows<'l>(list: &'l Listing<'_>, without: &'l [&str]) -> impl Iterator<Item = String> + 'l {
    (0..list.count()).map(move |at| {
        let cells = list.in_words(at).into_iter().filter(|cell| !without.contains(&cell.title));
        let told = cells.map(|cell| match cell.is_number {
            true => format!("{} {}", cell.title.to_lowercase(), cell.shown),
            false => cell.shown,
        });
        told.collect::<Vec<_>>().join(" · ")
    })
}
