//! Texts as lines. Each distinct line is stored once: a text is a list of new lines and references to earlier ones.

use crate::report::kit::formats::clipped;
use crate::report::kit::search_index::write_text;
use crate::trace::{TextHasher, readable_text};
use fxhash::FxHashMap;
use std::hash::BuildHasher;
use std::io::{self, Write};

/// Indexed characters per line, not counting surrounding white space.
pub(crate) const LONGEST_LINE: usize = 200;

/// Bytes read per line; enough for indentation plus the indexed text.
const LONGEST_READ: usize = 400;

/// All indexed lines, by hash. Lines with equal hashes would be treated as one; with 64 bits and a million lines, the
/// chance is one in thirty million.
pub(crate) struct Known {
    numbers: FxHashMap<u64, u32>,
    hasher: TextHasher,
    next: u32,
}

impl Known {
    /// The empty line is number 0.
    pub fn new() -> Self {
        let hasher = TextHasher::default();
        Known { numbers: FxHashMap::from_iter([(hasher.hash_one(""), 0)]), hasher, next: 1 }
    }

    /// Number of distinct non-empty lines.
    pub fn len(&self) -> usize {
        self.next.saturating_sub(1) as usize
    }
}

/// Turns a text, written in pieces of any size, into an entry: `"a new line"`, `7` for line 7, `7,-2` for lines 7 to 9.
pub(crate) struct LineSink<'k> {
    known: &'k mut Known,
    /// The entry so far.
    json: Vec<u8>,
    /// Most bytes of the entry.
    room: usize,
    /// Lines first seen in this text.
    added: Vec<u64>,
    /// A run of known lines not yet written: the first, and how many.
    run: Option<(u32, u32)>,
    /// The current line so far.
    begun: Vec<u8>,
}

impl<'k> LineSink<'k> {
    pub fn new(known: &'k mut Known, room: usize) -> Self {
        let (json, begun) = (Vec::new(), Vec::new());
        LineSink { known, json, room, added: Vec::new(), run: None, begun }
    }

    /// Whether the text exceeds its room; reading stops then.
    pub fn is_full(&self) -> bool {
        self.json.len() > self.room
    }

    /// The entry; None if it exceeded its room, in which case its lines are forgotten.
    pub fn finish(mut self) -> Option<Vec<u8>> {
        let begun = std::mem::take(&mut self.begun);
        if !begun.is_empty() {
            self.line(&begun);
        }
        self.write_run();
        if !self.is_full() {
            return Some(self.json);
        }
        for hash in &self.added {
            self.known.numbers.remove(hash);
        }
        self.known.next -= self.added.len() as u32;
        None
    }

    fn line(&mut self, line: &[u8]) {
        let read = line.get(..LONGEST_READ).unwrap_or(line);
        let text = readable_text(read);
        let text = trimmed(&text);
        let text = clipped(text, LONGEST_LINE).0.trim_end();
        let hash = self.known.hasher.hash_one(text);
        if let Some(&number) = self.known.numbers.get(&hash) {
            return self.refer(number);
        }
        self.write_run();
        self.comma();
        write_text(&mut self.json, text);
        self.known.numbers.insert(hash, self.known.next);
        self.known.next += 1;
        self.added.push(hash);
    }

    fn refer(&mut self, number: u32) {
        match &mut self.run {
            Some((first, count)) if *first + *count == number => *count += 1,
            _ => {
                self.write_run();
                self.run = Some((number, 1));
            }
        }
    }

    fn write_run(&mut self) {
        let Some((first, count)) = self.run.take() else { return };
        self.comma();
        self.push_number(first);
        if count > 1 {
            self.json.extend_from_slice(b",-");
            self.push_number(count - 1);
        }
    }

    /// Half of the entries of generated code are numbers.
    fn push_number(&mut self, number: u32) {
        self.json.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
    }

    fn comma(&mut self) {
        if !self.json.is_empty() {
            self.json.push(b',');
        }
    }
}

impl Write for LineSink<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut rest = bytes;
        while let Some(at) = memchr::memchr(b'\n', rest) {
            if self.is_full() {
                return Err(io::ErrorKind::StorageFull.into());
            }
            let (line, after) = rest.split_at_checked(at).unwrap_or((rest, &[]));
            rest = after.get(1..).unwrap_or_default();
            if self.begun.is_empty() {
                self.line(line);
            } else {
                let mut begun = std::mem::take(&mut self.begun);
                extend(&mut begun, line);
                self.line(&begun);
                begun.clear();
                self.begun = begun;
            }
        }
        extend(&mut self.begun, rest);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Trims white space. Nearly all lines begin and end in ASCII, so this looks at bytes first.
fn trimmed(text: &str) -> &str {
    let ascii = text.trim_ascii();
    let is_plain = |byte: Option<&u8>| byte.is_none_or(|byte| byte.is_ascii_graphic());
    match is_plain(ascii.as_bytes().first()) && is_plain(ascii.as_bytes().last()) {
        true => ascii,
        false => text.trim(),
    }
}

/// Only the part of a line that is indexed is kept.
fn extend(begun: &mut Vec<u8>, more: &[u8]) {
    let room = LONGEST_READ.saturating_sub(begun.len());
    begun.extend_from_slice(more.get(..room).unwrap_or(more));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(known: &mut Known, room: usize, pieces: &[&str]) -> Option<String> {
        let mut sink = LineSink::new(known, room);
        for piece in pieces {
            if sink.write_all(piece.as_bytes()).is_err() {
                assert!(sink.is_full());
            }
        }
        sink.finish().map(|json| String::from_utf8(json).unwrap())
    }

    #[test]
    fn a_line_stands_once_and_known_lines_are_runs() {
        let mut known = Known::new();
        let first = entry(&mut known, 1000, &["  a\n\nb</", "script>\nc\na"]);
        assert_eq!(first.as_deref(), Some(r#""a",0,"b\u003c/script>","c",1"#));
        let second = entry(&mut known, 1000, &["b</script>\n", "c\nd\na\nb</script>\nc\n"]);
        assert_eq!(second.as_deref(), Some(r#"2,-1,"d",1,-2"#));
        assert_eq!(known.len(), 4);
    }

    #[test]
    fn white_space_of_any_kind_is_taken_from_the_ends() {
        for text in [" a b\t", "\u{a0}a\u{2003}", "\u{b}a", "a\u{85}", "\u{e9}", " \u{a0} ", "", "\u{1c}a"] {
            assert_eq!(trimmed(text), text.trim(), "{text:?}");
        }
    }

    #[test]
    fn a_text_without_room_leaves_nothing_behind() {
        let mut known = Known::new();
        assert_eq!(entry(&mut known, 12, &["one\ntwo\nthree\nfour\n", "five\n"]), None);
        assert_eq!(known.len(), 0);
        assert_eq!(entry(&mut known, 100, &["two\n"]).as_deref(), Some(r#""two""#));
    }

    #[test]
    fn long_lines_are_cut_and_odd_bytes_do_no_harm() {
        let mut known = Known::new();
        let long = "\u{e9}".repeat(10_000);
        let json = entry(&mut known, 10_000, &[&long, &long]).unwrap();
        assert_eq!(json.chars().filter(|c| *c == '\u{e9}').count(), LONGEST_LINE);
        let mut sink = LineSink::new(&mut known, 100);
        sink.write_all(b"\xff\0\n").unwrap();
        assert_eq!(sink.finish().unwrap(), "\"\u{fffd}\\u0000\"".as_bytes());
    }
}
