//! The files of a finished report's compiles, as texts: graphs, generated code, scripts that run a compile again.

use crate::facts::{self, LogReport, PartReport, ReportKind};
use crate::limits::LARGEST_FILE;
use crate::rel_path::RelPath;
use crate::report_folder::ReportFolder;
use anyhow::{Context, anyhow, bail};
use std::path::Path;

/// A file of a compile.
#[derive(Debug, Clone)]
pub struct ReportFile {
    /// The folder of its log's report: empty, or `rank_0/`.
    pub below: String,
    /// Its compile; None for files of records without a compile id.
    pub compile_id: Option<String>,
    /// Its name without number and extension.
    pub name: String,
    /// Its path in the report of its log.
    pub path: String,
    /// The attempt that wrote it.
    pub attempt: Option<u64>,
    report: ReportFolder,
}

impl ReportFile {
    /// Whether it belongs to the compile of this id, with or without brackets.
    pub fn is_of(&self, id: &str) -> bool {
        self.compile_id.as_deref() == Some(id.trim_start_matches('[').trim_end_matches(']'))
    }

    /// The files of all compiles of a log, or of each rank of a job, in the order of the log.
    ///
    /// # Errors
    /// The folder has no `report.json` that this version reads.
    pub fn all(folder: &Path) -> anyhow::Result<Vec<ReportFile>> {
        Self::read(&ReportFolder::at(folder)).map_err(|error| anyhow!("{} {error:#}", folder.display()))
    }

    fn read(folder: &ReportFolder) -> anyhow::Result<Vec<ReportFile>> {
        let (mut bytes, mut files) = (Vec::new(), Vec::new());
        facts::load(folder, &mut bytes)?;
        match facts::kind(&bytes)? {
            ReportKind::Several => bail!(facts::wants_one_of(&bytes)?),
            ReportKind::Log => add(&mut files, folder, "", &facts::log_report(&bytes)?),
            ReportKind::Job => {
                let ranks = &facts::job_report(&bytes)?.ranks;
                let ranks = ranks.iter().map(|rank| PartReport::of_rank(rank.rank));
                facts::each_report(folder, ranks, |rank, folder, report| {
                    add(&mut files, folder, &format!("{}/", rank.dir), report);
                    Ok(())
                })?;
            }
        }
        Ok(files)
    }

    /// Its text.
    ///
    /// # Errors
    /// The file is not in the report, too large, or a page without a plain text.
    pub fn text(&self) -> anyhow::Result<String> {
        let path = RelPath::new(&self.path).context("the file has a path that leads out of the report")?;
        facts::text_of(&self.report, &path, LARGEST_FILE)
            .map_err(|why| anyhow!("the file {}{} {why}", self.below, self.path))
    }
}

/// Adds the files of a log's report.
fn add(files: &mut Vec<ReportFile>, folder: &ReportFolder, below: &str, report: &LogReport<'_>) {
    for compile in &report.compiles {
        let id = compile.id.as_deref().map(str::to_owned);
        files.extend(compile.artifacts.iter().map(|file| ReportFile {
            below: below.to_owned(),
            compile_id: id.clone(),
            name: file.name.to_string(),
            path: file.path.to_string(),
            attempt: file.attempt,
            report: folder.clone(),
        }));
    }
}
