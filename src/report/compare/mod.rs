//! The comparison of two sides: its page, its JSON, its Markdown, and its lines on the terminal.

mod changes;
mod data;
mod markdown;
mod page;
mod rows;
mod tables;
mod terminal;
mod verdict;
mod view;

pub use data::to_json;
pub use terminal::summary as diff_summary;

use crate::compare::Comparison;
use crate::output::{Page, RelPath};
use crate::report::kit::templates::Worker;

/// The page.
pub const DIFF_PAGE: &str = "diff.html";
/// The same for programs.
const DIFF_JSON: &str = "diff.json";
/// The same for issues and pull requests.
const DIFF_MARKDOWN: &str = "diff.md";

/// All files of a comparison.
pub fn diff_pages(comparison: &Comparison) -> Vec<Page<'_, Worker>> {
    let file = |name| RelPath::of_parts(&[name]);
    vec![
        page::page(comparison, file(DIFF_PAGE)),
        Page::rendered(file(DIFF_MARKDOWN), move |_: &mut Worker, out| {
            Ok(out.write_all(diff_markdown(comparison).as_bytes())?)
        }),
        Page::rendered(file(DIFF_JSON), move |_: &mut Worker, out| {
            serde_json::to_writer_pretty(&mut *out, &to_json(comparison))?;
            Ok(out.write_all(b"\n")?)
        }),
    ]
}

/// The comparison as Markdown, of limited length.
pub fn diff_markdown(comparison: &Comparison) -> String {
    markdown::document(comparison)
}

/// The names that the folder of a comparison may have at its top: its files, and the reports that were written for it.
pub fn diff_entries() -> Vec<String> {
    let files = [DIFF_PAGE, DIFF_JSON, DIFF_MARKDOWN].map(str::to_owned);
    files.into_iter().chain(["a/", "b/", "a#/", "b#/"].map(str::to_owned)).collect()
}
