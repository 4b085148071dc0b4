//! The chromium events of all ranks as one file: the process of an event is its rank.

use super::blocks::in_order;
use super::events::{EventFile, for_each_event};
use super::timeline::{Noted, Timelines};
use crate::limits::DEEPEST_JSON;
use crate::output::RankFolder;
use crate::report::TrackEvent;
use crate::report_folder::ReportFolder;
use crate::trace::{WrittenField, nests_deeper, written_fields};
use anyhow::Result;
use serde::de::IgnoredAny;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::Path;

/// Threads that make blocks, at most: one thread writes them, in a third of the time that one takes to make them.
const MOST_THREADS: NonZeroUsize = NonZeroUsize::new(4).unwrap();

/// Writes the events of the ranks' files, as many blocks at once as there are threads, and notes when the ranks compiled.
/// `are_own` says that this run wrote the files.
pub(super) fn write(
    folders: &[RankFolder],
    are_own: bool,
    threads: NonZeroUsize,
    mut timelines: Timelines<'_>,
    out: &mut dyn Write,
) -> Result<()> {
    let reports: Vec<Report<'_>> =
        folders.iter().flat_map(|folder| reports_of(folder, are_own, &timelines)).collect();
    let mut begin = b"[\n".as_slice();
    in_order(threads.min(MOST_THREADS), reports.iter().flat_map(Report::blocks), Block::moved, |moved| {
        if let Some(events) = moved.events.strip_prefix(SEPARATOR) {
            out.write_all(std::mem::replace(&mut begin, SEPARATOR))?;
            out.write_all(events)?;
        }
        if let Some(noted) = &moved.noted {
            timelines.add(moved.rank, noted);
        }
        Ok(())
    })?;
    timelines.finish();
    Ok(out.write_all(if begin == SEPARATOR { b"\n]\n" } else { b"[]\n" })?)
}

/// What stands before each event but the first.
const SEPARATOR: &[u8] = b",\n";

/// The report of a rank, or of a further process of it.
struct Report<'f> {
    folder: &'f Path,
    rank: u64,
    process: Option<u64>,
    /// Whether its timeline is shown.
    is_shown: bool,
    /// Whether this run wrote it.
    is_own: bool,
}

/// The report of the rank's first process, whose timeline may be shown, then those of the others.
fn reports_of<'f>(
    folder: &'f RankFolder,
    is_own: bool,
    timelines: &Timelines<'_>,
) -> impl Iterator<Item = Report<'f>> + use<'f> {
    let rank = folder.rank;
    let is_shown = timelines.are_shown_of(rank);
    let others = folder.processes.iter().map(|(pid, path)| (path, Some(*pid)));
    std::iter::once((&folder.path, None)).chain(others).map(move |(folder, process)| Report {
        folder,
        rank,
        process,
        is_shown: is_shown && process.is_none(),
        is_own,
    })
}

impl Report<'_> {
    /// What its part of the file is made of.
    fn blocks(&self) -> impl Iterator<Item = Block<'_>> + Send {
        let mut events = None;
        let lines = move || {
            let events =
                events.get_or_insert_with(|| EventFile::open(&ReportFolder::at(self.folder))).as_mut()?;
            events.next_lines().map(|lines| Block::Events(self, lines))
        };
        std::iter::once(Block::Names(self)).chain(std::iter::from_fn(lines))
    }

    /// Events that name the process of the rank, or the thread of a further process.
    fn names(&self) -> Vec<TrackEvent> {
        let rank = self.rank;
        if let Some(process) = self.process {
            return vec![TrackEvent::thread_name(rank, process, format!("process {process}"))];
        }
        vec![TrackEvent::process_name(rank, format!("rank {rank}")), TrackEvent::process_order(rank, rank)]
    }

    /// Whether an event is copied: not what is no JSON, and not what nests deeper than its readers go. Neither is in a
    /// report that this run wrote, where checking each event again took a third of the time.
    fn takes(&self, event: &str) -> bool {
        self.is_own || !nests_deeper(event, DEEPEST_JSON) && serde_json::from_str::<IgnoredAny>(event).is_ok()
    }

    /// Appends the event with its rank as process and its own process as thread.
    fn push_moved(&self, event: &[WrittenField<'_>], out: &mut Vec<u8>) {
        out.push(b'{');
        for field in event {
            if field.key == "\"pid\"" || (field.key == "\"tid\"" && self.process.is_some()) {
                continue;
            }
            out.extend_from_slice(field.key.as_bytes());
            out.extend_from_slice(b": ");
            out.extend_from_slice(field.value.as_bytes());
            out.extend_from_slice(b", ");
        }
        if let Some(process) = self.process {
            out.extend_from_slice(format!("\"tid\": {process}, ").as_bytes());
        }
        out.extend_from_slice(format!("\"pid\": {}}}", self.rank).as_bytes());
    }
}

/// A piece of a report's part of the file.
enum Block<'r> {
    /// What the process and its threads are called.
    Names(&'r Report<'r>),
    /// Lines of the report's own file.
    Events(&'r Report<'r>, Vec<u8>),
}

/// What became of a block.
struct Moved {
    rank: u64,
    /// Its events as they are written, each after [`SEPARATOR`].
    events: Vec<u8>,
    /// What they say about the timeline of the rank, where that is shown.
    noted: Option<Noted>,
}

impl Block<'_> {
    fn moved(self) -> Moved {
        let mut events = Vec::new();
        match self {
            Block::Names(report) => {
                for name in report.names() {
                    events.extend_from_slice(SEPARATOR);
                    events.extend(serde_json::to_vec(&name).unwrap_or_default());
                }
                Moved { rank: report.rank, events, noted: None }
            }
            Block::Events(report, lines) => {
                events.reserve(lines.len() + lines.len() / 8); // a space after each comma and colon
                let mut noted = report.is_shown.then(Noted::default);
                let mut event = Vec::new();
                for_each_event(&lines, |text| {
                    if report.takes(text) {
                        event.clear();
                        event.extend(written_fields(text));
                        events.extend_from_slice(SEPARATOR);
                        report.push_moved(&event, &mut events);
                        if let Some(noted) = &mut noted {
                            noted.add(&event);
                        }
                    }
                });
                Moved { rank: report.rank, events, noted }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A report of rank 7 that may come from anywhere.
    fn report(process: Option<u64>) -> Report<'static> {
        Report { folder: Path::new(""), rank: 7, process, is_shown: false, is_own: false }
    }

    #[test]
    fn an_event_keeps_all_but_its_process() {
        let event = r#"{"pid": 0, "name": "a\"b", "args": {"pid": 1}, "tid": 0}"#;
        let event: Vec<_> = written_fields(event).collect();
        let moved = |process| {
            let mut out = Vec::new();
            report(process).push_moved(&event, &mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(moved(None), r#"{"name": "a\"b", "args": {"pid": 1}, "tid": 0, "pid": 7}"#);
        assert_eq!(moved(Some(9)), r#"{"name": "a\"b", "args": {"pid": 1}, "tid": 9, "pid": 7}"#);
    }

    #[test]
    fn what_is_no_event_or_nests_too_deep_is_left_out() {
        let deep = format!("{{\"name\": {}{}}}", "[".repeat(DEEPEST_JSON), "]".repeat(DEEPEST_JSON));
        let lines = ["[", "{\"name\": 1},", "7,", &format!("{deep},"), "{\"name\": 2", "{\"name\": 3}", "]"];
        let moved = Block::Events(&report(None), lines.join("\n").into_bytes()).moved();
        let moved = String::from_utf8(moved.events).unwrap();
        assert_eq!(moved, ",\n{\"name\": 1, \"pid\": 7},\n{\"name\": 3, \"pid\": 7}");
    }
}
