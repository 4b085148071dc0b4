//! The redacted report: what `report.json` says, without anything that a log or a program brought in as text.
//!
//! What becomes of each fact is said beside its field in [`crate::facts`], of each part of a title in [`sentence`]. This folder
//! shows the facts. It writes no other page and no file of the log, so nothing else of the log can get into the report.

mod facts;
mod listed;
mod page;
mod sections;
mod sentence;

pub use facts::{Redacted, WholeRank};

use crate::analysis::Severity;
use crate::limits::FEW;
use crate::output::Page;
use crate::report::kit::templates::Worker;
use crate::report::terminal::SummaryLine;
use facts::RedactedReport;
use page::json;
use sentence::label_of;

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
    let urgent = findings.iter().filter(|one| *one.severity != *Severity::Info.word()).take(FEW);
    lines.extend(urgent.map(|finding| SummaryLine {
        label: Some((label_of(&finding.kind), Severity::named(&finding.severity))),
        text: page::line(finding),
    }));
    let more = findings.len() + 1 - lines.len();
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
    for report in redacted.reports.iter().filter(|report| report.is_read()) {
        pages.push(page::landing(redacted, report));
        pages.push(page::markdown(report));
        pages.extend(report.job.iter().map(|facts| json(&report.folder, facts)));
        for log in &report.logs {
            pages.push(json(&format!("{}{}", report.folder, log.folder), &log.facts));
            if !log.folder.is_empty() {
                pages.push(page::of_log(redacted, report, log));
            }
        }
    }
    pages
}
