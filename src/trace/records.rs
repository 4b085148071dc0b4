//! One pass over a log, record by record. Damage is reported as an entry, never as an error.

use std::io::{self, Read};
use std::thread::Scope;

use super::batch::{Batch, Batches, Group, GroupPayload, Groups};
use super::damage::{Damage, DamageKind, bounded, quoted};
use super::envelope::Envelope;
use super::header::Header;
use super::payload::{Gathered, Md5, PayloadRef, PayloadText, Span, settle};
use super::prefix::LocalTime;

/// Reads the records of a log in order.
pub struct Records<R> {
    batches: Batches<R>,
    batch: Batch,
    /// Which group of the batch comes next.
    at: usize,
    offset: u64,
    /// The payload without the carriage returns at its line ends, where the log has them.
    stripped: Vec<u8>,
}

/// What comes next in a log.
pub enum Entry<'a> {
    Record(Record<'a>),
    /// A line that is not a record.
    Damage(Damage),
}

/// One record. It borrows the reader's buffers, so it lives until the next one is asked for.
pub struct Record<'a> {
    /// The number of its header line, from 1.
    pub line: u64,
    /// The header line, without its newline and without a byte order mark before it.
    pub header: Span,
    /// When it was written.
    pub time: LocalTime,
    /// The process that wrote it; see [`Prefix`](super::Prefix).
    pub pid: u64,
    /// The JSON of the header.
    pub envelope: &'a Envelope,
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
        Records::from_batches(Batches::Here(Groups::new(reader)))
    }

    /// Reads a log from its start; a thread of `scope` reads ahead, until the records are dropped.
    pub fn ahead<'scope>(scope: &'scope Scope<'scope, '_>, reader: R) -> Self
    where
        R: Send + 'scope,
    {
        Records::from_batches(Batches::ahead(scope, reader))
    }

    fn from_batches(batches: Batches<R>) -> Self {
        Records { batches, batch: Batch::default(), at: 0, offset: 0, stripped: Vec::new() }
    }

    /// How many bytes were read so far.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The next record or damaged line; `None` at the end. An error comes from the reader, never from the content.
    pub fn next(&mut self) -> io::Result<Option<Entry<'_>>> {
        while self.at >= self.batch.groups.len() {
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
        let Batch { groups, bytes, .. } = &mut self.batch;
        let Some(group) = groups.get_mut(self.at) else { return Ok(None) };
        self.at += 1;
        self.offset = group.end;
        let payload = group.payload.take();
        Ok(Some(match &group.header {
            Ok(header) => Entry::Record(record(header, group, payload, bytes, &mut self.stripped)),
            Err(damage) => Entry::Damage(damage.clone()),
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
        let settled = match (self.text, text) {
            (PayloadText::Spilled(spill), _) => spill.settle(declared, crlf),
            (_, Some(text)) if crlf => settle(text, declared, stripped),
            (_, text) => {
                let text = text.unwrap_or_default();
                let md5 = self.md5.unwrap_or_else(|| Md5::of(text));
                Gathered { md5, text_len: text.len() as u64, strip_cr: false }
            }
        };
        let Gathered { md5, text_len, strip_cr } = settled;
        let at = PayloadRef { span: self.span, text_len, md5, strip_cr, intact: true };
        Payload { at, text: text.map(|text| if strip_cr { stripped.as_slice() } else { text }) }
    }
}

/// Joins the payload to its header and compares the hashes.
fn record<'a>(
    header: &'a Header,
    group: &Group,
    found: Option<GroupPayload>,
    bytes: &'a [u8],
    stripped: &'a mut Vec<u8>,
) -> Record<'a> {
    let mut problems = header.problems.clone();
    let mut complain =
        |kind, detail| problems.push(Damage { line: group.line, kind, detail: bounded(detail) });
    let declared = header.envelope.has_payload.as_deref();
    let hash = declared.and_then(Md5::from_hex);
    let is_utf8 = found.as_ref().is_none_or(|found| found.is_utf8);
    let payload = found.map(|found| found.settle(hash, bytes, stripped, group.crlf));
    let mut intact = true;
    if let (Some(payload), Some(text)) = (&payload, declared) {
        intact = hash == Some(payload.at.md5);
        if !intact {
            let detail =
                format!("payload hash is {}, the record says {}", payload.at.md5, quoted(text.as_bytes()));
            complain(DamageKind::BadPayloadMd5, detail);
        }
    } else if let Some(text) = declared
        && hash != Some(Md5::of(b""))
    {
        intact = false;
        let detail =
            format!("the payload is missing, the record says its hash is {}", quoted(text.as_bytes()));
        complain(DamageKind::BadPayloadMd5, detail);
    }
    if !is_utf8 {
        complain(DamageKind::NonUtf8, "the payload has bytes that are not UTF-8".to_owned());
    }
    if group.last && !intact {
        problems.push(Damage::truncated(group.line));
    }
    Record {
        line: group.line,
        header: group.span,
        time: header.time,
        pid: header.pid,
        envelope: &header.envelope,
        payload: payload.map(|payload| Payload { at: PayloadRef { intact, ..payload.at }, ..payload }),
        problems,
    }
}

#[cfg(test)]
#[path = "records_tests.rs"]
mod tests;
