//! The folder that a command records to.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A fresh folder for logs.
pub struct Recording {
    folder: PathBuf,
    /// Removed on drop; None for `--trace-dir`.
    temporary: Option<TempDir>,
}

impl Recording {
    /// The folder of `--trace-dir`, or a hidden one beside the report, on the same disk as its copy of the logs.
    ///
    /// # Errors
    /// The folder cannot be created, or is not empty.
    pub fn prepare(out: &Path, asked: Option<&Path>) -> Result<Recording> {
        if let Some(folder) = asked {
            let folder = std::path::absolute(folder)?;
            tlparse::make_empty_folder(&folder).context("--trace-dir")?;
            return Ok(Recording { folder, temporary: None });
        }
        let out = std::path::absolute(out)?;
        let beside = out.ancestors().skip(1).find(|folder| folder.is_dir()).unwrap_or(Path::new("."));
        let name = out.file_name().unwrap_or_default().to_string_lossy();
        let temporary = tempfile::Builder::new().prefix(&format!(".{name}.trace-")).tempdir_in(beside);
        let temporary = temporary.with_context(|| {
            format!(
                "cannot create a folder for the logs in {}; choose one with --trace-dir",
                beside.display()
            )
        })?;
        Ok(Recording { folder: temporary.path().to_owned(), temporary: Some(temporary) })
    }

    /// Where the logs are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether torch wrote no log.
    pub fn is_empty(&self) -> bool {
        tlparse::logs_of(&self.folder).is_empty()
    }

    /// Keeps the folder.
    pub fn keep(self) -> PathBuf {
        self.temporary.map_or(self.folder, TempDir::keep)
    }
}
