//! One pass over a log, record by record. Damage is reported as an entry, never as an error.

use std::borrow::Cow;
use std::io::{self, Read};
use std::thread::Scope;

use super::batch::{Batch, Batches, Group, GroupPayload, Groups, Item};
use super::damage::{Damage, DamageKind, bounded, quoted};
use super::envelope::{Envelope, clean_header};
use super::nesting::nests_deeper;
use super::payload::{Gathered, Md5, PayloadRef, PayloadText, Span, settle};
use super::prefix::Prefix;
use crate::limits::DEEPEST_JSON;

/// Reads the records of a log in order.
pub struct Records<R> {
    batches: Batches<R>,
    batch: Batch,
    /// Which item of the batch comes next.
    at: usize,
    offset: u64,
    buffers: Buffers,
    /// Damage that the next call returns.
    waiting: Option<Damage>,
}

/// What a record borrows where it cannot borrow the bytes of the log.
#[derive(Default)]
struct Buffers {
    /// The header once cleaned, when cleaning changed it.
    cleaned: String,
    /// The payload without the carriage returns at its line ends, where the log has them.
    stripped: Vec<u8>,
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
    /// `MAX_PAYLOAD_IN_MEMORY`.
    pub text: Option<&'a [u8]>,
}

impl<R: Read> Records<R> {
    /// Reads a log from its start.
    pub fn new(reader: R) -> Self {
        Records::of(Batches::Here(Groups::new(reader)))
    }

    /// Reads a log from its start; a thread of `scope` reads ahead, until the records are dropped.
    pub fn ahead<'scope>(scope: &'scope Scope<'scope, '_>, reader: R) -> Self
    where
        R: Send + 'scope,
    {
        Records::of(Batches::ahead(scope, reader))
    }

    fn of(batches: Batches<R>) -> Self {
        let (batch, buffers) = (Batch::default(), Buffers::default());
        Records { batches, batch, at: 0, offset: 0, buffers, waiting: None }
    }

    /// How many bytes were read so far.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The next record or damaged line; `None` at the end. An error comes from the reader, never from the content.
    pub fn next(&mut self) -> io::Result<Option<Entry<'_>>> {
        if let Some(damage) = self.waiting.take() {
            return Ok(Some(Entry::Damage(damage)));
        }
        while self.at >= self.batch.items.len() {
            if let Some(error) = self.batch.error.take() {
                return Err(error);
            }
            self.offset = self.batch.end;
            if self.batch.ended {
                return Ok(None);
            }
            self.batches.next(&mut self.batch);
            self.at = 0;
        }
        let Batch { items, bytes, .. } = &mut self.batch;
        let Some(item) = items.get_mut(self.at) else { return Ok(None) };
        self.at += 1;
        let group = match item {
            Item::Group(group) => group,
            Item::Orphans(damage) => return Ok(Some(Entry::Damage(damage.clone()))),
        };
        self.offset = group.end;
        let payload = group.payload.take();
        let Buffers { cleaned, stripped } = &mut self.buffers;
        Ok(Some(match Header::read(bytes, cleaned, group) {
            Ok(header) => Entry::Record(header.with_payload(payload, bytes, stripped, group)),
            Err(damage) => {
                if group.last && group.unfinished {
                    self.waiting = Some(Damage::truncated(group.line));
                }
                Entry::Damage(damage)
            }
        }))
    }
}

impl GroupPayload {
    /// The payload of a record that declares this hash.
    fn settle<'a>(
        self,
        declared: Option<Md5>,
        bytes: &'a [u8],
        stripped: &'a mut Vec<u8>,
        crlf: bool,
    ) -> Payload<'a> {
        let text = match &self.text {
            PayloadText::InMemory(at) => bytes.get(at.clone()),
            PayloadText::Spilled(_) => None,
        };
        let told = match (self.text, text) {
            (PayloadText::Spilled(spill), _) => spill.settle(declared, crlf),
            (_, Some(text)) if crlf => settle(text, declared, stripped),
            (_, text) => {
                let text = text.unwrap_or_default();
                let md5 = self.md5.unwrap_or_else(|| Md5::of(text));
                Gathered { md5, text_len: text.len() as u64, strip_cr: false }
            }
        };
        let Gathered { md5, text_len, strip_cr } = told;
        let at = PayloadRef { span: self.span, text_len, md5, strip_cr, intact: true };
        Payload { at, text: text.map(|text| if strip_cr { stripped.as_slice() } else { text }) }
    }
}

/// A header line, parsed.
struct Header<'a> {
    prefix: Prefix<'a>,
    envelope: Envelope<'a>,
    problems: Vec<Damage>,
}

impl<'a> Header<'a> {
    fn read(bytes: &'a [u8], cleaned: &'a mut String, group: &Group) -> Result<Header<'a>, Damage> {
        let header = bytes.get(group.header_at.clone()).unwrap_or_default();
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
        if group.may_nest_deep && nests_deeper(json, DEEPEST_JSON) {
            let detail =
                format!("the metadata nests deeper than {DEEPEST_JSON} levels: {}", quoted(json.as_bytes()));
            return Err(damage(DamageKind::BadJson, detail));
        }
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
    fn with_payload(
        mut self,
        found: Option<GroupPayload>,
        bytes: &'a [u8],
        stripped: &'a mut Vec<u8>,
        group: &Group,
    ) -> Record<'a> {
        let declared = self.envelope.has_payload.as_deref();
        let hash = declared.and_then(Md5::from_hex);
        let mut intact = true;
        let mut payload = None;
        let mut wrong = None;
        let is_utf8 = found.as_ref().is_none_or(|found| found.is_utf8);
        if let Some(found) = found {
            let told = found.settle(hash, bytes, stripped, group.crlf);
            intact = declared.is_none() || hash == Some(told.at.md5);
            if let (Some(text), false) = (declared, intact) {
                wrong = Some(format!(
                    "payload hash is {}, the record says {}",
                    told.at.md5,
                    quoted(text.as_bytes())
                ));
            }
            payload = Some(Payload { at: PayloadRef { intact, ..told.at }, ..told });
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
        if !is_utf8 {
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

#[cfg(test)]
#[path = "records_tests.rs"]
mod tests;
