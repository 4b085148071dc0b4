//! `--profile`: starts a profiler in each process that compiles, without changing the program.

use super::recording::Recording;
use anyhow::{Context, Result};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use tlparse::Scratch;

/// Python runs this at startup.
const SITECUSTOMIZE: &str = include_str!("sitecustomize.py");

/// A private folder with `sitecustomize.py`, removed on drop.
pub struct Profiler(Scratch);

impl Profiler {
    /// Creates the folder.
    pub fn prepare() -> Result<Profiler> {
        let about = "cannot create the folder for --profile";
        // While the command runs, signals are passed to it and do not end this process.
        let folder = Scratch::temporary(|_| ()).context(about)?;
        let file = File::options().write(true).create_new(true).open(folder.path().join("sitecustomize.py"));
        file.and_then(|mut file| file.write_all(SITECUSTOMIZE.as_bytes())).context(about)?;
        Ok(Profiler(folder))
    }

    /// Puts the folder first on `PYTHONPATH`. Traces are written beside the logs.
    ///
    /// # Errors
    /// Its path contains the separator of paths.
    pub fn add_to(&self, command: &mut Command, recording: &Recording) -> Result<()> {
        let before = std::env::var_os("PYTHONPATH").filter(|before| !before.is_empty());
        let before = before.iter().flat_map(std::env::split_paths);
        let paths = std::env::join_paths(std::iter::once(self.0.path().to_owned()).chain(before));
        let paths =
            paths.context("--profile: the path of the temporary folder cannot be put on PYTHONPATH")?;
        command.env("PYTHONPATH", paths).env("TLPARSE_PROFILE_DIR", recording.folder());
        command.env("TORCHINDUCTOR_CPP_ENABLE_KERNEL_PROFILE", "1");
        Ok(())
    }
}

/// The traces to join with the logs of a folder: all of them if each names its rank, else only the largest, from the
/// process that ran most.
pub fn traces_in(folder: &Path, note: impl Fn(&[String])) -> Vec<PathBuf> {
    let traces = tlparse::traces_of(folder);
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if traces.len() < 2 || traces.iter().all(|trace| name(trace).contains("rank_")) {
        return traces;
    }
    let size = |path: &PathBuf| std::fs::metadata(path).map_or(0, |file| file.len());
    let Some(largest) = traces.iter().max_by_key(|path| size(path)) else { return traces };
    note(&[format!("{} processes were profiled; the report shows {}", traces.len(), name(largest))]);
    vec![largest.clone()]
}
