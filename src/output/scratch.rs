//! A folder for files that only this run needs.

use anyhow::{Context, Result};
use std::path::{Component, Path};

/// A folder in the system's place for temporary files; it is removed when this is dropped.
pub struct Scratch(tempfile::TempDir);

impl Scratch {
    /// Makes the folder.
    ///
    /// # Errors
    /// The system refuses.
    pub fn new() -> Result<Scratch> {
        let folder = tempfile::Builder::new().prefix("tlparse-").tempdir();
        Ok(Scratch(folder.context("could not create a temporary folder; set TMPDIR to one with room")?))
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

/// The way from the folder `from`, which need not be there yet, to `to`: parts separated by `/`. None where there is none,
/// as between two drives, or where a name is not UTF-8.
pub fn relative(from: &Path, to: &Path) -> Option<String> {
    let to = std::fs::canonicalize(to).ok()?;
    let (from, to): (Vec<Component<'_>>, Vec<Component<'_>>) =
        (from.components().collect(), to.components().collect());
    let shared = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
    if shared == 0 {
        return None;
    }
    let up = from.iter().skip(shared).map(|_| Some(".."));
    let down = to.iter().skip(shared).map(|part| part.as_os_str().to_str());
    let parts: Option<Vec<&str>> = up.chain(down).collect();
    parts.map(|parts| if parts.is_empty() { ".".to_owned() } else { parts.join("/") })
}
