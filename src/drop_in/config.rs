//! How a log is read, and what comes of it.

use super::parsers::StructuredLogParser;
use std::path::PathBuf;

/// The files of a report: path and text of each.
pub type ParseOutput = Vec<(PathBuf, String)>;

/// How a log is read. Each field is the option of that name, see `tlparse --help`.
#[derive(Default)]
pub struct ParseConfig {
    /// A damaged record, or an error of a custom parser, is an error.
    pub strict: bool,
    /// A record with a stack in place of a compile id is an error.
    pub strict_compile_id: bool,
    /// Parsers that add files.
    pub custom_parsers: Vec<Box<dyn StructuredLogParser>>,
    /// HTML for the top of the landing page.
    pub custom_header_html: String,
    /// Has no effect: the library prints nothing.
    pub verbose: bool,
    /// Code is written as text, not as highlighted pages.
    pub plain_text: bool,
    /// The report on `torch.export` comes first.
    pub export: bool,
    /// Provenance pages are written for all compiles.
    pub inductor_provenance: bool,
}
