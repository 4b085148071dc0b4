//! A log that is still written: each record is read once, as soon as it is whole, and a compile that ends becomes news.

use super::finish;
use super::read::Reader;
use super::registry::Registry;
use crate::model::CompileNews;
use crate::trace::{Entry, Records};
use anyhow::Result;

/// Reads a log as it grows. What it knows is kept from piece to piece.
pub struct Follower {
    reader: Reader,
    /// The beginning of a record whose end is not known yet.
    pending: Vec<u8>,
}

impl Follower {
    /// At the start of a log.
    pub fn new(registry: &Registry) -> Follower {
        Follower { reader: Reader::new(registry), pending: Vec::new() }
    }

    /// Reads what was appended. The last record waits, as more of its payload may follow.
    ///
    /// # Errors
    /// None that the content could cause.
    pub fn feed(&mut self, appended: &[u8]) -> Result<Vec<CompileNews>> {
        self.pending.extend_from_slice(appended);
        let Some(whole) = last_header(&self.pending) else { return Ok(Vec::new()) };
        let rest = self.pending.split_off(whole);
        let whole = std::mem::replace(&mut self.pending, rest);
        self.read(&whole)
    }

    /// Also reads the last record, as the log has stopped growing.
    ///
    /// # Errors
    /// As [`Follower::feed`].
    pub fn rest(&mut self) -> Result<Vec<CompileNews>> {
        if !self.pending.ends_with(b"\n") {
            return Ok(Vec::new());
        }
        let whole = std::mem::take(&mut self.pending);
        self.read(&whole)
    }

    fn read(&mut self, whole: &[u8]) -> Result<Vec<CompileNews>> {
        let mut news = Vec::new();
        let mut records = Records::new(whole);
        // The report lists the damage.
        while let Some(entry) = records.next()? {
            let Entry::Record(record) = entry else { continue };
            self.reader.record(&record);
            if record.envelope.events.iter().any(|(key, _)| key == "compilation_metrics") {
                let model = self.reader.model();
                let index = model.by_id.get(&record.envelope.compile_id).copied();
                news.extend(index.and_then(|index| finish::news_of(model, index)));
            }
        }
        Ok(news)
    }
}

/// Where the last header line begins, if another one precedes it.
fn last_header(bytes: &[u8]) -> Option<usize> {
    let mut end = bytes.len();
    loop {
        let newline = memchr::memrchr(b'\n', bytes.get(..end)?)?;
        match bytes.get(newline + 1) {
            None | Some(b'\t' | b'\n' | b'\r') => end = newline,
            Some(_) => return Some(newline + 1),
        }
    }
}
