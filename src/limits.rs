//! How much of a log is shown where it could be shown without end. A log comes from anywhere: what it repeats by a number,
//! such as the name of a file, costs it a few bytes each time, and a report must not spend its whole length on each.
//! The whole stands once, in `raw.log`, and what a record itself says in `raw.jsonl`.

use std::borrow::Cow;

/// Bytes of the name of a function or of a class. Real ones have a hundred.
pub const LONGEST_NAME: usize = 1_000;

/// Bytes of a line of source beside a frame. Formatters break lines at a hundred.
pub const LONGEST_LINE: usize = 2_000;

/// Bytes of the path of a file: the longest that Linux opens.
pub const LONGEST_PATH: usize = 4_096;

/// Bytes of a text that a page folds below its beginning: escaped, they may be a whole megabyte of a page. The longest reason
/// of a graph break that was recorded has 20 KB.
pub const LONGEST_FOLDED: usize = 200_000;

/// Levels of lists and objects in the JSON of a record that is copied: many readers of JSON give up at 128, and files have a
/// few levels of their own. Torch writes five.
pub const DEEPEST_JSON: usize = 100;

/// Bytes of a page from which on its tables get no more rows: what browsers open at once. The page of a viewer, which shows
/// code or graphs side by side, may have [`LARGEST_VIEWER`].
pub const LARGEST_PAGE: usize = 2_000_000;

/// Bytes of a viewer's page from which on its tables get no more rows.
pub const LARGEST_VIEWER: usize = 8_000_000;

/// The text if it has at most so many bytes, else its beginning and an ellipsis.
pub fn bounded(text: &str, most: usize) -> Cow<'_, str> {
    match beginning(text, most) {
        all if all.len() == text.len() => Cow::Borrowed(text),
        begin => Cow::Owned(format!("{begin}…")),
    }
}

/// At most so many bytes from the begin of a text, cut between characters.
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
