//! The comparison of two sides: its page, its JSON, its Markdown, and its lines on the terminal.

mod changes;
mod code;
mod data;
mod device;
mod files;
mod kernels;
mod markdown;
mod notices;
mod page;
mod rows;
mod tables;
mod terminal;
mod told;
mod verdict;
mod view;

pub use data::to_json;
pub use files::DIFF_PAGE;
pub use notices::{notices as diff_notices, suite as diff_suite};
pub use terminal::summary as diff_summary;

use crate::compare::{ChangedFunctions, Comparison};
use crate::output::{Entries, Page, RelPath};
use crate::report::kit::assets;
use crate::report::kit::templates::Worker;
use files::{ASSETS, CHANGED_PAGES, DIFF_JSON, DIFF_MARKDOWN};

/// All files of a comparison.
pub fn diff_pages<'c>(
    comparison: &'c Comparison,
    changed: &'c ChangedFunctions<'c>,
) -> Vec<Page<'c, Worker>> {
    let file = |name| RelPath::of_parts(&[name]);
    let mut pages = vec![
        page::page(comparison, changed, file(DIFF_PAGE)),
        Page::rendered(file(DIFF_MARKDOWN), move |_: &mut Worker, out| {
            Ok(out.write_all(diff_markdown(comparison).as_bytes())?)
        }),
        Page::rendered(file(DIFF_JSON), move |_: &mut Worker, out| {
            serde_json::to_writer_pretty(&mut *out, &to_json(comparison))?;
            Ok(out.write_all(b"\n")?)
        }),
    ];
    pages.extend(code::pages(comparison, changed));
    pages.extend(assets::files([assets::COMPARE, assets::COMPARE_CODE]));
    pages
}

/// The comparison as Markdown, of limited length.
pub fn diff_markdown(comparison: &Comparison) -> String {
    markdown::document(comparison)
}

/// What a comparison's folder may have: its files, and the reports written for it.
pub fn diff_entries(of_reports: Entries) -> Entries {
    let files = [DIFF_PAGE, DIFF_JSON, DIFF_MARKDOWN, CHANGED_PAGES];
    let paths = files.into_iter().chain(ASSETS).chain(["a/", "b/", "a<n>/", "b<n>/"]);
    Entries::new(paths.map(str::to_owned).collect()).with_parts(of_reports)
}
