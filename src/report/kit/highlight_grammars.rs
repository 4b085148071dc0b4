//! The grammars of Python and C++.
//!
//! The grammars of the highlighting crate say what a name is with all letters of Unicode, and making a matcher of such a
//! rule takes more time than anything else in the report of a short log. A line of generated code is ASCII. So
//! `grammars.packdump` has the grammars that code needs with each such rule reduced to ASCII, and only a line with other
//! characters asks those of the crate. Both number their states alike: the tests below make the file from the crate.

use anyhow::Context as _;
use std::sync::LazyLock;
use syntect::parsing::SyntaxSet;

/// The reduced grammars, and those of their rules that a text needed so far. All workers share them.
static ASCII: LazyLock<Option<SyntaxSet>> =
    LazyLock::new(|| syntect::dumps::from_uncompressed_data(include_bytes!("grammars.packdump")).ok());

/// The grammars of the crate, for lines that are not ASCII.
static WHOLE: LazyLock<SyntaxSet> = LazyLock::new(SyntaxSet::load_defaults_newlines);

/// The grammars that read ASCII.
///
/// # Errors
/// The file that was built in is damaged.
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
