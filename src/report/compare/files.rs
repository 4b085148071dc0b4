//! Names of the files of a comparison.

use crate::output::RelPath;

pub const DIFF_PAGE: &str = "diff.html";
/// The same for programs.
pub(super) const DIFF_JSON: &str = "diff.json";
/// The same for issues and pull requests.
pub(super) const DIFF_MARKDOWN: &str = "diff.md";

/// The folder of the pages with graphs and code side by side.
pub(super) const CHANGED: &str = "changed";

/// The paths of these pages.
pub(super) const CHANGED_PAGES: &str = "changed/<k>.html";

/// The paths of what the pages load.
pub(super) const ASSETS: [&str; 2] = ["assets/<name>-<hash>.css", "assets/<name>-<hash>.js"];

/// The page of a changed function, by its index.
pub(super) fn changed_page(place: usize) -> RelPath {
    RelPath::of_parts(&[CHANGED, &format!("{}.html", place + 1)])
}
