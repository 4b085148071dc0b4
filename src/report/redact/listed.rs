//! Several redacted reports: the page that lists them, and the same as data.

use super::facts::{Redacted, RedactedReport};
use super::page::{self, path_in};
use crate::facts::OneOfSeveral;
use crate::model::words::counted;
use crate::output::Page;
use crate::report::collection::{data, listing, with_counts};
use crate::report::doc::Surface;
use crate::report::doc::html::section;
use crate::report::kit::assets::COMPARE;
use crate::report::kit::shell::{Shell, write_page};
use crate::report::kit::templates::Worker;
use crate::report::kit::view::Render;
use crate::report::terminal::SummaryLine;
use std::io::Write;

/// A few lines for a terminal: what each report says.
pub fn lines(reports: &[RedactedReport]) -> Vec<SummaryLine> {
    let first = SummaryLine::plain(format!("{}, each with a report of its own:", logs(reports)));
    let each =
        reports.iter().map(|one| SummaryLine::plain(format!("{}: {}", name(one), page::sentence(one))));
    [first].into_iter().chain(each).collect()
}

/// `index.html` and `report.json` beside the folders of the reports.
pub fn pages(redacted: &Redacted) -> Vec<Page<'_, Worker>> {
    let reports = redacted.reports.as_slice();
    vec![
        page::json("", data(listed(reports).into())),
        Page::rendered(path_in("", "index.html"), move |worker, out| list(reports, worker, out)),
        Page::rendered(path_in("", "report.md"), move |_: &mut Worker, out| {
            lines(reports).iter().try_for_each(|line| writeln!(out, "* {}", line.text)).map_err(Into::into)
        }),
    ]
}

fn logs(reports: &[RedactedReport]) -> String {
    counted(reports.len(), "log", "logs")
}

/// The folder is its name: that of the log is left out.
fn name(report: &RedactedReport) -> &str {
    report.folder.trim_end_matches('/')
}

fn listed(reports: &[RedactedReport]) -> Vec<OneOfSeveral<'static>> {
    let log = |one: &RedactedReport| {
        let log = OneOfSeveral {
            name: name(one).to_owned().into(),
            kind: if one.job.is_some() { "job" } else { "log" }.into(),
            dir: name(one).to_owned().into(),
            verdict: one.is_read().then(|| page::sentence(one).into()),
            error: (!one.is_read()).then(|| "the log could not be read".into()),
            intact: !one.logs.is_empty() && one.logs.iter().all(|log| log.facts.integrity.ok),
            ..OneOfSeveral::default()
        };
        with_counts(log, one.findings().iter())
    };
    reports.iter().map(log).collect()
}

fn list(reports: &[RedactedReport], worker: &mut Worker, out: &mut dyn Write) -> anyhow::Result<()> {
    let shell = Shell::of_job(&format!("Redacted: {}", logs(reports)), None, COMPARE);
    write_page(worker, out, &shell, |worker, out| {
        let view = Render { worker, depth: 0 };
        page::begin(view, out, &format!("{}, each with a report of its own.", logs(reports)))?;
        section(Surface::Several(view), out, &listing(&listed(reports)))
    })
}
