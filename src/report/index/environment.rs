//! Where the log comes from: versions, processes, times, files.

use crate::report::Html;
use crate::report::parts::View;
use crate::report::units::{UNKNOWN, bytes, clipped, whole};
use std::io::Write;

/// Processes that are named.
const PIDS: usize = 8;

/// Characters of a version text: Python's names its compiler too.
const LONGEST_VERSION: usize = 120;

/// Fields of the metrics that name a version.
const VERSIONS: [(&str, &str); 3] =
    [("Python", "python_version"), ("CUDA", "cuda_version"), ("Triton", "triton_version")];

pub(super) fn section(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    view.open_section(
        out,
        ("environment", "Environment", "what wrote the log, and its files"),
        None,
        Html::default(),
    )?;
    let versions = view.facts(versions(view)?)?;
    let log = view.facts(log(view))?;
    writeln!(out, "<div class=two>{}{}</div></section>", versions.as_str(), log.as_str())?;
    Ok(())
}

/// The versions of torch, Python, CUDA and Triton, as labels and values.
pub(in crate::report) fn versions(view: View<'_>) -> anyhow::Result<Vec<(&'static str, Html)>> {
    let report = view.report;
    let torch = match &report.model.torch {
        Some(torch) => {
            let commit = torch.commit.as_deref().map_or_else(String::new, |c| format!(", commit {c}"));
            format!("{}{commit}", torch.version)
        }
        None => "not recorded".to_owned(),
    };
    let mut facts = vec![("torch", Html::escaped(&torch))];
    let records = report.model.compiles.iter().flat_map(|c| &c.metrics);
    let Some(last) = records.max_by_key(|m| m.line) else {
        facts.push(("Python, CUDA, Triton", Html::escaped("not recorded: they stand in metrics records")));
        return Ok(facts);
    };
    let found = report
        .with_fields(last.header, last.first_line, |fields| VERSIONS.map(|(_, key)| fields.text(key)))?;
    for ((label, _), version) in VERSIONS.into_iter().zip(found) {
        let text = match version.as_deref().map(str::trim) {
            Some("") => "none".to_owned(),
            Some(text) => clipped(text, LONGEST_VERSION).0.to_owned(),
            None => UNKNOWN.to_owned(),
        };
        facts.push((label, Html::escaped(&text)));
    }
    Ok(facts)
}

fn log(view: View<'_>) -> Vec<(&'static str, Html)> {
    let model = view.report.model;
    let log = &model.log;
    let size = format!("{}, {}", log.file, bytes(log.bytes as f64));
    let pids: Vec<String> = log.pids.iter().take(PIDS).map(ToString::to_string).collect();
    let more = log.pids.len().saturating_sub(PIDS);
    let more = if more > 0 { format!(" and {} more", whole(more)) } else { String::new() };
    let time = |stamp| model.time(stamp).unwrap_or_else(|| UNKNOWN.to_owned());
    let rank = log.rank.map_or_else(|| "no rank recorded".to_owned(), |r| format!("rank {r}"));
    let mut facts = vec![
        ("Log", Html::escaped(&size)),
        (
            "Records",
            Html::escaped(&format!("{}, {} to {}", whole(log.records), time(log.first), time(log.last))),
        ),
        ("Processes", Html::escaped(&format!("{}{more}; {rank}", pids.join(", ")))),
    ];
    let files = ["report.json", "compile_directory.json", "chromium_events.json", "raw.jsonl", "raw.log"];
    facts.push(("Data", Html::joined(files.map(|file| view.link(file, file)), ", ")));
    facts
}
