//! Reads recordings from finished reports: `report.json` of a log, or of a job and its ranks.

use super::facts::log_run;
use super::items;
use super::recording::{LogRun, Recording};
use crate::facts::{ReportKind, job_report, kind, load, log_report, wants_one_of};
use crate::limits::KEPT;
use crate::report_folder::ReportFolder;
use anyhow::{anyhow, bail, ensure};
use std::path::{Path, PathBuf};

/// Reads the recording whose report is in `folder`. `name` is what the user calls it.
///
/// # Errors
/// There is no `report.json` that this version can read.
pub(crate) fn read_recording(folder: &Path, name: &str) -> anyhow::Result<Recording> {
    let report = &ReportFolder::at(folder);
    let mut bytes = Vec::new();
    let loaded = load(report, &mut bytes).and_then(|()| kind(&bytes));
    let read = match loaded {
        Ok(ReportKind::Several) => bail!("cannot compare {name}: it {}", wants_one_of(&bytes)?),
        Ok(ReportKind::Log) => of_log(&bytes, report, name),
        Ok(ReportKind::Job) => job(&bytes, report, name),
        Err(error) => Err(error),
    };
    let mut recording = read.map_err(|error| {
        anyhow!("cannot compare {}: it {error:#}; give the log, or write the report again", folder.display())
    })?;
    let folders = std::iter::once("").chain(recording.logs.iter().map(|log| log.folder.as_str()));
    let pages = folders.flat_map(|below| PAGES.iter().map(move |page| format!("{below}{page}")));
    recording.pages = pages.chain(pages_of_compiles(&recording)).filter(|page| report.has(page)).collect();
    Ok(recording)
}

/// Pages that compiles may have.
fn pages_of_compiles(recording: &Recording) -> impl Iterator<Item = String> {
    let compiles = recording.logs.iter().flat_map(|log| {
        let compiles = log.functions.iter().flat_map(|function| &function.compiles);
        compiles.filter(|one| !one.folder.is_empty()).map(move |one| format!("{}{}", log.folder, one.folder))
    });
    compiles.flat_map(|folder| ["compile.html", "graphs.html"].map(|page| format!("{folder}/{page}")))
}

/// Pages of a report that rows link to if they exist.
const PAGES: [&str; 7] = [
    "index.html",
    "graph_breaks.html",
    "recompilations.html",
    "failures_and_restarts.html",
    "configuration.html",
    "time.html",
    "performance.html",
];

fn of_log(bytes: &[u8], report: &ReportFolder, name: &str) -> anyhow::Result<Recording> {
    let run = LogRun { report: report.clone(), ..log(bytes)? };
    let name = if name.is_empty() { run.log.file.clone() } else { name.to_owned() };
    Ok(Recording { name, logs: vec![run], ..Recording::default() })
}

fn log(bytes: &[u8]) -> anyhow::Result<LogRun> {
    Ok(log_run(&log_report(bytes)?))
}

fn job(bytes: &[u8], report: &ReportFolder, name: &str) -> anyhow::Result<Recording> {
    let job = job_report(bytes)?;
    ensure!(job.ranks.len() <= KEPT, "has a job of {} ranks, which are too many", job.ranks.len());
    let mut recording =
        Recording { name: name.to_owned(), of_job: Some(items::of_job(&job)), ..Recording::default() };
    let mut bytes = Vec::new();
    for rank in &job.ranks {
        // The folder follows from the number: report.json is not trusted.
        let below = format!("rank_{}", rank.rank);
        let report = report.below(&below);
        match load(&report, &mut bytes).and_then(|()| log(&bytes)) {
            Ok(mut run) => {
                run.log.rank = Some(rank.rank);
                recording.logs.push(LogRun { folder: format!("{below}/"), report, ..run });
            }
            Err(error) => {
                recording.unreadable.push((rank.rank, format!("{} ({error:#})", &*rank.state)));
            }
        }
    }
    ensure!(!recording.logs.is_empty(), "has no rank with a report.json that can be read");
    Ok(recording)
}

/// The folder of the finished report that a path names; None if it names logs. A folder with a landing page but without
/// report.json also counts as a report: reading it says what is missing.
pub(crate) fn finished_report(path: &Path) -> Option<PathBuf> {
    if path.file_name().is_some_and(|name| name == "report.json") {
        let folder = path.parent()?;
        return Some(if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder.to_owned() });
    }
    let report = ReportFolder::at(path);
    let has_pages = || report.has("index.html") && report.has("compile_directory.json");
    (report.names("report.json") || has_pages()).then(|| path.to_owned())
}

/// The name of a run: the last part of its path, or the whole path if another run has the same name.
pub(crate) fn name_of(path: &Path, sides: [&Vec<PathBuf>; 2]) -> String {
    let last = |path: &Path| {
        path.file_name()
            .map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
    };
    let name = last(path);
    let same = sides.into_iter().flatten().filter(|other| last(other) == name).count();
    if same > 1 { path.display().to_string() } else { name }
}
