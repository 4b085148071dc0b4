//! Which files are logs. The only code that looks for inputs in folders.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result, bail};

use super::intake::Opener;
use super::names::{
    RAW_LOG, is_log_name, is_torch_name, numbered, parents_raw_log, rank_of_file_name, rank_of_path,
    sort_siblings,
};
use super::peek::peek;
use super::runs::{Log, Run, group};
use crate::report_folder::ReportFolder;

/// The page that marks a folder as a report.
const LANDING_PAGE: &str = "index.html";
/// The folders of a report that hold others: of a log among several, of a rank, of a further process.
const PARTS: [&str; 3] = ["log_", "rank_", "process_"];
const REPORT_LEVELS: usize = 3;

/// The newest log of a folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewestLog {
    pub log: PathBuf,
    /// The folder's other logs, newest first.
    pub others: Vec<PathBuf>,
}

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
    let mut skipped = other_files(dir).with_context(about)?;
    let logs = looked_at(listed, &mut skipped, opener);
    if logs.is_empty() {
        bail!(
            "no log in the folder {}: run the program with TORCH_TRACE={} set, or give the path of a log file",
            dir.display(),
            dir.display()
        );
    }
    let (runs, left) = group(logs);
    skipped.extend(left.iter().map(|log| (log.name(), "empty, and its rank has another log")));
    skipped.sort();
    Ok(Folder { runs, skipped })
}

/// Files that were named, or that an archive holds, with what their two ends say.
pub fn named_logs(paths: &[PathBuf], opener: &Opener) -> Vec<Log> {
    let log = |path: &PathBuf| {
        let rank = rank_of_path(path);
        let peek = peek(path, rank.is_none(), opener).unwrap_or_default();
        let changed = fs::metadata(path).and_then(|file| file.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
        Log { path: path.clone(), rank: rank.or(peek.rank), changed, peek }
    };
    paths.iter().map(log).collect()
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

fn looked_at(
    mut listed: Vec<Listed>,
    skipped: &mut Vec<(String, &'static str)>,
    opener: &Opener,
) -> Vec<Log> {
    let named = listed.iter().any(|log| log.torch_named);
    let mut logs = Vec::new();
    listed.sort_by(|a, b| a.path.cmp(&b.path));
    for found in listed {
        let name = found.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if named && !found.torch_named {
            skipped.push((name, "not named as torch names its logs"));
            continue;
        }
        let rank = rank_of_file_name(&name);
        match peek(&found.path, rank.is_none(), opener) {
            Ok(peek) if peek.span.is_none() && !found.torch_named && peek.bytes > 0 => {
                skipped.push((name, "no line of it is a TORCH_TRACE record"));
            }
            // A log that cannot be read is kept: its rank exists, and the attempt to read it says what is wrong.
            peek => {
                let peek = peek.unwrap_or_default();
                let Listed { path, changed, .. } = found;
                logs.push(Log { path, rank: rank.or(peek.rank), changed, peek });
            }
        }
    }
    logs
}

/// The newest trace log of a folder, by time of last change, then by name.
///
/// Files that torch named come before any other `*.log`. The error says what to do when there is none.
pub fn newest_log(dir: &Path) -> Result<NewestLog> {
    let mut logs = logs_of(dir).with_context(|| format!("cannot read the folder {}", dir.display()))?;
    if logs.iter().any(|log| log.torch_named) {
        logs.retain(|log| log.torch_named);
    }
    logs.sort_by(|a, b| (b.changed, &b.path).cmp(&(a.changed, &a.path)));
    let mut paths = logs.into_iter().map(|log| log.path);
    let Some(log) = paths.next() else {
        bail!(
            "no log in the folder {}: run the program with TORCH_TRACE={} set, or give the path of a log file",
            dir.display(),
            dir.display()
        );
    };
    Ok(NewestLog { log, others: paths.collect() })
}

/// Files of a folder that are not named like logs.
fn other_files(dir: &Path) -> io::Result<Vec<(String, &'static str)>> {
    let mut others = Vec::new();
    for entry in fs::read_dir(dir)? {
        let Ok(entry) = entry else { continue };
        let name = entry.file_name();
        if !is_log_name(&name) && entry.file_type().is_ok_and(|kind| !kind.is_dir()) {
            others.push((name.to_string_lossy().into_owned(), "not the name of a log"));
        }
    }
    Ok(others)
}

/// The other uncompressed logs that torch wrote into the folder of this one, by name, at most `limit`.
///
/// Empty when this log does not have one of torch's names: then nothing says that its neighbors belong to it.
pub fn sibling_logs(log: &Path, limit: usize) -> io::Result<Vec<PathBuf>> {
    if let Some(parent) = parents_raw_log(log) {
        return Ok(vec![parent]);
    }
    if !log.file_name().is_some_and(is_torch_name) {
        return Ok(Vec::new());
    }
    let dir = match log.parent() {
        Some(dir) if dir != Path::new("") => dir,
        _ => Path::new("."),
    };
    let plain = |found: &Listed| found.torch_named && found.path.extension() == Some(OsStr::new("log"));
    let mut siblings: Vec<PathBuf> =
        logs_of(dir)?.into_iter().filter(plain).map(|found| found.path).collect();
    siblings.retain(|path| path.file_name() != log.file_name());
    sort_siblings(&mut siblings, log);
    siblings.truncate(limit);
    Ok(siblings)
}

/// The files of a folder that are named as logs are, by name.
#[must_use]
pub fn log_files(dir: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = logs_of(dir).unwrap_or_default().into_iter().map(|log| log.path).collect();
    paths.sort();
    paths
}

/// The files of a folder whose names end so, in the order of their names.
pub fn files_ending(dir: &Path, endings: &[&str]) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let look = look_in(dir);
    for entry in fs::read_dir(dir)? {
        let Ok(entry) = entry else { continue };
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_wanted = endings.iter().any(|ending| name.ends_with(ending));
        if is_wanted && look(entry.path()).is_ok_and(|metadata| metadata.is_file()) {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}

/// How files of a folder are looked at: links are followed, but not in a report, which may come from anywhere.
fn look_in(dir: &Path) -> fn(PathBuf) -> io::Result<fs::Metadata> {
    if is_report(dir) { fs::symlink_metadata } else { fs::metadata }
}

struct Listed {
    path: PathBuf,
    changed: SystemTime,
    torch_named: bool,
}

/// Every log file of a folder, in no particular order. Entries that cannot be looked at are left out.
fn logs_of(dir: &Path) -> io::Result<Vec<Listed>> {
    let mut logs = Vec::new();
    let look = look_in(dir);
    for entry in fs::read_dir(dir)? {
        let Ok(entry) = entry else { continue };
        let name = entry.file_name();
        if !is_log_name(&name) {
            continue;
        }
        let Ok(metadata) = look(entry.path()) else { continue };
        if metadata.is_file() {
            let changed = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            logs.push(Listed { path: entry.path(), changed, torch_named: is_torch_name(&name) });
        }
    }
    Ok(logs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn folder(files: &[(&str, u64)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (name, seconds) in files {
            let file = fs::File::create(dir.path().join(name)).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(*seconds)).unwrap();
        }
        dir
    }

    fn names(paths: &[PathBuf]) -> Vec<&str> {
        paths.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect()
    }

    #[test]
    fn the_newest_log_of_torch_is_taken() {
        let dir = folder(&[
            ("dedicated_log_torch_trace_a.log", 5),
            ("dedicated_log_torch_trace_b.log", 9),
            ("dedicated_log_torch_trace_c.log.gz", 9),
            ("newer.log", 20),
            ("dedicated_log_torch_trace_d.txt", 30),
        ]);
        fs::create_dir(dir.path().join("dedicated_log_torch_trace_dir.log")).unwrap();
        let found = newest_log(dir.path()).unwrap();
        assert_eq!(found.log.file_name().unwrap(), "dedicated_log_torch_trace_c.log.gz");
        assert_eq!(
            names(&found.others),
            ["dedicated_log_torch_trace_b.log", "dedicated_log_torch_trace_a.log"]
        );
    }

    #[test]
    fn other_logs_are_taken_when_torch_wrote_none() {
        let dir = folder(&[("a.log", 5), ("b.log", 4), ("c.txt", 9)]);
        let found = newest_log(dir.path()).unwrap();
        assert_eq!(
            (found.log.file_name().unwrap(), names(&found.others)),
            (OsStr::new("a.log"), vec!["b.log"])
        );
    }

    #[test]
    fn an_empty_folder_is_an_error_that_says_what_to_do() {
        let dir = folder(&[]);
        assert!(newest_log(dir.path()).unwrap_err().to_string().contains("TORCH_TRACE"));
        assert!(newest_log(&dir.path().join("missing")).is_err());
    }

    #[test]
    fn siblings_are_torchs_other_plain_logs() {
        let torch = |x: &str| format!("dedicated_log_torch_trace_{x}.log");
        let dir = folder(&[(&torch("b"), 1), (&torch("a"), 2), (&torch("c"), 3), ("x.log", 1)]);
        fs::File::create(dir.path().join("dedicated_log_torch_trace_z.log.gz")).unwrap();
        let found = sibling_logs(&dir.path().join(torch("b")), 9).unwrap();
        assert_eq!(names(&found), [torch("a"), torch("c")]);
        assert_eq!(sibling_logs(&dir.path().join(torch("b")), 1).unwrap().len(), 1);
        assert!(sibling_logs(&dir.path().join("x.log"), 9).unwrap().is_empty());
    }
}
