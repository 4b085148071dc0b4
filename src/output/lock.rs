//! Keeps two runs from writing one report at a time.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// How often to start over when the file is removed while we lock it: each time another run has just ended.
const ATTEMPTS: usize = 100;

/// A lock file that is held. Dropping it removes the file.
pub(super) struct Lock {
    /// Open, and with that locked, as long as this lives.
    _file: File,
    path: PathBuf,
}

impl Lock {
    /// Takes the lock at `path`, or says `None` when another run holds it.
    ///
    /// Where the file system has no locks the run goes on without: they guard against a rare mishap.
    ///
    /// # Errors
    /// The file cannot be created.
    pub(super) fn take(path: &Path) -> io::Result<Option<Lock>> {
        for _ in 0..ATTEMPTS {
            let file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
            match file.try_lock() {
                Err(TryLockError::WouldBlock) => return Ok(None),
                Ok(()) if !is_file_at(&file, path) => continue, // its owner removed it before we had it
                Ok(()) | Err(TryLockError::Error(_)) => {}
            }
            return Ok(Some(Lock { _file: file, path: path.to_owned() }));
        }
        Ok(None)
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Removed while it is still locked: later it could be the file of another run. A file that is left behind locks
        // no other run out.
        let _ = fs::remove_file(&self.path);
    }
}

/// Whether `path` still leads to `file`.
#[cfg(unix)]
fn is_file_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(held), Ok(there)) => (held.dev(), held.ino()) == (there.dev(), there.ino()),
        _ => false,
    }
}

/// Elsewhere an open file keeps its name.
#[cfg(not(unix))]
fn is_file_at(_file: &File, _path: &Path) -> bool {
    true
}
