//! Keeps two runs from writing the same report at the same time.

use crate::system::files::is_file_at;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// How often to start over if the file is removed while we lock it, because another run has just ended.
const ATTEMPTS: usize = 100;

/// A lock file that is held. Dropping it removes the file.
pub(super) struct Lock {
    /// The lock is held as long as this file is open.
    _file: File,
    path: PathBuf,
}

impl Lock {
    /// Takes the lock at `path`, or says `None` when another run holds it.
    ///
    /// If the file system has no locks, the run goes on without one: the lock guards against a rare mishap.
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

    /// Where its file is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // The file is removed while it is still locked; afterwards, it could already be the file of another run. A file
        // that is left behind blocks no run.
        let _ = fs::remove_file(&self.path);
    }
}
