//! Model and findings to pages: one module a page, templates and assets in real files beside them.

pub mod assets;
mod code;
mod compile;
mod data;
mod evidence;
mod failures;
mod file_words;
mod files;
mod guards;
mod html;
mod index;
mod lines;
mod metric_fields;
mod parts;
mod paths;
mod search;
mod shell;
mod source;
mod templates;
mod terminal;
mod units;

pub use html::Html;
pub use templates::Worker;
pub use terminal::summary;

use crate::analysis::Found;
use crate::model::Model;
use crate::output::Page;
use crate::trace::Source;

/// How the report is to look.
#[derive(Debug, Default, Clone)]
pub struct Settings {
    /// Code is written as text, not as highlighted pages.
    pub plain_text: bool,
    /// HTML that stands at the top of the landing page, as given.
    pub custom_header: Option<String>,
}

/// All that a page may ask: the facts, what follows from them, the log's texts and the settings.
#[derive(Clone, Copy)]
pub struct Report<'m> {
    /// Facts.
    pub model: &'m Model,
    /// What follows from them.
    pub found: &'m Found,
    /// The log, for payloads and metrics records.
    pub source: &'m Source,
    /// How it is to look.
    pub settings: &'m Settings,
}

/// All files of the report on one log, the long ones first: their work is done when they are written.
pub fn pages<'m>(report: Report<'m>) -> Vec<Page<'m, Worker>> {
    let mut pages = data::pages(report);
    pages.push(search::page(report));
    pages.extend(code::pages(report));
    pages.extend(compile::pages(report));
    pages.extend(guards::pages(report));
    pages.extend(files::pages(report));
    pages.extend(index::pages(report));
    pages.push(failures::page(report));
    pages
}
