//! A file that came with the logs but is not a log: on the disk, or from an archive.

use super::payload::Span;
use super::source::ReaderAt;
use super::unpack::unpacked;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file that came with the logs.
#[derive(Debug, Clone)]
pub struct Attachment {
    path: PathBuf,
    /// Where its unpacked bytes are if it came from an archive; then there is no file at that path.
    stored: Option<(Arc<File>, Span)>,
}

impl Attachment {
    pub fn on_disk(path: impl Into<PathBuf>) -> Attachment {
        Attachment { path: path.into(), stored: None }
    }

    /// A file from an archive.
    pub(super) fn stored(path: PathBuf, store: Arc<File>, span: Span) -> Attachment {
        Attachment { path, stored: Some((store, span)) }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its content, as it was before it was compressed.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn open(&self) -> io::Result<Box<dyn Read>> {
        match &self.stored {
            Some((store, span)) => Ok(Box::new(ReaderAt::new(Arc::clone(store), *span))),
            None => unpacked(File::open(&self.path)?),
        }
    }
}
