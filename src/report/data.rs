//! The machine-readable files: report.json, raw.jsonl, chromium_events.json, compile_directory.json, raw.log.

mod facts;
mod raw;

use super::{Report, Worker, paths};
use crate::model::{Compile, Outcome};
use crate::output::{Page, RelPath};
use serde_json::{Value, json};
use std::io::Write;

/// The data files of a log's report. They are long, so they come first.
pub(super) fn pages(report: Report<'_>) -> Vec<Page<'_, Worker>> {
    let file = |name| RelPath::of_parts(&[name]);
    let mut pages = vec![
        Page::file(file("raw.log"), move |to| {
            report.source.copy_to(to)?;
            Ok(())
        }),
        Page::rendered(file("report.json"), move |_, out| facts::write(report, out)),
        Page::rendered(file("raw.jsonl"), move |_, out| raw::write_records(report, out)),
        Page::rendered(file("chromium_events.json"), move |_, out| raw::write_chromium(report, out)),
        Page::rendered(file("compile_directory.json"), move |_, out| write_directory(report, out)),
    ];
    if !report.model.cross_rank.collectives.is_empty() {
        pages.push(Page::rendered(file("collectives_parity.json"), move |_, out| write_parity(report, out)));
    }
    pages
}

/// `{"[0/0]": {"artifacts": [..]}}`, one key an attempt, in order of first appearance.
fn write_directory(report: Report<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let compiles = &report.model.compiles;
    let mut attempts: Vec<_> = compiles.iter().flat_map(|c| c.attempts.iter().map(move |a| (a, c))).collect();
    attempts.sort_by_key(|(attempt, _)| attempt.order);
    let entries = attempts.into_iter().map(|(attempt, compile)| {
        let files: Vec<Value> = entries(report, compile, attempt.number).collect();
        (compile.bracketed(attempt.number), json!({ "artifacts": files }))
    });
    let directory: serde_json::Map<String, Value> = entries.collect();
    serde_json::to_writer_pretty(&mut *out, &directory)?;
    Ok(out.write_all(b"\n")?)
}

fn entries<'m>(report: Report<'m>, compile: &'m Compile, attempt: u32) -> impl Iterator<Item = Value> + 'm {
    compile.artifacts.iter().filter(move |a| a.attempt == attempt).map(move |artifact| {
        json!({
            "url": paths::artifact(compile, artifact, report.settings).as_str(),
            "name": paths::listed_name(artifact, report.settings),
            "number": artifact.number,
            "suffix": artifact.cache.map_or("", cache_mark),
            "readable_url": paths::readable(compile, artifact).map(|path| path.as_str().to_owned()),
        })
    })
}

/// The sign that upstream's readers know for a cache's answer.
pub(super) fn cache_mark(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Hit => "✅",
        Outcome::Miss => "❌",
        Outcome::Bypass => "❓",
    }
}

/// Graphs whose generated code does not make the collectives that were scheduled.
fn write_parity(report: Report<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let differing = report.found.parity.iter().filter(|graph| graph.differs());
    let graphs: Vec<Value> = differing.map(facts::parity).collect();
    let file = json!({
        "description": "Graphs whose generated code makes other collectives than were scheduled, or waits for fewer",
        "graphs": graphs,
    });
    serde_json::to_writer_pretty(&mut *out, &file)?;
    Ok(out.write_all(b"\n")?)
}
