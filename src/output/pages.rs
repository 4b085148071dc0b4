//! Pages, and how several threads write them.

use std::collections::{BTreeSet, HashSet};
use std::fs::File;
use std::io::{self, Write};
use std::num::NonZeroUsize;

use anyhow::Result;

use super::sink::{Fill, Made, NewFile, Sink};
use super::threads::on_threads;
use crate::rel_path::RelPath;

/// Bytes of the write buffer: most pages then need one or two system calls. A worker has one for all its pages: giving back
/// and allocating that much for each made the allocator tidy up three times per page.
const BUFFER_BYTES: usize = 64 * 1024;

/// Renders a page into a buffered file, with what its worker owns.
pub type WriteBody<'m, W> = Box<dyn FnOnce(&mut W, &mut dyn Write) -> Result<()> + Send + 'm>;

/// Fills a new file itself, for instance by letting the kernel copy another file into it.
pub type WriteFileBody<'m> = Box<dyn FnOnce(NewFile<'_>) -> Result<()> + Send + 'm>;

/// One file of the report. Its work is deferred until a worker writes it.
pub struct Page<'m, W> {
    /// Its path below the report's folder.
    pub path: RelPath,
    /// What it holds.
    pub body: Body<'m, W>,
}

/// The content of a [`Page`]; `W` is what a worker owns, such as its templates.
pub enum Body<'m, W> {
    /// Content that is rendered when a worker gets to it.
    Write(WriteBody<'m, W>),
    /// Content that needs the file itself, unbuffered.
    WriteFile(WriteFileBody<'m>),
}

impl<'m, W> Page<'m, W> {
    /// A page whose content exists already.
    pub fn bytes(path: RelPath, bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        Page::rendered(path, move |_, out| Ok(out.write_all(&bytes)?))
    }

    /// A page that `render` writes when a worker gets to it.
    pub fn rendered(
        path: RelPath,
        render: impl FnOnce(&mut W, &mut dyn Write) -> Result<()> + Send + 'm,
    ) -> Self {
        Page { path, body: Body::Write(Box::new(render)) }
    }

    /// A page that `fill` writes into the file itself.
    pub fn file(path: RelPath, fill: impl FnOnce(NewFile<'_>) -> Result<()> + Send + 'm) -> Self {
        Page { path, body: Body::WriteFile(Box::new(fill)) }
    }
}

/// Writes `pages` into `sink` on `threads` threads. Gives the paths of pages that were left out because an earlier page
/// has the same path, or is in a folder of that name.
///
/// Pages are taken in the order given, so long ones belong first. Each thread makes its own worker state with
/// `make_worker`, because template engines are neither `Send` nor `Sync`. The files are the same for any number
/// of threads.
///
/// # Errors
/// The first failure of a page, with its path; it stops the other threads.
pub fn write<'m, W>(
    pages: Vec<Page<'m, W>>,
    sink: &Sink,
    threads: NonZeroUsize,
    make_worker: impl Fn() -> W + Sync,
) -> Result<Vec<RelPath>> {
    let (pages, mut left_out) = distinct(pages);
    let folders: BTreeSet<&str> = pages.iter().flat_map(|page| page.path.folders().last()).collect();
    sink.make_folders(&folders)?;
    let bug = "a page of the report could not be written because of a bug in tlparse";
    let begin = || (make_worker(), Vec::with_capacity(BUFFER_BYTES));
    let taken = on_threads(pages, threads, bug, begin, |(worker, buffer), page| {
        let made = sink.write(&page.path, filled(page.body, worker, buffer))?;
        Ok(if made == Made::Taken { vec![page.path] } else { Vec::new() })
    })?;
    left_out.extend(taken);
    left_out.sort();
    Ok(left_out)
}

/// The pages without those whose path an earlier page has, or that would be both a file and a folder; and the paths of
/// these.
fn distinct<W>(mut pages: Vec<Page<'_, W>>) -> (Vec<Page<'_, W>>, Vec<RelPath>) {
    let folders: HashSet<&str> = pages.iter().flat_map(|page| page.path.folders()).collect();
    let mut files = HashSet::with_capacity(pages.len());
    let paths = pages.iter().map(|page| page.path.as_str());
    let surplus: Vec<bool> = paths.map(|path| folders.contains(path) || !files.insert(path)).collect();
    let mut surplus = surplus.into_iter();
    let left_out = pages.extract_if(.., |_| surplus.next() == Some(true)).map(|page| page.path).collect();
    (pages, left_out)
}

/// How a body fills its file.
fn filled<'w, 'm: 'w, W>(body: Body<'m, W>, worker: &'w mut W, buffer: &'w mut Vec<u8>) -> Fill<'w> {
    match body {
        Body::WriteFile(fill) => fill,
        Body::Write(render) => Box::new(move |file| match file {
            NewFile::Disk(file) => {
                buffer.clear();
                let mut file = Buffered { buffer, file };
                render(worker, &mut file)?;
                Ok(file.flush()?)
            }
            NewFile::Memory(bytes) => render(worker, bytes),
        }),
    }
}

/// A file with a buffer that outlives it; the standard library's buffers end with their files.
struct Buffered<'w> {
    buffer: &'w mut Vec<u8>,
    file: &'w mut File,
}

impl Write for Buffered<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.buffer.len() + bytes.len() > BUFFER_BYTES {
            self.flush()?;
        }
        if bytes.len() < BUFFER_BYTES {
            self.buffer.extend_from_slice(bytes);
            return Ok(bytes.len());
        }
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.write_all(self.buffer)?;
        self.buffer.clear();
        Ok(())
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
