//! The chromium events in the report of a rank, one line each.

use crate::limits::DEEPEST_JSON;
use crate::model::Fields;
use crate::trace::nests_deeper;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// Bytes of an event; longer ones are passed over. A phase with everything that torch notes about it has a few kilobytes.
const LONGEST: u64 = 16 << 20;

/// Opens the events of the report in `folder`. None where they cannot be read: the rank's own report says what is wrong.
pub(super) fn open(folder: &Path) -> Option<impl BufRead + Send> {
    let path = folder.join("chromium_events.json");
    // A pipe of that name would wait for ever.
    std::fs::metadata(&path).ok().filter(std::fs::Metadata::is_file)?;
    Some(BufReader::with_capacity(64 << 10, File::open(&path).ok()?))
}

/// Gives each event to `take`. A line that is not an event is passed over.
pub(super) fn for_each_event(mut lines: impl BufRead, mut take: impl FnMut(&Fields<'_>)) {
    let mut line = Vec::new();
    while next_line(&mut lines, &mut line) {
        let text = line.trim_ascii();
        let text = text.strip_suffix(b",").unwrap_or(text);
        if let Ok(text) = str::from_utf8(text)
            && text.starts_with('{')
            && !nests_deeper(text, DEEPEST_JSON)
            && let Ok(fields) = Fields::parse(text)
        {
            take(&fields);
        }
        line.clear();
    }
}

/// Reads whole lines, at least `bytes` of them if there are so many.
pub(super) fn next_lines(lines: &mut impl BufRead, bytes: usize) -> Vec<u8> {
    let mut read = Vec::with_capacity(bytes);
    while read.len() < bytes && next_line(lines, &mut read) {}
    read
}

/// Appends the next line; of one that is too long, its next part, which is no event. Returns whether there was one.
fn next_line(lines: &mut impl BufRead, line: &mut Vec<u8>) -> bool {
    lines.by_ref().take(LONGEST).read_until(b'\n', line).is_ok_and(|bytes| bytes > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_event_or_nests_too_deep_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let deep = format!("{{\"name\": {}{}}}", "[".repeat(DEEPEST_JSON), "]".repeat(DEEPEST_JSON));
        let lines = ["[", "{\"name\": 1},", "7,", &format!("{deep},"), "{\"name\": 2", "{\"name\": 3}", "]"];
        std::fs::write(folder.path().join("chromium_events.json"), lines.join("\n")).unwrap();
        let mut names = Vec::new();
        for_each_event(open(folder.path()).unwrap(), |event| names.extend(event.number("name")));
        assert_eq!(names, [1.0, 3.0]);
        assert!(open(&folder.path().join("missing")).is_none());
    }

    #[test]
    fn lines_are_read_whole_and_only_as_many_as_are_needed() {
        let mut text: &[u8] = b"[\n{1},\n{2},\n]";
        let blocks: Vec<Vec<u8>> = (0..4).map(|_| next_lines(&mut text, 3)).collect();
        assert_eq!(blocks, [b"[\n{1},\n".as_slice(), b"{2},\n", b"]", b""]);
    }
}
