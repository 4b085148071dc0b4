//! The zip of a report, beside its folder: equal bytes from equal reports.

use super::failure::{about, explain};
use super::hidden::{ZIP, beside, staging_name, with_ending};
use super::policy;
use super::unfinished::Unfinished;
use anyhow::{Context, Result, bail};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

/// The folder of all files in a zip, whatever the report's folder is called: unpacked, they stay together.
const TOP: &str = "tlparse_report";

/// Files that say which program wrote a report, in a zip.
const SIGNED: [&str; 2] = ["report.json", "diff.json"];

/// Permissions of a file in the zip: those on the disk depend on who wrote the report.
const MODE: u32 = 0o644;

/// The place of the zip of a report. It is packed beside that place and put there in one step; until then, what stood there
/// stays.
pub struct ZipTarget {
    path: PathBuf,
    staged: PathBuf,
}

impl ZipTarget {
    /// Checks that the zip of the report at `folder` may be written: nothing is there, or the zip of a report that
    /// may be overwritten.
    ///
    /// # Errors
    /// Something is there that may not be replaced.
    pub fn prepare(folder: &Path, overwrite: bool) -> Result<ZipTarget> {
        let Some(name) = folder.file_name() else {
            bail!("{folder:?} has no name that a zip could have; choose another output folder with -o")
        };
        let path = folder.with_file_name(with_ending(name, ZIP));
        let staged = beside(&path, staging_name);
        match fs::symlink_metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => about(Err(error), "look at", &path)?,
            Ok(_) if !overwrite => bail!(
                "{path:?} exists already; pass --overwrite to replace the zip of a report, or choose another output folder with -o"
            ),
            Ok(there) if !there.is_file() || !is_report(&path) => bail!(
                "{path:?} is not the zip of a report of tlparse, so --overwrite leaves it alone; choose another output folder with -o"
            ),
            Ok(_) => {}
        }
        Ok(ZipTarget { path, staged })
    }

    /// The staged zip, which a signal removes.
    #[must_use]
    pub fn unfinished(&self) -> Unfinished {
        Unfinished::scratch(&self.staged)
    }

    /// Packs all files below `folder`.
    pub fn pack(&self, folder: &Path) -> Result<()> {
        let mut names = Vec::new();
        about(names_below(folder, "", &mut names), "read the folder", folder)?;
        names.sort();
        let pack = || -> Result<()> {
            let mut zip = ZipWriter::new(BufWriter::new(File::create(&self.staged)?));
            for name in names {
                let mut file = File::open(folder.join(&name))?;
                zip.start_file(format!("{TOP}/{name}"), options(file.metadata()?.len()))?;
                io::copy(&mut file, &mut zip)?;
            }
            zip.finish()?.flush()?;
            Ok(())
        };
        pack().map_err(|error| explain(error, &self.path))
    }

    /// Puts the zip in its place.
    pub fn place(self) -> Result<PathBuf> {
        fs::rename(&self.staged, &self.path).map_err(|error| explain(error.into(), &self.path))?;
        Ok(self.path.clone())
    }
}

impl Drop for ZipTarget {
    fn drop(&mut self) {
        // What is left here is a zip that was not put in its place.
        let _ = fs::remove_file(&self.staged);
    }
}

/// How a file is packed: nothing of it depends on the time, the system or the user.
fn options(length: u64) -> SimpleFileOptions {
    SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(DateTime::default())
        .system(zip::System::Unix)
        .unix_permissions(MODE)
        .large_file(length >= u64::from(u32::MAX))
}

/// The paths of all files below a folder, with `/` between their parts.
fn names_below(folder: &Path, above: &str, names: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        // Names in a report are checked texts.
        let name = format!("{above}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            names_below(&entry.path(), &format!("{name}/"), names)?;
        } else {
            names.push(name);
        }
    }
    Ok(())
}

/// Whether a file is the zip of a report.
fn is_report(path: &Path) -> bool {
    let signed = || -> Result<bool> {
        let mut zip = ZipArchive::new(File::open(path).context("no zip")?)?;
        Ok(SIGNED.iter().any(|name| {
            let file = zip.by_name(&format!("{TOP}/{name}"));
            file.is_ok_and(|file| policy::tool_name(file).as_deref() == Some("tlparse"))
        }))
    };
    signed().unwrap_or(false)
}
