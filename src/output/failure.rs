//! What to say when the disk refuses.

use anyhow::{Context, Result};
use std::io;
use std::path::Path;

/// Says which file could not be written and, where that is known, what helps.
pub(super) fn explain(error: anyhow::Error, path: &Path) -> anyhow::Error {
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
        io::ErrorKind::FileTooLarge => Some("raise the limit on the size of files (`ulimit -f`)"),
        io::ErrorKind::InvalidFilename => Some("choose a folder with a shorter name with -o"),
        _ => None,
    }
}

/// A file or folder operation of the target that failed: one sentence with what to do next.
pub(super) fn about<T>(result: io::Result<T>, what: &str, path: &Path) -> Result<T> {
    result.with_context(|| format!("could not {what} {path:?}; choose another output folder with -o"))
}
