//! One pass over a log, record by record. Damage is reported as an entry, never as an error.

use std::borrow::Cow;
use std::io::{self, Read};

use super::envelope::{Envelope, clean_header, without_bom};
use super::lines::Lines;
use super::payload::{Gather, LineKind, MAX_PAYLOAD_IN_MEMORY, Md5, PayloadRef, Span, kind_of};
use super::prefix::Prefix;

/// A header line over this size, in bytes, is skipped: the largest one seen in a real log has 60 KB.
const MAX_HEADER: usize = 64 << 20;
/// How many bytes of a bad line are quoted, and how many characters a detail may have: a problem is one line of a table.
const MAX_QUOTE: usize = 80;
const MAX_DETAIL: usize = 200;

/// Reads the records of a log in order.
pub struct Records<R> {
    lines: Lines<R>,
    header: Vec<u8>,
    /// The header once cleaned, when cleaning changed it.
    cleaned: String,
    payload: Gather,
    /// Damage that the next call returns.
    waiting: Option<Damage>,
}

/// What comes next in a log.
#[expect(clippy::large_enum_variant, reason = "one exists at a time, and nearly all are records")]
pub enum Entry<'a> {
    /// A record.
    Record(Record<'a>),
    /// A line that is not a record.
    Damage(Damage),
}

/// One record. It borrows the reader's buffers, so it lives until the next one is asked for.
pub struct Record<'a> {
    /// The number of its header line, from 1.
    pub line: u64,
    /// The header line, without its newline.
    pub header: Span,
    /// Whether the header is the log's first line; [`clean_header`] needs to know.
    pub first_line: bool,
    /// The part of the header before its JSON.
    pub prefix: Prefix<'a>,
    /// The JSON.
    pub envelope: Envelope<'a>,
    /// The lines after the header, when there are any.
    pub payload: Option<Payload<'a>>,
    /// What is wrong with it; usually nothing.
    pub problems: Vec<Damage>,
}

/// The payload of a record.
#[derive(Clone, Copy, Debug)]
pub struct Payload<'a> {
    /// Where the log holds it.
    pub at: PayloadRef,
    /// Its text, without tags and tabs; `None` when it is larger than
    /// [`MAX_PAYLOAD_IN_MEMORY`].
    pub text: Option<&'a [u8]>,
}

/// Something in the log that does not fit the grammar.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Damage {
    /// The line it was found on, from 1; for a record, its header line.
    pub line: u64,
    /// Which kind.
    pub kind: DamageKind,
    /// What was found, one short sentence for people; holds text of the log.
    pub detail: String,
}

/// The kinds of damage; each is counted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum DamageKind {
    /// A line without a glog prefix.
    BadPrefix,
    /// A line whose prefix is not followed by one JSON object.
    BadJson,
    /// A payload that does not have the declared hash, or is missing.
    BadPayloadMd5,
    /// The log begins or ends inside a record.
    Truncated,
    /// Bytes that are not UTF-8.
    NonUtf8,
}

/// A header line and the payload lines after it, read but not parsed.
struct Group {
    line: u64,
    header: Span,
    too_long: bool,
    payload: Option<Span>,
    /// Whether the log ends with this group, and whether it does so without a newline.
    last: bool,
    unfinished: bool,
}

/// What one look at the stream gives.
enum Next {
    Group(Group),
    Orphans(Damage),
    End,
}

impl<R: Read> Records<R> {
    /// Reads a log from its start.
    pub fn new(reader: R) -> Self {
        Records {
            lines: Lines::new(reader),
            header: Vec::new(),
            cleaned: String::new(),
            payload: Gather::new(MAX_PAYLOAD_IN_MEMORY),
            waiting: None,
        }
    }

    /// How many bytes were read so far.
    pub fn offset(&self) -> u64 {
        self.lines.offset()
    }

    /// The next record or damaged line; `None` at the end. An error comes from the reader, never from the content.
    pub fn next(&mut self) -> io::Result<Option<Entry<'_>>> {
        if let Some(damage) = self.waiting.take() {
            return Ok(Some(Entry::Damage(damage)));
        }
        let group = match self.next_group()? {
            Next::Group(group) => group,
            Next::Orphans(damage) => return Ok(Some(Entry::Damage(damage))),
            Next::End => return Ok(None),
        };
        let Self { header, cleaned, payload, waiting, .. } = self;
        Ok(Some(match Header::read(header, cleaned, &group) {
            Ok(header) => Entry::Record(header.with_payload(payload, &group)),
            Err(damage) => {
                if group.last && group.unfinished {
                    *waiting = Some(Damage::truncated(group.line));
                }
                Entry::Damage(damage)
            }
        }))
    }

    /// Reads one header line and its payload, or the payload lines before the first header.
    fn next_group(&mut self) -> io::Result<Next> {
        loop {
            let line = self.lines.line();
            let Some(piece) = self.lines.peek()? else { return Ok(Next::End) };
            let bytes = if line == 1 { without_bom(piece.bytes) } else { piece.bytes };
            match kind_of(bytes, piece.ends) {
                LineKind::Blank => self.lines.consume(),
                LineKind::Header => break,
                LineKind::Payload => {
                    self.read_payload(false)?;
                    let detail = "the log begins inside a payload".to_owned();
                    return Ok(Next::Orphans(Damage { line, kind: DamageKind::Truncated, detail }));
                }
            }
        }
        let line = self.lines.line();
        let (header, too_long, mut newline) = self.read_header()?;
        let crlf = self.header.last() == Some(&b'\r');
        let payload = self.read_payload(crlf)?;
        if let Some((_, ends_in_newline)) = payload {
            newline = ends_in_newline;
        }
        let last = self.lines.peek()?.is_none();
        let payload = payload.map(|(span, _)| span);
        Ok(Next::Group(Group { line, header, too_long, payload, last, unfinished: !newline }))
    }

    /// Reads the header line into its buffer: its span, whether it was too long, whether a newline ends it.
    fn read_header(&mut self) -> io::Result<(Span, bool, bool)> {
        self.header.clear();
        let offset = self.lines.offset();
        let (mut len, mut newline) = (0, false);
        while let Some(piece) = self.lines.peek()? {
            len += piece.bytes.len() as u64;
            newline = piece.newline;
            let ends = piece.ends;
            let room = (MAX_HEADER + 1).saturating_sub(self.header.len()).min(piece.bytes.len());
            self.header.extend_from_slice(piece.bytes.get(..room).unwrap_or_default());
            self.lines.consume();
            if ends {
                break;
            }
        }
        Ok((Span { offset, len }, len > MAX_HEADER as u64, newline))
    }

    /// Gathers the payload lines that follow: their span and whether a newline ends them. Blank lines are dropped.
    fn read_payload(&mut self, crlf: bool) -> io::Result<Option<(Span, bool)>> {
        let Self { lines, payload, .. } = self;
        payload.start(crlf);
        let mut found: Option<(Span, bool)> = None;
        loop {
            let offset = lines.offset();
            let Some(piece) = lines.peek()? else { break };
            match kind_of(piece.bytes, piece.ends) {
                LineKind::Header => break,
                LineKind::Blank => {
                    lines.consume();
                    continue;
                }
                LineKind::Payload => payload.begin_line(piece.bytes, piece.ends),
            }
            let start = found.map_or(offset, |(span, _)| span.offset);
            let mut end = offset + piece.bytes.len() as u64;
            let (mut ends, mut newline) = (piece.ends, piece.newline);
            lines.consume();
            while !ends {
                let Some(next) = lines.peek()? else { break };
                payload.push(next.bytes, next.ends);
                end += next.bytes.len() as u64;
                (ends, newline) = (next.ends, next.newline);
                lines.consume();
            }
            found = Some((Span { offset: start, len: end - start }, newline));
        }
        Ok(found)
    }
}

/// A header line, parsed.
struct Header<'a> {
    prefix: Prefix<'a>,
    envelope: Envelope<'a>,
    problems: Vec<Damage>,
}

impl<'a> Header<'a> {
    fn read(header: &'a [u8], cleaned: &'a mut String, group: &Group) -> Result<Header<'a>, Damage> {
        let damage = |kind, detail: String| Damage { line: group.line, kind, detail: bounded(detail) };
        if group.too_long {
            let detail = format!("header line too long ({} bytes): {}", group.header.len, quoted(header));
            return Err(damage(DamageKind::BadJson, detail));
        }
        let line = clean_header(header, group.line == 1);
        let non_utf8 = line.non_utf8;
        let text: &'a str = match line.text {
            Cow::Borrowed(text) => text,
            Cow::Owned(text) => {
                *cleaned = text;
                cleaned
            }
        };
        let Some((prefix, json)) = Prefix::parse(text) else {
            return Err(damage(DamageKind::BadPrefix, format!("not a line of a trace: {}", quoted(header))));
        };
        let envelope = Envelope::parse(json).map_err(|error| {
            let why = error.to_string().replace(" at line 1 column ", " at column ");
            damage(
                DamageKind::BadJson,
                format!("the metadata is not a JSON object, {why}: {}", quoted(json.as_bytes())),
            )
        })?;
        let mut problems = Vec::new();
        if non_utf8 {
            problems.push(damage(DamageKind::NonUtf8, "the header has bytes that are not UTF-8".to_owned()));
        }
        Ok(Header { prefix, envelope, problems })
    }

    /// Joins the payload to its header and compares the hashes.
    fn with_payload(mut self, gather: &'a mut Gather, group: &Group) -> Record<'a> {
        let declared = self.envelope.has_payload.as_deref();
        let hash = declared.and_then(Md5::from_hex);
        let mut intact = true;
        let mut payload = None;
        let mut wrong = None;
        if let Some(span) = group.payload {
            let found = gather.finish(hash);
            intact = declared.is_none() || hash == Some(found.md5);
            if let (Some(text), false) = (declared, intact) {
                wrong = Some(format!(
                    "payload hash is {}, the record says {}",
                    found.md5,
                    quoted(text.as_bytes())
                ));
            }
            let at = PayloadRef {
                span,
                text_len: found.text_len,
                md5: found.md5,
                strip_cr: found.strip_cr,
                intact,
            };
            payload = Some((at, found.in_memory));
        } else if let Some(text) = declared
            && hash != Some(Md5::of(b""))
        {
            intact = false;
            wrong = Some(format!(
                "the payload is missing, the record says its hash is {}",
                quoted(text.as_bytes())
            ));
        }
        if let Some(detail) = wrong {
            let detail = bounded(detail);
            self.problems.push(Damage { line: group.line, kind: DamageKind::BadPayloadMd5, detail });
        }
        let payload = payload.map(|(at, in_memory)| Payload { at, text: in_memory.then_some(gather.text()) });
        if payload.and_then(|payload| payload.text).is_some_and(|text| std::str::from_utf8(text).is_err()) {
            let detail = "the payload has bytes that are not UTF-8".to_owned();
            self.problems.push(Damage { line: group.line, kind: DamageKind::NonUtf8, detail });
        }
        if group.last && !intact {
            self.problems.push(Damage::truncated(group.line));
        }
        Record {
            line: group.line,
            header: group.header,
            first_line: group.line == 1,
            prefix: self.prefix,
            envelope: self.envelope,
            payload,
            problems: self.problems,
        }
    }
}

impl Damage {
    fn truncated(line: u64) -> Damage {
        Damage { line, kind: DamageKind::Truncated, detail: "the log ends inside this record".to_owned() }
    }
}

/// The beginning of a line in quotes, control characters escaped.
fn quoted(line: &[u8]) -> String {
    let shown = line.get(..MAX_QUOTE);
    let text = String::from_utf8_lossy(shown.unwrap_or(line));
    let mut out = String::from("\"");
    for c in text.chars() {
        if c.is_control() { out.extend(c.escape_default()) } else { out.push(c) }
    }
    out.push_str(if shown.is_some_and(|shown| shown.len() < line.len()) { "..\"" } else { "\"" });
    out
}

fn bounded(detail: String) -> String {
    match detail.char_indices().nth(MAX_DETAIL) {
        Some((at, _)) => detail.get(..at).unwrap_or_default().to_owned(),
        None => detail,
    }
}

#[cfg(test)]
#[path = "records_tests.rs"]
mod tests;
