//! What a run has written to the disk before its report is in place.

use super::hidden;
use std::fs;
use std::path::{Path, PathBuf};

/// The hidden folder that a run writes into, its lock, and the folders that were made for the report. A program that is
/// asked to end removes them with [`discard`](Unfinished::discard).
#[derive(Debug, Clone)]
pub struct Unfinished {
    pub(super) staging: PathBuf,
    pub(super) lock: Option<PathBuf>,
    /// Outermost first.
    pub(super) parents: Vec<PathBuf>,
}

impl Unfinished {
    /// A temporary folder, or a staged file, beside or without a report.
    pub(super) fn scratch(path: &Path) -> Unfinished {
        Unfinished { staging: path.to_owned(), lock: None, parents: Vec::new() }
    }

    /// Removes all of it, even while other threads still write there. The process has to end then.
    pub fn discard(&self) {
        // Under another name no thread finds the folder any more. One that is making a folder may bring it back once.
        let away = hidden::away(&self.staging);
        let gone = if fs::rename(&self.staging, &away).is_ok() { away.as_path() } else { &self.staging };
        for folder in [gone, &self.staging] {
            remove_until_gone(folder);
        }
        if let Some(lock) = &self.lock {
            let _ = fs::remove_file(lock);
        }
        for folder in self.parents.iter().rev() {
            let _ = fs::remove_dir(folder);
        }
    }
}

/// A file that is made in a folder while it is removed keeps the folder: a few attempts outlast that.
fn remove_until_gone(folder: &Path) {
    for _ in 0..100 {
        hidden::remove(folder);
        if !folder.exists() {
            return;
        }
    }
}
