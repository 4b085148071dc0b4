//! A trace of torch.profiler (the JSON of `export_chrome_trace`) -> [`Profile`], its facts.
//!
//! The file is streamed: one event at a time is in memory, and nothing is kept of most events.

mod augment;
#[cfg(test)]
mod cases_tests;
mod collect;
mod combine;
mod devices;
mod pieces;
mod scan;

pub(crate) use augment::augment;
pub(crate) use collect::Recorded;
pub(crate) use combine::{Combined, RankTrace, combine};

use crate::model::Profile;
use crate::trace::{Attachment, base_name, unpacked};
use anyhow::{Context, Result};
use collect::Collector;
use pieces::{TracePiece, for_each_piece};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Bytes that are read to see whether a file is a trace. The list of events may follow the properties of the devices.
const LOOKED_AT: u64 = 64 << 10;

/// How many of them are enough to recognize a log, which never begins with a brace.
const BEGINS: u64 = 256;

/// Whether a file is a trace of torch.profiler, plain or compressed.
pub(crate) fn is_trace(path: &Path) -> bool {
    // Standard input and pipes can be read only once.
    if path == Path::new("-") || !path.is_file() {
        return false;
    }
    let Ok(mut file) = File::open(path).and_then(unpacked) else { return false };
    let mut head = Vec::with_capacity(BEGINS as usize);
    // A cut archive gives what it has, with an error at its end.
    let _ = (&mut file).take(BEGINS).read_to_end(&mut head);
    if !matches!(head.trim_ascii_start().first(), None | Some(b'{')) {
        return false;
    }
    let _ = file.take(LOOKED_AT - BEGINS).read_to_end(&mut head);
    begins_trace(&head)
}

/// Whether the first bytes of a file, unpacked, are those of a trace.
pub(crate) fn begins_trace(head: &[u8]) -> bool {
    let head = head.trim_ascii_start();
    let has = |what: &[u8]| memchr::memmem::find(head, what).is_some();
    head.starts_with(b"{") && (has(b"\"traceEvents\"") || has(b"\"schemaVersion\""))
}

/// The rank of the process that a trace is of: from the name of its file (`rank_3`, `rank3`), else from its
/// `distributedInfo`, which precedes the events.
pub(crate) fn rank_of(trace: &Attachment) -> Option<u64> {
    let name = trace.path().file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    if let Some((_, rest)) = name.split_once("rank") {
        let digits: String =
            rest.trim_start_matches(['_', '-']).chars().take_while(char::is_ascii_digit).collect();
        if let Ok(rank) = digits.parse() {
            return Some(rank);
        }
    }
    let mut head = Vec::new();
    let _ = trace.open().and_then(|file| file.take(LOOKED_AT).read_to_end(&mut head));
    let head = String::from_utf8_lossy(&head);
    let (_, info) = head.split_once("\"distributedInfo\"")?;
    let (_, rank) = info.split_once("\"rank\":")?;
    let digits: String = rank.trim_start().chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

/// Reads a trace.
///
/// # Errors
/// The file cannot be opened. A trace that is broken or cut is read as far as it goes; [`Profile::damaged`] says so.
pub(crate) fn read(trace: &Attachment) -> Result<Profile> {
    let path = trace.path();
    let what = || format!("cannot read {}, give a trace that torch.profiler exported", path.display());
    let file = trace.open().with_context(what)?;
    Ok(Profile { file: base_name(path), ..read_from(file) })
}

/// Reads the JSON of a trace.
pub(crate) fn read_from(json: impl Read) -> Profile {
    let mut collector = Collector::default();
    let damaged = for_each_piece(json, |piece| {
        match piece {
            TracePiece::Field { name, value } => collector.field(name, value),
            TracePiece::Event(event) => collector.event(&event),
            TracePiece::Unreadable => collector.unreadable(),
        }
        Ok(())
    });
    // Nothing that the collector does can fail.
    Profile { damaged: damaged.unwrap_or_default(), ..collector.finish() }
}
