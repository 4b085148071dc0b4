//! The chromium events of all ranks as one file: the process of an event is its rank.

use super::blocks::in_order;
use super::events::{BLOCK_BYTES, for_each_event, next_lines, open};
use crate::limits::DEEPEST_JSON;
use crate::model::Fields;
use crate::output::RankFolder;
use crate::trace::nests_deeper;
use anyhow::Result;
use serde_json::{Value, json};
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::Path;

/// Threads that make blocks, at most: one thread writes them, in a third of the time that one takes to make them.
const MOST_THREADS: NonZeroUsize = NonZeroUsize::new(4).unwrap();

/// Writes the events of the ranks' files, as many blocks at once as there are threads.
pub(super) fn write(folders: &[RankFolder], threads: NonZeroUsize, out: &mut dyn Write) -> Result<()> {
    let reports: Vec<Report<'_>> = folders.iter().flat_map(reports_of).collect();
    let mut begin = b"[\n".as_slice();
    in_order(threads.min(MOST_THREADS), reports.iter().flat_map(Report::blocks), Block::moved, |events| {
        if let Some(events) = events.strip_prefix(SEPARATOR) {
            out.write_all(std::mem::replace(&mut begin, SEPARATOR))?;
            out.write_all(events)?;
        }
        Ok(())
    })?;
    Ok(out.write_all(if begin == SEPARATOR { b"\n]\n" } else { b"[]\n" })?)
}

/// What stands before each event but the first.
const SEPARATOR: &[u8] = b",\n";

/// The report of a rank, or of a further process of it.
struct Report<'f> {
    folder: &'f Path,
    rank: u64,
    process: Option<u64>,
}

/// The report of the rank's first process, then those of the others.
fn reports_of(folder: &RankFolder) -> impl Iterator<Item = Report<'_>> {
    let rank = folder.rank;
    let others = folder.processes.iter();
    let others = others.map(move |(pid, path)| Report { folder: path, rank, process: Some(*pid) });
    std::iter::once(Report { folder: &folder.path, rank, process: None }).chain(others)
}

impl Report<'_> {
    /// What its part of the file is made of.
    fn blocks(&self) -> impl Iterator<Item = Block<'_>> + Send {
        let mut events = None;
        let lines = move || {
            let events = events.get_or_insert_with(|| open(self.folder)).as_mut()?;
            let lines = next_lines(events, BLOCK_BYTES);
            (!lines.is_empty()).then_some(Block::Events(self, lines))
        };
        std::iter::once(Block::Names(self)).chain(std::iter::from_fn(lines))
    }

    /// Events that name the process of the rank, or the thread of a further process.
    fn names(&self) -> Vec<Value> {
        let rank = self.rank;
        if let Some(process) = self.process {
            let name = format!("process {process}");
            return vec![
                json!({"name": "thread_name", "ph": "M", "pid": rank, "tid": process, "args": {"name": name}}),
            ];
        }
        let name = format!("rank {rank}");
        vec![
            json!({"name": "process_name", "ph": "M", "pid": rank, "tid": 0, "args": {"name": name}}),
            json!({"name": "process_sort_index", "ph": "M", "pid": rank, "tid": 0, "args": {"sort_index": rank}}),
        ]
    }

    /// Appends the event with its rank as process and its own process as thread.
    fn push_moved(&self, event: &Fields<'_>, out: &mut Vec<u8>) {
        out.push(b'{');
        for (key, value) in event.iter() {
            if key == "pid" || (key == "tid" && self.process.is_some()) {
                continue;
            }
            push_text(key, out);
            out.extend_from_slice(b": ");
            out.extend_from_slice(value.get().as_bytes());
            out.extend_from_slice(b", ");
        }
        if let Some(process) = self.process {
            out.extend_from_slice(format!("\"tid\": {process}, ").as_bytes());
        }
        out.extend_from_slice(format!("\"pid\": {}}}", self.rank).as_bytes());
    }
}

/// Appends a text as JSON.
fn push_text(text: &str, out: &mut Vec<u8>) {
    // Writing a text to memory cannot fail.
    let _ = serde_json::to_writer(out, text);
}

/// A piece of a report's part of the file.
enum Block<'r> {
    /// What the process and its threads are called.
    Names(&'r Report<'r>),
    /// Lines of the report's own file.
    Events(&'r Report<'r>, Vec<u8>),
}

impl Block<'_> {
    /// Its events as they are written, each after [`SEPARATOR`].
    fn moved(self) -> Vec<u8> {
        let mut out = Vec::new();
        match self {
            Block::Names(report) => {
                for name in report.names() {
                    out.extend_from_slice(SEPARATOR);
                    out.extend_from_slice(name.to_string().as_bytes());
                }
            }
            Block::Events(report, lines) => {
                out.reserve(lines.len() + lines.len() / 8); // a space after each comma and colon
                for_each_event(&lines, |text| {
                    if !nests_deeper(text, DEEPEST_JSON)
                        && let Ok(event) = Fields::parse(text)
                    {
                        out.extend_from_slice(SEPARATOR);
                        report.push_moved(&event, &mut out);
                    }
                });
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_keeps_all_but_its_process() {
        let fields = Fields::parse(r#"{"pid": 0, "name": "a\"b", "args": {"pid": 1}, "tid": 0}"#).unwrap();
        let moved = |process| {
            let mut out = Vec::new();
            Report { folder: Path::new(""), rank: 7, process }.push_moved(&fields, &mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(moved(None), r#"{"name": "a\"b", "args": {"pid": 1}, "tid": 0, "pid": 7}"#);
        assert_eq!(moved(Some(9)), r#"{"name": "a\"b", "args": {"pid": 1}, "tid": 9, "pid": 7}"#);
    }

    #[test]
    fn what_is_no_event_or_nests_too_deep_is_left_out() {
        let deep = format!("{{\"name\": {}{}}}", "[".repeat(DEEPEST_JSON), "]".repeat(DEEPEST_JSON));
        let lines = ["[", "{\"name\": 1},", "7,", &format!("{deep},"), "{\"name\": 2", "{\"name\": 3}", "]"];
        let report = Report { folder: Path::new(""), rank: 7, process: None };
        let moved = Block::Events(&report, lines.join("\n").into_bytes()).moved();
        let moved = String::from_utf8(moved).unwrap();
        assert_eq!(moved, ",\n{\"name\": 1, \"pid\": 7},\n{\"name\": 3, \"pid\": 7}");
    }
}
