//! An input as a file that several threads can read at any offset.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use crate::system::files::{read_at, read_behind};
use anyhow::{Context, Result, bail};

use super::collected::{Form, restore};
use super::names::{name_of, shown};
use super::payload::{PayloadRef, Span, decode, decode_slice};
use super::payload_list::ListedPayload;
use super::unpack::{Limit, Limited, MAGIC, Packing, copy_unpacked, is_over_limit, unpacking};

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
    log: StoredLog,
    name: String,
    opened: Fingerprint,
    /// The logs beside this one, if the same file holds several.
    beside: Option<Vec<StoredLog>>,
    /// Locked while the file's own position is used.
    position: Mutex<()>,
}

/// A log in a file, unpacked; the file may hold others.
#[derive(Debug, Clone)]
pub(super) struct StoredLog {
    /// As it was given. There is no such file on the disk if an archive has it.
    pub path: PathBuf,
    pub span: Span,
    /// As [`Source::incomplete`].
    pub incomplete: Option<String>,
}

/// Distinguishes a log that only grew from one that was rewritten.
#[derive(Debug)]
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
        let file = File::open(path).with_context(what)?;
        let metadata = file.metadata().with_context(what)?;
        if metadata.is_dir() {
            bail!("{} is a folder: give the path of a log file", path.display());
        }
        if !metadata.is_file() {
            return Source::spooled(path, file, limit);
        }
        Source::of_file(path, file, limit, what)
    }

    /// A file on the disk, which is unpacked if it is packed; `what` says that it cannot be read.
    pub(super) fn of_file(
        path: &Path,
        mut file: File,
        limit: Limit,
        what: impl Fn() -> String,
    ) -> Result<Source> {
        let mut magic = Vec::new();
        let read = (&mut file).take(MAGIC as u64).read_to_end(&mut magic);
        read.and_then(|_| file.rewind()).with_context(&what)?;
        match Packing::detect(&magic) {
            Packing::Plain => Source::restored(path, file, None).with_context(what),
            _ => Source::spooled(path, file, limit),
        }
    }

    /// A log without a record, for a trace of torch.profiler that is read alone.
    pub fn without_log(path: &Path) -> Result<Source> {
        Ok(Source::plain(path, tempfile::tempfile()?, None)?)
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
            Source::restored(path, file, incomplete)
        };
        let spooled = spool();
        spooled.map_err(|error| {
            let shown = shown(path);
            let what = match (is_over_limit(&error), packing) {
                (true, _) => format!("{shown} is too large"),
                (false, Packing::Plain) => format!("cannot read {shown}"),
                (false, _) => format!("cannot unpack {shown}, check that the archive was copied whole"),
            };
            anyhow::Error::new(error).context(what)
        })
    }

    /// A file that is not packed, as torch wrote it: all processes that it has lines of share a log.
    fn restored(path: &Path, mut file: File, incomplete: Option<String>) -> io::Result<Source> {
        file.rewind()?;
        let (form, sample) = Form::of_stream(&mut file)?;
        let Some(form) = form else { return Source::plain(path, file, incomplete) };
        let found = restore(sample.as_slice().chain(&mut file), form, true)?.into_iter().next();
        Source::plain(path, found.map_or(file, |restored| restored.file), incomplete)
    }

    /// A file that is not packed and holds one log. Reports call it by the name in `path`.
    fn plain(path: &Path, file: File, incomplete: Option<String>) -> io::Result<Source> {
        let span = Span { offset: 0, len: file.metadata()?.len() };
        Source::at(Arc::new(file), StoredLog { path: path.to_owned(), span, incomplete }, None)
    }

    /// A log in a file; `beside` are those of the same folder if the file holds several.
    pub(super) fn at(file: Arc<File>, log: StoredLog, beside: Option<Vec<StoredLog>>) -> io::Result<Source> {
        let opened = Fingerprint::read(&file, log.span)?;
        let name = base_name(&log.path);
        Ok(Source { file, log, name, opened, beside, position: Mutex::new(()) })
    }

    /// Readers of the logs that share the file with this one. None for a log with a file of its own.
    pub(super) fn stored_siblings(&self) -> Option<impl Iterator<Item = impl Read + use<>> + '_> {
        let reader = |log: &StoredLog| ReaderAt::new(Arc::clone(&self.file), log.span);
        self.beside.as_ref().map(|beside| beside.iter().map(reader))
    }

    /// Bytes of the log, unpacked, when it was opened.
    pub fn len(&self) -> u64 {
        self.log.span.len
    }

    /// The base name without `.gz` and `.zst`; `-` for standard input.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The path as it was given.
    pub fn path(&self) -> &Path {
        &self.log.path
    }

    /// Why a compressed input could not be unpacked to its end; `None` when it could. What came before is the log.
    pub fn incomplete(&self) -> Option<&str> {
        self.log.incomplete.as_deref()
    }

    /// Reads the log from its start; every reader has its own position.
    pub fn reader(&self) -> impl Read + use<> {
        ReaderAt::new(Arc::clone(&self.file), self.log.span)
    }

    /// Where the file has a part of the log, and how long it is. An error says that the log changed.
    fn place(&self, span: Span) -> io::Result<(u64, usize)> {
        let end = span.offset.checked_add(span.len).filter(|end| *end <= self.len());
        match (end, usize::try_from(span.len)) {
            (Some(_), Ok(len)) => Ok((self.log.span.offset + span.offset, len)),
            _ => Err(changed()),
        }
    }

    /// Reads a span into `out`, replacing what it holds. An error says that the log changed.
    pub fn read_span(&self, span: Span, out: &mut Vec<u8>) -> io::Result<()> {
        let (offset, len) = self.place(span)?;
        if out.capacity() == 0 {
            *out = read_new(&self.file, len, offset)?;
            return Ok(());
        }
        // What the buffer holds is overwritten, so only what it grows by is zeroed.
        out.resize(len, 0);
        read_exact_at(&self.file, out, offset)
    }

    /// Appends a span to `out`.
    pub fn append_span(&self, span: Span, out: &mut Vec<u8>) -> io::Result<()> {
        let (offset, len) = self.place(span)?;
        let start = out.len();
        out.resize(start + len, 0);
        read_exact_at(&self.file, out.get_mut(start..).unwrap_or_default(), offset)
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
        let (offset, _) = self.place(payload.span)?;
        let raw = ReaderAt::new(&*self.file, Span { offset, ..payload.span });
        let written = decode(raw, payload.strip_cr, to)?;
        if written == payload.text_len { Ok(()) } else { Err(changed()) }
    }

    /// Copies the log: exactly the bytes that are read. Returns their number. The kernel copies them where it can.
    pub fn copy_to(&self, to: &mut File) -> io::Result<u64> {
        if self.beside.is_some() {
            return io::copy(&mut self.reader(), to);
        }
        let _held = self.position.lock().unwrap_or_else(PoisonError::into_inner);
        let mut file = &*self.file;
        file.rewind()?;
        let copied = io::copy(&mut file.take(self.len()), to)?;
        if copied == self.len() { Ok(copied) } else { Err(changed()) }
    }

    /// Whether the log shrank or was rewritten since it was opened. One that only grew did not change.
    pub fn changed(&self) -> bool {
        // Nobody else has a file that holds several.
        self.beside.is_none() && self.is_rewritten().unwrap_or(true)
    }

    fn is_rewritten(&self) -> io::Result<bool> {
        let len = self.file.metadata()?.len();
        if len < self.len() {
            return Ok(true);
        }
        let now = Fingerprint::read(&self.file, self.log.span)?;
        let is_touched = len == self.len() && now.modified != self.opened.modified;
        Ok(is_touched || now.edges != self.opened.edges)
    }
}

impl Fingerprint {
    fn read(file: &File, Span { offset: base, len }: Span) -> io::Result<Fingerprint> {
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
    let name = name_of(path);
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

/// Reads a part of a file, wherever others read it.
pub(super) struct ReaderAt<F> {
    file: F,
    at: u64,
    end: u64,
}

impl<F: Deref<Target = File>> ReaderAt<F> {
    pub(super) fn new(file: F, span: Span) -> Self {
        ReaderAt { file, at: span.offset, end: span.offset.saturating_add(span.len) }
    }
}

impl<F: Deref<Target = File>> Read for ReaderAt<F> {
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

fn read_exact_at(file: &File, out: &mut [u8], offset: u64) -> io::Result<()> {
    ReaderAt::new(file, Span { offset, len: out.len() as u64 }).read_exact(out)
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
        let (_, wanted) = self.source.place(span)?;
        if !self.holds(span) {
            let len = span.len.max((NEIGHBORS as u64).min(self.source.len() - span.offset));
            // If the read fails, the window is left empty.
            let mut window = std::mem::take(&mut self.window);
            if wanted <= NEIGHBORS {
                // The memory of one large span is not kept for the rest of the pass.
                window.truncate(NEIGHBORS);
                window.shrink_to(NEIGHBORS);
            }
            self.source.read_span(Span { offset: span.offset, len }, &mut window)?;
            (self.window, self.offset) = (window, span.offset);
        }
        let start = usize::try_from(span.offset - self.offset).map_err(|_| changed())?;
        self.window.get(start..start + wanted).ok_or_else(changed)
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
