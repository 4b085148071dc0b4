//! Which files are logs. The only code that looks for inputs in folders.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};

use super::intake::Opener;
use super::names::{RAW_LOG, is_log_name, numbered, rank_of_file_name, rank_of_path, siblings_of};
use super::peek::peek;
use super::runs::{Log, Run, group};
use crate::limits::SEARCHED;
use crate::report_folder::ReportFolder;

/// The file beside logs with what their program printed.
pub const CONSOLE_FILE: &str = "console.txt";
/// The page that marks a folder as a report.
const LANDING_PAGE: &str = "index.html";
/// The folders of a report that hold others: of a log among several, of a rank, of a further process.
const PARTS: [&str; 3] = ["log_", "rank_", "process_"];
const REPORT_LEVELS: usize = 3;

/// What a folder holds.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Folder {
    /// Runs, oldest first; each has at least one log.
    pub runs: Vec<Run>,
    /// Files that belong to no run, by name, each with the reason.
    pub skipped: Vec<(String, &'static str)>,
}

/// All logs of a folder, grouped into runs. Files that torch named come before any other `*.log`.
///
/// # Errors
/// The folder cannot be read, or holds no log; then the error says what to do.
pub fn logs_in(dir: &Path, opener: &Opener) -> Result<Folder> {
    let about = || format!("cannot read the folder {}", dir.display());
    let listed = logs_of(dir).with_context(about)?;
    let mut skipped = Vec::new();
    for entry in fs::read_dir(dir).with_context(about)?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name != CONSOLE_FILE && !is_log_name(&name) && entry.file_type().is_ok_and(|kind| !kind.is_dir()) {
            skipped.push((name, "not the name of a log"));
        }
    }
    let are_named = listed.iter().any(Log::is_torchs);
    let mut logs = Vec::new();
    for log in listed {
        let (name, is_torchs) = (log.name(), log.is_torchs());
        if are_named && !is_torchs {
            skipped.push((name, "not named as torch names its logs"));
            continue;
        }
        let log = looked_at(log, rank_of_file_name(&name), opener);
        // A log that cannot be read is kept: its rank exists, and the attempt to read it says what is wrong.
        if log.peek.span.is_none() && !is_torchs && log.peek.bytes > 0 {
            skipped.push((name, "no line of it is a TORCH_TRACE record"));
        } else {
            logs.push(log);
        }
    }
    if logs.is_empty() {
        return Err(no_log(dir));
    }
    let (runs, left) = group(logs);
    skipped.extend(left.iter().map(|log| (log.name(), "empty, and its rank has another log")));
    skipped.sort();
    Ok(Folder { runs, skipped })
}

fn no_log(dir: &Path) -> anyhow::Error {
    let dir = dir.display();
    anyhow!(
        "no log in the folder {dir}: run the program with TORCH_TRACE={dir} set, or give the path of a log file"
    )
}

/// Files that were named, or that an archive holds, with what their two ends say.
pub fn named_logs(paths: &[PathBuf], opener: &Opener) -> Vec<Log> {
    let log = |path: &PathBuf| {
        let changed = fs::metadata(path).and_then(|file| file.modified()).ok();
        looked_at(Log::unread(path.clone(), changed), rank_of_path(path), opener)
    };
    paths.iter().map(log).collect()
}

/// A log with what its ends say, and the rank that its name has, or else its records.
fn looked_at(log: Log, rank: Option<u64>, opener: &Opener) -> Log {
    let peek = peek(&log.path, rank.is_none(), opener).unwrap_or_default();
    Log { rank: rank.or(peek.rank), peek, ..log }
}

/// The logs of a finished report, this program's or upstream's: its own, those of its ranks and of further processes. Empty
/// if the folder is not a report.
pub fn logs_of_report(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    if is_report(dir) {
        add_logs_of_report(dir, REPORT_LEVELS, &mut found);
    }
    found.sort();
    found
}

fn is_report(dir: &Path) -> bool {
    ReportFolder::at(dir).names(LANDING_PAGE)
}

fn add_logs_of_report(dir: &Path, levels: usize, found: &mut Vec<PathBuf>) {
    if ReportFolder::at(dir).has(RAW_LOG) {
        found.push(dir.join(RAW_LOG));
    }
    let Some(levels) = levels.checked_sub(1) else { return };
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_part = PARTS.iter().any(|part| numbered(&name, part).is_some());
        // A link could lead back here.
        if is_part && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            add_logs_of_report(&entry.path(), levels, found);
        }
    }
}

/// The newest log of a folder, by time of last change, then by name; and its others, newest first. Files that torch named
/// come before any other `*.log`.
///
/// # Errors
/// The folder cannot be read, or holds no log; then the error says what to do.
pub fn newest_log(dir: &Path) -> Result<(PathBuf, Vec<PathBuf>)> {
    let mut logs = logs_of(dir).with_context(|| format!("cannot read the folder {}", dir.display()))?;
    if logs.iter().any(Log::is_torchs) {
        logs.retain(Log::is_torchs);
    }
    logs.sort_by(|a, b| (b.changed, &b.path).cmp(&(a.changed, &a.path)));
    let mut paths = logs.into_iter().map(|log| log.path);
    let newest = paths.next().ok_or_else(|| no_log(dir))?;
    Ok((newest, paths.collect()))
}

/// The other uncompressed logs that torch wrote into the folder of this one; see [`siblings_of`].
pub(super) fn sibling_logs(log: &Path) -> Vec<PathBuf> {
    siblings_of(log, |folder| {
        let mut plain = log_files(folder);
        plain.retain(|path| path.extension().is_some_and(|ending| ending == "log"));
        plain
    })
}

/// The files of a folder that are named as logs are, by name.
#[must_use]
pub fn log_files(dir: &Path) -> Vec<PathBuf> {
    logs_of(dir).unwrap_or_default().into_iter().map(|log| log.path).collect()
}

/// What a folder holds, by name; of very many entries some.
pub fn entries(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found: Vec<PathBuf> =
        fs::read_dir(dir)?.flatten().take(SEARCHED).map(|entry| entry.path()).collect();
    found.sort();
    Ok(found)
}

/// The files of a folder whose names end so, by name.
pub fn files_ending(dir: &Path, endings: &[&str]) -> io::Result<Vec<PathBuf>> {
    let files = files_of(dir, |name| endings.iter().any(|ending| name.ends_with(ending)))?;
    Ok(files.into_iter().map(|(path, _)| path).collect())
}

/// Every log file of a folder, by name, unread.
fn logs_of(dir: &Path) -> io::Result<Vec<Log>> {
    let files = files_of(dir, is_log_name)?.into_iter();
    Ok(files.map(|(path, metadata)| Log::unread(path, metadata.modified().ok())).collect())
}

/// The files of a folder whose names are wanted, by name, without those that cannot be looked at. Links are followed, but
/// not in a report, which may come from anywhere.
fn files_of(dir: &Path, is_wanted: impl Fn(&str) -> bool) -> io::Result<Vec<(PathBuf, fs::Metadata)>> {
    let look = if is_report(dir) { fs::symlink_metadata } else { fs::metadata };
    let entries = fs::read_dir(dir)?.flatten();
    let wanted = entries.filter(|entry| is_wanted(&entry.file_name().to_string_lossy()));
    let looked_at = wanted.filter_map(|entry| Some((entry.path(), look(entry.path()).ok()?)));
    let mut files: Vec<_> = looked_at.filter(|(_, metadata)| metadata.is_file()).collect();
    files.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok(files)
}
