//! `report.json` read back: the only place that knows how, for a job, a comparison and a check.
//!
//! A report may come from anywhere. So its file is bounded, no folder or file is ever named by what it says, and what
//! cannot be read ends with a sentence about the report.

use super::job::{JobReport, SeveralReports};
use super::log::LogReport;
use crate::hidden::visible;
use crate::limits::{IN_HEAD, LABEL, LARGEST_REPORT, SENTENCE};
use crate::model::Sentence;
use crate::model::words::{counted, rank_folder};
use crate::report_folder::ReportFolder;
use anyhow::{Context, anyhow, bail, ensure};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

/// The name of the file in a report's folder.
pub(crate) const FILE: &str = "report.json";

/// The version that is read: the one that is written.
pub(crate) const SCHEMA: u64 = 2;

/// What a report is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReportKind {
    /// One log.
    Log,
    /// The ranks of a job.
    Job,
    /// Several logs that do not belong together, with a report each.
    Several,
}

/// The first keys of both kinds.
#[derive(Deserialize)]
struct Head {
    schema: u64,
    kind: String,
}

/// Reads the `report.json` of a folder into the buffer.
///
/// # Errors
/// There is none, or it cannot be read. The sentence goes on after the name of the folder.
pub(crate) fn load(folder: &ReportFolder, buffer: &mut Vec<u8>) -> anyhow::Result<()> {
    folder.read(FILE, LARGEST_REPORT, buffer).map_err(|error| match error.kind() {
        ErrorKind::NotFound => anyhow!("has no report.json that can be read"),
        _ => anyhow!("has a report.json that {error}"),
    })
}

/// Where the reports of ranks are.
#[derive(Clone, Copy)]
pub(crate) enum Reports<'f> {
    /// In folders.
    Disk,
    /// In memory, by their paths.
    Memory(&'f Files),
}

/// The folder in memory that has the reports of a run.
pub(crate) const IN_MEMORY: &str = "whole";

/// The file beside a `report.json` in memory that has the titles of its findings in parts.
pub(crate) const TITLES: &str = "titles.json";

/// Files by their path, parts separated by `/`.
type Files = BTreeMap<String, Vec<u8>>;

impl<'f> Reports<'f> {
    /// The `report.json` of a folder in memory.
    ///
    /// # Errors
    /// There is none.
    pub fn bytes(self, folder: &Path) -> anyhow::Result<&'f [u8]> {
        self.file(folder, FILE)
    }

    fn file(self, folder: &Path, name: &str) -> anyhow::Result<&'f [u8]> {
        let Reports::Memory(files) = self else { bail!("is not in memory") };
        let path = format!("{}/{name}", folder.display());
        files.get(&path).map(Vec::as_slice).with_context(|| format!("has no {name}"))
    }

    /// The titles of the findings of a report in memory, in their order.
    ///
    /// # Errors
    /// There are none.
    pub fn titles(self, folder: &Path) -> anyhow::Result<Vec<Sentence>> {
        Ok(serde_json::from_slice(self.file(folder, TITLES)?)?)
    }

    /// Reads the `report.json` of a folder; the buffer is for one on the disk.
    ///
    /// # Errors
    /// As [`load`].
    pub fn read<'b>(self, folder: &Path, buffer: &'b mut Vec<u8>) -> anyhow::Result<&'b [u8]>
    where
        'f: 'b,
    {
        match self {
            Reports::Disk => load(&ReportFolder::at(folder), buffer).map(|()| buffer.as_slice()),
            Reports::Memory(_) => self.bytes(folder),
        }
    }

    /// Bytes of that file; 0 if there is none.
    pub fn size(self, folder: &Path) -> u64 {
        match self {
            Reports::Disk => {
                let file = ReportFolder::at(folder).open(FILE).and_then(|file| file.metadata());
                file.map_or(0, |metadata| metadata.len())
            }
            Reports::Memory(_) => self.bytes(folder).map_or(0, |bytes| bytes.len() as u64),
        }
    }
}

/// What the report is about, if this version reads it.
///
/// # Errors
/// It is of another version, or not what this program writes.
pub(crate) fn kind(bytes: &[u8]) -> anyhow::Result<ReportKind> {
    let head: Head = serde_json::from_slice(bytes).map_err(|error| not_ours(&error))?;
    ensure!(
        head.schema == SCHEMA,
        "has a report.json of version {}, and this tlparse reads version {SCHEMA}",
        head.schema
    );
    match head.kind.as_str() {
        "log" => Ok(ReportKind::Log),
        "job" => Ok(ReportKind::Job),
        "logs" => Ok(ReportKind::Several),
        other => {
            let word: String = other.chars().take(LABEL).collect();
            bail!("has a report.json about a {word:?}, not about a log or a job")
        }
    }
}

/// The report of one log.
///
/// # Errors
/// It is of a job, of another version, or not what this program writes.
pub(crate) fn log_report(bytes: &[u8]) -> anyhow::Result<LogReport<'_>> {
    let error = match serde_json::from_slice(bytes) {
        Ok(report) => return Ok(report),
        Err(error) => error,
    };
    // The version and the kind explain more than the first key that is missing.
    ensure!(kind(bytes)? == ReportKind::Log, "has a report.json that is not of one log");
    Err(not_ours(&error))
}

/// The report of a job.
///
/// # Errors
/// It is not what this program writes.
pub(crate) fn job_report(bytes: &[u8]) -> anyhow::Result<JobReport<'_>> {
    serde_json::from_slice(bytes).map_err(|error| not_ours(&error))
}

/// The report of one of several logs, or of a rank of a job.
pub(crate) struct PartReport {
    /// What the log is called.
    pub name: String,
    /// The folder of its report, below theirs.
    pub dir: String,
}

impl PartReport {
    /// That of a rank.
    pub fn of_rank(rank: u64) -> PartReport {
        PartReport { name: format!("rank {rank}"), dir: rank_folder(rank) }
    }
}

/// Gives the reports of logs that are in folders of a report to `take`. A log that could not be read has none: the report
/// above says so.
///
/// # Errors
/// One cannot be read, or `take` fails.
pub(crate) fn each_report(
    folder: &ReportFolder,
    parts: impl IntoIterator<Item = PartReport>,
    mut take: impl FnMut(PartReport, &ReportFolder, &LogReport<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut bytes = Vec::new();
    for part in parts {
        let below = folder.below(&part.dir);
        if below.names(FILE) {
            let report = load(&below, &mut bytes).and_then(|()| log_report(&bytes));
            let report = report.map_err(|error| anyhow!("has a {} that {error:#}", part.name))?;
            take(part, &below, &report)?;
        }
    }
    Ok(())
}

/// The reports of several logs that do not belong together.
///
/// # Errors
/// It is not what this program writes.
pub(crate) fn part_reports(bytes: &[u8]) -> anyhow::Result<Vec<PartReport>> {
    let report: SeveralReports<'_> = serde_json::from_slice(bytes).map_err(|error| not_ours(&error))?;
    // The folder is made from the number, never taken from the file, which may come from anywhere.
    let part = |(number, one): (usize, &super::job::OneOfSeveral<'_>)| PartReport {
        name: one.name.owned(),
        dir: format!("log_{number}"),
    };
    Ok((1..).zip(&report.logs).map(part).collect())
}

/// What is said of the reports of several logs where one is wanted. The sentence goes on after the name of the folder.
///
/// # Errors
/// It is not what this program writes.
pub(crate) fn wants_one_of(bytes: &[u8]) -> anyhow::Result<String> {
    let parts = part_reports(bytes)?;
    let named = parts.iter().take(IN_HEAD).map(|part| format!("{} ({})", part.name, part.dir));
    let more = if parts.len() > IN_HEAD { ", .." } else { "" };
    Ok(format!(
        "has {} that do not belong together; give one of them: {}{more}",
        counted(parts.len(), "log", "logs"),
        named.collect::<Vec<_>>().join(", ")
    ))
}

fn not_ours(error: &serde_json::Error) -> anyhow::Error {
    let what = error.to_string();
    let what = visible(&what);
    let words: String = what.chars().take(SENTENCE).collect();
    let place = if what.len() > words.len() {
        format!("… at line {} column {}", error.line(), error.column())
    } else {
        String::new()
    };
    anyhow!("has a report.json that is not as tlparse writes it: {words}{place}")
}
