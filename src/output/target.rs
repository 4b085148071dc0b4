//! The folder in which a report is placed.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::entries::Entries;
use super::failure::about;
use super::hidden::{self, TRACE, ZIP};
use super::lock::Lock;
use super::unfinished::Unfinished;
use super::{place, policy};

/// Linux follows at most this many links in one path.
const MAX_LINKS: usize = 40;

/// The folder of a report to come. The report is written into [`Target::folder`] and [`Target::place`] puts it
/// where the user wants it. Until then the user's folder stays as it was; a target that is dropped leaves nothing
/// behind.
pub struct Target {
    path: PathBuf,
    replaced: Replaced,
    staging: PathBuf,
    // The order of the last two matters: fields are dropped in this order, and the lock may be in a folder of `parents`.
    lock: Lock,
    parents: MadeFolders,
}

/// What a report replaces.
enum Replaced {
    /// All that its folder holds, if that is nothing but these entries.
    All { overwrite: bool, entries: Entries },
    /// Only these files.
    Files(&'static [&'static str]),
}

impl Target {
    /// Resolves `out`, checks that a report may be placed there, and makes a staging folder for it. `entries` are the names
    /// that a report may have at its top: with `overwrite`, a folder that holds anything else is not replaced.
    ///
    /// # Errors
    /// `out` exists and `overwrite` is false, or it is not a report that may be replaced, or another run is writing
    /// it, or nothing can be created there. Each says what to do; nothing is left behind.
    pub fn prepare(out: &Path, overwrite: bool, entries: Entries) -> Result<Target> {
        let path = resolve(out)?;
        policy::check(&path, overwrite, &entries)?;
        let parents = MadeFolders::make(&path)?;
        let lock = lock(&path)?;
        policy::check(&path, overwrite, &entries)?; // again: another run may just have put its report there
        let staging = stage(&path)?;
        Ok(Target { path, replaced: Replaced::All { overwrite, entries }, staging, lock, parents })
    }

    /// Makes a staging folder for some files inside a folder that is locked.
    pub(super) fn of_files(path: PathBuf, lock: Lock, files: &'static [&'static str]) -> Result<Target> {
        hidden::sweep(&path, None);
        let staging = path.join(hidden::staging_name(None));
        about(fs::create_dir(&staging), "write to", &path)?;
        Ok(Target { path, replaced: Replaced::Files(files), staging, lock, parents: MadeFolders(Vec::new()) })
    }

    /// Where the report will be.
    #[must_use]
    pub fn goal(&self) -> &Path {
        &self.path
    }

    /// The staging folder to write the report into.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.staging
    }

    /// What is on the disk until the report is in place.
    #[must_use]
    pub fn unfinished(&self) -> Unfinished {
        Unfinished {
            staging: self.staging.clone(),
            lock: Some(self.lock.path().to_owned()),
            parents: self.parents.0.clone(),
        }
    }

    /// Puts the report in place of what the target's folder holds, and returns its final path.
    ///
    /// # Errors
    /// The folder now holds something that may not or cannot be replaced: then it is kept.
    pub fn place(mut self) -> Result<PathBuf> {
        match &self.replaced {
            Replaced::All { overwrite, entries } => policy::check(&self.path, *overwrite, entries)?,
            Replaced::Files(files) => {
                let placed = place::replace_files(&self.staging, &self.path, files);
                about(placed, "put the report into", &self.path)?;
                return Ok(self.path.clone());
            }
        }
        if !self.path.exists() {
            about(fs::rename(&self.staging, &self.path), "put the report at", &self.path)?;
        } else if self.staging.parent() == Some(&self.path) {
            self.place_inside()?;
        } else if place::swap(&self.staging, &self.path).is_err() {
            // A mount point, or a folder that only its owner may rename.
            hidden::sweep(&self.path, None);
            let inside = self.path.join(hidden::staging_name(None));
            let moved = place::move_folder(&self.staging, &inside);
            about(moved, "put the report into", &self.path)?;
            self.staging = inside;
            self.place_inside()?;
        }
        self.parents.keep();
        Ok(self.path.clone())
    }

    fn place_inside(&self) -> Result<()> {
        about(place::move_in(&self.staging, &self.path), "put the report into", &self.path)
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        // What is left here is a report that was not placed, or the old one after an exchange.
        hidden::remove(&self.staging);
    }
}

/// Whether a report may be placed at `out`. Changes nothing.
///
/// # Errors
/// As [`Target::prepare`], as far as that can be known before.
pub fn check_target(out: &Path, overwrite: bool, entries: &Entries) -> Result<()> {
    policy::check(&resolve(out)?, overwrite, entries)
}

/// Makes a folder for a program to record into, with its parents, unless it is there.
///
/// # Errors
/// It cannot be made, or it holds something.
pub fn make_empty_folder(folder: &Path) -> Result<()> {
    about(fs::create_dir_all(folder), "create the folder", folder)?;
    if about(fs::read_dir(folder), "read the folder", folder)?.next().is_some() {
        bail!("{} holds files already; give another folder", folder.display());
    }
    Ok(())
}

/// The real path of `out`, as far as it exists, without creating anything.
fn resolve(out: &Path) -> Result<PathBuf> {
    let hint = || format!("{out:?} cannot be an output folder; choose another one with -o");
    let mut head = std::path::absolute(out).with_context(hint)?;
    let mut missing: Vec<OsString> = Vec::new();
    let mut links = 0;
    loop {
        match fs::canonicalize(&head) {
            Ok(real) => return Ok(missing.into_iter().rev().fold(real, |path, name| path.join(name))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error).with_context(hint),
        }
        let (Some(parent), Some(name)) = (head.parent(), head.file_name()) else { bail!(hint()) };
        head = match fs::read_link(&head) {
            // A link to a folder that is not there yet.
            Ok(goal) if links < MAX_LINKS => {
                links += 1;
                parent.join(goal)
            }
            _ => {
                missing.push(name.to_owned());
                parent.to_owned()
            }
        };
    }
}

/// Takes the lock beside the target, or inside it if nothing can be created beside it.
fn lock(path: &Path) -> Result<Lock> {
    let taken = match Lock::take(&hidden::beside(path, hidden::lock_name)) {
        Err(_) if path.is_dir() => Lock::take(&path.join(hidden::lock_name(None))),
        taken => taken,
    };
    match about(taken, "create the output folder", path)? {
        Some(lock) => Ok(lock),
        None => bail!(
            "another tlparse is writing to {path:?}; wait until it has ended, or choose another output folder with -o"
        ),
    }
}

/// Removes what killed runs left behind, then makes the staging folder: beside the target if the report can be put in place
/// from there, otherwise inside it.
fn stage(path: &Path) -> Result<PathBuf> {
    let replaces = path.is_dir();
    if let (Some(parent), Some(name)) = (path.parent(), path.file_name()) {
        hidden::sweep(parent, Some(name));
        hidden::sweep(parent, Some(&hidden::with_ending(name, ZIP)));
        hidden::sweep_unlocked(parent, Some(&hidden::with_ending(name, TRACE)));
    }
    let beside = hidden::beside(path, hidden::staging_name);
    if !replaces {
        about(fs::create_dir(&beside), "create the output folder", path)?;
        return Ok(beside);
    }
    if !place::must_stay(path) && place::make_like(&beside, path).is_ok() {
        return Ok(beside);
    }
    // Not earlier: what a killed run left inside marks the folder as ours (see the policy). From here on, our own staging
    // folder does.
    hidden::sweep(path, None);
    let inside = path.join(hidden::staging_name(None));
    about(fs::create_dir(&inside), "write to the output folder", path)?;
    Ok(inside)
}

/// Parent folders that did not exist before. Unless kept, they are removed again if they are still empty.
struct MadeFolders(Vec<PathBuf>);

impl MadeFolders {
    /// Creates the missing parents of `path`.
    fn make(path: &Path) -> Result<MadeFolders> {
        let missing: Vec<&Path> = path.ancestors().skip(1).take_while(|folder| !folder.exists()).collect();
        let mut made = MadeFolders(Vec::new());
        for folder in missing.into_iter().rev() {
            match fs::create_dir(folder) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                result => {
                    about(result, "create the folder", folder)?;
                    made.0.push(folder.to_owned());
                }
            }
        }
        Ok(made)
    }

    fn keep(&mut self) {
        self.0.clear();
    }
}

impl Drop for MadeFolders {
    fn drop(&mut self) {
        for folder in self.0.iter().rev() {
            let _ = fs::remove_dir(folder);
        }
    }
}

#[cfg(test)]
mod tests;
