//! The text of a payload: from the log's tab lines to one text, and its hash.

use std::fmt;
use std::io::{self, Read, Write};
use std::ops::Range;

use super::lines::Lines;

/// The text of a payload up to this size, in bytes, comes with its record; of a larger one, only its place in the log is
/// known. The largest one seen in a real log has 12 MB, so this bounds memory without affecting real logs.
pub const MAX_PAYLOAD_IN_MEMORY: usize = 64 << 20;

/// A range of bytes of the (uncompressed) log.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Span {
    /// Where it begins, counted from the start of the log.
    pub offset: u64,
    /// How long it is.
    pub len: u64,
}

/// Where the log holds a payload, and how to read it again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PayloadRef {
    /// Its lines as the log has them, tabs included, without the last newline.
    pub span: Span,
    /// Bytes of the decoded text.
    pub text_len: u64,
    /// Computed over the decoded text.
    pub md5: Md5,
    /// Whether one carriage return is taken from the end of each line.
    pub strip_cr: bool,
    /// False when the record declares another hash than the text has.
    pub intact: bool,
}

/// An MD5; displayed as 32 lowercase hex digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Md5(pub [u8; 16]);

impl Md5 {
    /// The hash of these bytes.
    pub fn of(bytes: &[u8]) -> Md5 {
        Md5(md5::compute(bytes).0)
    }

    /// Reads 32 hex digits; anything else is `None`.
    pub fn from_hex(text: &str) -> Option<Md5> {
        if text.len() != 32 || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        u128::from_str_radix(text, 16).ok().map(|number| Md5(number.to_be_bytes()))
    }
}

impl fmt::Display for Md5 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

impl fmt::Debug for Md5 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What a line is, by its beginning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LineKind {
    /// Only white space: log collectors insert such lines anywhere; torch never writes one.
    Blank,
    /// Begins with a tab.
    Payload,
    Header,
}

/// What a line is; `whole` says that `line` is all of it.
pub(super) fn kind_of(line: &[u8], whole: bool) -> LineKind {
    match line.first() {
        Some(b'\t') => LineKind::Payload,
        None => LineKind::Blank,
        Some(b' ' | b'\r' | 0x0b | 0x0c) if whole && line.iter().all(is_space) => LineKind::Blank,
        Some(_) => LineKind::Header,
    }
}

fn is_space(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)
}

/// The text of a payload line's first piece, without its tab.
fn after_tab(line: &[u8]) -> &[u8] {
    line.strip_prefix(b"\t").unwrap_or(line)
}

fn without_cr(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Writes the text of raw payload lines: `raw` reads exactly a payload's span.
pub(super) fn decode<R: Read>(raw: R, strip_cr: bool, out: &mut dyn Write) -> io::Result<u64> {
    let mut lines = Lines::new(raw);
    let mut written = 0;
    let (mut first_line, mut in_line) = (true, false);
    while let Some(piece) = lines.peek()? {
        let mut text = piece.bytes;
        if !in_line {
            if kind_of(text, piece.ends) == LineKind::Blank {
                lines.consume();
                continue;
            }
            text = after_tab(text);
            if !first_line {
                out.write_all(b"\n")?;
                written += 1;
            }
        }
        if strip_cr && piece.ends {
            text = without_cr(text);
        }
        out.write_all(text)?;
        written += text.len() as u64;
        (first_line, in_line) = (false, !piece.ends);
        lines.consume();
    }
    Ok(written)
}

/// The same for a span that is in memory.
pub(super) fn decode_slice(raw: &[u8], strip_cr: bool, out: &mut Vec<u8>) {
    out.clear();
    out.reserve(raw.len());
    let mut first = true;
    for line in lines_of(raw) {
        if kind_of(line, true) == LineKind::Blank {
            continue;
        }
        if !first {
            out.push(b'\n');
        }
        first = false;
        let text = after_tab(line);
        out.extend_from_slice(if strip_cr { without_cr(text) } else { text });
    }
}

/// Splits at newlines, as `str::split` does.
pub(super) fn lines_of(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let end = memchr::memchr(b'\n', text);
        rest = end.and_then(|end| text.get(end + 1..));
        text.get(..end.unwrap_or(text.len()))
    })
}

/// Collects the lines of one payload, appending them to a buffer.
pub(super) struct Gather {
    /// The largest text to keep, in bytes.
    limit: usize,
    /// Where the text begins in the buffer. It has the carriage returns of the log.
    begin: usize,
    lines: u64,
    /// Whether the header ended in CR LF: then either the whole file was converted, or the payload itself has CRs.
    crlf: bool,
    spilled: Option<Spill>,
}

/// Where the text of a payload is.
pub(super) enum PayloadText {
    /// In this part of the buffer.
    InMemory(Range<usize>),
    /// It was too large; its hashes are known.
    Spilled(Spill),
}

/// The running hashes of a payload too large for memory, with and without the CRs at line ends.
pub(super) struct Spill {
    kept: md5::Context,
    kept_len: u64,
    stripped: md5::Context,
    stripped_len: u64,
}

/// What a finished payload turned out to be.
pub(super) struct Gathered {
    pub md5: Md5,
    pub text_len: u64,
    pub strip_cr: bool,
}

impl Gather {
    /// Begins a payload at the end of a buffer, which has `begin` bytes; keeps a text of up to `limit` bytes.
    pub fn new(limit: usize, begin: usize, crlf: bool) -> Self {
        Gather { limit, begin, lines: 0, crlf, spilled: None }
    }

    /// The first piece of a line, with its tab.
    pub fn begin_line(&mut self, buffer: &mut Vec<u8>, piece: &[u8], ends: bool) {
        if self.lines > 0 {
            self.push(buffer, b"\n", false);
        }
        self.lines += 1;
        self.push(buffer, after_tab(piece), ends);
    }

    /// A piece of a line; `ends` when it is the last one. A piece that does not end its line does not end in a CR.
    pub fn push(&mut self, buffer: &mut Vec<u8>, piece: &[u8], ends: bool) {
        if self.spilled.is_none() {
            if buffer.len() - self.begin + piece.len() <= self.limit {
                buffer.extend_from_slice(piece);
                return;
            }
            self.spilled = Some(Spill::new(buffer.get(self.begin..).unwrap_or_default(), self.crlf));
            buffer.truncate(self.begin);
        }
        if let Some(spill) = &mut self.spilled {
            spill.push(piece, ends, self.crlf);
        }
    }

    pub fn finish(self, buffer: &[u8]) -> PayloadText {
        match self.spilled {
            Some(spill) => PayloadText::Spilled(spill),
            None => PayloadText::InMemory(self.begin..buffer.len()),
        }
    }
}

/// Decides about the CRs at the line ends of a text whose header line ends in one: they belong to it only if the hash
/// `declared` by the record matches only with them. Where they do not, `stripped` gets the text without them.
pub(super) fn settle(text: &[u8], declared: Option<Md5>, stripped: &mut Vec<u8>) -> Gathered {
    stripped.clear();
    for_each_without_cr(text, |bytes| stripped.extend_from_slice(bytes));
    let md5 = Md5::of(stripped);
    if declared != Some(md5) && declared.is_some() {
        let kept = Md5::of(text);
        if declared == Some(kept) {
            return Gathered { md5: kept, text_len: text.len() as u64, strip_cr: false };
        }
    }
    Gathered { md5, text_len: stripped.len() as u64, strip_cr: true }
}

impl Spill {
    fn new(text: &[u8], crlf: bool) -> Spill {
        let mut kept = md5::Context::new();
        kept.consume(text);
        let (mut stripped, mut stripped_len) = (md5::Context::new(), 0);
        if crlf {
            for_each_without_cr(text, |bytes| {
                stripped.consume(bytes);
                stripped_len += bytes.len() as u64;
            });
        }
        Spill { kept, kept_len: text.len() as u64, stripped, stripped_len }
    }

    fn push(&mut self, piece: &[u8], ends: bool, crlf: bool) {
        self.kept.consume(piece);
        self.kept_len += piece.len() as u64;
        if crlf {
            let piece = if ends { without_cr(piece) } else { piece };
            self.stripped.consume(piece);
            self.stripped_len += piece.len() as u64;
        }
    }

    /// What the payload is, given the hash that the record declares.
    pub fn settle(self, declared: Option<Md5>, crlf: bool) -> Gathered {
        let kept = Md5(self.kept.finalize().0);
        let stripped = Md5(self.stripped.finalize().0);
        let strip_cr = crlf && (declared == Some(stripped) || declared != Some(kept));
        let (md5, text_len) = if strip_cr { (stripped, self.stripped_len) } else { (kept, self.kept_len) };
        Gathered { md5, text_len, strip_cr }
    }
}

/// Passes on a text, without one CR at the end of each line that ends in CRs.
fn for_each_without_cr(text: &[u8], mut take: impl FnMut(&[u8])) {
    for (number, line) in lines_of(text).enumerate() {
        if number > 0 {
            take(b"\n");
        }
        take(without_cr(line));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_too_large_for_memory_has_the_same_hash_and_length() {
        let lines: [&[u8]; 4] = [b"\tab\r", b"\t", b"\tcd\r\r", b"\tef\r"];
        for (crlf, text) in [(false, b"ab\r\n\ncd\r\r\nef\r".as_slice()), (true, b"ab\n\ncd\r\nef")] {
            for limit in 0..text.len() {
                let mut buffer = b"before".to_vec();
                let mut gather = Gather::new(limit, buffer.len(), crlf);
                for line in lines {
                    gather.begin_line(&mut buffer, &line[..line.len().min(2)], line.len() <= 2);
                    if line.len() > 2 {
                        gather.push(&mut buffer, &line[2..], true);
                    }
                }
                let PayloadText::Spilled(spill) = gather.finish(&buffer) else { panic!("it is large") };
                let end = spill.settle(None, crlf);
                assert_eq!((end.md5, end.text_len, end.strip_cr), (Md5::of(text), text.len() as u64, crlf));
                assert_eq!(buffer, b"before");
            }
        }
    }

    #[test]
    fn a_hash_is_read_and_written_as_hex() {
        let hash = Md5::of(b"");
        assert_eq!(hash.to_string(), "d41d8cd98f00b204e9800998ecf8427e");
        assert_eq!(Md5::from_hex("d41d8cd98f00b204e9800998ecf8427e"), Some(hash));
        assert_eq!(Md5::from_hex("+41d8cd98f00b204e9800998ecf8427e"), None);
        assert!(std::mem::size_of::<PayloadRef>() <= 48);
    }
}
