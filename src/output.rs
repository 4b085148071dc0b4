//! Pages to files: the only code that writes.
//!
//! [`Target`] decides where the report may stand and puts it there in one step; [`write()`] fills the folder that
//! a target hands out. Every path below that folder is a [`RelPath`], so nothing a log says can lead outside.

mod lock;
mod path;
mod place;
mod policy;
mod ranks;
mod target;

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread;

use anyhow::{Context, Result, anyhow, bail};

pub use path::RelPath;
pub use policy::{REPORT_ENTRIES, is_report_entry};
pub use ranks::{JobTarget, RankFolder, rank_folders};
pub use target::Target;

/// Output is gathered to this size before it goes to the kernel: most pages then take one or two calls.
const BUFFER_BYTES: usize = 64 * 1024;

/// Renders a page into a buffered file, with what its worker owns.
pub type WriteBody<'m, W> = Box<dyn FnOnce(&mut W, &mut dyn Write) -> Result<()> + Send + 'm>;

/// Fills a fresh file itself, for instance by letting the kernel copy another file into it.
pub type WriteFileBody<'m> = Box<dyn FnOnce(&mut File) -> Result<()> + Send + 'm>;

/// One file of the report. Its work is deferred until a worker writes it.
pub struct Page<'m, W> {
    /// Where it stands below the report's folder.
    pub path: RelPath,
    /// What it holds.
    pub body: Body<'m, W>,
}

/// The content of a [`Page`]; `W` is what a worker owns, such as its templates.
pub enum Body<'m, W> {
    /// Content that is there already.
    Bytes(Vec<u8>),
    /// Content that is rendered when a worker gets to it.
    Write(WriteBody<'m, W>),
    /// Content that wants the file itself, unbuffered.
    WriteFile(WriteFileBody<'m>),
}

impl<'m, W> Page<'m, W> {
    /// A page of content that is there already.
    pub fn bytes(path: RelPath, bytes: impl Into<Vec<u8>>) -> Self {
        Page { path, body: Body::Bytes(bytes.into()) }
    }

    /// A page that `render` writes when a worker gets to it.
    pub fn rendered(
        path: RelPath,
        render: impl FnOnce(&mut W, &mut dyn Write) -> Result<()> + Send + 'm,
    ) -> Self {
        Page { path, body: Body::Write(Box::new(render)) }
    }

    /// A page that `fill` writes into the file itself.
    pub fn file(path: RelPath, fill: impl FnOnce(&mut File) -> Result<()> + Send + 'm) -> Self {
        Page { path, body: Body::WriteFile(Box::new(fill)) }
    }
}

/// Writes `pages` into `folder`, which is created if need be, on `threads` threads.
///
/// Pages are taken in the order given, so long ones belong first. Each thread makes its own worker state with
/// `make_worker`, because template engines are neither `Send` nor `Sync`. The files are the same for any number
/// of threads.
///
/// # Errors
/// Two pages with one path; or the first failure of a page, with its path, which stops the other threads.
pub fn write<'m, W>(
    pages: Vec<Page<'m, W>>,
    folder: &Path,
    threads: NonZeroUsize,
    make_worker: impl Fn() -> Result<W> + Sync,
) -> Result<()> {
    make_folders(&pages, folder)?;
    let others = threads.get().min(pages.len()).saturating_sub(1);
    let queue = Queue::new(pages);
    thread::scope(|scope| {
        let work = || queue.work(folder, &make_worker);
        // A thread that the system refuses is done without: this one takes pages too.
        let spawned = (0..others).map_while(|_| thread::Builder::new().spawn_scoped(scope, work).ok());
        let workers: Vec<_> = spawned.collect();
        queue.work(folder, &make_worker);
        for worker in workers {
            if worker.join().is_err() {
                queue.fail(anyhow!("a page of the report could not be written because of a bug in tlparse"));
            }
        }
    });
    queue.outcome()
}

/// The pages still to be written, shared by the workers.
struct Queue<'m, W> {
    pages: Mutex<std::vec::IntoIter<Page<'m, W>>>,
    failure: Mutex<Option<anyhow::Error>>,
}

impl<'m, W> Queue<'m, W> {
    fn new(pages: Vec<Page<'m, W>>) -> Self {
        Queue { pages: Mutex::new(pages.into_iter()), failure: Mutex::new(None) }
    }

    /// Writes pages until none is left. A failure is kept for `outcome`.
    fn work(&self, folder: &Path, make_worker: &impl Fn() -> Result<W>) {
        let result = make_worker().and_then(|mut worker| {
            while let Some(page) = self.next() {
                let path = page.path.clone();
                write_page(page, folder, &mut worker)
                    .map_err(|error| explain(error, &folder.join(path.as_str())))?;
            }
            Ok(())
        });
        if let Err(error) = result {
            self.fail(error);
        }
    }

    fn next(&self) -> Option<Page<'m, W>> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner).next()
    }

    /// Keeps the first failure and empties the queue, so that the other workers stop after their page.
    fn fail(&self, error: anyhow::Error) {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        let left = std::mem::take(&mut *self.pages.lock().unwrap_or_else(PoisonError::into_inner));
        drop(left);
    }

    fn outcome(self) -> Result<()> {
        self.failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }
}

/// Creates each folder once, and refuses pages of which one would overwrite or stand below another.
fn make_folders<W>(pages: &[Page<'_, W>], folder: &Path) -> Result<()> {
    let mut files = BTreeSet::new();
    for page in pages {
        if !files.insert(page.path.as_str()) {
            bail!("two pages of the report are called {:?}, which is a bug in tlparse", page.path.as_str());
        }
    }
    let parents = files.iter().filter_map(|file| Some(file.rsplit_once('/')?.0));
    let parents: BTreeSet<&str> = parents.collect();
    for parent in &parents {
        if files.contains(parent) {
            bail!("{parent:?} is both a page and a folder of the report, which is a bug in tlparse");
        }
    }
    fs::create_dir_all(folder).map_err(|error| explain(error.into(), folder))?;
    for parent in parents {
        let parent = folder.join(parent);
        fs::create_dir_all(&parent).map_err(|error| explain(error.into(), &parent))?;
    }
    Ok(())
}

fn write_page<W>(page: Page<'_, W>, folder: &Path, worker: &mut W) -> Result<()> {
    // `create_new`: where case does not count, two names may be one file, and the second must not win silently.
    let mut file = File::create_new(folder.join(page.path.as_str()))?;
    match page.body {
        Body::Bytes(bytes) => file.write_all(&bytes)?,
        Body::WriteFile(fill) => fill(&mut file)?,
        Body::Write(render) => {
            let mut buffer = BufWriter::with_capacity(BUFFER_BYTES, file);
            render(worker, &mut buffer)?;
            buffer.flush()?;
        }
    }
    Ok(())
}

/// Says which file could not be written and, where that is known, what helps.
fn explain(error: anyhow::Error, path: &Path) -> anyhow::Error {
    let kind = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>()).map(io::Error::kind);
    match kind.and_then(advice) {
        Some(advice) => error.context(format!("could not write {path:?}; {advice}")),
        None => error.context(format!("could not write {path:?}")),
    }
}

/// What a user can do about a failed write.
fn advice(kind: io::ErrorKind) -> Option<&'static str> {
    match kind {
        io::ErrorKind::StorageFull => {
            Some("free some space there or choose a folder on another disk with -o")
        }
        io::ErrorKind::QuotaExceeded => Some("free some of your quota or choose a folder elsewhere with -o"),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            Some("choose a folder that you may write to with -o")
        }
        io::ErrorKind::InvalidFilename => Some("choose a folder with a shorter name with -o"),
        _ => None,
    }
}

/// A file or folder operation of the target that failed: one sentence with what to do next.
fn about<T>(result: io::Result<T>, what: &str, path: &Path) -> Result<T> {
    result.with_context(|| format!("could not {what} {path:?}; choose another output folder with -o"))
}

#[cfg(test)]
mod tests;
