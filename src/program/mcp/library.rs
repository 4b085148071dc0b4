//! The reports that were opened.

use crate::program::interrupt::Begun;
use crate::program::opened::Opened;
use anyhow::{Context, bail};
use std::sync::{Arc, Mutex, PoisonError};
use tlparse::{Progress, Unfinished};

/// Reports that are kept; of more, the one that was opened first is given up.
const MOST_OPEN: usize = 8;

/// All reports that were opened.
pub struct Library {
    /// The one that was opened last stands at the end.
    opened: Mutex<Vec<Arc<Opened>>>,
    begun: Begun,
}

/// Registers temporary folders, to be removed at a signal.
struct Watched<'a>(&'a Begun);

impl Progress for Watched<'_> {
    fn beginning(&self) {
        self.0.wait();
    }

    fn begun(&self, unfinished: Unfinished) {
        self.0.add(unfinished);
    }
}

impl Library {
    /// Without any report.
    pub fn new(begun: Begun) -> Library {
        Library { opened: Mutex::default(), begun }
    }

    /// Reads a log or a report, even if it was opened before: a log may have grown.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn open(&self, path: &str, profiles: &[String]) -> anyhow::Result<Arc<Opened>> {
        let opened = Arc::new(self.read(path, profiles)?);
        let mut all = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|one| one.path != path);
        if all.len() == MOST_OPEN {
            all.remove(0);
        }
        all.push(Arc::clone(&opened));
        Ok(opened)
    }

    /// The report of a path, which is opened unless it was before; without a path, the one that was opened last.
    ///
    /// # Errors
    /// It cannot be read, or none was opened.
    pub fn find(&self, path: Option<&str>) -> anyhow::Result<Arc<Opened>> {
        let found = {
            let all = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
            match path {
                Some(path) => all.iter().find(|one| one.path == path).cloned(),
                None => Some(all.last().cloned().context("no report is open yet: call open with a path")?),
            }
        };
        match (found, path) {
            (Some(found), _) => Ok(found),
            (None, path) => self.open(path.unwrap_or_default(), &[]),
        }
    }

    fn read(&self, path: &str, profiles: &[String]) -> anyhow::Result<Opened> {
        if path == "-" {
            bail!("standard input is where the questions come from: open a path");
        }
        Opened::read(path, profiles, &Watched(&self.begun))
    }
}
