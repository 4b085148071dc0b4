//! The index as JSON in the page, written entry by entry within a byte budget.

use crate::limits::PARAGRAPH;
use crate::model::words::shortened;
use crate::report::kit::markup::{self, open_data, script_json};
use std::io::{self, Write};

/// Writes the index. Entries that exceed the budget are counted and left out.
pub(crate) struct IndexWriter<'o> {
    out: &'o mut dyn Write,
    pub left: u64,
    /// Number of facts written.
    pub rows: usize,
    /// Number of facts and names left out.
    pub dropped: usize,
    first: bool,
    piece: Vec<u8>,
}

/// An entry of the index: a title, details, and a link.
pub(crate) struct Fact {
    pub main: String,
    /// Shown after the title.
    pub detail: String,
    /// A path of the report, encoded, with its anchor.
    pub href: String,
}

/// Most characters of a title; the linked page has the full text.
const LONGEST_MAIN: usize = 300;

impl<'o> IndexWriter<'o> {
    /// An index of at most `room` bytes, not counting its frame.
    pub fn new(out: &'o mut dyn Write, room: u64) -> Self {
        IndexWriter { out, left: room, rows: 0, dropped: 0, first: true, piece: Vec::new() }
    }

    /// Begins the element. It holds data, so the policy need not allow it.
    pub fn open(&mut self) -> io::Result<()> {
        open_data(self.out, "index")?;
        self.out.write_all(b"{\"groups\":[")?;
        self.first = true;
        Ok(())
    }

    /// Ends the element.
    pub fn close(&mut self) -> io::Result<()> {
        self.out.write_all(b"]}")?;
        markup::close(self.out, "script")
    }

    /// Ends the list and begins the next.
    pub fn list(&mut self, name: &'static str) -> io::Result<()> {
        self.first = true;
        write!(self.out, "],\n\"{name}\":[")
    }

    /// Writes an entry of the list; false if there is no room.
    pub fn entry(&mut self, json: &[u8]) -> io::Result<bool> {
        let size = json.len() as u64 + 1;
        if size > self.left {
            return Ok(false);
        }
        self.left -= size;
        if !std::mem::take(&mut self.first) {
            self.out.write_all(b",")?;
        }
        self.out.write_all(json)?;
        Ok(true)
    }

    /// Writes the facts of one kind, if any.
    pub fn group(&mut self, title: &'static str, facts: impl Iterator<Item = Fact>) -> io::Result<()> {
        let mut opened = false;
        for fact in facts {
            if !std::mem::replace(&mut opened, true) {
                let comma = if self.first { "" } else { "," };
                write!(self.out, "{comma}[\"{title}\",[")?;
                self.first = true;
            }
            let mut piece = std::mem::take(&mut self.piece);
            piece.clear();
            piece.push(b'[');
            write_text(&mut piece, &shortened(&fact.main, LONGEST_MAIN));
            piece.push(b',');
            write_text(&mut piece, &shortened(&fact.detail, PARAGRAPH));
            piece.push(b',');
            write_text(&mut piece, &fact.href);
            piece.push(b']');
            match self.entry(&piece)? {
                true => self.rows += 1,
                false => self.dropped += 1,
            }
            self.piece = piece;
        }
        if opened {
            self.out.write_all(b"]]\n")?;
            self.first = false;
        }
        Ok(())
    }
}

/// Appends a text as JSON for a script element.
pub(crate) fn write_text(out: &mut Vec<u8>, text: &str) {
    // A text is always JSON.
    out.extend_from_slice(script_json(&text).unwrap_or_default().as_bytes());
}
