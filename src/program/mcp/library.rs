//! The reports that were opened.

use crate::program::interrupt::Begun;
use crate::program::opened::Opened;
use anyhow::{Context, bail};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tlparse::system::files::is_standard_input;
use tlparse::{ReportFile, Shown, Subject};

/// Reports that are kept; of more, the one that was opened first is given up.
const MOST_OPEN: usize = 8;

/// A report, and the folder of the part that is asked about.
pub struct Asked {
    pub opened: Arc<Opened>,
    pub folder: PathBuf,
}

impl Asked {
    /// The report of a path, or the open one, and a part of it.
    pub fn find(library: &Library, report: Option<&str>, part: Option<&str>) -> anyhow::Result<Asked> {
        let opened = library.find(report)?;
        let folder = opened.part(part)?;
        Ok(Asked { opened, folder })
    }

    pub fn show(&self, subject: &Subject) -> anyhow::Result<Shown> {
        Shown::at(&self.folder, subject).map_err(|error| self.opened.told(&error))
    }

    pub fn files(&self) -> anyhow::Result<Vec<ReportFile>> {
        ReportFile::all(&self.folder).map_err(|error| self.opened.told(&error))
    }
}

/// All reports that were opened.
pub struct Library {
    opened: Mutex<Reports>,
    begun: Begun,
}

#[derive(Default)]
struct Reports {
    /// In the order in which they were opened.
    all: Vec<Arc<Opened>>,
    /// The one that a question without a path is about.
    current: Option<Arc<Opened>>,
}

impl Library {
    /// Without any report.
    pub fn new(begun: Begun) -> Library {
        Library { opened: Mutex::default(), begun }
    }

    fn reports(&self) -> MutexGuard<'_, Reports> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads a log or a report, even if it was opened before: a log may have grown. Questions without a path are from now on
    /// about this one.
    pub fn open(&self, path: &str, profiles: &[String]) -> anyhow::Result<Arc<Opened>> {
        let opened = self.keep(path, profiles)?;
        self.reports().current = Some(Arc::clone(&opened));
        Ok(opened)
    }

    /// The report of a path, or the open one without a path. If none is open, the report of the path is from now on.
    pub fn find(&self, path: Option<&str>) -> anyhow::Result<Arc<Opened>> {
        let Some(path) = path else {
            let current = self.reports().current.clone();
            return current.context("no report is open yet: call open with a path");
        };
        let found = self.beside(path, &[])?;
        self.reports().current.get_or_insert_with(|| Arc::clone(&found));
        Ok(found)
    }

    /// The report of a path; the open one stays open. It is read unless it was before, or traces are to be joined.
    pub fn beside(&self, path: &str, profiles: &[String]) -> anyhow::Result<Arc<Opened>> {
        let found = {
            let reports = self.reports();
            reports.all.iter().chain(&reports.current).find(|one| one.path == path).cloned()
        };
        match found.filter(|_| profiles.is_empty()) {
            Some(found) => Ok(found),
            None => self.keep(path, profiles),
        }
    }

    /// Reads a report, and keeps it in place of an older one of its path.
    fn keep(&self, path: &str, profiles: &[String]) -> anyhow::Result<Arc<Opened>> {
        let opened = Arc::new(self.read(path, profiles)?);
        let all = &mut self.reports().all;
        all.retain(|one| one.path != path);
        if all.len() == MOST_OPEN {
            all.remove(0);
        }
        all.push(Arc::clone(&opened));
        Ok(opened)
    }

    /// Reads a report. Only files are read: a pipe or a device may never end, and the questions come on standard input.
    fn read(&self, path: &str, profiles: &[String]) -> anyhow::Result<Opened> {
        const PASS: &str = "pass the path of a log, a folder of logs, an archive or a report";
        for given in std::iter::once(path).chain(profiles.iter().map(String::as_str)) {
            for path in tlparse::expanded(Path::new(given)) {
                if given == "-" || is_standard_input(&path) {
                    bail!("standard input is where the questions come from: {PASS}");
                }
                if path.metadata().is_ok_and(|there| !there.is_file() && !there.is_dir()) {
                    bail!("{} is a pipe or a device, which is not read here: {PASS}", path.display());
                }
            }
        }
        Opened::read(path, profiles, &self.begun)
    }
}
