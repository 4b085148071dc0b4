//! The moves that put a staged report in place.

use super::hidden::{aside_name, beside, is_hidden_work, remove};
use crate::system::files::{exchange, is_mount_point, writable};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Programs that see these files take the report for complete: they are the first to go and the last to come.
const LAST: [&str; 2] = ["index.html", "report.json"];

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
    exchange_entries(staging, folder, entries_of)
}

/// The same for these files alone; an old one that has no successor goes too.
pub(super) fn replace_files(staging: &Path, folder: &Path, files: &[&str]) -> io::Result<()> {
    exchange_entries(staging, folder, |folder| {
        Ok(files.iter().filter(|name| folder.join(name).exists()).map(OsString::from).collect())
    })
}

/// Moves the entries of `folder` aside and those of `staging` in, as listed by `names`.
fn exchange_entries(
    staging: &Path,
    folder: &Path,
    names: impl Fn(&Path) -> io::Result<Vec<OsString>>,
) -> io::Result<()> {
    let aside = folder.join(aside_name(None));
    fs::create_dir(&aside)?;
    let moved = exchange_of(staging, folder, &aside, names).and_then(|moves| move_all(&moves));
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
    names: impl Fn(&Path) -> io::Result<Vec<OsString>>,
) -> io::Result<Vec<Move>> {
    let plan = |from: &Path, to: &Path| -> io::Result<Vec<Move>> {
        let mut names = names(from)?;
        names.sort_by_key(|name| (LAST.iter().position(|last| name == last), name.clone()));
        Ok(names.into_iter().map(|name| Move { from: from.join(&name), to: to.join(&name) }).collect())
    };
    let mut moves = plan(folder, aside)?;
    moves.reverse();
    moves.extend(plan(staging, folder)?);
    Ok(moves)
}

/// The names of a folder's entries that belong to a report.
pub(super) fn entries_of(folder: &Path) -> io::Result<Vec<OsString>> {
    let names = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.file_name()));
    names.filter(|name| !name.as_ref().is_ok_and(|name| is_hidden_work(name))).collect()
}

pub(super) struct Move {
    pub from: PathBuf,
    pub to: PathBuf,
}

pub(super) fn move_all(moves: &[Move]) -> io::Result<()> {
    for (done, Move { from, to }) in moves.iter().enumerate() {
        if let Err(error) = fs::rename(from, to) {
            for Move { from, to } in moves.iter().take(done).rev() {
                let _ = fs::rename(to, from);
            }
            return Err(error);
        }
    }
    Ok(())
}
