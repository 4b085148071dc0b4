//! Groups logs that were named, or that an archive contains. All of them are reported.

use crate::trace::{Log, RankLogs, Run, group};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Runs in order of time. Unlike in a folder, an unrelated log is a run of its own.
pub(super) fn groups(logs: Vec<Log>) -> Vec<Run> {
    let together = grouped(logs.clone());
    // Two jobs that ran at the same time have the same ranks: then logs are grouped by folder first.
    if !together.iter().any(mixes_folders) {
        return together.into_iter().flat_map(apart).collect();
    }
    let mut folders: BTreeMap<PathBuf, Vec<Log>> = BTreeMap::new();
    for log in logs {
        folders.entry(folder_of(&log).to_owned()).or_default().push(log);
    }
    folders.into_values().flat_map(grouped).flat_map(apart).collect()
}

fn grouped(logs: Vec<Log>) -> Vec<Run> {
    let (mut runs, left) = group(logs);
    runs.extend(left.into_iter().map(|log| Run { ranks: vec![RankLogs::alone(log)] }));
    runs
}

fn folder_of(log: &Log) -> &Path {
    let folder = log.path.parent().unwrap_or(Path::new(""));
    // In a report, a further process has a folder below that of the first.
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    if name.starts_with("process_") { folder.parent().unwrap_or(folder) } else { folder }
}

/// Whether a rank has logs from several folders, other than those of forked processes.
fn mixes_folders(run: &Run) -> bool {
    run.ranked()
        .any(|logs| logs.others.iter().any(|log| !log.peek.forked && folder_of(log) != folder_of(&logs.main)))
}

/// Separates other programs, each with its forked children, from a run: processes without a rank in other folders.
fn apart(run: Run) -> Vec<Run> {
    let (ranked, rankless): (Vec<_>, Vec<_>) = run.ranks.into_iter().partition(|logs| logs.rank.is_some());
    let mut ranks = ranked;
    let mut programs = Vec::new();
    for logs in rankless {
        let RankLogs { main, others, .. } = logs;
        let is_here = |log: &Log| ranks.iter().any(|rank| folder_of(&rank.main) == folder_of(log));
        let is_launcher = is_here(&main);
        let mut own = RankLogs::alone(main);
        for other in others {
            let together =
                other.peek.forked || (is_torchs(&other) && folder_of(&other) == folder_of(&own.main));
            if together {
                own.others.push(other)
            } else {
                programs.push(Run { ranks: vec![RankLogs::alone(other)] })
            }
        }
        if is_launcher { ranks.insert(0, own) } else { programs.push(Run { ranks: vec![own] }) }
    }
    let job = (!ranks.is_empty()).then_some(Run { ranks });
    job.into_iter().chain(programs).collect()
}

/// Whether the log has the name that torch or a report gives it: then its neighbors are of the same program.
fn is_torchs(log: &Log) -> bool {
    let name = log.name();
    name.starts_with("dedicated_log_torch_trace_") || name == "raw.log"
}
