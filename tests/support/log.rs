//! Splits a log into records and joins changed ones. Unchanged records keep their bytes.

use serde_json::Value;

/// The records of a log.
#[derive(Clone)]
pub struct Log {
    /// In log order.
    pub records: Vec<Record>,
}

/// A record: its header line and the lines of its payload, all without newline.
#[derive(Clone)]
pub struct Record {
    /// Prefix and envelope.
    pub header: Vec<u8>,
    /// Payload lines, their tab included.
    pub payload: Vec<Vec<u8>>,
}

impl Log {
    /// Lines that begin with a tab belong to the record above.
    pub fn parse(bytes: &[u8]) -> Log {
        let mut records: Vec<Record> = Vec::new();
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        // Not `split`: without optimization, calling a closure for each byte of a large log takes seconds.
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', bytes).chain([bytes.len()]) {
            let line = &bytes[start..end];
            start = end + 1;
            match records.last_mut() {
                Some(record) if line.starts_with(b"\t") => record.payload.push(line.to_owned()),
                _ => records.push(Record { header: line.to_owned(), payload: Vec::new() }),
            }
        }
        Log { records }
    }

    /// The log's bytes.
    pub fn bytes(&self) -> Vec<u8> {
        self.bytes_before(self.records.len())
    }

    /// The bytes of all records before that one.
    pub fn bytes_before(&self, index: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        for record in &self.records[..index] {
            for line in std::iter::once(&record.header).chain(&record.payload) {
                bytes.extend_from_slice(line);
                bytes.push(b'\n');
            }
        }
        bytes
    }

    /// The line of a record's header, from 1.
    pub fn line(&self, index: usize) -> u64 {
        1 + self.records[..index].iter().map(|record| 1 + record.payload.len() as u64).sum::<u64>()
    }

    /// Indices of the records with that event key.
    pub fn all(&self, event: &str) -> Vec<usize> {
        let key = format!("] {{\"{event}\":");
        let is = |record: &Record| contains(&record.header, key.as_bytes());
        (0..self.records.len()).filter(|index| is(&self.records[*index])).collect()
    }

    /// The index of the nth (from 0) record with that event key.
    pub fn nth(&self, event: &str, n: usize) -> usize {
        *self.all(event).get(n).unwrap_or_else(|| panic!("the log has no {event} number {n}"))
    }

    /// The first record with that event key.
    pub fn first(&mut self, event: &str) -> &mut Record {
        let index = self.nth(event, 0);
        &mut self.records[index]
    }

    /// Changes the envelope of the nth record with that event key; gives the line of its header.
    pub fn edit(&mut self, event: &str, n: usize, change: impl FnOnce(&mut Value)) -> u64 {
        let index = self.nth(event, n);
        self.records[index].edit(change);
        self.line(index)
    }
}

impl Record {
    /// A record that torch did not write, with the prefix of this one.
    pub fn like(&self, envelope: &str, payload: Option<&[u8]>) -> Record {
        let mut record = Record { header: self.prefix().to_owned(), payload: Vec::new() };
        record.header.extend_from_slice(envelope.as_bytes());
        if let Some(payload) = payload {
            record.set_payload(payload);
        }
        record
    }

    /// The text before the envelope, including the space.
    pub fn prefix(&self) -> &[u8] {
        &self.header[..self.envelope_start()]
    }

    /// The text of the envelope.
    pub fn envelope(&self) -> &[u8] {
        &self.header[self.envelope_start()..]
    }

    fn envelope_start(&self) -> usize {
        let start = self.header.windows(3).position(|bytes| bytes == b"] {");
        2 + start.expect("the line is a header")
    }

    /// Replaces the envelope.
    pub fn set_envelope(&mut self, text: &[u8]) {
        self.header.truncate(self.envelope_start());
        self.header.extend_from_slice(text);
    }

    /// Changes the envelope as JSON.
    pub fn edit(&mut self, change: impl FnOnce(&mut Value)) {
        let mut envelope: Value = serde_json::from_slice(self.envelope()).expect("torch wrote strict JSON");
        change(&mut envelope);
        self.set_envelope(serde_json::to_string(&envelope).unwrap().as_bytes());
    }

    /// The payload without tabs.
    pub fn text(&self) -> Vec<u8> {
        let lines: Vec<&[u8]> = self.payload.iter().map(|line| &line[1..]).collect();
        lines.join(&b'\n')
    }

    /// Replaces the payload, and its hash with the right one.
    pub fn set_payload(&mut self, payload: &[u8]) {
        self.edit(|envelope| envelope["has_payload"] = md5_of(payload).into());
        let lines = payload.split(|byte| *byte == b'\n');
        self.payload = lines.map(|line| [b"\t", line].concat()).collect();
    }
}

/// The hash as torch writes it.
pub fn md5_of(payload: &[u8]) -> String {
    format!("{:x}", md5::compute(payload))
}

/// Whether `bytes` contain `part`.
pub fn contains(bytes: &[u8], part: &[u8]) -> bool {
    memchr::memmem::find(bytes, part).is_some()
}

/// `bytes` with each `from` replaced.
pub fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut result = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = memchr::memmem::find(rest, from) {
        result.extend_from_slice(&rest[..at]);
        result.extend_from_slice(to);
        rest = &rest[at + from.len()..];
    }
    result.extend_from_slice(rest);
    result
}
