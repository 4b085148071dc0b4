//! Model and findings to pages: one module a page, templates and assets in real files beside them.

pub mod assets;
mod caches;
mod code;
mod compile;
mod configuration;
mod data;
mod evidence;
mod export;
mod failures;
mod file_words;
mod files;
mod graph_breaks;
mod graphs;
mod guards;
mod html;
mod index;
mod job;
mod kernels;
mod lines;
mod metric_fields;
mod parts;
mod paths;
mod provenance;
mod recompilations;
mod search;
mod shapes;
mod shell;
mod source;
mod tables;
mod templates;
mod terminal;
mod time;
mod units;
mod vllm;

pub use html::Html;
pub use job::{JobReport, job_findings, job_pages, job_summary};
pub use paths::is_own_path;
pub use templates::Worker;
pub use terminal::{SummaryLine, summary};

use crate::analysis::Found;
use crate::model::{Model, Process};
use crate::output::Page;
use crate::trace::Source;

/// How the report is to look.
#[derive(Debug, Default, Clone)]
pub struct Settings {
    /// Code is written as text, not as highlighted pages.
    pub plain_text: bool,
    /// Pages of provenance are written for every compile, also where the log does not say where kernels come from.
    pub provenance: bool,
    /// HTML that stands at the top of the landing page, as given.
    pub custom_header: Option<String>,
    /// The export report is what opens first (`index.html`); the ordinary landing page is `report.html` then.
    pub export: bool,
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
    /// Further processes of the program, with a report each below this one.
    pub processes: &'m [Process],
}

/// What a page may be about that has a page or section of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Topic {
    /// All graph breaks.
    GraphBreaks,
    /// All recompilations.
    Recompilations,
    /// All lookups in caches.
    Caches,
    /// All symbolic sizes.
    Shapes,
    /// All failures and restarts.
    Failures,
    /// What export found wanting.
    Export,
    /// What could be read of the log.
    Log,
}

/// Where the full list of a topic stands, seen from the top of the report, with its words; None where this report has
/// no such page.
fn topic_page(report: Report<'_>, topic: Topic) -> Option<(&'static str, &'static str)> {
    let model = report.model;
    match topic {
        Topic::GraphBreaks => {
            graph_breaks::tab(report).map(|_| ("graph_breaks.html", "all graph breaks, with tracebacks"))
        }
        Topic::Recompilations => recompilations::tab(report)
            .map(|_| ("recompilations.html", "all recompilations, with guards compared")),
        Topic::Caches => {
            caches::tab(report).map(|_| ("caches.html", "all lookups, with what differs in their keys"))
        }
        Topic::Shapes => {
            shapes::tab(report).map(|_| ("shapes.html", "which sizes are dynamic, and since when"))
        }
        Topic::Failures => (!model.failures.is_empty() || !model.restarts.is_empty())
            .then_some(("failures_and_restarts.html", "all failures and restarts")),
        Topic::Export => export::present(report)
            .then(|| (paths::export(report.settings), "the export report, with what to do")),
        Topic::Log => Some(("#log", "what could be read of the log")),
    }
}

/// The findings as report.json has them, most important first.
pub fn findings(report: Report<'_>) -> Vec<serde_json::Value> {
    data::findings(report).collect()
}

/// All files of the report on one log, the long ones first: their work is done when they are written.
pub fn pages<'m>(report: Report<'m>) -> Vec<Page<'m, Worker>> {
    let mut pages = data::pages(report);
    pages.push(search::page(report));
    pages.extend(code::pages(report));
    pages.extend(compile::pages(report));
    pages.extend(graphs::pages(report));
    pages.extend(guards::pages(report));
    pages.extend(files::pages(report));
    pages.extend(index::pages(report));
    pages.extend(shapes::page(report));
    pages.extend(caches::page(report));
    pages.extend(configuration::page(report));
    pages.push(failures::page(report));
    pages.extend(graph_breaks::page(report));
    pages.extend(recompilations::page(report));
    pages.extend(time::page(report));
    pages.extend(vllm::page(report));
    pages.extend(export::pages(report));
    pages.extend(provenance::pages(report));
    pages.extend(kernels::page(report));
    pages.extend(tables::pages(report));
    pages
}
