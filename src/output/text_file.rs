//! A file of the user's that is no report, such as a baseline.

use anyhow::{Context, Result};
use std::path::Path;

/// Writes a text file, in place of one that stands there.
///
/// # Errors
/// The file cannot be written; the error names it.
pub fn write_text(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
