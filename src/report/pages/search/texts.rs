//! The texts of files, most useful first, within the byte budget.

use crate::limits::LARGEST_NOTE;
use crate::report::kit::json::indent;
use crate::report::kit::search_index::IndexWriter;
use crate::report::pages::search::files::{File, Text};
use crate::report::pages::search::lines::{Known, LineSink};
use crate::report::subject::Report;
use crate::trace::{Md5, TextMap};
use std::io::{self, Write};

/// One text may take this part of the room, so that a single dump does not displace all others.
const PART_OF_ROOM: u64 = 4;

/// Counts of what was indexed.
#[derive(Default)]
pub(crate) struct Indexed<'m> {
    /// Number of texts that are searched.
    pub texts: usize,
    /// Number of their distinct lines.
    pub lines: usize,
    /// Files whose text is left out: count and bytes by name.
    pub absent: TextMap<&'m str, (usize, u64)>,
}

/// Writes the texts: `[file, [lines]]`, or `[file, n]` if the text equals that of entry n.
pub(crate) fn write<'m>(
    report: Report<'m>,
    mut files: Vec<File<'m>>,
    index: &mut IndexWriter<'_>,
) -> anyhow::Result<Indexed<'m>> {
    index.list("texts")?;
    files.sort_by_key(|file| (file.rank, file.text.map_or(0, |text| text.len()), file.number));
    let mut pass = Pass { report, known: Known::new(), same: TextMap::default() };
    let mut indexed = Indexed::default();
    let most = (index.left / PART_OF_ROOM).max(LARGEST_NOTE);
    for file in files.iter().filter(|file| file.text.is_some()) {
        let json = pass.entry(file, indexed.texts, most.min(index.left))?;
        match json {
            Some(json) if index.entry(&json)? => indexed.texts += 1,
            _ => {
                let (count, bytes) = indexed.absent.entry(file.name).or_default();
                *count += 1;
                *bytes += file.text.map_or(0, |text| text.len());
            }
        }
    }
    indexed.lines = pass.known.len();
    Ok(indexed)
}

/// State while texts are read.
struct Pass<'m> {
    report: Report<'m>,
    known: Known,
    /// Entries by the hash of their text.
    same: TextMap<(Md5, bool), usize>,
}

impl Pass<'_> {
    /// The entry of a file's text; None if it takes more than `room` bytes.
    fn entry(&mut self, file: &File<'_>, next: usize, room: u64) -> anyhow::Result<Option<Vec<u8>>> {
        let Some(text) = file.text.filter(|_| file.is_readable()) else { return Ok(None) };
        let key = text.md5().map(|md5| (md5, file.json));
        if let Some(known) = key.and_then(|key| self.same.get(&key)) {
            return Ok(Some(format!("[{},{known}]", file.number).into_bytes()));
        }
        let room = usize::try_from(room).unwrap_or(usize::MAX);
        let mut sink = LineSink::new(&mut self.known, room);
        let read = read(self.report, text, file.json, &mut sink);
        // A full sink stops reading with an error.
        if !sink.is_full() {
            read?;
        }
        let Some(lines) = sink.finish() else { return Ok(None) };
        if let Some(key) = key {
            self.same.insert(key, next);
        }
        let mut json = format!("[{},[", file.number).into_bytes();
        json.extend_from_slice(&lines);
        json.extend_from_slice(b"]]");
        Ok(Some(json))
    }
}

/// Copies a text to `sink`. JSON is indented as in its file, as it is often one line.
fn read(report: Report<'_>, text: Text<'_>, json: bool, sink: &mut impl Write) -> io::Result<()> {
    match text {
        Text::Made(text) => sink.write_all(text.as_bytes()),
        Text::Payload(at) if json => {
            let mut bytes = Vec::new();
            report.source.read_payload(at, &mut bytes)?;
            indent(&bytes, sink)
        }
        Text::Payload(at) => report.source.copy_payload(at, sink),
    }
}
