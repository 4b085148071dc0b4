//! `--profile`: a profiler in each process of the command that compiles, without a change to the program.

use super::recording::Recording;
use anyhow::{Context, Result};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// What Python runs at its start.
const SITECUSTOMIZE: &str = include_str!("sitecustomize.py");

/// A private folder with it, removed when this is dropped.
pub struct Profiler {
    folder: TempDir,
    traces: PathBuf,
}

impl Profiler {
    /// Makes the folder. Traces are going to stand beside the logs.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn prepare(recording: &Recording) -> Result<Profiler> {
        let about = "the folder for --profile cannot be made";
        let folder = tempfile::Builder::new().prefix("tlparse-profile-").tempdir().context(about)?;
        let file = File::options().write(true).create_new(true).open(folder.path().join("sitecustomize.py"));
        file.and_then(|mut file| file.write_all(SITECUSTOMIZE.as_bytes())).context(about)?;
        Ok(Profiler { folder, traces: recording.folder().to_owned() })
    }

    /// Puts the folder before all others in which Python looks.
    ///
    /// # Errors
    /// Its path cannot stand in a list of paths.
    pub fn add_to(&self, command: &mut Command) -> Result<()> {
        let before = std::env::var_os("PYTHONPATH").filter(|before| !before.is_empty());
        let before = before.iter().flat_map(std::env::split_paths);
        let paths = std::env::join_paths(std::iter::once(self.folder.path().to_owned()).chain(before));
        let paths = paths.context("--profile: Python cannot be told of the folder for temporary files")?;
        command.env("PYTHONPATH", paths).env("TLPARSE_PROFILE_DIR", &self.traces);
        command.env("TORCHINDUCTOR_CPP_ENABLE_KERNEL_PROFILE", "1");
        Ok(())
    }
}

/// The traces to join with the logs of a folder: all where each says its rank, else the largest, which is of the process
/// that ran most.
pub fn traces_in(folder: &Path, note: impl Fn(&[String])) -> Vec<PathBuf> {
    let traces = tlparse::traces_of(folder);
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if traces.len() < 2 || traces.iter().all(|trace| name(trace).contains("rank_")) {
        return traces;
    }
    let size = |path: &PathBuf| std::fs::metadata(path).map_or(0, |file| file.len());
    let Some(largest) = traces.iter().max_by_key(|path| size(path)) else { return traces };
    note(&[format!("{} processes were profiled, and the report has {}", traces.len(), name(largest))]);
    vec![largest.clone()]
}
