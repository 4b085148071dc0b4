//! A folder that holds the reports of ranks, and the files of the job that are put beside them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use super::failure::about;
use super::hidden;
use super::lock::Lock;
use super::policy::{FolderEntry, entries};
use super::sink::Files;
use super::target::Target;
use crate::report_folder::ReportFolder;

/// The files of a job's report, beside the folders of its ranks.
const JOB_FILES: [&str; 8] = [
    "chromium_events.json",
    "chromium_trace_with_runtime.json",
    "collective_schedules.json",
    "index.html",
    "report.json",
    "report.md",
    "runtime_estimations.json",
    "search.html",
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RankFolder {
    pub rank: u64,
    pub path: PathBuf,
    /// Its further processes, by process id: id and folder.
    pub processes: Vec<(u64, PathBuf)>,
}

/// What a folder of ranks holds.
struct Listed {
    ranks: Vec<RankFolder>,
    files: Vec<String>,
    /// The first entry that is not part of a job's report.
    foreign: Option<String>,
}

/// The folders of ranks in `folder`, ascending.
pub fn rank_folders(folder: &Path) -> Result<Vec<RankFolder>> {
    Ok(listed(folder)?.ranks)
}

/// The folders of ranks below `folder` among files in memory, ascending.
#[must_use]
pub fn ranks_in(files: &Files, folder: &str) -> Vec<RankFolder> {
    let mut ranks: BTreeMap<u64, RankFolder> = BTreeMap::new();
    for path in files.keys() {
        let parts: Vec<&str> = path.split('/').collect();
        let [top, rank, rest @ ..] = parts.as_slice() else { continue };
        let Some(number) = number(rank, "rank_").filter(|_| *top == folder) else { continue };
        let path = PathBuf::from(format!("{folder}/{rank}"));
        let known =
            ranks.entry(number).or_insert_with(|| RankFolder { rank: number, path, processes: Vec::new() });
        let pid = rest.first().and_then(|name| self::number(name, "process_").map(|pid| (pid, name)));
        known.processes.extend(pid.map(|(pid, name)| (pid, known.path.join(name))));
    }
    ranks.into_values().collect()
}

fn listed(folder: &Path) -> Result<Listed> {
    let mut found = Listed { ranks: Vec::new(), files: Vec::new(), foreign: None };
    let is_rank = |target: &str| number(target, "rank_").is_some();
    for entry in entries_of(folder)? {
        let name = entry.name.to_string_lossy();
        if entry.is_work() || hidden::is_hidden_work_for(&name, is_rank) {
            continue;
        }
        match number(&name, "rank_") {
            Some(rank) if entry.kind.is_dir() => {
                let path = folder.join(&entry.name);
                found.ranks.push(RankFolder { rank, processes: processes(&path)?, path });
            }
            _ if entry.kind.is_file() && JOB_FILES.contains(&&*name) => found.files.push(name.into_owned()),
            _ => {
                found.foreign.get_or_insert_with(|| name.into_owned());
            }
        }
    }
    found.ranks.sort_by_key(|rank| rank.rank);
    Ok(found)
}

fn entries_of(folder: &Path) -> Result<Vec<FolderEntry>> {
    entries(folder).with_context(|| format!("could not read the folder {folder:?}"))
}

fn processes(rank: &Path) -> Result<Vec<(u64, PathBuf)>> {
    let folders = entries_of(rank)?.into_iter().filter(|entry| entry.kind.is_dir());
    let process = |entry: FolderEntry| {
        Some((number(&entry.name.to_string_lossy(), "process_")?, rank.join(&entry.name)))
    };
    let mut found: Vec<_> = folders.filter_map(process).collect();
    found.sort();
    Ok(found)
}

/// The number in a name as a report writes it: `rank_12`, not `rank_012`.
fn number(name: &str, prefix: &str) -> Option<u64> {
    let digits = name.strip_prefix(prefix)?;
    let number: u64 = digits.parse().ok()?;
    (number.to_string() == digits).then_some(number)
}

/// A folder that holds the reports of ranks, as the target of the files of their job, which are put beside the ranks, the
/// landing page last; and the ranks, ascending.
///
/// # Errors
/// The folder does not exist; none of its ranks has a report; it contains a file that no report writes; it already has the
/// files of a job and `overwrite` is false; another run is writing to it. Each error says what to do.
pub fn job_target(folder: &Path, overwrite: bool) -> Result<(Target, Vec<RankFolder>)> {
    let folder = fs::canonicalize(folder).with_context(|| {
        format!("no folder {folder:?}; give the folder that contains rank_0, rank_1 and so on")
    })?;
    ensure!(
        folder.is_dir(),
        "{folder:?} is not a folder; give the folder that contains rank_0, rank_1 and so on"
    );
    check(&folder, overwrite)?;
    let Some(lock) = about(Lock::take(&folder.join(hidden::lock_name(None))), "write to", &folder)? else {
        bail!("another tlparse is writing to {folder:?}; wait until it has ended");
    };
    let ranks = check(&folder, overwrite)?; // again: another run may just have written there
    Ok((Target::of_files(folder, lock, &JOB_FILES)?, ranks))
}

/// The ranks of a folder whose job may be written; changes nothing.
fn check(folder: &Path, overwrite: bool) -> Result<Vec<RankFolder>> {
    let found = listed(folder)?;
    if !found.ranks.iter().any(|rank| ReportFolder::at(&rank.path).names("report.json")) {
        bail!(
            "{folder:?} holds no rank_<n>/report.json; write each rank's report first, as `tlparse LOG -o {}/rank_0`",
            folder.display()
        );
    }
    if let Some(foreign) = found.foreign {
        bail!(
            "{folder:?} holds {foreign:?}, which no report of a job has; move that away, so that the folder holds rank_<n>/ only"
        );
    }
    match found.files.first() {
        Some(file) if !overwrite => bail!(
            "{folder:?} holds {file} of an earlier combine; pass --overwrite to replace the files of the job"
        ),
        _ => Ok(found.ranks),
    }
}
