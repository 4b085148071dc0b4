//! The reports that were opened. Those of logs are written to temporary folders with code as text.

use crate::program::interrupt::Begun;
use anyhow::{Context, bail};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tlparse::{Checkable, Options, Progress, Registry, Scratch, Settings, Unfinished};

/// Reports that are kept; of more, the one that was opened first is given up.
const MOST_OPEN: usize = 8;

/// A report that was opened.
pub struct Opened {
    /// The path that it was opened by.
    pub path: String,
    /// The folder of the report.
    pub folder: PathBuf,
    /// What opening it said: the verdict, and notes such as which of several logs was read.
    pub said: Vec<String>,
    /// Keeps the folder until nobody reads it any more; None for a finished report, which is never changed.
    _scratch: Option<Scratch>,
}

impl Opened {
    /// The folder of the report, or of one within it.
    ///
    /// # Errors
    /// There is no such part.
    pub fn part(&self, part: Option<&str>) -> anyhow::Result<PathBuf> {
        let Some(part) = part else { return Ok(self.folder.clone()) };
        let is_part = |name: &str| ["rank_", "log_", "process_"].iter().any(|word| name.starts_with(word));
        let is_inside = Path::new(part)
            .components()
            .all(|one| matches!(one, Component::Normal(name) if name.to_str().is_some_and(is_part)));
        let folder = self.folder.join(part);
        if !is_inside || !folder.is_dir() {
            bail!("{} has no part {part:?}; a part is a folder such as rank_0 or log_2", self.path);
        }
        Ok(folder)
    }

    /// Names the path that was opened, where an error names a temporary folder.
    pub fn told(&self, error: &anyhow::Error) -> anyhow::Error {
        anyhow::anyhow!(format!("{error:#}").replace(&self.folder.display().to_string(), &self.path))
    }
}

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
        if Checkable::at(Path::new(path))? == Checkable::Report {
            if !profiles.is_empty() {
                bail!("{path} is a finished report, so a trace comes too late: open the log");
            }
            let folder = PathBuf::from(path);
            return Ok(Opened { path: path.to_owned(), folder, said: Vec::new(), _scratch: None });
        }
        if path == "-" {
            bail!("standard input is where the questions come from: open a path");
        }
        let watched = Watched(&self.begun);
        watched.beginning();
        let scratch = Scratch::temporary(|made| watched.begun(made))?;
        let options = Options {
            profiles: profiles.iter().map(PathBuf::from).collect(),
            // Code is then in files that can be read by lines.
            settings: Settings { plain_text: true, ..Settings::default() },
            ..Options::new(path, scratch.path().join("report"))
        };
        let written = tlparse::run(&options, &Registry::default(), &watched)?;
        let lines = written.summary.lines.iter().map(|line| line.text.clone());
        let notes = written.summary.notes.iter().map(|note| format!("note: {note}"));
        let said = lines.chain(notes).collect();
        Ok(Opened { path: path.to_owned(), folder: written.folder, said, _scratch: Some(scratch) })
    }
}
