//! `--json`, `--format` and `--root`, which several commands have.

use super::values::{folder, format, source_tree};
use clap::Args;
use std::path::PathBuf;
use tlparse::{Format, SourceTree};

/// In which form a result is printed.
#[derive(Args, Clone, Debug, Default)]
pub struct Printing {
    /// Print the result as JSON, and nothing else, on standard output: the same as --format json
    #[arg(long, conflicts_with = "format")]
    pub json: bool,

    /// Print the result in this form, and nothing else: text, json, markdown, sarif, junit or github [default: text]
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    format: Option<Format>,

    /// What paths of source files are relative to in sarif and github [default: the git work tree around the current folder]
    #[arg(long, value_name = "DIR", requires = "format", value_parser = folder)]
    root: Option<PathBuf>,
}

impl Printing {
    /// The form that was asked for.
    pub fn form(&self) -> Format {
        self.format.unwrap_or(if self.json { Format::Json } else { Format::Text })
    }

    /// Whether lines for a terminal are printed.
    pub fn is_text(&self) -> bool {
        self.form() == Format::Text
    }

    /// Whether the command line names a form at all.
    pub fn is_asked_for(&self) -> bool {
        self.json || self.format.is_some()
    }

    /// What paths are relative to.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn source_tree(&self) -> anyhow::Result<SourceTree> {
        source_tree(self.root.as_deref())
    }
}
