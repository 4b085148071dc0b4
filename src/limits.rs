//! Limits for text of a log, lists and pages, by class. Other limits stand where they hold. A log refers to interned strings, such as file names, by number: a few
//! bytes each time, which must not cost the report the whole string each time. `raw.log` and `raw.jsonl` have the full text.

use std::borrow::Cow;

/// Bytes of the name of a function or class. Real names have about a hundred.
pub const LONGEST_NAME: usize = 1_000;

/// Bytes of a source line beside a frame. Formatters break lines at a hundred.
pub const LONGEST_LINE: usize = 2_000;

/// Bytes of a file's path: the longest that Linux opens.
pub const LONGEST_PATH: usize = 4_096;

/// Bytes of a text that a page shows collapsed. Escaped, it may take a megabyte of the page. The longest recorded reason of
/// a graph break has 20 KB.
pub const LONGEST_FOLDED: usize = 200_000;

/// Characters of a kernel's name in a table or a sentence. Names of C++ templates have hundreds.
pub const KERNEL_NAME: usize = 60;

/// Names, ids or ranks that a sentence names, and entries of one kind that stand alone; more are counted.
pub const NAMED: usize = 8;

/// Rows of a table; further ones are in `report.json` only.
pub const LISTED: usize = 1_000;

/// Bytes of a graph, of code, of a guard tree or of settings that is highlighted, compared or shown beside another. The
/// largest recorded has 2 MB, and browsers need seconds for more.
pub const LARGEST_TEXT: u64 = 4 << 20;

/// Bytes of a graph or another artifact that is read for what it says.
pub const LARGEST_ARTIFACT: u64 = 16 << 20;

/// Bytes of a file that is in memory as a whole, to be given or to be indented.
pub const LARGEST_FILE: u64 = 64 << 20;

/// Bytes of a `report.json`. That of a log of 70 MB has 2 MB, that of 10,000 compiles 50 MB.
pub const LARGEST_REPORT: u64 = 1 << 30;

/// Nesting depth of JSON that is copied from a record. Many JSON readers give up at 128, and our files add a few levels.
/// Torch writes five.
pub const DEEPEST_JSON: usize = 100;

/// Bytes of a page after which its tables get no more rows, so that browsers open it at once. Viewers, which show code or
/// graphs side by side, have [`LARGEST_VIEWER`].
pub const LARGEST_PAGE: usize = 2_000_000;

/// Bytes of a viewer's page after which its tables get no more rows.
pub const LARGEST_VIEWER: usize = 8_000_000;

/// The text if it has at most `most` bytes, else its beginning and an ellipsis.
pub fn bounded(text: &str, most: usize) -> Cow<'_, str> {
    match beginning(text, most) {
        all if all.len() == text.len() => Cow::Borrowed(text),
        begin => Cow::Owned(format!("{begin}…")),
    }
}

/// The first `most` bytes of a text or fewer, cut between characters.
pub fn beginning(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    text.get(..end.unwrap_or_default()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_characters_and_says_so() {
        assert_eq!(bounded("grüße", 7), "grüße");
        assert_eq!(bounded("grüße", 3), "gr…");
        assert_eq!(bounded("", 0), "");
    }
}
