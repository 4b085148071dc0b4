//! The moves that put a staged report in place, and the hidden names they use.

use crate::system::files::{exchange, is_mount_point, writable};
use crate::system::processes::is_alive;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process;

/// In every hidden name: `.tl_out.tlparse-4711` beside a target `tl_out`, `.tlparse-4711` inside it.
const MARK: &str = ".tlparse-";

/// Ends the name of a folder that holds an old report while the new one is put in its place.
const ASIDE: &str = "-old";

/// Programs that see these files take the report for complete: they are the first to go and the last to come.
const LAST: [&str; 2] = ["index.html", "report.json"];

/// A hidden name: `.name` in front of [`MARK`] for an entry beside a target, nothing for an entry inside it.
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

/// Another hidden name for a staging folder; a later run recognizes it as well.
pub(super) fn away(staging: &Path) -> PathBuf {
    let mut name = staging.as_os_str().to_owned();
    name.push(ASIDE);
    name.into()
}

/// Where this process keeps the old report until the new one is in place.
fn aside_name(target: Option<&OsStr>) -> OsString {
    hidden_name(target, &format!("{}{ASIDE}", process::id()))
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

/// The process to which a staging folder or an old report belongs, read from its name.
fn owner(name: &OsStr, target: Option<&OsStr>) -> Option<u32> {
    let prefix = hidden_name(target, "");
    let end = name.as_encoded_bytes().strip_prefix(prefix.as_encoded_bytes())?;
    let end = str::from_utf8(end).ok()?;
    end.strip_suffix(ASIDE).unwrap_or(end).parse().ok()
}

/// Whether an entry inside a target is temporary work of a run, and so not part of a report.
pub(super) fn is_hidden_work(name: &OsStr) -> bool {
    owner(name, None).is_some() || name == lock_name(None)
}

/// Removes from `folder` what processes that have ended left behind. The caller holds the target's lock, so whatever has
/// our own process id was left by an earlier process with that id.
pub(super) fn sweep(folder: &Path, target: Option<&OsStr>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let dead =
            owner(&entry.file_name(), target).is_some_and(|pid| pid == process::id() || !is_alive(pid));
        if dead && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            remove(&entry.path());
        }
    }
}

/// Creates `folder` with the permissions of `model`, and always writable for its owner.
pub(super) fn make_like(folder: &Path, model: &Path) -> io::Result<()> {
    let permissions = fs::metadata(model)?.permissions();
    fs::create_dir(folder)?;
    fs::set_permissions(folder, writable(permissions)).inspect_err(|_| {
        let _ = fs::remove_dir(folder);
    })
}

/// Whether the folder cannot or should not be replaced as a whole: it is a mount point, or the current folder is inside it
/// (`-o .`), and the user's shell would be left in a removed folder.
pub(super) fn must_stay(folder: &Path) -> bool {
    is_mount_point(folder) || std::env::current_dir().is_ok_and(|current| current.starts_with(folder))
}

/// Exchanges `staging` and `folder`, in one step where the system supports it. The old content is then at `staging`, or
/// removed. On failure, both are as before.
pub(super) fn swap(staging: &Path, folder: &Path) -> io::Result<()> {
    let permissions = fs::metadata(folder)?.permissions();
    match exchange(staging, folder) {
        Err(error) if is_unsupported(&error) => replace(staging, folder)?,
        result => result?,
    }
    let _ = fs::set_permissions(folder, permissions);
    Ok(())
}

/// A file system that does not support the exchange returns `InvalidInput`.
fn is_unsupported(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput)
}

/// Two renames instead of an exchange; the first is undone when the second fails.
pub(super) fn replace(staging: &Path, folder: &Path) -> io::Result<()> {
    let aside = beside(folder, aside_name);
    fs::rename(folder, &aside)?;
    if let Err(error) = fs::rename(staging, folder) {
        fs::rename(&aside, folder)?;
        return Err(error);
    }
    remove(&aside);
    Ok(())
}

/// Removes a folder as far as possible, even one that was made read-only. What remains is hidden, and a later run tries
/// again.
pub(super) fn remove(folder: &Path) {
    if let Ok(metadata) = fs::symlink_metadata(folder) {
        let _ = fs::set_permissions(folder, writable(metadata.permissions()));
        let _ = fs::remove_dir_all(folder);
    }
}

/// Moves a folder to a place that may be on another file system. On failure the copy is removed.
pub(super) fn move_folder(from: &Path, to: &Path) -> io::Result<()> {
    if fs::rename(from, to).is_ok() {
        return Ok(());
    }
    if let Err(error) = copy_folder(from, to) {
        let _ = fs::remove_dir_all(to);
        return Err(error);
    }
    let _ = fs::remove_dir_all(from);
    Ok(())
}

/// Copies a folder of files and folders: a report holds nothing else, and is four levels deep at most.
fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let goal = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &goal)?;
        } else {
            fs::copy(entry.path(), goal)?;
        }
    }
    Ok(())
}

/// Replaces the report in `folder` by the one in `staging`, entry by entry; the landing page goes first and comes last, so
/// that a run that is killed meanwhile leaves none beside half a report. On failure every move is undone.
pub(super) fn move_in(staging: &Path, folder: &Path) -> io::Result<()> {
    let aside = folder.join(aside_name(None));
    fs::create_dir(&aside)?;
    let moved = exchange_of(staging, folder, &aside).and_then(|moves| move_all(&moves));
    if moved.is_ok() {
        let _ = fs::remove_dir_all(&aside);
    } else {
        // Removed only if it is empty: whatever could not be moved back is kept.
        let _ = fs::remove_dir(&aside);
    }
    moved
}

/// The moves that bring the entries of `folder` to `aside` and those of `staging` to `folder`.
pub(super) fn exchange_of(
    staging: &Path,
    folder: &Path,
    aside: &Path,
) -> io::Result<Vec<(PathBuf, PathBuf)>> {
    let mut moves = plan(folder, aside)?;
    moves.reverse();
    moves.extend(plan(staging, folder)?);
    Ok(moves)
}

/// Replaces these files of `folder` by those in `staging`; an old one that has no successor goes too. On failure every
/// move is undone.
pub(super) fn replace_files(staging: &Path, folder: &Path, files: &[&str]) -> io::Result<()> {
    let aside = folder.join(aside_name(None));
    fs::create_dir(&aside)?;
    let mut names: Vec<&str> = files.to_vec();
    names.sort_by_key(|name| (LAST.iter().position(|last| last == name), *name));
    let moves = |from: &Path, to: &Path| -> Vec<(PathBuf, PathBuf)> {
        let there = names.iter().filter(|name| from.join(name).exists());
        there.map(|name| (from.join(name), to.join(name))).collect()
    };
    let mut all = moves(folder, &aside);
    all.reverse();
    all.extend(moves(staging, folder));
    let moved = move_all(&all);
    if moved.is_ok() {
        let _ = fs::remove_dir_all(&aside);
    } else {
        let _ = fs::remove_dir(&aside);
    }
    moved
}

/// The moves that bring the report entries of `from` to `to`, in order of name and then [`LAST`].
fn plan(from: &Path, to: &Path) -> io::Result<Vec<(PathBuf, PathBuf)>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(from)? {
        let name = entry?.file_name();
        if !is_hidden_work(&name) {
            names.push(name);
        }
    }
    names.sort_by_key(|name| (LAST.iter().position(|last| name == last), name.clone()));
    Ok(names.into_iter().map(|name| (from.join(&name), to.join(&name))).collect())
}

pub(super) fn move_all(moves: &[(PathBuf, PathBuf)]) -> io::Result<()> {
    for (done, (from, to)) in moves.iter().enumerate() {
        if let Err(error) = fs::rename(from, to) {
            for (from, to) in moves.iter().take(done).rev() {
                let _ = fs::rename(to, from);
            }
            return Err(error);
        }
    }
    Ok(())
}
