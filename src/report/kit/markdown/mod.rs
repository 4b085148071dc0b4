//! A Markdown document of limited size.
//!
//! Each part of the document has its own room, and unused room goes to later parts. Entries are added by rank: those
//! without room are counted, and the part ends with their number and where to find them.

mod escape;

pub(crate) use escape::{block, cell, code, prose};

pub(crate) use crate::model::words::plain;
use crate::report::kit::formats::counted;
use std::io::{self, Write};

/// Bytes reserved for the line about omitted entries.
const NOTE: usize = 300;

/// A document, written part by part.
#[derive(Default)]
pub(crate) struct Markdown {
    text: String,
    /// Most bytes of the parts so far.
    allowed: usize,
}

/// The current part of a document.
pub(crate) struct MarkdownPart<'d> {
    document: &'d mut Markdown,
    left_out: usize,
}

impl Markdown {
    /// Begins a part with room for this many bytes.
    pub fn part(&mut self, room: usize) -> MarkdownPart<'_> {
        self.allowed += room;
        MarkdownPart { document: self, left_out: 0 }
    }

    pub fn text(self) -> String {
        self.text
    }

    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(self.text.as_bytes())
    }

    fn push_block(&mut self, text: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(text.trim_end());
        self.text.push('\n');
    }
}

impl MarkdownPart<'_> {
    /// A heading of this level, in the report's own words.
    pub fn heading(&mut self, level: usize, text: &str) {
        self.document.push_block(&format!("{} {text}", "#".repeat(level)));
    }

    /// A short paragraph or list that is always included.
    pub fn text(&mut self, text: &str) {
        if !text.is_empty() {
            self.document.push_block(text);
        }
    }

    /// An entry after a blank line, if there is room.
    pub fn entry(&mut self, text: &str) {
        if self.takes(text) {
            self.document.push_block(text);
        }
    }

    /// A table with as many rows as there is room for. Cells are Markdown.
    pub fn table(&mut self, heads: &[&str], rows: impl Iterator<Item = Vec<String>>) {
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|text| cell(text)).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let mut rows = rows.peekable();
        if rows.peek().is_none() {
            return;
        }
        let names: Vec<String> = heads.iter().map(|head| head.trim_end_matches(':').to_owned()).collect();
        // A title with a colon at the end marks a column of numbers.
        let rules: Vec<&str> =
            heads.iter().map(|head| if head.ends_with(':') { "---:" } else { "---" }).collect();
        self.document.push_block(&format!("{}| {} |", line(&names), rules.join(" | ")));
        for row in rows {
            let row = line(&row);
            if self.takes(&row) {
                self.document.text.push_str(&row);
            }
        }
    }

    /// Ends the part with the number of omitted entries and where to find them.
    pub fn end(self, left_out_before: usize, (one, many): (&str, &str), place: &str) {
        let left_out = self.left_out + left_out_before;
        if left_out > 0 {
            let note = format!("{} left out here: {place}.", counted(left_out, one, many));
            self.document.push_block(&plain(&note));
        }
    }

    /// Whether an entry fits. After one that does not, later ones of lower rank are omitted too.
    fn takes(&mut self, text: &str) -> bool {
        let fits = self.document.text.len() + text.len() + NOTE <= self.document.allowed;
        if self.left_out > 0 || !fits {
            self.left_out += 1;
        }
        self.left_out == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_without_room_are_counted_and_room_that_is_left_goes_to_the_next_part() {
        let mut document = Markdown::default();
        let mut part = document.part(NOTE + 20);
        part.heading(2, "One");
        for entry in ["12345678", "a longer entry than fits", "1"] {
            part.entry(entry);
        }
        part.end(0, ("finding", "findings"), "`report.json` has all");
        let mut next = document.part(200);
        next.table(&["A", "B:"], (0..90).map(|n| vec![n.to_string(), "x|y".to_owned()]));
        next.end(3, ("row", "rows"), "`x.html`");
        assert!(
            document.text.starts_with("## One\n\n12345678\n\n2 findings left out here"),
            "{}",
            document.text
        );
        assert!(document.text.contains("\n\n| A | B |\n| --- | ---: |\n"), "{}", document.text);
        assert!(document.text.ends_with("rows left out here: `x.html`.\n"), "{}", document.text);
    }

    #[test]
    fn a_table_without_rows_has_no_head() {
        let mut document = Markdown::default();
        let mut part = document.part(1000);
        part.table(&["A"], std::iter::empty());
        part.end(0, ("row", "rows"), "x");
        assert_eq!(document.text, "");
    }
}
