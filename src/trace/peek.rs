//! What the beginning and the end of a log say about it, without reading the rest.

use std::io;
use std::ops::ControlFlow;
use std::path::Path;

use anyhow::Context;

use super::envelope::{Envelope, clean_header};
use super::header::for_each_header;
use super::intake::Opener;
use super::payload::{LineKind, Span, kind_of};
use super::prefix::{LocalTime, Prefix};
use super::source::Source;

/// How many header lines are searched for a string and a process id. The first stack of a process comes within a few
/// records, and reading megabytes to find it would not pay.
const HEADERS: u32 = 256;
/// How a header line names its rank. Only the beginning of a line that is longer than the read buffer is searched; that is
/// enough, because the first header with a rank decides and most headers are short.
const RANK: &[u8] = b"\"rank\": ";
/// How many bytes from the end are first searched for a header line, and how many at most: a log may end with a payload of
/// 64 MB.
const TAIL: u64 = 64 << 10;
const MAX_TAIL: u64 = 64 << 20;

/// What a log says about the process that wrote it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Peek {
    /// The rank of the first record that has one; searched only if the caller does not know it.
    pub rank: Option<u64>,
    /// The process of the first record.
    pub pid: Option<u64>,
    /// Times of the first and the last record; `None` in a log without a record.
    pub span: Option<(LocalTime, LocalTime)>,
    /// Whether the process uses strings that it did not write: a forked child inherits the string table of its parent and
    /// does not write it again.
    pub forked: bool,
    /// Size in bytes, unpacked.
    pub bytes: u64,
}

/// Looks at the two ends of a log. The whole log is read only to find a rank, when `want_rank` asks for one and none
/// of its records has it.
///
/// # Errors
/// The log cannot be read.
pub fn peek(path: &Path, want_rank: bool, opener: &Opener) -> anyhow::Result<Peek> {
    let source = opener.open(path)?;
    let about = || format!("cannot read {}", path.display());
    let mut found = beginning(&source, want_rank).with_context(about)?;
    if let Some((first, last)) = &mut found.span {
        *last = end(&source).with_context(about)?.unwrap_or(*first);
    }
    found.bytes = source.len();
    Ok(found)
}

fn beginning(source: &Source, want_rank: bool) -> io::Result<Peek> {
    let mut found = Peek::default();
    let (mut inherits, mut headers) = (None, 0);
    for_each_header(source.reader(), |prefix, json| {
        headers += 1;
        found.pid.get_or_insert(prefix.pid);
        found.span.get_or_insert((prefix.time, prefix.time));
        inherits = inherits.or_else(|| inherits_strings(json));
        if want_rank && memchr::memmem::find(json.as_bytes(), RANK).is_some() {
            found.rank = found.rank.or_else(|| Envelope::parse(json).ok()?.rank);
        }
        let knows_rank = !want_rank || found.rank.is_some();
        match knows_rank && (inherits.is_some() || headers >= HEADERS) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    })?;
    found.forked = inherits == Some(true);
    Ok(found)
}

/// Whether the first string of a process is not its own. A process that was not forked numbers its strings from 0, and writes
/// each before the first frame that refers to it.
fn inherits_strings(json: &str) -> Option<bool> {
    if json.starts_with("{\"str\":") {
        let (_, number) = json.rsplit_once(',')?;
        return Some(!number.trim_start().starts_with("0]"));
    }
    (json.contains("\"filename\": ") && json.contains("\"stack\": [{\"line\": ")).then_some(true)
}

/// The time of the last header line.
fn end(source: &Source) -> io::Result<Option<LocalTime>> {
    let mut size = TAIL;
    let mut bytes = Vec::new();
    loop {
        let len = size.min(source.len());
        source.read_span(Span { offset: source.len() - len, len }, &mut bytes)?;
        // The first line may be cut. If the piece is the whole log, that line is whole, and was seen already.
        let cut = memchr::memchr(b'\n', &bytes).unwrap_or(bytes.len());
        let mut lines = bytes.get(cut..).unwrap_or_default().rsplit(|byte| *byte == b'\n');
        let time = |line: &[u8]| {
            (kind_of(line, true) == LineKind::Header).then_some(())?;
            Some(Prefix::parse(&clean_header(line).text)?.0.time)
        };
        let found = lines.find_map(time);
        if found.is_some() || len == source.len() || size >= MAX_TAIL {
            return Ok(found);
        }
        size *= 8;
    }
}
