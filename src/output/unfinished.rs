//! What a run has put on the disk while its report is not in place yet.

use super::place;
use std::fs;
use std::path::{Path, PathBuf};

/// The hidden folder that a run writes into, its lock, and the folders that were made for the report. A program that is
/// told to end removes them with [`discard`](Unfinished::discard).
#[derive(Debug, Clone)]
pub struct Unfinished {
    pub(super) staging: PathBuf,
    pub(super) lock: Option<PathBuf>,
    /// Outermost first.
    pub(super) parents: Vec<PathBuf>,
}

impl Unfinished {
    /// A temporary folder that no report is made of.
    pub fn scratch(folder: &Path) -> Unfinished {
        Unfinished { staging: folder.to_owned(), lock: None, parents: Vec::new() }
    }

    /// Removes all of it, even while other threads still write there. The process has to end then.
    pub fn discard(&self) {
        // Under another name no thread finds the folder any more. One that is making a folder may bring it back once.
        let away = place::away(&self.staging);
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
        place::remove(folder);
        if !folder.exists() {
            return;
        }
    }
}
