//! The grammars of Python and C++.
//!
//! In the grammars of the highlighting crate, a name may have any Unicode letter, and compiling such a rule takes more
//! time than anything else in the report of a short log. Generated code is ASCII. So `grammars.packdump` has the needed
//! grammars with these rules reduced to ASCII, and only lines with other characters use the crate's grammars. Both
//! number their states alike, as a test generates the file from the crate.

use anyhow::Context as _;
use std::sync::LazyLock;
use syntect::parsing::SyntaxSet;

/// The reduced grammars with the rules compiled so far, shared by all workers.
static ASCII: LazyLock<Option<SyntaxSet>> =
    LazyLock::new(|| syntect::dumps::from_uncompressed_data(include_bytes!("grammars.packdump")).ok());

/// The grammars of the crate, for lines that are not ASCII.
static WHOLE: LazyLock<SyntaxSet> = LazyLock::new(SyntaxSet::load_defaults_newlines);

/// The grammars that read ASCII.
///
/// # Errors
/// The embedded file is damaged.
pub(super) fn of_ascii() -> anyhow::Result<&'static SyntaxSet> {
    ASCII.as_ref().context("the grammars cannot be read")
}

/// The grammars that read any text.
pub(super) fn of_any_text() -> &'static SyntaxSet {
    &WHOLE
}

#[cfg(test)]
#[path = "highlight_grammars_tests.rs"]
mod tests;
