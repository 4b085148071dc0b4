//! Several redacted reports: the page that lists them, and the same as data.

use super::facts::{Redacted, RedactedReport};
use super::page::{self, path_in};
use crate::analysis::Severity;
use crate::facts::{OneOfSeveral, SCHEMA, SeveralReports, Text, Tool};
use crate::model::words::counted;
use crate::output::Page;
use crate::report::kit::assets::COMPARE;
use crate::report::kit::formats::whole;
use crate::report::kit::html::Html;
use crate::report::kit::links::encoded;
use crate::report::kit::markup::close_section;
use crate::report::kit::shell::{Shell, write_page};
use crate::report::kit::tables::{Row, Table, TableCell, TableColumn};
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
        Page::rendered(path_in("", "report.json"), move |_: &mut Worker, out| {
            serde_json::to_writer_pretty(&mut *out, &data(reports))?;
            Ok(out.write_all(b"\n")?)
        }),
        Page::rendered(path_in("", "index.html"), move |worker, out| list(redacted, worker, out)),
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

fn count(report: &RedactedReport, severity: Severity) -> usize {
    report.findings().iter().filter(|one| *one.severity == *severity.word()).count()
}

fn is_intact(report: &RedactedReport) -> bool {
    !report.logs.is_empty() && report.logs.iter().all(|log| log.facts.integrity.ok)
}

fn data(reports: &[RedactedReport]) -> SeveralReports<'_> {
    let log = |one: &RedactedReport| OneOfSeveral {
        name: name(one).to_owned().into(),
        kind: if one.job.is_some() { "job" } else { "log" }.into(),
        dir: name(one).to_owned().into(),
        verdict: one.is_read().then(|| page::sentence(one).into()),
        error: (!one.is_read()).then_some(Text::from("the log could not be read")),
        intact: is_intact(one),
        errors: count(one, Severity::Error) as u64,
        warnings: count(one, Severity::Warning) as u64,
        findings: one.findings().len() as u64,
    };
    let logs = reports.iter().map(log).collect();
    SeveralReports { schema: SCHEMA, kind: "logs".into(), tool: Tool::this(), logs }
}

fn list(redacted: &Redacted, worker: &mut Worker, out: &mut dyn Write) -> anyhow::Result<()> {
    let reports = redacted.reports.as_slice();
    let shell = Shell::of_job(&format!("Redacted: {}", logs(reports)), None, COMPARE);
    write_page(worker, out, &shell, |worker, out| {
        let view = Render { worker, depth: 0 };
        page::begin(view, out, &format!("{}, each with a report of its own.", logs(reports)))?;
        view.open_section(out, ("logs", "Logs", ""), Some(whole(reports.len())), Html::default())?;
        let columns = vec![
            TableColumn::text("Log").mono(),
            TableColumn::text("Verdict"),
            TableColumn::number("Errors").about("findings that are failures"),
            TableColumn::number("Warnings").about("findings that cost time"),
            TableColumn::text("State"),
        ];
        let table = Table { id: "logs-table", label: "Logs", columns };
        view.table(out, &table, reports.iter().map(|one| row(view, one)))?;
        close_section(out)?;
        Ok(())
    })
}

fn row(view: Render<'_>, report: &RedactedReport) -> Row {
    let number = |severity: Severity| {
        let count = count(report, severity);
        TableCell::number(u32::try_from(count).unwrap_or(u32::MAX).into(), &whole(count))
    };
    let (name, state) = match report.is_read() {
        true => {
            let href = encoded(&format!("{}index.html", report.folder));
            (view.link(&href, name(report)), if is_intact(report) { "whole" } else { "damaged" })
        }
        false => (Html::escaped(name(report)), "not read"),
    };
    let (errors, warnings) = (number(Severity::Error), number(Severity::Warning));
    Row::of(vec![
        TableCell::html(name),
        TableCell::text(&page::sentence(report)),
        errors,
        warnings,
        TableCell::text(state),
    ])
}
