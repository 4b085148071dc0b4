//! The folder that a command records to.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use tlparse::Scratch;

/// A fresh folder for logs.
pub struct Recording {
    folder: PathBuf,
    /// The name that the folder gets if it outlives this run: later runs leave it alone.
    name: String,
    /// Removed on drop; None for `--trace-dir`.
    temporary: Option<Scratch>,
}

impl Recording {
    /// The folder of `--trace-dir`, or a hidden one beside the report, on the same disk as its copy of the logs.
    ///
    /// # Errors
    /// The folder cannot be created, or is not empty.
    pub fn prepare(out: &Path, asked: Option<&Path>) -> Result<Recording> {
        let out_name = out.file_name().unwrap_or_default().to_string_lossy();
        let name = format!("{out_name}.trace-{}", std::process::id());
        if let Some(folder) = asked {
            let folder = std::path::absolute(folder)?;
            tlparse::make_empty_folder(&folder).context("--trace-dir")?;
            return Ok(Recording { folder, name, temporary: None });
        }
        let temporary = Scratch::for_logs(out).context("choose a folder for the logs with --trace-dir")?;
        Ok(Recording { folder: temporary.path().to_owned(), name, temporary: Some(temporary) })
    }

    /// Where the logs are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether torch wrote no log.
    pub fn is_empty(&self) -> bool {
        tlparse::logs_of(&self.folder).is_empty()
    }

    /// Keeps the logs when it is called, and returns where they are; None if they are gone. It may be called from another
    /// thread, and after the recording was dropped.
    pub fn keeper(&self) -> impl Fn() -> Option<PathBuf> + Send + 'static {
        let (folder, name, is_temporary) = (self.folder.clone(), self.name.clone(), self.temporary.is_some());
        move || match is_temporary {
            true => Scratch::kept(&folder, &name),
            false => folder.is_dir().then(|| folder.clone()),
        }
    }
}
