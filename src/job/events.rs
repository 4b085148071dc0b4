//! The chromium events in the report of a rank, one line each.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// Bytes of an event; longer ones are passed over. A phase with everything that torch notes about it has a few kilobytes.
const LONGEST: u64 = 16 << 20;

/// Bytes of events that are worked on at once: a millisecond of work, a hundred times what it takes to hand them to another
/// thread.
pub(super) const BLOCK_BYTES: usize = 256 << 10;

/// Opens the events of the report in `folder`. None where they cannot be read: the rank's own report says what is wrong.
pub(super) fn open(folder: &Path) -> Option<impl BufRead + Send> {
    let path = folder.join("chromium_events.json");
    // A pipe of that name would wait for ever.
    std::fs::metadata(&path).ok().filter(std::fs::Metadata::is_file)?;
    Some(BufReader::with_capacity(64 << 10, File::open(&path).ok()?))
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
    fn what_can_be_no_event_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let lines = b"[\n{\"name\": 1},\n7,\n{\"\xff\": 2},\n{\"name\": 3}\n]";
        std::fs::write(folder.path().join("chromium_events.json"), lines).unwrap();
        let lines = next_lines(&mut open(folder.path()).unwrap(), BLOCK_BYTES);
        let mut events = Vec::new();
        for_each_event(&lines, |event| events.push(event));
        assert_eq!(events, ["{\"name\": 1}", "{\"name\": 3}"]);
        assert!(open(&folder.path().join("missing")).is_none());
    }

    #[test]
    fn lines_are_read_whole_and_only_as_many_as_are_needed() {
        let mut text: &[u8] = b"[\n{1},\n{2},\n]";
        let blocks: Vec<Vec<u8>> = (0..4).map(|_| next_lines(&mut text, 3)).collect();
        assert_eq!(blocks, [b"[\n{1},\n".as_slice(), b"{2},\n", b"]", b""]);
    }
}
