//! Where the log comes from: versions, processes, times and files.

use crate::limits::NAMED;
use crate::report::data;
use crate::report::kit::markup::two_columns;
use crate::report::kit::prelude::*;
use crate::report::kit::versions::versions;

pub(crate) fn section(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let head = ("environment", "Environment", "what wrote the log, and its files");
    view.open_section(out, head, None, Html::default())?;
    write_line(out, &two_columns(view.facts(versions(view)?), view.facts(log(view))))?;
    Ok(close_section(out)?)
}

fn log(view: View<'_>) -> Vec<(&'static str, Html)> {
    let model = view.report.model;
    let log = &model.log;
    let pids = log.pids.iter().take(NAMED).map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let more = and_more(log.pids.len(), NAMED);
    let time = |time: &Option<String>| time.clone().unwrap_or_else(|| UNKNOWN.to_owned());
    let rank = log.rank.map_or_else(|| "no rank recorded".to_owned(), |r| format!("rank {r}"));
    let records = format!("{}, {} to {}", whole(log.records), time(&log.first_time), time(&log.last_time));
    let parity = data::has_parity(view.report).then_some("collectives_parity.json");
    let files = [paths::REPORT_MD, "report.json", "compile_directory.json", "chromium_events.json"];
    let files = files.into_iter().chain(parity).chain(["raw.jsonl", "raw.log"]);
    let mut facts = vec![
        ("Log", format!("{}, {}", log.file, bytes(log.bytes as f64)).into()),
        ("Records", records.into()),
        ("Processes", format!("{pids}{more}; {rank}").into()),
        ("Data", Html::joined(files.map(|file| view.link(file, file)), ", ")),
    ];
    let asked =
        view.report.found.on_device.iter().filter_map(|(index, of)| Some((index, of.cuda_graphs.as_ref()?)));
    let graphs: Vec<Html> = asked
        .map(|(index, graphs)| {
            Html::joined([view.some_pills(&view.compiles(&[index]), 1), graphs.words().into()], " ")
        })
        .collect();
    if !graphs.is_empty() {
        let more = and_more(graphs.len(), NAMED);
        facts.push(("CUDA graphs", Html::joined(graphs.into_iter().take(NAMED).chain([more.into()]), "; ")));
    }
    facts
}
