//! A file that is no part of a report: written beside its place, and moved there when it is whole.

use super::failure::explain;
use super::place::{beside, staging_name};
use anyhow::{Result, bail};
use std::fs::{self, File};
use std::path::Path;

/// Whether a file may be written.
///
/// # Errors
/// Something stands there that may not be replaced.
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
