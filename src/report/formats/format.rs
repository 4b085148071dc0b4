//! The names of the formats.

use crate::hidden::{visible, visible_json};

/// A form in which a result is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Lines for a terminal.
    Text,
    /// JSON.
    Json,
    /// Markdown of at most 60 KB, for a pull request or the summary of a job.
    Markdown,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// JUnit's XML, for test reports.
    Junit,
    /// Commands that GitHub shows as annotations of a run.
    Github,
}

impl Format {
    /// All, by the names that the command line knows.
    pub const ALL: [(&'static str, Format); 6] = [
        ("text", Format::Text),
        ("json", Format::Json),
        ("markdown", Format::Markdown),
        ("sarif", Format::Sarif),
        ("junit", Format::Junit),
        ("github", Format::Github),
    ];

    /// A result in this format without a character that a terminal or a viewer would obey and nobody would see: names of
    /// files and titles may hold any. In JSON they are escaped as JSON does it; elsewhere as `\u{1b}`.
    pub(crate) fn printable(self, text: String) -> String {
        let shown = match self {
            Format::Json | Format::Sarif => visible_json(&text),
            _ => visible(&text),
        };
        shown.into_owned()
    }
}
