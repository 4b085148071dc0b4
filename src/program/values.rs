//! Values of options that several commands share.

use anyhow::Context;
use std::path::{Path, PathBuf};
use tlparse::{Format, SourceTree};

/// A folder that exists.
pub fn folder(path: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(path);
    if path.is_dir() { Ok(path) } else { Err("it is no folder".to_owned()) }
}

/// A form by its name.
pub fn format(name: &str) -> Result<Format, String> {
    let known = || Format::ALL.map(|(name, _)| name).join(", ");
    let found = Format::ALL.into_iter().find(|(one, _)| *one == name);
    found.map(|(_, format)| format).ok_or_else(|| format!("known are {}", known()))
}

/// What paths of sources are relative to.
pub fn source_tree(root: Option<&Path>) -> anyhow::Result<SourceTree> {
    match root {
        Some(root) => SourceTree::below(root).with_context(|| format!("--root {}", root.display())),
        None => SourceTree::of_current_folder().context("the current folder cannot be read; give --root"),
    }
}

/// The text of a file that an option names; `what` says what it should be.
pub fn text_of(file: &Path, what: &str) -> anyhow::Result<String> {
    std::fs::read_to_string(file).with_context(|| format!("{} cannot be read as a {what}", file.display()))
}
