//! An input as a file that several threads can read at any offset.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use crate::system::files::{read_at, read_behind};
use anyhow::{Context, Result, bail};

use super::payload::{PayloadRef, Span, decode, decode_slice};
use super::payload_list::ListedPayload;
use super::unpack::{Limit, Limited, MAGIC, OverLimit, Packing, copy_unpacked, unpacking};

/// Payloads up to this size are decoded in memory when they are copied, larger ones piece by piece.
const COPY_IN_MEMORY: u64 = 1 << 20;
/// Bytes that are read with a span, for its neighbors: as many as [`Lines`](super::lines::Lines) reads at once, and for the same
/// reasons.
const NEIGHBORS: usize = super::lines::WINDOW;
/// How many bytes at the log's beginning and end are compared to see whether it was rewritten.
const EDGE: u64 = 4 << 10;
/// An opened log. Only the bytes that it had when it was opened are read, even if the program is still writing to it.
#[derive(Debug)]
pub struct Source {
    file: Arc<File>,
    /// Where the log begins in the file; the file may hold others.
    base: u64,
    is_shared: bool,
    path: PathBuf,
    name: String,
    len: u64,
    opened: Fingerprint,
    incomplete: Option<String>,
    /// The logs beside this one that the same file holds.
    beside: Vec<StoredLog>,
    /// Locked while the file's own position is used.
    position: Mutex<()>,
}

/// A log in a file that holds several, unpacked.
#[derive(Debug, Clone)]
pub(super) struct StoredLog {
    /// Its name; there is no such file on the disk.
    pub path: PathBuf,
    /// Where the file has it.
    pub span: Span,
    /// As [`Source::incomplete`].
    pub incomplete: Option<String>,
}

/// Distinguishes a log that only grew from one that was rewritten.
#[derive(PartialEq, Eq, Debug)]
struct Fingerprint {
    modified: Option<SystemTime>,
    edges: (Vec<u8>, Vec<u8>),
}

impl Source {
    /// Opens a log: a plain file directly; pipes, gzip and zstd through a temporary file.
    ///
    /// # Errors
    /// The log cannot be opened, or unpacks to more than the limit.
    pub fn open(path: &Path, limit: Limit) -> Result<Source> {
        let what = || {
            format!(
                "cannot open {}, give a log that torch wrote with TORCH_TRACE=DIR, or its folder",
                path.display()
            )
        };
        let mut file = File::open(path).with_context(what)?;
        let metadata = file.metadata().with_context(what)?;
        if metadata.is_dir() {
            bail!("{} is a folder: give the path of a log file", path.display());
        }
        if !metadata.is_file() {
            return Source::spooled(path, file, limit);
        }
        let mut magic = Vec::new();
        (&mut file).take(MAGIC as u64).read_to_end(&mut magic).with_context(what)?;
        file.seek(SeekFrom::Start(0)).with_context(what)?;
        match Packing::of(&magic) {
            Packing::Plain => Source::of(file, path, None).with_context(what),
            _ => Source::spooled(path, file, limit),
        }
    }

    /// A log without a record, for a trace of torch.profiler that is read alone.
    pub fn without_log(path: &Path) -> Result<Source> {
        Ok(Source::of(tempfile::tempfile()?, path, None)?)
    }

    /// Unpacks a stream into a temporary file without a name, which is removed when the process ends.
    ///
    /// # Errors
    /// Nothing of the stream can be unpacked, or it unpacks to more than the limit, or the disk is full.
    pub(super) fn spooled(path: &Path, stream: impl Read, limit: Limit) -> Result<Source> {
        let mut packing = Packing::Plain;
        let spool = || -> io::Result<Source> {
            let (found, stream) = unpacking(stream)?;
            packing = found;
            let mut file = tempfile::tempfile()?;
            let mut stream = Limited::new(stream, limit, 0);
            let incomplete = match packing {
                Packing::Plain => io::copy(&mut stream, &mut file).map(|_| None)?,
                _ => copy_unpacked(stream, &mut file)?.1,
            };
            Source::of(file, path, incomplete)
        };
        let spooled = spool();
        spooled.map_err(|error| {
            let is_bomb = OverLimit::is_cause_of(&error);
            let shown = match path == Path::new("-") {
                true => "standard input".to_owned(),
                false => path.display().to_string(),
            };
            anyhow::Error::new(error).context(match (is_bomb, packing) {
                (true, _) => format!("{shown} is too large"),
                (false, Packing::Plain) => format!("cannot read {shown}"),
                (false, _) => format!("cannot unpack {shown}, check that the archive was copied whole"),
            })
        })
    }

    /// A plain file. Reports call it by the name in `path`.
    pub(super) fn of(file: File, path: &Path, incomplete: Option<String>) -> io::Result<Source> {
        let len = file.metadata()?.len();
        Source::at(Arc::new(file), Span { offset: 0, len }, path, incomplete)
    }

    /// One of the logs of a file that holds several; `beside` are those of the same folder.
    pub(super) fn stored(file: Arc<File>, log: &StoredLog, beside: Vec<StoredLog>) -> io::Result<Source> {
        let source = Source::at(file, log.span, &log.path, log.incomplete.clone())?;
        Ok(Source { is_shared: true, beside, ..source })
    }

    fn at(file: Arc<File>, span: Span, path: &Path, incomplete: Option<String>) -> io::Result<Source> {
        let opened = Fingerprint::of(&file, span)?;
        Ok(Source {
            file,
            base: span.offset,
            is_shared: false,
            path: path.to_owned(),
            name: base_name(path),
            len: span.len,
            opened,
            incomplete,
            beside: Vec::new(),
            position: Mutex::new(()),
        })
    }

    /// Readers of the logs that share the file with this one. None for a log with a file of its own.
    pub(super) fn stored_siblings(&self) -> Option<impl Iterator<Item = impl Read + use<>> + '_> {
        let reader = |log: &StoredLog| {
            let Span { offset, len } = log.span;
            ReaderAt { file: Arc::clone(&self.file), at: offset, end: offset.saturating_add(len) }
        };
        self.is_shared.then(|| self.beside.iter().map(reader))
    }

    /// Bytes of the log, unpacked, when it was opened.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// The base name without `.gz` and `.zst`; `-` for standard input.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The path as it was given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Why a compressed input could not be unpacked to its end; `None` when it could. What came before is the log.
    pub fn incomplete(&self) -> Option<&str> {
        self.incomplete.as_deref()
    }

    /// Reads the log from its start; every reader has its own position.
    pub fn reader(&self) -> impl Read + use<> {
        self.reader_of(Span { offset: 0, len: self.len })
    }

    fn reader_of(&self, span: Span) -> ReaderAt {
        let at = self.base + span.offset;
        ReaderAt { file: Arc::clone(&self.file), at, end: at + span.len }
    }

    /// Reads a span into `out`, replacing what it holds. An error says that the log changed.
    pub fn read_span(&self, span: Span, out: &mut Vec<u8>) -> io::Result<()> {
        self.check(span)?;
        let len = usize::try_from(span.len).map_err(|_| changed())?;
        if out.capacity() == 0 {
            *out = read_new(&self.file, len, self.base + span.offset)?;
            return Ok(());
        }
        // What the buffer holds is overwritten, so only what it grows by is zeroed.
        out.resize(len, 0);
        read_exact_at(&self.file, out, self.base + span.offset)
    }

    /// Appends a span to `out`.
    pub fn append_span(&self, span: Span, out: &mut Vec<u8>) -> io::Result<()> {
        self.check(span)?;
        let start = out.len();
        out.resize(start + usize::try_from(span.len).map_err(|_| changed())?, 0);
        read_exact_at(&self.file, out.get_mut(start..).unwrap_or_default(), self.base + span.offset)
    }

    /// Reads the text of a payload into `out`, replacing what it holds.
    pub fn read_payload(&self, payload: &PayloadRef, out: &mut Vec<u8>) -> io::Result<()> {
        let mut raw = Vec::new();
        self.read_span(payload.span, &mut raw)?;
        decode_slice(&raw, payload.strip_cr, out);
        if out.len() as u64 == payload.text_len { Ok(()) } else { Err(changed()) }
    }

    /// Writes the text of a payload of any size, in bounded memory.
    pub fn copy_payload(&self, payload: &PayloadRef, to: &mut dyn Write) -> io::Result<()> {
        if payload.span.len <= COPY_IN_MEMORY {
            let mut text = Vec::new();
            self.read_payload(payload, &mut text)?;
            return to.write_all(&text);
        }
        self.check(payload.span)?;
        let written = decode(self.reader_of(payload.span), payload.strip_cr, to)?;
        if written == payload.text_len { Ok(()) } else { Err(changed()) }
    }

    /// Copies the log: exactly the bytes that are read. Returns their number. The kernel copies them where it can.
    pub fn copy_to(&self, to: &mut File) -> io::Result<u64> {
        if self.is_shared {
            return io::copy(&mut self.reader(), to);
        }
        let _held = self.position.lock().unwrap_or_else(PoisonError::into_inner);
        let mut file = &*self.file;
        file.seek(SeekFrom::Start(0))?;
        let copied = io::copy(&mut file.take(self.len), to)?;
        if copied == self.len { Ok(copied) } else { Err(changed()) }
    }

    /// Whether the log shrank or was rewritten since it was opened. One that only grew did not change.
    pub fn changed(&self) -> bool {
        let now = self.file.metadata().and_then(|metadata| {
            if metadata.len() < self.len {
                return Ok(None);
            }
            let span = Span { offset: 0, len: self.len };
            Fingerprint::of(&self.file, span).map(|now| Some((now, metadata.len())))
        });
        match now {
            // Nobody else has the file.
            _ if self.is_shared => false,
            Ok(Some((now, len))) => {
                now.edges != self.opened.edges || (len == self.len && now.modified != self.opened.modified)
            }
            Ok(None) | Err(_) => true,
        }
    }

    fn check(&self, span: Span) -> io::Result<()> {
        let end = span.offset.checked_add(span.len);
        if end.is_some_and(|end| end <= self.len) { Ok(()) } else { Err(changed()) }
    }
}

impl Fingerprint {
    fn of(file: &File, Span { offset: base, len }: Span) -> io::Result<Fingerprint> {
        let edge = |offset: u64| {
            let mut bytes = vec![0; usize::try_from(len.min(EDGE)).unwrap_or(0)];
            read_exact_at(file, &mut bytes, offset).map(|()| bytes)
        };
        let edges = (edge(base)?, edge(base + len - len.min(EDGE))?);
        Ok(Fingerprint { modified: file.metadata()?.modified().ok(), edges })
    }
}

/// The base name of a path without `.gz` and `.zst`.
pub fn base_name(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let plain = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(&name);
    plain.to_owned()
}

fn changed() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, LogChanged)
}

/// The log shrank while it was read.
#[derive(Debug)]
struct LogChanged;

impl fmt::Display for LogChanged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the log changed while it was read")
    }
}

impl std::error::Error for LogChanged {}

/// Whether something failed because the log shrank while it was read.
pub fn is_log_changed(error: &anyhow::Error) -> bool {
    let causes = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
    causes.filter_map(io::Error::get_ref).any(|inner| inner.is::<LogChanged>())
}

/// Reads from its own position up to an end.
pub(super) struct ReaderAt {
    file: Arc<File>,
    at: u64,
    end: u64,
}

impl ReaderAt {
    /// Reads a part of a file.
    pub(super) fn new(file: Arc<File>, span: Span) -> ReaderAt {
        ReaderAt { file, at: span.offset, end: span.offset.saturating_add(span.len) }
    }
}

impl Read for ReaderAt {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end - self.at).unwrap_or(usize::MAX);
        let room = left.min(out.len());
        let Some(out) = out.get_mut(..room) else { return Ok(0) };
        let read = read_at(&self.file, out, self.at)?;
        if read == 0 && room > 0 {
            return Err(changed());
        }
        self.at += read as u64;
        Ok(read)
    }
}

/// Reads `len` bytes into a new buffer.
fn read_new(file: &File, len: usize, mut offset: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(len);
    while bytes.len() < len {
        match read_behind(file, &mut bytes, offset) {
            Ok(0) => return Err(changed()),
            Ok(read) => offset += read as u64,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    // There may have been room for more.
    bytes.truncate(len);
    Ok(bytes)
}

fn read_exact_at(file: &File, mut out: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !out.is_empty() {
        match read_at(file, out, offset) {
            Ok(0) => return Err(changed()),
            Ok(read) => {
                offset += read as u64;
                out = out.get_mut(read..).unwrap_or_default();
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Reads many spans, best in ascending order: one read serves neighbors.
pub struct SpanReader<'s> {
    source: &'s Source,
    window: Vec<u8>,
    offset: u64,
}

impl<'s> SpanReader<'s> {
    /// A reader with an empty window.
    pub fn new(source: &'s Source) -> Self {
        SpanReader { source, window: Vec::new(), offset: 0 }
    }

    /// The bytes of a span, until the next is read. Errors are those of [`Source::read_span`].
    pub fn span(&mut self, span: Span) -> io::Result<&[u8]> {
        self.source.check(span)?;
        if !self.holds(span) {
            let len = span.len.max((NEIGHBORS as u64).min(self.source.len - span.offset));
            // If the read fails, the window is left empty.
            let mut window = std::mem::take(&mut self.window);
            if span.len <= NEIGHBORS as u64 {
                // The memory of one large span is not kept for the rest of the pass.
                window.truncate(NEIGHBORS);
                window.shrink_to(NEIGHBORS);
            }
            self.source.read_span(Span { offset: span.offset, len }, &mut window)?;
            (self.window, self.offset) = (window, span.offset);
        }
        let start = usize::try_from(span.offset - self.offset).map_err(|_| changed())?;
        let len = usize::try_from(span.len).map_err(|_| changed())?;
        self.window.get(start..start + len).ok_or_else(changed)
    }

    /// As [`Source::read_payload`].
    pub fn read_payload(&mut self, payload: impl Into<ListedPayload>, out: &mut Vec<u8>) -> io::Result<()> {
        let payload = payload.into();
        decode_slice(self.span(payload.span)?, payload.strip_cr, out);
        if out.len() as u64 == payload.text_len { Ok(()) } else { Err(changed()) }
    }

    fn holds(&self, span: Span) -> bool {
        span.offset >= self.offset && span.offset + span.len <= self.offset + self.window.len() as u64
    }
}

#[cfg(test)]
#[path = "source_tests.rs"]
mod tests;
