//! A report that is read: a finished one, or that of a log, written to a temporary folder with code as text.

use anyhow::bail;
use std::path::{Path, PathBuf};
use tlparse::{Checkable, Options, Progress, Registry, ReportFolder, Scratch, Settings};

/// A report that was opened.
pub struct Opened {
    /// The path that it was opened by.
    pub path: String,
    /// The folder of the report.
    pub folder: PathBuf,
    /// What opening it said: the verdict of a log.
    pub verdict: Vec<String>,
    /// Such as which of several logs was read.
    pub notes: Vec<String>,
    /// Keeps the folder until nobody reads it any more; None for a finished report, which is never changed.
    _scratch: Option<Scratch>,
}

impl Opened {
    /// Reads a log, or finds a finished report.
    pub fn read(path: &str, profiles: &[String], progress: &dyn Progress) -> anyhow::Result<Opened> {
        if Checkable::at(Path::new(path))? == Checkable::Report {
            if !profiles.is_empty() {
                bail!("{path} is a finished report, so a trace comes too late: open the log");
            }
            let (folder, path) = (PathBuf::from(path), path.to_owned());
            return Ok(Opened { path, folder, verdict: Vec::new(), notes: Vec::new(), _scratch: None });
        }
        progress.beginning();
        let scratch = Scratch::temporary(|made| progress.begun(made))?;
        let options = Options {
            profiles: profiles.iter().map(PathBuf::from).collect(),
            // Code is then in files that can be read by lines.
            settings: Settings { plain_text: true, ..Settings::default() },
            ..Options::new(path, scratch.path().join("report"))
        };
        let written = tlparse::run(&options, &Registry::default(), progress)?;
        Ok(Opened {
            path: path.to_owned(),
            folder: written.folder,
            verdict: written.summary.lines.iter().map(|line| line.text.clone()).collect(),
            notes: written.summary.notes,
            _scratch: Some(scratch),
        })
    }

    /// The folder of the report, or of one within it.
    pub fn part(&self, part: Option<&str>) -> anyhow::Result<PathBuf> {
        let Some(part) = part.filter(|part| !part.is_empty()) else { return Ok(self.folder.clone()) };
        let is_part = |name: &str| ["rank_", "log_", "process_"].iter().any(|word| name.starts_with(word));
        let part = part.trim_end_matches('/');
        let found = ReportFolder::at(&self.folder).below(part);
        if !part.split('/').all(is_part) || !found.has("report.json") {
            bail!("{} has no part {part:?}; a part is a folder such as rank_0 or log_2", self.path);
        }
        Ok(found.path())
    }

    /// Names the path that was opened, where a text names a temporary folder.
    pub fn named(&self, text: &str) -> String {
        text.replace(&self.folder.display().to_string(), &self.path)
    }

    /// The same for an error.
    pub fn told(&self, error: &anyhow::Error) -> anyhow::Error {
        anyhow::anyhow!(self.named(&format!("{error:#}")))
    }
}
