//! Limits for text of a log, lists and pages, by class. Other limits stand where they hold, in the files that
//! `tests/structure.rs` lists with the reason. A log refers to interned strings, such as file names, by number: a few bytes
//! each time, which must not cost the report the whole string each time. `raw.log` and `raw.jsonl` have the full text.

use std::borrow::Cow;

// Characters of a text that is shown.

/// Characters of a label in a drawing, of a short value, or of a name in a line of names.
pub const LABEL: usize = 30;

/// Characters of the name of a kernel or module in a cell with several. Names of C++ templates have hundreds.
pub const KERNEL_IN_LIST: usize = 44;

/// Characters of a name, of a kernel say, that has a cell, a label or a part of a sentence.
pub const SHORT_NAME: usize = 60;

/// Characters of a value, a name or a line of code that a sentence quotes.
pub const QUOTE: usize = 80;

/// Characters of a value or a name that has a cell or a heading to itself.
pub const CELL: usize = 120;

/// Characters of a path, of a line of code, or of the first line of a failure in a heading.
pub const SHORT_LINE: usize = 160;

/// Characters of a line of code, or of what went wrong, that is given in full where it fits.
pub const LONG_LINE: usize = 200;

/// Characters of a title, of a message, or of a condition of torch.
pub const SENTENCE: usize = 240;

/// Characters of a hint, an explanation or a text in a table: about ten lines of a wide column. Longer ones are folded or
/// cut.
pub const PARAGRAPH: usize = 600;

// Bytes of a text that is kept or read.

/// Bytes of the name of a function or class. Real names have about a hundred.
pub const LONGEST_NAME: usize = 1_000;

/// Bytes of a source line beside a frame, and of a message. Formatters break lines at a hundred.
pub const LONGEST_LINE: usize = 2_000;

/// Bytes of a file's path: the longest that Linux opens.
pub const LONGEST_PATH: usize = 4_096;

/// Bytes of a field of an event, of a comment in a graph, or of an expression that is read.
pub const LONGEST_VALUE: usize = 4_096;

/// Bytes of a text that a page shows collapsed. Escaped, it may take a megabyte of the page. The longest recorded reason of
/// a graph break has 20 KB.
pub const LONGEST_FOLDED: usize = 200_000;

/// Bytes of a text of which real ones have some kilobytes: an error, a graph break, a pattern.
pub const LARGEST_NOTE: u64 = 1 << 20;

/// Bytes of a graph, of code, of a guard tree or of settings that is highlighted, compared or shown beside another. The
/// largest recorded has 2 MB, and browsers need seconds for more.
pub const LARGEST_TEXT: u64 = 4 << 20;

/// Bytes of a graph or another artifact that is read for what it says.
pub const LARGEST_ARTIFACT: u64 = 16 << 20;

/// Bytes of all texts that are read for one page or one conclusion: some seconds of work for the worst log.
pub const READ_TOGETHER: u64 = 48 << 20;

/// Bytes of a file that is in memory as a whole, to be given or to be indented.
pub const LARGEST_FILE: u64 = 64 << 20;

/// Bytes of a `report.json`. That of a log of 70 MB has 2 MB, that of 10,000 compiles 50 MB.
pub const LARGEST_REPORT: u64 = 1 << 30;

// Entries that are shown.

/// Names or values that a title, a verdict or a short cell gives one by one; more are counted.
pub const NAMED_BRIEFLY: usize = 3;

/// Compiles, ranks or inputs that the head of an entry or of a row shows; more are counted.
pub const IN_HEAD: usize = 4;

/// Findings or kernels that come first: with the verdict, the terminal shows eight lines.
pub const FEW: usize = 5;

/// Names or values that a row, a bullet or a short cell names; more are counted.
pub const IN_ROW: usize = 6;

/// Names, ids or ranks that a sentence or a cell names, and entries of one kind that stand alone; more are counted.
pub const NAMED: usize = 8;

/// Entries in the open before the rest is folded or left out.
pub const FIRST: usize = 10;

/// Entries of a short list: beside a sentence or in a cell.
pub const SHORT_LIST: usize = 12;

/// Entries of a list that is a small part of its page.
pub const LIST: usize = 20;

/// Rows of a table before its button for more, and entries or links of a list with a place of its own.
pub const SHOWN: usize = 40;

/// Rows of a list that may be long, beside other content of a page.
pub const LONG_LIST: usize = 200;

/// Rows of a table that is not what its page is for.
pub const SHORT_TABLE: usize = 400;

/// Rows of a table; further ones are in `report.json` only.
pub const LISTED: usize = 1_000;

/// Rows of a table that is what its page is for: lines, guards, lookups, settings.
pub const LONG_TABLE: usize = 2_000;

/// Kernels that a page lists. A log of 368 compiles has some hundreds.
pub const KERNELS_LISTED: usize = 4_000;

// Entries that are kept or looked at, so that no log takes quadratic time or all memory.

/// Things with one name or place that are kept or tried, of which torch writes one or two.
pub const SAME_NAME: usize = 16;

/// Things that are followed, or compared each with each. Real logs have a handful.
pub const TRIED: usize = 64;

/// Entries that are searched for one that belongs to another.
pub const SEARCHED: usize = 500;

/// Entries of one text: arguments of a call, edges of a graph, lines of a file.
pub const KEPT_OF_ONE: usize = 4_096;

/// Entries of one kind: inputs, guards, kernels, links. Large models have some thousand.
pub const KEPT: usize = 20_000;

/// Distinct texts of a log that are remembered.
pub const KEPT_OF_LOG: usize = 200_000;

/// Frames of a stack, from the innermost. Python's own recursion limit is 1,000, and pages nest lists as deep as stacks are.
pub const DEEPEST_STACK: usize = 512;

/// Nesting depth of JSON that is copied from a record. Many JSON readers give up at 128, and our files add a few levels.
/// Torch writes five.
pub const DEEPEST_JSON: usize = 100;

// Whole pages.

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
