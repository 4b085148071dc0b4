//! Reads the reports to check: of a log, or of a job's ranks.

use crate::compare::items::{self, LogItems};
use crate::facts::{
    self, FILE, LogReport, PartReport, ReportKind, each_report, job_report, load, log_report, part_reports,
};
use crate::report_folder::ReportFolder;
use anyhow::{anyhow, bail};
use std::path::Path;

/// One log to check, or what a job has beyond its ranks.
pub(crate) struct CheckedLog {
    /// `rank 0`, or the name of the log.
    pub name: String,
    pub found: LogItems,
    /// Whether anything was recorded.
    pub has_records: bool,
    /// Whether it ends within a compile, so that it does not show all that the budget limits.
    pub cut_off: bool,
    /// The folder of its report, as the user names it; None if no report is kept.
    folder: Option<ReportFolder>,
}

impl CheckedLog {
    /// The path of a page of its report, or of its landing page if there is no such page.
    pub(super) fn page(&self, page: &str) -> Option<String> {
        let folder = self.folder.as_ref()?;
        let (file, anchor) = page.split_once('#').map_or((page, None), |(file, at)| (file, Some(at)));
        let file = if folder.has(file) { file } else { "index.html" };
        let anchor = anchor.map(|anchor| format!("#{anchor}")).unwrap_or_default();
        Some(format!("{}{anchor}", folder.path().join(file).display()))
    }
}

/// Whether a folder is a report of this program.
pub(super) fn is_report(folder: &Path) -> bool {
    ReportFolder::at(folder).names(FILE)
}

/// Whether a folder is a report of another program: it has pages but no report.json.
pub(super) fn is_foreign_report(folder: &Path) -> bool {
    let report = ReportFolder::at(folder);
    let has_data = || ["compile_directory.json", "raw.jsonl", "raw.log"].iter().any(|name| report.has(name));
    !report.names(FILE) && report.has("index.html") && has_data()
}

/// Where a report is.
struct ReportPlace {
    /// Its files.
    report: ReportFolder,
    /// The same folder as the user names it; None if its pages are not kept.
    shown: Option<ReportFolder>,
}

impl ReportPlace {
    /// The place of a report within it.
    fn below(&self, folder: &str) -> ReportPlace {
        let shown = self.shown.as_ref().map(|shown| shown.below(folder));
        ReportPlace { report: self.report.below(folder), shown }
    }
}

/// Reads the report of a log, of a job with its ranks, or of several logs. `shown` is how the user names the folder.
pub(super) fn report(folder: &Path, shown: Option<&Path>) -> anyhow::Result<Vec<CheckedLog>> {
    let place = &ReportPlace { report: ReportFolder::at(folder), shown: shown.map(ReportFolder::at) };
    let mut bytes = Vec::new();
    let read = load(&place.report, &mut bytes).and_then(|()| match facts::kind(&bytes)? {
        ReportKind::Several => several(&bytes, place),
        _ => one(&bytes, place, None),
    });
    read.map_err(|error| anyhow!("{} {error:#}; give the log, or write the report again", folder.display()))
}

/// Several unrelated logs, each checked on its own.
fn several(bytes: &[u8], place: &ReportPlace) -> anyhow::Result<Vec<CheckedLog>> {
    let mut logs = Vec::new();
    let mut of_part = Vec::new();
    for part in part_reports(bytes)? {
        let place = &place.below(&part.dir);
        // A log that could not be read has no report.
        if !place.report.names(FILE) {
            continue;
        }
        let read = load(&place.report, &mut of_part).and_then(|()| one(&of_part, place, Some(part.name)));
        logs.extend(read.map_err(|error| anyhow!("has a {} that {error:#}", part.dir))?);
    }
    Ok(logs)
}

/// A log, or a job with its ranks.
fn one(bytes: &[u8], place: &ReportPlace, name: Option<String>) -> anyhow::Result<Vec<CheckedLog>> {
    match facts::kind(bytes)? {
        ReportKind::Log => {
            let report = log_report(bytes)?;
            let own =
                || report.log.rank.map_or_else(|| report.log.file.clone(), |rank| format!("rank {rank}"));
            Ok(vec![log(&report, place, name.filter(|name| !name.is_empty()).unwrap_or_else(own))])
        }
        ReportKind::Job => job(bytes, place),
        ReportKind::Several => bail!("has a report of several reports"),
    }
}

fn log(report: &LogReport<'_>, place: &ReportPlace, name: String) -> CheckedLog {
    CheckedLog {
        name,
        found: items::of_log(report),
        has_records: report.log.records > 0,
        cut_off: report.findings.iter().any(|one| &*one.kind == "cut_off"),
        folder: place.shown.clone(),
    }
}

fn job(bytes: &[u8], place: &ReportPlace) -> anyhow::Result<Vec<CheckedLog>> {
    let report = job_report(bytes)?;
    let parts = report.ranks.iter().flat_map(|rank| {
        let of_rank = PartReport::of_rank(rank.rank);
        let processes = rank.processes.iter().map(|process| PartReport {
            name: format!("{}, process {}", of_rank.name, process.pid),
            dir: format!("{}/process_{}", of_rank.dir, process.pid),
        });
        let processes: Vec<PartReport> = processes.collect();
        std::iter::once(of_rank).chain(processes)
    });
    let mut logs = Vec::new();
    each_report(&place.report, parts, |part, _, report| {
        logs.push(log(report, &place.below(&part.dir), part.name));
        Ok(())
    })?;
    logs.push(CheckedLog {
        name: "the job".to_owned(),
        found: LogItems { items: items::of_job(&report), ..LogItems::default() },
        has_records: false,
        cut_off: false,
        folder: place.shown.clone(),
    });
    Ok(logs)
}
