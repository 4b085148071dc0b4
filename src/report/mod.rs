//! Renders model and findings: `kit` has the building blocks, `words` the names of things, `pages` a file or folder per
//! page, `data` the machine-readable files, `doc` what is shown as data, `lists` the columns of each list of report.json, `job` the report of a job, and `site` the list of all pages.

mod collection;
mod compare;
mod data;
pub(crate) mod doc;
pub(crate) mod formats;
mod job;
pub(crate) mod kit;
pub(crate) mod lists;
mod pages;
mod redact;
mod site;
mod subject;
mod terminal;
mod words;

pub use collection::{collection_pages, folder_of_log, with_counts};
pub use compare::{
    DIFF_PAGE, diff_entries, diff_markdown, diff_notices, diff_pages, diff_suite, diff_summary,
    to_json as diff_json,
};
pub(crate) use data::{figures_of_call, figures_of_run};
pub use formats::Format;
pub use job::{JobReport, TrackEvent, job_facts, job_findings, job_pages, job_summary};
pub use kit::editor::Editor;
pub use kit::{Highlighters, Worker};
pub use redact::{Redacted, WholeRank, redacted_pages, redacted_summary};
pub use site::{entries, is_own_path};
pub use subject::{Around, Cached, PageAround, Report, Settings};
pub use terminal::{SummaryLine, summary};

use crate::analysis::Found;
use crate::model::{Model, Process};
use crate::output::Page;
use crate::trace::Source;

/// A report on one log. `cached` must be empty and used only for this report.
pub fn on<'m>(
    model: &'m Model,
    found: &'m Found<'m>,
    source: &'m Source,
    (settings, around): (&'m Settings, &'m Around),
    processes: &'m [Process],
    cached: &'m Cached,
) -> Report<'m> {
    Report { model, found, source, settings, around, processes, cached, row: None }
}

/// The findings in the form of report.json, most important first.
pub fn findings(report: Report<'_>) -> impl Iterator<Item = crate::facts::Finding<'static>> {
    data::findings(report)
}

/// The input of a redacted report: `report.json`, and the titles of its findings in parts. Both stay in memory.
pub fn pages_to_redact(report: Report<'_>) -> Vec<Page<'_, Worker>> {
    vec![data::facts(report), data::titles(report)]
}

/// All files of the report on one log, long ones first. Their content is produced when they are written.
pub fn pages<'m>(report: Report<'m>) -> Vec<Page<'m, Worker>> {
    site::pages(report)
}
