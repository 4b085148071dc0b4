//! Where the log comes from: versions, processes, times, files.

use crate::report::data;
use crate::report::kit::markup::two_columns;
use crate::report::kit::prelude::*;
use crate::report::kit::versions::versions;

/// Processes that are named.
const PIDS: usize = 8;

pub(crate) fn section(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    view.open_section(
        out,
        ("environment", "Environment", "what wrote the log, and its files"),
        None,
        Html::default(),
    )?;
    let versions = view.facts(versions(view)?);
    let log = view.facts(log(view));
    put(out, &two_columns(versions, log))?;
    close_section(out)?;
    Ok(())
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
    let parity = data::has_parity(view.report).then_some("collectives_parity.json");
    let files = [paths::REPORT_MD, "report.json", "compile_directory.json", "chromium_events.json"];
    let files = files.into_iter().chain(parity).chain(["raw.jsonl", "raw.log"]);
    facts.push(("Data", Html::joined(files.map(|file| view.link(file, file)), ", ")));
    facts
}
