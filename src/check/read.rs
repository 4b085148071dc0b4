//! Reads the reports to check: of a log, or of a job's ranks.

use super::items::{self, LogItems};
use crate::analysis::findings::kinds;
use crate::facts::{self, FILE, ReportKind, job_report, load, log_report, part_reports};
use anyhow::{anyhow, bail};
use std::path::{Path, PathBuf};

/// One log to check, or what a job has beyond its ranks.
pub(crate) struct CheckedLog {
    /// `rank 0`, or the name of the log.
    pub name: String,
    pub found: LogItems,
    /// Whether anything was recorded.
    pub has_records: bool,
    /// The folder of its report, as the user names it; None if no report is kept.
    folder: Option<PathBuf>,
}

impl CheckedLog {
    /// The path of a page of its report, or of its landing page if there is no such page.
    pub(super) fn page(&self, page: &str) -> Option<String> {
        let folder = self.folder.as_ref()?;
        // Names in reports are not trusted.
        let page = if page.split(['/', '\\']).any(|part| part == ".." || part.is_empty()) {
            "index.html"
        } else {
            page
        };
        let (file, anchor) = page.split_once('#').map_or((page, None), |(file, at)| (file, Some(at)));
        let path = folder.join(file);
        let path = if path.is_file() { path } else { folder.join("index.html") };
        let anchor = anchor.map(|anchor| format!("#{anchor}")).unwrap_or_default();
        Some(format!("{}{anchor}", path.display()))
    }
}

/// Whether a folder is a report of this program.
pub(super) fn is_report(folder: &Path) -> bool {
    folder.join(FILE).is_file()
}

/// Whether a folder is a report of another program: it has pages but no report.json.
pub(super) fn is_foreign_report(folder: &Path) -> bool {
    let has = |name: &str| folder.join(name).is_file();
    !has(FILE) && has("index.html") && (has("compile_directory.json") || has("raw.jsonl") || has("raw.log"))
}

/// Where a report is.
#[derive(Clone, Copy)]
pub(super) struct ReportFolder<'a> {
    /// Its files.
    pub path: &'a Path,
    /// How the user names the folder; None if its pages are not kept.
    pub shown: Option<&'a Path>,
}

/// Reads the report of a log, of a job with its ranks, or of several logs.
pub(super) fn report(folder: ReportFolder<'_>) -> anyhow::Result<Vec<CheckedLog>> {
    let mut bytes = Vec::new();
    let read = load(folder.path, &mut bytes).and_then(|()| match facts::kind(&bytes)? {
        ReportKind::Log => log(&bytes, folder, "").map(|log| vec![log]),
        ReportKind::Job => job(&bytes, folder),
        ReportKind::Several => several(&bytes, folder),
    });
    read.map_err(|error| {
        anyhow!("{} {error:#}; give the log, or write the report again", folder.path.display())
    })
}

/// Several unrelated logs, each checked on its own.
fn several(bytes: &[u8], folder: ReportFolder<'_>) -> anyhow::Result<Vec<CheckedLog>> {
    let mut logs = Vec::new();
    let mut of_part = Vec::new();
    for part in part_reports(bytes)? {
        let (path, shown) = (folder.path.join(&part.dir), folder.shown.map(|shown| shown.join(&part.dir)));
        // A log that could not be read has no report.
        if !is_report(&path) {
            continue;
        }
        let folder = ReportFolder { path: &path, shown: shown.as_deref() };
        let read = load(&path, &mut of_part).and_then(|()| match facts::kind(&of_part)? {
            ReportKind::Log => log(&of_part, folder, &part.name).map(|log| vec![log]),
            ReportKind::Job => job(&of_part, folder),
            ReportKind::Several => bail!("has a report of several reports"),
        });
        logs.extend(read.map_err(|error| anyhow!("has a {} that {error:#}", part.dir))?);
    }
    Ok(logs)
}

fn log(bytes: &[u8], folder: ReportFolder<'_>, name: &str) -> anyhow::Result<CheckedLog> {
    let report = log_report(bytes)?;
    let own = report.log.rank.map_or_else(|| report.log.file.clone(), |rank| format!("rank {rank}"));
    Ok(CheckedLog {
        name: if name.is_empty() { own } else { name.to_owned() },
        found: items::of_log(&report),
        has_records: report.log.records > 0,
        folder: folder.shown.map(Path::to_owned),
    })
}

fn job(bytes: &[u8], folder: ReportFolder<'_>) -> anyhow::Result<Vec<CheckedLog>> {
    let report = job_report(bytes)?;
    let mut logs = Vec::new();
    let mut bytes = Vec::new();
    for rank in &report.ranks {
        let name = format!("rank {}", rank.rank);
        let dir = format!("rank_{}", rank.rank);
        let processes = rank.processes.iter().map(|process| {
            (format!("{name}, process {}", process.pid), format!("{dir}/process_{}", process.pid))
        });
        for (name, dir) in std::iter::once((name.clone(), dir.clone())).chain(processes) {
            let (path, shown) = (folder.path.join(&dir), folder.shown.map(|shown| shown.join(&dir)));
            // A rank whose log could not be read has no report: the job's findings say so.
            if is_report(&path) {
                let folder = ReportFolder { path: &path, shown: shown.as_deref() };
                let read = load(&path, &mut bytes).and_then(|()| log(&bytes, folder, &name));
                logs.push(read.map_err(|error| anyhow!("has a {name} that {error:#}"))?);
            }
        }
    }
    let of_log = |kind: &str| kinds().any(|one| one.word == kind);
    let own = report.findings.iter().filter(|one| !of_log(&one.kind));
    logs.push(CheckedLog {
        name: "the job".to_owned(),
        found: LogItems { items: items::others(own).collect(), compile_seconds: 0.0, functions: Vec::new() },
        has_records: false,
        folder: folder.shown.map(Path::to_owned),
    });
    Ok(logs)
}
