//! The report of a job: a landing page and data files next to the folders of its ranks.

mod data;
mod ends;
mod fact_words;
mod files;
mod graphs;
mod job_report;
mod markdown;
mod matrix;
mod page;
mod pills;
mod runtimes;
mod search;
mod sides;
mod table;
mod timeline;
mod times;
mod tracks;
mod verdict;
mod view;

pub use job_report::JobReport;
pub use tracks::TrackEvent;

use crate::analysis::Severity;
use crate::facts::Finding;
use crate::facts::ranks::Aspect;
use crate::limits::FEW;
use crate::output::{Page, RelPath};
use crate::report::kit::templates::Worker;
use crate::report::terminal::{SummaryLine, one_line};

/// All files of a job's report except its chromium events, which are streamed from the ranks.
pub fn job_pages<'m>(report: JobReport<'m>) -> Vec<Page<'m, Worker>> {
    let file = |name| RelPath::of_parts(&[name]);
    let mut pages = vec![Page::rendered(file("report.json"), move |_, out| data::report(report, out))];
    let ranks = &report.job.ranks;
    if ranks.iter().any(|rank| rank.runtime.is_some()) {
        pages.push(Page::rendered(file("runtime_estimations.json"), move |_, out| {
            data::runtimes(report, out)
        }));
        pages.push(Page::rendered(file("chromium_trace_with_runtime.json"), move |_, out| {
            data::trace(report, out)
        }));
    }
    if ranks.iter().any(|rank| rank.fact(Aspect::Collectives).is_some()) {
        pages.push(Page::rendered(file("collective_schedules.json"), move |_, out| {
            data::schedules(report, out)
        }));
    }
    pages.push(markdown::page(report));
    pages.push(search::page(report));
    pages.push(page::page(report));
    pages
}

/// `report.json` of a job.
///
/// # Errors
/// It cannot be written.
pub fn job_facts(report: JobReport<'_>) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    data::report(report, &mut bytes)?;
    Ok(bytes)
}

/// The findings of a job as report.json has them, most important first.
pub fn job_findings(report: JobReport<'_>) -> impl Iterator<Item = Finding<'static>> {
    data::findings(report)
}

/// A job's report in a few lines: the verdict, then the first findings.
pub fn job_summary(report: JobReport<'_>) -> Vec<SummaryLine> {
    let mut lines = vec![SummaryLine::plain(verdict::sentence(report).replace(['\n', '\t'], " "))];
    // Findings in the verdict are not repeated.
    let said = report.found.cause().map(|finding| &finding.title);
    let findings: Vec<_> = report.found.findings.iter().filter(|one| Some(&one.title) != said).collect();
    let urgent: Vec<_> = findings.iter().filter(|one| one.severity != Severity::Info).collect();
    lines.extend(urgent.iter().take(FEW).map(|one| SummaryLine {
        label: Some((one.kind.label(), one.severity)),
        text: one_line(&one.sentence().plain()),
    }));
    lines.extend(SummaryLine::more(findings.len() - urgent.len().min(FEW)));
    lines
}
