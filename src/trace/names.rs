//! What the names of logs say.

use crate::report_folder::ReportFolder;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Standard input.
pub(crate) const STDIN: &str = "-";
/// How torch names its logs.
const TORCH_NAME: &str = "dedicated_log_torch_trace_";
/// The endings of logs: plain and compressed.
const LOG_ENDINGS: [&str; 3] = [".log", ".log.gz", ".log.zst"];

/// The log of a report.
pub(super) const RAW_LOG: &str = "raw.log";

/// The rank in a name like `dedicated_log_torch_trace_rank_3_abcd1234.log`; torch writes it when torch.distributed
/// was up at the first record.
pub fn rank_of_file_name(name: &str) -> Option<u64> {
    let rest = name.strip_prefix(TORCH_NAME)?.strip_prefix("rank_")?;
    let end = rest.find(|c: char| !c.is_ascii_digit())?;
    let (digits, rest) = rest.split_at_checked(end)?;
    if rest.starts_with(['_', '.']) { digits.parse().ok() } else { None }
}

/// The rank in the name of a log, or in the name of the folder in which a report has it.
pub(super) fn rank_of_path(path: &Path) -> Option<u64> {
    let name = path.file_name()?.to_string_lossy();
    if name != RAW_LOG {
        return rank_of_file_name(&name);
    }
    let mut folders = path.ancestors().skip(1).take(2).filter_map(Path::file_name);
    folders.find_map(|folder| numbered(&folder.to_string_lossy(), "rank_"))
}

/// The number in `rank_3`.
pub(super) fn numbered(name: &str, before: &str) -> Option<u64> {
    let digits = name.strip_prefix(before)?;
    if digits.bytes().all(|byte| byte.is_ascii_digit()) { digits.parse().ok() } else { None }
}

/// The logs beside this one that torch may have written in the same run, by name, those of the same rank first: in a large
/// job, only some of them are read. Empty when this log does not have one of torch's names: then nothing says that its
/// neighbors belong to it.
pub(super) fn siblings_of(log: &Path, files_in: impl FnOnce(&Path) -> Vec<PathBuf>) -> Vec<PathBuf> {
    if let Some(parent) = parents_raw_log(log) {
        return vec![parent];
    }
    if !is_torch_name(&name_of(log)) {
        return Vec::new();
    }
    let folder = log.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let own = rank_of_file_name(&name_of(log));
    let mut siblings = files_in(folder);
    siblings.retain(|path| is_torch_name(&name_of(path)) && path.file_name() != log.file_name());
    siblings.sort_by_cached_key(|path| (rank_of_file_name(&name_of(path)) != own, path.clone()));
    siblings
}

/// In the report of a further process, whose log has lost its name: the log of the process that it was forked from.
fn parents_raw_log(log: &Path) -> Option<PathBuf> {
    let folder = log.parent()?;
    numbered(&folder.file_name()?.to_string_lossy(), "process_")?;
    let above = folder.parent().filter(|_| log.file_name().is_some_and(|name| name == RAW_LOG))?;
    ReportFolder::at(above).has(RAW_LOG).then(|| above.join(RAW_LOG))
}

pub(super) fn name_of(path: &Path) -> Cow<'_, str> {
    path.file_name().unwrap_or_default().to_string_lossy()
}

/// An input as a message calls it.
pub(crate) fn shown(path: &Path) -> String {
    if path == Path::new(STDIN) { "standard input".to_owned() } else { path.display().to_string() }
}

/// Whether a file is named as logs are, plain or compressed.
pub(super) fn is_log_name(name: &str) -> bool {
    LOG_ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// Whether torch gave the file its name.
pub(super) fn is_torch_name(name: &str) -> bool {
    is_log_name(name) && name.starts_with(TORCH_NAME)
}
