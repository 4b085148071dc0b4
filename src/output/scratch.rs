//! Folders for work that no report keeps: the only constructor of temporary folders.

use super::hidden::{TRACE, scratch_prefix, sweep_unlocked, with_ending};
use super::unfinished::Unfinished;
use anyhow::{Context, Result};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use tempfile::{Builder, TempDir};

/// A folder that only its owner can read (mode 0700). It is removed when it is dropped and at a signal that ends the
/// program; after a kill, the next run that makes such a folder in the same place removes it.
pub struct Scratch {
    folder: TempDir,
    /// Locked while the folder is in use, where the system can lock folders.
    _lock: Option<File>,
}

impl Scratch {
    /// A folder among the temporary files of the system. `begun` registers it to be removed at a signal.
    pub fn temporary(begun: impl FnOnce(Unfinished)) -> Result<Scratch> {
        let scratch =
            Scratch::make(&std::env::temp_dir(), None).context("cannot create a temporary folder")?;
        begun(Unfinished::scratch(scratch.path()));
        Ok(scratch)
    }

    /// A folder for the logs of a report to come, in the closest parent of `out` that exists. A signal does not remove it:
    /// what was recorded may not come again.
    pub fn for_logs(out: &Path) -> Result<Scratch> {
        let out = std::path::absolute(out)?;
        let folder = out.ancestors().skip(1).find(|folder| folder.is_dir()).unwrap_or(Path::new("."));
        let name = with_ending(out.file_name().unwrap_or_default(), TRACE);
        Scratch::make(folder, Some(&name))
            .with_context(|| format!("cannot create a folder for the logs in {}", folder.display()))
    }

    fn make(parent: &Path, target: Option<&OsStr>) -> io::Result<Scratch> {
        sweep_unlocked(parent, target);
        let folder = Builder::new().prefix(&scratch_prefix(target)).tempdir_in(parent)?;
        let lock = File::open(folder.path()).ok().filter(|folder| folder.try_lock().is_ok());
        Ok(Scratch { folder, _lock: lock })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Moves a scratch folder to a name beside it that no run sweeps, and returns where its content is now; None if the
    /// folder is gone.
    #[must_use]
    pub fn kept(folder: &Path, name: &str) -> Option<PathBuf> {
        let kept = folder.with_file_name(name);
        match fs::rename(folder, &kept) {
            Ok(()) => Some(kept),
            Err(_) => folder.is_dir().then(|| folder.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_in_use_outlives_the_sweep_and_is_removed_when_it_is_dropped() {
        let parent = tempfile::tempdir().unwrap();
        let out = parent.path().join("missing/tl_out");
        let first = Scratch::for_logs(&out).unwrap();
        fs::write(first.path().join("a.log"), "").unwrap();
        let second = Scratch::for_logs(&out).unwrap();
        assert!(first.path().starts_with(parent.path()) && first.path().join("a.log").is_file());
        let kept = Scratch::kept(second.path(), "tl_out.trace-1").unwrap();
        assert!(kept.ends_with("tl_out.trace-1") && Scratch::kept(second.path(), "x").is_none());
        drop((first, second));
        let left: Vec<_> = fs::read_dir(parent.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(left, [kept]);
    }
}
