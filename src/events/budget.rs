//! How much of a log is kept in memory. A file of 3 MB can unpack to gigabytes of records of 35 bytes each.

use crate::model::{Integrity, ProblemKind};
use crate::trace::Record;

/// Records without an event, a payload or a stack that are kept. Torch writes none.
const MOST_EMPTY: u64 = 10_000;

/// Bytes that may be kept of a log, as estimated: a log that needs them has several gigabytes.
const MOST_BYTES: u64 = 4 << 30;

/// What is kept of a record without its texts, measured: its place, and an artifact or the row of a table.
const RECORD_BYTES: u64 = 640;

/// What is kept of a compile when it is first named.
const COMPILE_BYTES: u64 = 4 << 10;

/// Parsed, a header takes up to four times its length, but no longer text in it is kept: metrics records of 40 KB are
/// read again.
const PARSED: u64 = 4;
const MOST_HEADER: u64 = 2 << 10;

/// How much of its memory budget a log has used.
#[derive(Default)]
pub(super) struct Budget {
    bytes: u64,
    empty_kept: u64,
    compiles: usize,
    empty: OnlyCounted,
    beyond: OnlyCounted,
}

/// Records that are only counted.
#[derive(Default)]
struct OnlyCounted {
    /// The first of them.
    line: u64,
    records: u64,
}

impl Budget {
    /// Whether there is room for what a record says. `compiles` is how many the log has named so far.
    pub fn has_room_for(&mut self, record: &Record<'_>, compiles: usize) -> bool {
        let new_compiles = compiles.saturating_sub(std::mem::replace(&mut self.compiles, compiles));
        let header = record.header.len.min(MOST_HEADER);
        let of_record = if is_streamed(record) { header } else { RECORD_BYTES + PARSED * header };
        let needed = of_record + COMPILE_BYTES * new_compiles as u64;
        let only_counted = if is_empty(record) && self.empty_kept == MOST_EMPTY {
            &mut self.empty
        } else if self.bytes + needed > MOST_BYTES {
            // Nothing smaller that follows is kept either, so that the report ends at one place of the log.
            self.bytes = MOST_BYTES;
            &mut self.beyond
        } else {
            self.bytes += needed;
            self.empty_kept += u64::from(is_empty(record));
            return true;
        };
        if only_counted.records == 0 {
            only_counted.line = record.line;
        }
        only_counted.records += 1;
        false
    }

    /// Lists the records that were only counted.
    pub fn report(&self, integrity: &mut Integrity) {
        let reasons = [
            (&self.empty, "they have no event".to_owned()),
            (&self.beyond, format!("the log needs more than {} GB of memory", MOST_BYTES >> 30)),
        ];
        for (OnlyCounted { line, records }, reason) in reasons {
            if *records > 0 {
                let detail = format!("{records} records from here on are only counted: {reason}");
                integrity.add(ProblemKind::ParserErrors, *line, detail);
            }
        }
    }
}

/// Whether nothing of a record is kept but strings and events of the timeline.
pub(super) fn is_streamed(record: &Record<'_>) -> bool {
    let mut events = record.envelope.events.iter();
    !record.envelope.events.is_empty() && events.all(|(key, _)| key == "str" || key == "chromium_event")
}

fn is_empty(record: &Record<'_>) -> bool {
    record.envelope.events.is_empty() && record.envelope.stack.is_none() && record.payload.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{Entry, Records};

    /// How many records of a log a budget has room for, and what it reports.
    fn kept(log: &str, mut budget: Budget, compiles_per_record: usize) -> (usize, Vec<String>) {
        let mut records = Records::new(log.as_bytes());
        let (mut read, mut kept) = (0, 0);
        while let Some(Entry::Record(record)) = records.next().unwrap() {
            kept += usize::from(budget.has_room_for(&record, read * compiles_per_record));
            read += 1;
        }
        let mut integrity = Integrity::default();
        budget.report(&mut integrity);
        let problems = integrity.problems.into_iter();
        (kept, problems.map(|problem| format!("{}: {}", problem.line, problem.detail)).collect())
    }

    fn record(json: &str) -> String {
        format!("V0401 12:00:00.000000 1 a.py:1] {json}\n")
    }

    #[test]
    fn records_without_an_event_are_kept_up_to_a_number_and_then_counted() {
        let log = [record("{}").repeat(12_000), record(r#"{"a": 1}"#)].concat();
        let (kept, problems) = kept(&log, Budget::default(), 0);
        assert_eq!(kept, 10_001);
        assert_eq!(problems, ["10001: 2000 records from here on are only counted: they have no event"]);
    }

    #[test]
    fn what_a_log_may_keep_is_bounded() {
        let budget = || Budget { bytes: MOST_BYTES - 100_000, ..Budget::default() };
        let (events, problems) = kept(&record(r#"{"a": 1}"#).repeat(1_000), budget(), 0);
        assert!((80..140).contains(&events), "{events}");
        assert!(problems[0].contains("more than 4 GB of memory"), "{problems:?}");
        let (compiles, _) = kept(&record(r#"{"a": 1}"#).repeat(1_000), budget(), 1);
        assert!(compiles < events / 4, "{compiles}");
        let (streamed, _) = kept(&record(r#"{"chromium_event": {}}"#).repeat(1_000), budget(), 0);
        assert_eq!(streamed, 1_000);
    }
}
