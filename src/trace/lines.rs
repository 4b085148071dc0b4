//! Lines of a byte stream. A long line comes in pieces, so that a fixed buffer is enough for lines of any length.

use std::io::{self, Read};

/// Bytes of the read buffer: large enough that system calls do not matter (they are a thousandth of the time of a long log),
/// small enough for the caches. A short log feels each page of memory that is touched for the first time: with four times as
/// much, the system took 0.1 ms of its 8 to hand it over.
pub(super) const WINDOW: usize = 64 << 10;

/// Reads a stream line by line.
pub(super) struct Lines<R> {
    reader: R,
    buffer: Vec<u8>,
    /// The unread part of the buffer.
    start: usize,
    end: usize,
    /// How far the unread part is known to hold no newline.
    scanned: usize,
    /// What the last `peek` looked at: bytes to consume, and whether its line ends there.
    piece: usize,
    ends: bool,
    /// Where `start` is in the stream, and on which line (from 1).
    offset: u64,
    line: u64,
    mid_line: bool,
    at_end: bool,
}

/// A line, or a piece of one that is longer than the buffer.
pub(super) struct LinePiece<'a> {
    /// Without the newline.
    pub bytes: &'a [u8],
    /// Whether the line ends with this piece. A piece that does not end its line does not end in a CR either.
    pub ends: bool,
    /// Whether a newline follows; a line can also end with the stream.
    pub newline: bool,
}

impl<R: Read> Lines<R> {
    pub fn new(reader: R) -> Self {
        Lines {
            reader,
            buffer: Vec::new(),
            start: 0,
            end: 0,
            scanned: 0,
            piece: 0,
            ends: true,
            offset: 0,
            line: 1,
            mid_line: false,
            at_end: false,
        }
    }

    /// Where the piece that `peek` shows begins.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The number of the line that `peek` shows, from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// The next piece, without taking it; `None` at the end of the stream.
    pub fn peek(&mut self) -> io::Result<Option<LinePiece<'_>>> {
        let (len, newline) = loop {
            let window = self.buffer.get(self.start..self.end).unwrap_or_default();
            let fresh = window.get(self.scanned..).unwrap_or_default();
            if let Some(at) = memchr::memchr(b'\n', fresh) {
                self.scanned += at;
                self.ends = true;
                break (self.scanned, true);
            }
            self.scanned = window.len();
            if self.at_end {
                if window.is_empty() && !self.mid_line {
                    return Ok(None);
                }
                self.ends = true;
                break (window.len(), false);
            }
            if window.len() >= WINDOW {
                self.ends = false;
                break (window.len() - usize::from(window.last() == Some(&b'\r')), false);
            }
            self.fill()?;
        };
        self.piece = len + usize::from(newline);
        let bytes = self.buffer.get(self.start..self.start + len).unwrap_or_default();
        Ok(Some(LinePiece { bytes, ends: self.ends, newline }))
    }

    pub fn consume(&mut self) {
        self.start += self.piece;
        self.offset += self.piece as u64;
        self.line += u64::from(self.ends);
        self.mid_line = !self.ends;
        self.scanned = 0;
        self.piece = 0;
    }

    fn fill(&mut self) -> io::Result<()> {
        if self.buffer.is_empty() {
            self.buffer.resize(WINDOW, 0);
        }
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        let free = self.buffer.get_mut(self.end..).unwrap_or_default();
        let read = loop {
            match self.reader.read(free) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other?,
            }
        };
        self.end += read;
        self.at_end = read == 0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns one byte per read, as a slow pipe might.
    struct Drip<'a>(&'a [u8]);

    impl Read for Drip<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let Some((first, rest)) = self.0.split_first() else { return Ok(0) };
            out[0] = *first;
            self.0 = rest;
            Ok(1)
        }
    }

    fn all(reader: impl Read) -> Vec<(Vec<u8>, bool, u64, u64)> {
        let mut lines = Lines::new(reader);
        let mut found = Vec::new();
        loop {
            let Some(piece) = lines.peek().unwrap() else { return found };
            let (bytes, ends) = (piece.bytes.to_vec(), piece.ends);
            found.push((bytes, ends, lines.offset(), lines.line()));
            lines.consume();
        }
    }

    #[test]
    fn lines_come_with_their_place() {
        let want = vec![
            (b"a".to_vec(), true, 0, 1),
            (b"".to_vec(), true, 2, 2),
            (b"bc\r".to_vec(), true, 3, 3),
            (b"d".to_vec(), true, 7, 4),
        ];
        assert_eq!(all(b"a\n\nbc\r\nd".as_slice()), want);
        assert_eq!(all(Drip(b"a\n\nbc\r\nd")), want);
        assert!(all(b"".as_slice()).is_empty());
        assert_eq!(all(b"\n".as_slice()).len(), 1);
    }

    #[test]
    fn a_line_longer_than_the_buffer_comes_in_pieces_and_never_splits_its_line_end() {
        for len in [WINDOW - 1, WINDOW, WINDOW + 1, 2 * WINDOW + 7] {
            let mut line = vec![b'x'; len];
            line.extend_from_slice(b"\r\nnext");
            let found = all(line.as_slice());
            let (last, pieces) = found.split_last().unwrap();
            assert_eq!(last.0, b"next");
            assert_eq!(last.3, 2);
            let joined: Vec<u8> = pieces.iter().flat_map(|piece| piece.0.clone()).collect();
            assert_eq!(joined.len(), len + 1);
            let (end, before) = pieces.split_last().unwrap();
            assert!(end.1 && end.0.ends_with(b"\r"));
            assert!(before.iter().all(|piece| !piece.1 && !piece.0.ends_with(b"\r")));
            line.truncate(len);
            assert!(all(line.as_slice()).last().unwrap().1, "the end of the stream ends its line");
        }
    }
}
