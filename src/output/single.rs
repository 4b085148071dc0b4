//! Files outside of any report.

use super::failure::explain;
use super::hidden::{beside, staging_name, sweep_unlocked};
use anyhow::{Context, Result, bail};
use std::fs::{self, File};
use std::path::Path;

/// Whether a file may be written.
///
/// # Errors
/// Something is there that may not be replaced.
pub fn check_single_file(path: &Path, overwrite: bool) -> Result<()> {
    match fs::metadata(path) {
        Ok(there) if there.is_dir() => bail!("{} is a folder; give the name of a file", path.display()),
        Ok(_) if !overwrite => bail!("{} exists; give --overwrite to replace it", path.display()),
        _ => Ok(()),
    }
}

/// Writes a file in one step: until it is whole, what stood there stays.
///
/// # Errors
/// It cannot be written, or `fill` fails.
pub fn write_single_file(path: &Path, fill: impl FnOnce(&mut File) -> Result<()>) -> Result<()> {
    if let (Some(folder), Some(name)) = (path.parent(), path.file_name()) {
        sweep_unlocked(folder, Some(name));
    }
    let staged = beside(path, staging_name);
    let write = || {
        let mut file = File::create(&staged)?;
        fill(&mut file)?;
        drop(file);
        Ok(fs::rename(&staged, path)?)
    };
    write().map_err(|error| {
        // What is left of it is of no use to anybody.
        let _ = fs::remove_file(&staged);
        explain(error, path)
    })
}

/// Writes a short text file, such as a baseline, replacing one that is there.
///
/// # Errors
/// The file cannot be written; the error names it.
pub fn write_text(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
