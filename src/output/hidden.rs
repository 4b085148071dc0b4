//! The hidden names of unfinished work, and the sweep that removes what killed runs left under them.
//!
//! | name | what it is |
//! |---|---|
//! | `.tl_out.tlparse-4711` | the staging folder of a report, beside it |
//! | `.tlparse-4711` | the same, inside a folder that cannot be replaced as a whole |
//! | `.tl_out.tlparse-4711-old` | an old report while the new one is put in its place |
//! | `.tl_out.zip.tlparse-4711` | the staged zip of a report, or another single file |
//! | `.tl_out.trace.tlparse-4711-x7Yz` | the logs that `tlparse run` records |
//! | `.tlparse-4711-x7Yz` | a folder among the temporary files of the system |
//! | `.tl_out.tlparse-lock` | the lock of a report, shared by all processes |

use crate::system::files::writable;
use crate::system::processes::is_alive;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::process;

/// In every hidden name, before the id of the process that made it.
const MARK: &str = ".tlparse-";

/// Ends the name of an old report that has been moved aside.
const ASIDE: &str = "-old";

/// What ends the name of a report's zip, and of the logs that are recorded for it.
pub(super) const ZIP: &str = ".zip";
pub(super) const TRACE: &str = ".trace";

/// A hidden name: `.name` before [`MARK`] for an entry beside a target, nothing for an entry inside it.
fn hidden_name(target: Option<&OsStr>, end: &str) -> OsString {
    let mut name = OsString::new();
    if let Some(target) = target {
        name.push(".");
        name.push(target);
    }
    name.push(MARK);
    name.push(end);
    name
}

/// The staging folder of this process, beside the given target name or inside.
pub(super) fn staging_name(target: Option<&OsStr>) -> OsString {
    hidden_name(target, &process::id().to_string())
}

/// What begins the name of a scratch folder of this process; something random follows.
pub(super) fn scratch_prefix(target: Option<&OsStr>) -> OsString {
    hidden_name(target, &format!("{}-", process::id()))
}

/// Where this process keeps the old report until the new one is in place.
pub(super) fn aside_name(target: Option<&OsStr>) -> OsString {
    hidden_name(target, &format!("{}{ASIDE}", process::id()))
}

/// Another hidden name for a hidden path; the sweep recognizes it as well.
pub(super) fn away(hidden: &Path) -> PathBuf {
    let mut name = hidden.as_os_str().to_owned();
    name.push(ASIDE);
    name.into()
}

/// The lock file, which all processes share.
pub(super) fn lock_name(target: Option<&OsStr>) -> OsString {
    hidden_name(target, "lock")
}

/// A path beside `target`, or inside it where it is the root of a file system.
pub(super) fn beside(target: &Path, name: impl Fn(Option<&OsStr>) -> OsString) -> PathBuf {
    match (target.parent(), target.file_name()) {
        (Some(parent), Some(own)) => parent.join(name(Some(own))),
        _ => target.join(name(None)),
    }
}

/// The name of a target followed by an ending: `tl_out.zip`.
pub(super) fn with_ending(target: &OsStr, ending: &str) -> OsString {
    let mut name = target.to_owned();
    name.push(ending);
    name
}

/// The process that made a hidden entry, read from its name.
fn owner(name: &OsStr, target: Option<&OsStr>) -> Option<u32> {
    let prefix = hidden_name(target, "");
    let end = name.as_encoded_bytes().strip_prefix(prefix.as_encoded_bytes())?;
    str::from_utf8(end).ok()?.split('-').next()?.parse().ok()
}

/// Whether an entry inside a target is temporary work of a run, and so not part of a report.
pub(super) fn is_hidden_work(name: &OsStr) -> bool {
    owner(name, None).is_some() || name == lock_name(None)
}

/// Whether an entry is temporary work, or the lock, for one of the targets beside it that `is_target` accepts.
pub(super) fn is_hidden_work_for(name: &str, is_target: impl Fn(&str) -> bool) -> bool {
    let target = name.strip_prefix('.').and_then(|name| name.rsplit_once(MARK));
    target.is_some_and(|(target, _)| is_target(target))
}

/// Removes from `folder` what processes that have ended left behind. The caller holds the target's lock, so whatever has
/// our own process id was left by an earlier process with that id.
pub(super) fn sweep(folder: &Path, target: Option<&OsStr>) {
    sweep_of(folder, target, |pid| pid == process::id() || !is_alive(pid));
}

/// The same for a caller without a lock: entries with our own process id may be in use.
pub(super) fn sweep_unlocked(folder: &Path, target: Option<&OsStr>) {
    sweep_of(folder, target, |pid| pid != process::id() && !is_alive(pid));
}

fn sweep_of(folder: &Path, target: Option<&OsStr>, has_ended: impl Fn(u32) -> bool) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_left = owner(&entry.file_name(), target).is_some_and(&has_ended);
        let is_plain = entry.file_type().is_ok_and(|kind| kind.is_dir() || kind.is_file());
        if is_left && is_plain && !is_locked(&entry.path()) {
            remove(&entry.path());
        }
    }
}

/// Removes a file, or a folder as far as possible, even one that was made read-only. What remains is hidden, and a later
/// run tries again.
pub(super) fn remove(path: &Path) {
    let Ok(metadata) = fs::symlink_metadata(path) else { return };
    if !metadata.is_dir() {
        let _ = fs::remove_file(path);
        return;
    }
    let _ = fs::set_permissions(path, writable(metadata.permissions()));
    let _ = fs::remove_dir_all(path);
}

/// Whether the process that made an entry holds it locked. In another container, its id may say nothing to us.
fn is_locked(path: &Path) -> bool {
    File::open(path).is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_that_a_run_makes_is_recognized_by_the_sweep() {
        let own = Some(process::id());
        for target in [None, Some(OsStr::new("tl_out"))] {
            let scratch = with_ending(&scratch_prefix(target), "x7Yz");
            for name in [staging_name(target), aside_name(target), scratch] {
                assert_eq!(owner(&name, target), own, "{name:?}");
                assert_eq!(owner(away(Path::new(&name)).as_os_str(), target), own, "{name:?}");
                assert_eq!(owner(&name, Some(OsStr::new("other"))), None, "{name:?}");
            }
            assert_eq!(owner(&lock_name(target), target), None);
        }
        assert!(is_hidden_work_for(".rank_3.tlparse-lock", |target| target == "rank_3"));
        assert!(!is_hidden_work_for("rank_3.tlparse-lock", |_| true));
    }
}
