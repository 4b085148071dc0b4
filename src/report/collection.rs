//! Several unrelated logs: the page that lists them, and the same as data.

use crate::analysis::Severity;
use crate::facts::{Finding, OneOfSeveral, SCHEMA, SeveralReports, Tool};
use crate::output::{Page, RelPath};
use crate::report::kit::assets::COMPARE;
use crate::report::kit::formats::{counted, whole};
use crate::report::kit::html::Html;
use crate::report::kit::links::encoded;
use crate::report::kit::markup::{close_section, write_line};
use crate::report::kit::shell::{Shell, write_page};
use crate::report::kit::tables::{Row, Table, TableCell, TableColumn};
use crate::report::kit::templates::Worker;
use crate::report::kit::verdict::{Hero, Words};
use crate::report::kit::view::Render;
use crate::report::subject::Settings;
use std::io::Write;

/// Logs with their reports.
#[derive(Debug, Default)]
pub struct Collection {
    /// In the order in which they are listed.
    pub logs: Vec<CollectedLog>,
}

#[derive(Debug)]
pub struct CollectedLog {
    /// The name of its file; for a job, of the first rank's file.
    pub name: String,
    /// Whether it is a job of several ranks.
    pub is_job: bool,
    /// The folder of its report.
    pub dir: String,
    /// The verdict of its report, or why there is no report.
    pub verdict: Result<String, String>,
    /// How many findings it has.
    pub findings: FindingCounts,
    /// Whether no record is damaged.
    pub intact: bool,
}

/// How many findings a report has.
#[derive(Debug, Clone, Copy, Default)]
pub struct FindingCounts {
    errors: usize,
    warnings: usize,
    all: usize,
}

impl FindingCounts {
    pub(crate) fn of<'f, 'a: 'f>(findings: impl Iterator<Item = &'f Finding<'a>>) -> FindingCounts {
        let mut counts = FindingCounts::default();
        for finding in findings {
            counts.all += 1;
            counts.errors += usize::from(*finding.severity == *Severity::Error.word());
            counts.warnings += usize::from(*finding.severity == *Severity::Warning.word());
        }
        counts
    }
}

impl CollectedLog {
    /// The name without the number of ranks, which is in the verdict.
    fn shown(&self) -> String {
        if self.is_job { format!("job of {}", self.name) } else { self.name.clone() }
    }
}

/// The folder of a log's report, by its number in the list, from 1.
pub fn folder_of_log(number: usize) -> String {
    format!("log_{number}")
}

/// All files beside the folders of the logs.
pub fn collection_pages<'m>(collection: &'m Collection, settings: &'m Settings) -> Vec<Page<'m, Worker>> {
    let file = |name| RelPath::of_parts(&[name]);
    vec![
        Page::rendered(file("report.json"), move |_: &mut Worker, out| {
            serde_json::to_writer(&mut *out, &data(collection))?;
            Ok(out.write_all(b"\n")?)
        }),
        Page::rendered(file("index.html"), move |worker: &mut Worker, out| {
            page(collection, settings, worker, out)
        }),
    ]
}

/// What `report.json` says of them.
pub(super) fn data(collection: &Collection) -> SeveralReports<'static> {
    let log = |log: &'_ CollectedLog| OneOfSeveral {
        name: log.name.clone().into(),
        kind: if log.is_job { "job" } else { "log" }.into(),
        dir: log.dir.clone().into(),
        verdict: log.verdict.as_ref().ok().map(|verdict| verdict.clone().into()),
        error: log.verdict.as_ref().err().map(|error| error.clone().into()),
        intact: log.intact,
        errors: log.findings.errors as u64,
        warnings: log.findings.warnings as u64,
        findings: log.findings.all as u64,
    };
    let logs = collection.logs.iter().map(log).collect();
    SeveralReports { schema: SCHEMA, kind: "logs".into(), tool: Tool::this(), logs }
}

fn page(
    collection: &Collection,
    settings: &Settings,
    worker: &mut Worker,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let name = counted(collection.logs.len(), "log", "logs");
    let shell = Shell::of_job(&name, settings.custom_header.as_deref(), COMPARE);
    write_page(worker, out, &shell, |worker, out| {
        let view = Render { worker, depth: 0 };
        let pieces = vec![Words::plain(format!("{name}, each with its own report."))];
        let note = "They belong to different programs or runs, so they are listed by time and not compared.";
        let compare =
            Html::joined([Html::escaped("To compare two of them:"), view.code("tlparse diff A B")], " ");
        write_line(
            out,
            &view.hero(&Hero { pieces, notes: vec![Html::escaped(note), compare], bar: Html::default() })?,
        )?;
        write_logs(view, collection, out)
    })
}

/// The section that lists them.
pub(super) fn write_logs(
    view: Render<'_>,
    collection: &Collection,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    view.open_section(out, ("logs", "Logs", ""), Some(whole(collection.logs.len())), Html::default())?;
    let columns = vec![
        TableColumn::text("Log").mono(),
        TableColumn::text("Verdict"),
        TableColumn::number("Errors").about("findings that are failures"),
        TableColumn::number("Warnings").about("findings that cost time"),
        TableColumn::text("State"),
    ];
    let table = Table { id: "logs-table", label: "Logs", columns };
    view.table(out, &table, collection.logs.iter().map(|log| row(view, log)))?;
    close_section(out)?;
    Ok(())
}

fn row(view: Render<'_>, log: &CollectedLog) -> Row {
    let number =
        |count: usize| TableCell::number(u32::try_from(count).unwrap_or(u32::MAX).into(), &whole(count));
    let (name, verdict, state) = match &log.verdict {
        Ok(verdict) => {
            let href = encoded(&format!("{}/index.html", log.dir));
            let state = if log.intact { "whole" } else { "damaged" };
            (view.link(&href, &log.shown()), verdict, state)
        }
        Err(why) => (Html::escaped(&log.shown()), why, "not read"),
    };
    let (errors, warnings) = (number(log.findings.errors), number(log.findings.warnings));
    Row::of(vec![TableCell::html(name), TableCell::text(verdict), errors, warnings, TableCell::text(state)])
}
