//! The redacted report: what `report.json` says, without anything that a log or a program brought in as text.
//!
//! It is an allowlist. The facts are made anew, key by key, of numbers, of words that this program knows ([`words`]) and of
//! pseudonyms ([`names`]); what is not named in [`log`] or [`job`] is not in the report. There is no other page and no file of
//! the log, so nothing can get in another way.

mod facts;
mod job;
mod log;
mod names;
mod page;
mod words;

pub use facts::Redacted;

use crate::analysis::Severity;
use crate::output::Page;
use crate::report::kit::templates::Worker;
use crate::report::terminal::SummaryLine;
use page::path_in;
use serde_json::Value;

/// Findings that the terminal names.
const FINDINGS: usize = 5;

/// A few lines for a terminal.
pub fn redacted_summary(redacted: &Redacted) -> Vec<SummaryLine> {
    let mut lines = vec![SummaryLine { label: None, text: page::sentence(redacted) }];
    let findings = redacted.findings();
    lines.extend(findings.iter().take(FINDINGS).map(|finding| {
        let severity = match finding["severity"].as_str() {
            Some("error") => Severity::Error,
            Some("warning") => Severity::Warning,
            _ => Severity::Info,
        };
        let label = words::label_of(finding["kind"].as_str().unwrap_or_default());
        let text = words::without_label(finding, label);
        SummaryLine { label: Some((label, severity)), text }
    }));
    lines
}

/// All files of the report.
pub fn redacted_pages(redacted: &Redacted) -> Vec<Page<'_, Worker>> {
    let mut pages = vec![page::landing(redacted)];
    pages.extend(redacted.job.iter().map(|facts| json("", facts)));
    for log in &redacted.logs {
        pages.push(json(&log.folder, &log.facts));
        if !log.folder.is_empty() {
            pages.push(page::of_log(redacted, log));
        }
    }
    pages
}

/// `report.json` of a folder.
fn json<'r>(folder: &str, facts: &'r Value) -> Page<'r, Worker> {
    Page::rendered(path_in(folder, "report.json"), move |_: &mut Worker, out| {
        serde_json::to_writer_pretty(&mut *out, facts)?;
        Ok(out.write_all(b"\n")?)
    })
}
