//! The chromium events in the report of a rank, one line each.

use crate::report_folder::ReportFolder;
use std::fs::File;
use std::io::{ErrorKind, Read};

/// Bytes of an event; longer ones are passed over. A phase with everything that torch notes about it has a few kilobytes.
const LONGEST: usize = 16 << 20;

/// Bytes of a file of events; a larger one is not read. It is a part of a log, of which no more is unpacked either.
const MOST: u64 = 64 << 30;

/// Bytes of events that are worked on at once: a millisecond of work, a hundred times what it takes to hand them to another
/// thread.
const BLOCK_BYTES: usize = 256 << 10;

/// The events of a report.
pub(super) struct EventFile {
    file: File,
    /// The beginning of a line whose end is still to be read.
    begun: Vec<u8>,
}

impl EventFile {
    /// Opens the events of a report. None where they cannot be read: the rank's own report says what is wrong.
    pub fn open(report: &ReportFolder) -> Option<EventFile> {
        let file = report.open("chromium_events.json").ok()?;
        (file.metadata().ok()?.len() <= MOST).then(|| EventFile { file, begun: Vec::new() })
    }

    /// The next lines, whole ones; of a line that is too long, its next part, which is no event. None at the end.
    pub fn next_lines(&mut self) -> Option<Vec<u8>> {
        let mut lines = Vec::with_capacity(self.begun.len() + BLOCK_BYTES);
        lines.append(&mut self.begun);
        while lines.len() < LONGEST {
            let from = lines.len();
            lines.resize(from + BLOCK_BYTES, 0);
            let read = self.file.read(lines.get_mut(from..).unwrap_or_default());
            lines.truncate(from + *read.as_ref().unwrap_or(&0));
            match read {
                Ok(read) if read > 0 => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                // The end; or what a disk refuses is missing, as are the events behind it.
                _ => break,
            }
            let behind =
                lines.get(from..).and_then(|new| memchr::memrchr(b'\n', new)).map(|at| from + at + 1);
            if let Some(behind) = behind {
                self.begun = lines.split_off(behind);
                break;
            }
        }
        (!lines.is_empty()).then_some(lines)
    }
}

/// Gives the text of each event to `take`. A line that can be none is passed over.
pub(super) fn for_each_event<'l>(mut lines: &'l [u8], mut take: impl FnMut(&'l str)) {
    while !lines.is_empty() {
        let end = memchr::memchr(b'\n', lines).unwrap_or(lines.len());
        let (line, rest) = lines.split_at(end);
        lines = rest.strip_prefix(b"\n").unwrap_or(rest);
        let text = line.trim_ascii();
        let text = text.strip_suffix(b",").unwrap_or(text);
        if let Ok(text) = str::from_utf8(text)
            && text.starts_with('{')
        {
            take(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_no_event_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let lines = b"[\n{\"name\": 1},\n7,\n{\"\xff\": 2},\n{\"name\": 3}\n]";
        std::fs::write(folder.path().join("chromium_events.json"), lines).unwrap();
        let events = all(folder.path());
        assert_eq!(events, ["{\"name\": 1}", "{\"name\": 3}"]);
        assert!(EventFile::open(&ReportFolder::at(&folder.path().join("missing"))).is_none());
    }

    #[test]
    fn lines_are_whole_wherever_a_block_ends_and_what_stands_behind_a_line_without_an_end_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let event = |length: usize| format!("{{{}}}", "x".repeat(length));
        // Lines that end at and around the end of a block, that fill several, and one that is too long for an event.
        let lengths =
            [BLOCK_BYTES - 6, 1, BLOCK_BYTES - 5, 3 * BLOCK_BYTES, 0, 7, LONGEST + BLOCK_BYTES, 9, 10];
        let events: Vec<String> = lengths.iter().map(|length| event(*length)).collect();
        std::fs::write(folder.path().join("chromium_events.json"), format!("[\n{}\n]", events.join(",\n")))
            .unwrap();
        let found: Vec<usize> = all(folder.path())
            .iter()
            .map(|event| event.len() - 2)
            .filter(|length| *length < LONGEST / 2)
            .collect();
        assert_eq!(found, [BLOCK_BYTES - 6, 1, BLOCK_BYTES - 5, 3 * BLOCK_BYTES, 0, 7, 9, 10]);
    }

    /// All events of a report.
    fn all(folder: &std::path::Path) -> Vec<String> {
        let mut file = EventFile::open(&ReportFolder::at(folder)).unwrap();
        let mut events = Vec::new();
        while let Some(lines) = file.next_lines() {
            for_each_event(&lines, |event| events.push(event.to_owned()));
        }
        events
    }
}
