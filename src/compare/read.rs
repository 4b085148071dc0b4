//! Finished reports to recordings: reads `report.json`, of a log or of a job and its ranks.

use super::facts::log_run;
use super::recording::{Agreement, LogRun, Recording};
use super::wire::{Head, JobReport, LogReport};
use anyhow::{Context, bail, ensure};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The version of report.json that is read: the one that is written.
const SCHEMA: u64 = 2;

/// Bytes of a report; larger ones are refused.
const LARGEST: u64 = 1 << 30;

/// Ranks of a job; more are refused.
const MOST_RANKS: usize = 20_000;

/// The recording whose report stands in `folder`. `name` is what the reader calls it.
///
/// # Errors
/// There is no `report.json` that this version can read.
pub(crate) fn read_recording(folder: &Path, name: &str) -> anyhow::Result<Recording> {
    let bytes = load(folder).with_context(|| format!("cannot compare {}", folder.display()))?;
    of_report(&bytes, folder, name).with_context(|| format!("cannot compare {}", folder.display()))
}

fn of_report(bytes: &[u8], folder: &Path, name: &str) -> anyhow::Result<Recording> {
    let head: Head = serde_json::from_slice(bytes).context("its report.json is none that tlparse wrote")?;
    ensure!(
        head.schema == SCHEMA,
        "its report.json is of version {}, and this tlparse reads version {SCHEMA}; write the report again from the log",
        head.schema
    );
    match head.kind.as_str() {
        "log" => {
            let run = log(bytes)?;
            let name = if name.is_empty() { run.file.clone() } else { name.to_owned() };
            Ok(Recording { name, logs: vec![run], ..Recording::default() })
        }
        "job" => job(bytes, folder, name),
        other => bail!("its report.json is about a {other:?}, not about a log or a job"),
    }
}

fn log(bytes: &[u8]) -> anyhow::Result<LogRun> {
    let report: LogReport<'_> =
        serde_json::from_slice(bytes).context("its report.json is not as tlparse writes it")?;
    Ok(log_run(&report))
}

fn job(bytes: &[u8], folder: &Path, name: &str) -> anyhow::Result<Recording> {
    let report: JobReport<'_> =
        serde_json::from_slice(bytes).context("its report.json is not as tlparse writes it")?;
    ensure!(report.ranks.len() <= MOST_RANKS, "its job has {} ranks, which are too many", report.ranks.len());
    let first = report.findings.iter().find(|finding| finding.severity.0 != "info");
    let differing = report.divergence.iter();
    let differing = differing.filter(|(_, found)| found.as_ref().is_some_and(|found| found.differs));
    let mut recording = Recording {
        name: name.to_owned(),
        agreement: Some(Agreement {
            differing: differing.map(|(fact, _)| fact.owned()).collect(),
            first_finding: first.map(|finding| finding.title.owned()),
        }),
        ..Recording::default()
    };
    for rank in &report.ranks {
        // The folder is made from the number, never taken from the file, which may come from anywhere.
        let below = format!("rank_{}", rank.rank);
        match load(&folder.join(&below)).and_then(|bytes| log(&bytes)) {
            Ok(run) => {
                recording.logs.push(LogRun { rank: Some(rank.rank), folder: format!("{below}/"), ..run })
            }
            Err(error) => {
                recording.unreadable.push((rank.rank, format!("{} ({error:#})", rank.state.0)));
            }
        }
    }
    ensure!(!recording.logs.is_empty(), "no rank of its job has a report.json that can be read");
    Ok(recording)
}

/// The bytes of a folder's report.json.
fn load(folder: &Path) -> anyhow::Result<Vec<u8>> {
    let path = folder.join("report.json");
    let missing =
        "it has no report.json, which tlparse 0.5 and later write; give the log, or write the report again";
    // Checked before the file is opened: opening a pipe would wait for a writer.
    let metadata = std::fs::metadata(&path).context(missing)?;
    ensure!(metadata.is_file(), "its report.json is no file");
    ensure!(metadata.len() <= LARGEST, "its report.json has {} bytes, which are too many", metadata.len());
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or_default());
    File::open(&path).context(missing)?.take(LARGEST).read_to_end(&mut bytes).context(missing)?;
    Ok(bytes)
}
