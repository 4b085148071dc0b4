//! The redacted report: what `report.json` says, without anything that a log or a program brought in as text.
//!
//! It is an allowlist. The facts are made anew, key by key, of numbers, of words that this program knows ([`words`]), of
//! torch's own names that stand in a list ([`operators`], [`catalog`]), of what a guard or a title comes to ([`guards`],
//! [`titles`]) and of pseudonyms ([`names`]); what is not named in [`log`], [`measured`] or [`job`] is not in the report. There
//! is no other page and no file of the log, so nothing can get in another way.

mod catalog;
mod facts;
mod guards;
mod job;
mod listed;
mod log;
mod measured;
mod names;
mod operators;
mod page;
mod sections;
mod titles;
mod words;

pub use facts::Redacted;

use crate::analysis::Severity;
use crate::output::Page;
use crate::report::kit::templates::Worker;
use crate::report::terminal::SummaryLine;
use facts::RedactedReport;
use page::path_in;
use serde_json::Value;

/// Findings that the terminal names.
const FINDINGS: usize = 5;

/// A few lines for a terminal.
pub fn redacted_summary(redacted: &Redacted) -> Vec<SummaryLine> {
    match redacted.reports.as_slice() {
        [one] if one.folder.is_empty() => of_report(one),
        several => listed::lines(several),
    }
}

fn of_report(report: &RedactedReport) -> Vec<SummaryLine> {
    let mut lines = vec![SummaryLine::plain(page::sentence(report))];
    let findings = report.findings();
    let told: Vec<&Value> = findings.iter().filter(|one| one["severity"] != Severity::Info.word()).collect();
    lines.extend(told.iter().take(FINDINGS).map(|finding| {
        let severity = match finding["severity"].as_str() {
            Some("error") => Severity::Error,
            _ => Severity::Warning,
        };
        let label = words::label_of(finding["kind"].as_str().unwrap_or_default());
        SummaryLine { label: Some((label, severity)), text: page::line(finding) }
    }));
    let more = findings.len() - told.len().min(FINDINGS);
    if more > 0 {
        let words = crate::model::words::counted(more, "more finding", "more findings");
        lines.push(SummaryLine::plain(format!("{words} in the report.")));
    }
    lines
}

/// All files of the report.
pub fn redacted_pages(redacted: &Redacted) -> Vec<Page<'_, Worker>> {
    let mut pages = Vec::new();
    if redacted.is_list() {
        pages.extend(listed::pages(redacted));
    }
    for report in redacted.reports.iter().filter(|report| report.first().is_some()) {
        pages.push(page::landing(redacted, report));
        pages.extend(report.job.iter().map(|facts| json(report.folder.clone(), facts)));
        for log in &report.logs {
            let folder = format!("{}{}", report.folder, log.folder);
            pages.push(json(folder, &log.facts));
            if !log.folder.is_empty() {
                pages.push(page::of_log(redacted, report, log));
            }
        }
    }
    pages
}

/// `report.json` of a folder.
fn json(folder: String, facts: &Value) -> Page<'_, Worker> {
    Page::rendered(path_in(&folder, "report.json"), move |_: &mut Worker, out| {
        serde_json::to_writer_pretty(&mut *out, facts)?;
        Ok(out.write_all(b"\n")?)
    })
}
