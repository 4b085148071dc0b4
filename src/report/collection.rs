//! Several unrelated logs: the page that lists them, and the same as data.

use crate::analysis::Severity;
use crate::facts::{Finding, List, OneOfSeveral, SCHEMA, SeveralReports, Tool};
use crate::output::{Page, RelPath};
use crate::report::doc::html::section;
use crate::report::doc::{Cell, Listing, Rows, Surface, count, log};
use crate::report::kit::assets::COMPARE;
use crate::report::kit::formats::counted;
use crate::report::kit::html::Html;
use crate::report::kit::markup::write_line;
use crate::report::kit::shell::{Shell, write_page};
use crate::report::kit::templates::Worker;
use crate::report::kit::verdict::{Hero, Words};
use crate::report::kit::view::Render;
use crate::report::subject::Settings;
use std::io::Write;

/// The entry of a log with how many findings its report has.
pub fn with_counts<'f, 'a: 'f>(
    mut log: OneOfSeveral<'static>,
    findings: impl Iterator<Item = &'f Finding<'a>>,
) -> OneOfSeveral<'static> {
    for finding in findings {
        log.findings += 1;
        log.errors += u64::from(*finding.severity == *Severity::Error.word());
        log.warnings += u64::from(*finding.severity == *Severity::Warning.word());
    }
    log
}

/// The name without the number of ranks, which is in the verdict.
fn shown(log: &OneOfSeveral<'_>) -> String {
    if *log.kind == *"job" { format!("job of {}", &*log.name) } else { log.name.owned() }
}

/// The folder of a log's report, by its number in the list, from 1.
pub fn folder_of_log(number: usize) -> String {
    format!("log_{number}")
}

/// All files beside the folders of the logs.
pub fn collection_pages<'m>(
    logs: &'m [OneOfSeveral<'static>],
    settings: &'m Settings,
) -> Vec<Page<'m, Worker>> {
    let file = |name| RelPath::of_parts(&[name]);
    vec![
        Page::rendered(file("report.json"), move |_: &mut Worker, out| {
            serde_json::to_writer(&mut *out, &data(List::made(move || logs.iter())))?;
            Ok(out.write_all(b"\n")?)
        }),
        Page::rendered(file("index.html"), move |worker: &mut Worker, out| page(logs, settings, worker, out)),
    ]
}

/// What `report.json` says of them.
pub(super) fn data<'m>(logs: List<'m, OneOfSeveral<'m>>) -> SeveralReports<'m> {
    SeveralReports { schema: SCHEMA, kind: "logs".into(), tool: Tool::this(), logs }
}

fn page(
    logs: &[OneOfSeveral<'_>],
    settings: &Settings,
    worker: &mut Worker,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let name = counted(logs.len(), "log", "logs");
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
        section(Surface::Several(view), out, &listing(logs))
    })
}

/// The list of them.
pub(super) fn listing<'m>(logs: &'m [OneOfSeveral<'m>]) -> Listing<'m> {
    Rows::of(logs)
        .text("Log", |one| match one.error {
            Some(_) => log(shown(one)),
            None => {
                Cell::File { path: RelPath::of_parts(&[&one.dir, "index.html"]), name: shown(one).into() }
            }
        })
        .mono()
        .text("Verdict", |one| log(one.said()))
        .number("Errors", |one| count(Some(one.errors)))
        .explained("findings that are failures")
        .number("Warnings", |one| count(Some(one.warnings)))
        .explained("findings that cost time")
        .text("State", |one| match (&one.error, one.intact) {
            (Some(_), _) => "not read".into(),
            (None, true) => "whole".into(),
            (None, false) => "damaged".into(),
        })
        .listing("logs", "Logs", "")
}
