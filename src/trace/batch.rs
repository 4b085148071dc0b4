//! A part of a log, cut into records whose headers are parsed.
//!
//! Records come in batches, so that another thread can cut, parse and hash the next batch while parsers take the events of
//! this one.

use super::damage::{Damage, DamageKind};
use super::envelope::without_bom;
use super::header::{Header, MAX_HEADER};
use super::lines::Lines;
use super::payload::{Gather, LineKind, MAX_PAYLOAD_IN_MEMORY, Md5, PayloadText, Span, kind_of};
use std::io::{self, Read};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::Scope;

/// Bytes of headers and payloads that end a batch: few enough for the second-level cache and for logs of a job that are
/// read at once.
const BATCH_BYTES: usize = 512 << 10;
/// The first batch is smaller, and each may have twice as much as the one before, until they have all: the events of a short
/// log are taken while the rest of it is cut.
const FIRST_BATCH_BYTES: usize = 32 << 10;
/// Records that end a batch.
const BATCH_RECORDS: usize = 1024;
/// A buffer that had to grow beyond this, for one large payload, is given back.
const KEEP_BYTES: usize = 4 << 20;
/// Batches in flight with a thread that reads ahead, besides the first: one is filled, one waits.
const IN_FLIGHT: usize = 2;

/// A header line and the payload lines after it.
pub(super) struct Group {
    /// The number of the header line, from 1.
    pub line: u64,
    /// Where the log has the header line, from behind a byte order mark on.
    pub span: Span,
    pub header: Result<Header, Damage>,
    /// Whether the header line ends in a carriage return.
    pub crlf: bool,
    pub payload: Option<GroupPayload>,
    /// Whether the log ends with this group.
    pub last: bool,
    /// How much of the log is read with it.
    pub end: u64,
}

impl Group {
    /// Damage without a header line.
    fn damaged(damage: Damage, end: u64) -> Group {
        let (line, span) = (damage.line, Span::default());
        Group { line, span, header: Err(damage), crlf: false, payload: None, last: false, end }
    }
}

pub(super) struct GroupPayload {
    pub span: Span,
    pub text: PayloadText,
    /// The hash of a text that is in memory and whose header line has no carriage return.
    pub md5: Option<Md5>,
    /// Whether a text that is in memory is UTF-8.
    pub is_utf8: bool,
}

/// Groups, with the bytes that they name.
#[derive(Default)]
pub(super) struct Batch {
    pub groups: Vec<Group>,
    pub bytes: Vec<u8>,
    /// Whether the log ends with this batch; an error of the disk ends it too.
    pub ended: bool,
    pub error: Option<io::Error>,
    /// How much of the log is read.
    pub end: u64,
}

impl Batch {
    fn clear(&mut self) {
        self.groups.clear();
        self.bytes.clear();
        if self.bytes.capacity() > KEEP_BYTES {
            self.bytes = Vec::new();
        }
    }

    /// Computes the hashes of its payloads.
    fn hash(&mut self) {
        let groups = self.groups.iter_mut().filter(|group| !group.crlf);
        for payload in groups.filter_map(|group| group.payload.as_mut()) {
            if let PayloadText::InMemory(at) = &payload.text {
                payload.md5 = self.bytes.get(at.clone()).map(Md5::of);
            }
        }
    }
}

pub(super) enum Batches<R> {
    /// They are read when they are asked for.
    Here(Groups<R>),
    /// A thread reads them ahead.
    Ahead {
        full: Receiver<Batch>,
        empty: Sender<Batch>,
        /// The first batch, which was read before the thread was started.
        first: Option<Batch>,
    },
}

impl<R: Read> Batches<R> {
    /// Batches that a thread of `scope` reads ahead. It ends when these are dropped. The first is read here, since the system
    /// needs as long to start a thread; a log of a few records needs none.
    pub fn ahead<'scope>(scope: &'scope Scope<'scope, '_>, reader: R) -> Batches<R>
    where
        R: Send + 'scope,
    {
        let (empty, empty_of_reader) = channel::<Batch>();
        let (from_reader, full) = channel();
        let mut groups = Groups::new(reader);
        let mut first = Batch::default();
        groups.fill(&mut first);
        for _ in 0..IN_FLIGHT {
            // Both ends of the channel are here, so it is open.
            let _ = empty.send(Batch::default());
        }
        let read_on = move || {
            while let Ok(mut batch) = empty_of_reader.recv() {
                groups.fill(&mut batch);
                let ended = batch.ended;
                if from_reader.send(batch).is_err() || ended {
                    break;
                }
            }
        };
        if !first.ended {
            scope.spawn(read_on);
        }
        Batches::Ahead { full, empty, first: Some(first) }
    }

    /// Puts the next batch in place of the one before.
    pub fn next(&mut self, batch: &mut Batch) {
        match self {
            Batches::Here(groups) => groups.fill(batch),
            Batches::Ahead { first: first @ Some(_), .. } => *batch = first.take().unwrap_or_default(),
            Batches::Ahead { full, empty, .. } => {
                // After the last batch, the reader takes no more empty ones.
                let _ = empty.send(std::mem::take(batch));
                match full.recv() {
                    Ok(next) => *batch = next,
                    Err(_) => batch.ended = true,
                }
            }
        }
    }
}

pub(super) struct Groups<R> {
    lines: Lines<R>,
    /// How many bytes the next batch may have.
    room: usize,
}

impl<R: Read> Groups<R> {
    pub fn new(reader: R) -> Self {
        Groups { lines: Lines::new(reader), room: FIRST_BATCH_BYTES }
    }

    /// Fills a batch with what comes next.
    fn fill(&mut self, batch: &mut Batch) {
        batch.clear();
        // At once: a buffer that doubles copies, and touches memory that a short log never uses again.
        batch.bytes.reserve(self.room);
        while !batch.ended && batch.bytes.len() < self.room && batch.groups.len() < BATCH_RECORDS {
            match self.next(batch) {
                Ok(goes_on) => batch.ended = !goes_on,
                Err(error) => (batch.ended, batch.error) = (true, Some(error)),
            }
        }
        self.room = BATCH_BYTES.min(2 * self.room);
        batch.end = self.lines.offset();
        batch.hash();
    }

    /// Adds a header line and its payload, or damage in place of the payload lines before the first header. False at the end.
    fn next(&mut self, Batch { groups, bytes, .. }: &mut Batch) -> io::Result<bool> {
        loop {
            let line = self.lines.line();
            let Some(piece) = self.lines.peek()? else { return Ok(false) };
            match kind_of(without_bom(piece.bytes, line), piece.ends) {
                LineKind::Blank => self.lines.consume(),
                LineKind::Header => break,
                LineKind::Payload => {
                    let before = bytes.len();
                    self.payload(bytes, false)?;
                    bytes.truncate(before);
                    let detail = "the log begins inside a payload".to_owned();
                    let damage = Damage { line, kind: DamageKind::Truncated, detail };
                    groups.push(Group::damaged(damage, self.lines.offset()));
                    return Ok(true);
                }
            }
        }
        let line = self.lines.line();
        let begin = bytes.len();
        let (span, newline) = self.header(bytes)?;
        let text = bytes.get(begin..).unwrap_or_default();
        let bom = text.len().saturating_sub(without_bom(text, line).len()) as u64;
        let crlf = text.ends_with(b"\r");
        let header = Header::read(text, line, span.len);
        let span = Span { offset: span.offset + bom, len: span.len - bom };
        let (payload, newline) = match self.payload(bytes, crlf)? {
            Some((payload, newline)) => (Some(payload), newline),
            None => (None, newline),
        };
        let last = self.lines.peek()?.is_none();
        let end = self.lines.offset();
        let is_cut = header.is_err() && last && !newline;
        groups.push(Group { line, span, header, crlf, payload, last, end });
        groups.extend(is_cut.then(|| Group::damaged(Damage::truncated(line), end)));
        Ok(true)
    }

    /// Reads a header line into the batch: where the log has it, and whether a newline ends it.
    fn header(&mut self, bytes: &mut Vec<u8>) -> io::Result<(Span, bool)> {
        let begin = bytes.len();
        let offset = self.lines.offset();
        let (mut len, mut newline) = (0, false);
        while let Some(piece) = self.lines.peek()? {
            len += piece.bytes.len() as u64;
            newline = piece.newline;
            let ends = piece.ends;
            let room = (MAX_HEADER + 1).saturating_sub(bytes.len() - begin).min(piece.bytes.len());
            bytes.extend_from_slice(piece.bytes.get(..room).unwrap_or_default());
            self.lines.consume();
            if ends {
                break;
            }
        }
        Ok((Span { offset, len }, newline))
    }

    /// Gathers the payload lines that follow, and whether a newline ends them. Blank lines are dropped.
    fn payload(&mut self, bytes: &mut Vec<u8>, crlf: bool) -> io::Result<Option<(GroupPayload, bool)>> {
        let lines = &mut self.lines;
        let mut gather = Gather::new(MAX_PAYLOAD_IN_MEMORY, bytes.len(), crlf);
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
                LineKind::Payload => gather.begin_line(bytes, piece.bytes, piece.ends),
            }
            let start = found.map_or(offset, |(span, _)| span.offset);
            let mut end = offset + piece.bytes.len() as u64;
            let (mut ends, mut newline) = (piece.ends, piece.newline);
            lines.consume();
            while !ends {
                let Some(next) = lines.peek()? else { break };
                gather.push(bytes, next.bytes, next.ends);
                end += next.bytes.len() as u64;
                (ends, newline) = (next.ends, next.newline);
                lines.consume();
            }
            found = Some((Span { offset: start, len: end - start }, newline));
        }
        let text = gather.finish(bytes);
        let is_utf8 = match &text {
            PayloadText::InMemory(at) => {
                std::str::from_utf8(bytes.get(at.clone()).unwrap_or_default()).is_ok()
            }
            PayloadText::Spilled(_) => true,
        };
        Ok(found.map(|(span, newline)| (GroupPayload { span, text, md5: None, is_utf8 }, newline)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_batches_are_small_and_the_later_ones_have_all_the_room() {
        let record = format!("V0401 12:00:00.000000 1 torch/a.py:1] {{}}\n\t{}\n", "x".repeat(2_000));
        let log = record.repeat(1_500);
        let mut groups = Groups::new(log.as_bytes());
        let mut sizes = Vec::new();
        let (mut batch, mut items) = (Batch::default(), 0);
        while !batch.ended {
            groups.fill(&mut batch);
            sizes.push(batch.bytes.len());
            items += batch.groups.len();
        }
        assert_eq!(items, 1_500);
        sizes.pop();
        let room = [32 << 10, 64 << 10, 128 << 10, 256 << 10, BATCH_BYTES, BATCH_BYTES];
        let beyond: Vec<usize> = sizes.iter().zip(room).map(|(size, room)| size - room).collect();
        assert!(sizes.len() >= room.len() - 1 && beyond.iter().all(|more| *more < record.len()), "{sizes:?}");
    }
}
