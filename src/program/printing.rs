//! `--json`, `--format` and `--root`, which several commands have.

use super::values::{folder, format, source_tree};
use clap::Args;
use std::path::PathBuf;
use tlparse::{Format, SourceTree};

/// The format in which a result is printed.
#[derive(Args, Clone, Debug, Default)]
pub struct Printing {
    /// Print only the result, as JSON: the same as --format json
    #[arg(long, conflicts_with = "format", help_heading = "What is printed")]
    pub json: bool,

    /// Print only the result, in this format [default: text]
    #[arg(long, value_name = "FORMAT", value_parser = format(), help_heading = "What is printed")]
    format: Option<Format>,

    /// Folder that source paths in sarif and github are relative to [default: the git work tree around the current folder]
    #[arg(long, value_name = "DIR", requires = "format", value_parser = folder, help_heading = "What is printed")]
    root: Option<PathBuf>,
}

impl Printing {
    /// The chosen format.
    pub fn form(&self) -> Format {
        self.format.unwrap_or(if self.json { Format::Json } else { Format::Text })
    }

    /// Whether lines for a terminal are printed.
    pub fn is_text(&self) -> bool {
        self.form() == Format::Text
    }

    /// Whether the command line names a format.
    pub fn is_asked_for(&self) -> bool {
        self.json || self.format.is_some()
    }

    /// The folder that paths are relative to.
    pub fn source_tree(&self) -> anyhow::Result<SourceTree> {
        source_tree(self.root.as_deref())
    }
}
