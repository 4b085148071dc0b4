//! The run, other runs, ignored files, and the job's data files.

use super::view::JobView;
use crate::facts::ranks::Aspect;
use crate::limits::{SHORT_LIST, SHOWN};
use crate::model::Run;
use crate::report::kit::formats::{counted, day_and_time, whole};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{close_section, heading, paragraph, write_line};
use serde::Serialize;
use std::io::Write;

const PERFETTO: &str = "To open a trace: go to https://ui.perfetto.dev, choose `Open trace file` and pick \
    the file, or drag it there; the page reads it on your machine and uploads nothing. `chrome://tracing` \
    opens it too. `w` and `s` zoom, `a` and `d` move.";

/// The description of a file.
struct DataFile {
    name: &'static str,
    shows: &'static str,
}

#[derive(Serialize)]
struct Files {
    files: Vec<ShownFile>,
}

#[derive(Serialize)]
struct ShownFile {
    name: Html,
    shows: Html,
}

const SUMMARY: DataFile = DataFile {
    name: "report.md",
    shows: "this page as one text of at most 60 KB, to paste into an issue or give to an assistant",
};

const REPORT: DataFile = DataFile {
    name: "report.json",
    shows: "everything on this page as data: the ranks with their state, each comparison with its groups, \
        the findings",
};

const CHROMIUM: DataFile = DataFile {
    name: "chromium_events.json",
    shows: "a trace of the compiler on all ranks, for Perfetto: each rank is a process whose spans are the \
        nested phases of its compiles, on the rank's clock; further processes of a rank are threads",
};

const RUNTIME: [DataFile; 2] = [
    DataFile {
        name: "chromium_trace_with_runtime.json",
        shows: "a trace of torch's runtime estimates, for Perfetto: each rank is a process and each graph \
            a thread, whose operations follow each other without gaps, to compare a graph between ranks; \
            operations are drawn at least one microsecond long",
    },
    DataFile {
        name: "runtime_estimations.json",
        shows: "the same estimates as data: rank, graph, and the nanoseconds of each operation",
    },
];

const SCHEDULES: DataFile = DataFile {
    name: "collective_schedules.json",
    shows: "the collectives of each graph in scheduled order, by rank",
};

pub(super) fn section(view: JobView<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let job = view.report.job;
    view.open_section(out, ("run", "Run and files", ""), None, Html::default())?;
    let mut facts = Vec::new();
    for (index, run) in job.runs.iter().enumerate().take(SHOWN) {
        let logs = counted(run.logs.len(), "log", "logs");
        let text = format!("{}: {logs}", time_range(run).unwrap_or_else(|| "at an unknown time".to_owned()));
        facts.push((if index == 0 { "This run" } else { "Another run" }, Html::escaped(&text)));
    }
    if job.runs.len() > 1 {
        facts.push(("", view.prose("`--session N` reports another run, 1 being the oldest.")));
    }
    if !job.skipped_files.is_empty() {
        let shown = job.skipped_files.iter().take(SHOWN);
        let names = shown.map(|file| {
            let reason = Html::escaped(&format!(" ({})", file.reason));
            Html::joined([view.code(&file.name), reason], "")
        });
        let more = job.skipped_files.len().saturating_sub(SHOWN);
        let more = if more > 0 { format!(" and {} more", whole(more)) } else { String::new() };
        let names = Html::joined([Html::joined(names, ", "), Html::escaped(&more)], "");
        facts.push(("Ignored", names));
    }
    if !facts.is_empty() {
        write_line(out, &view.facts(facts))?;
    }
    heading(out, "Files of the job")?;
    write_line(out, &view.render("job_files", &Files { files: files(view) })?)?;
    paragraph(out, view.prose(PERFETTO))?;
    close_section(out)?;
    Ok(())
}

/// The files with their descriptions.
fn files(view: JobView<'_>) -> Vec<ShownFile> {
    let job = view.report.job;
    let mut files = vec![CHROMIUM];
    if job.ranks.iter().any(|rank| rank.runtime.is_some()) {
        files.extend(RUNTIME);
    }
    let schedules = job.ranks.iter().any(|rank| rank.fact(Aspect::Collectives).is_some());
    files.extend(schedules.then_some(SCHEDULES));
    files.extend([REPORT, SUMMARY]);
    let named = files
        .into_iter()
        .map(|file| ShownFile { name: view.link(file.name, file.name), shows: Html::escaped(file.shows) });
    named.chain(parity(view)).collect()
}

/// The files of the ranks that compare scheduled collectives with those that the code calls.
fn parity(view: JobView<'_>) -> Option<ShownFile> {
    let ranks = view.report.job.ranks.iter().filter(|rank| rank.scheduled.is_some() && rank.log.is_some());
    let ranks: Vec<_> = ranks.collect();
    let links = ranks.iter().take(SHORT_LIST).map(|rank| {
        view.link(&view.in_rank(rank, "collectives_parity.json"), &format!("rank {}", rank.number))
    });
    let links = Html::joined(links.collect::<Vec<_>>(), ", ");
    let more = ranks.len().saturating_sub(SHORT_LIST);
    let more = match more {
        0 => String::new(),
        _ => format!(" and in the folders of {}", counted(more, "more rank", "more ranks")),
    };
    let about = "scheduled collectives compared with those that the generated code calls, per compile: ";
    let shows = Html::joined([about.into(), links, Html::escaped(&more)], "");
    (!ranks.is_empty()).then(|| ShownFile { name: view.code("collectives_parity.json"), shows })
}

/// `20 Nov 05:09:20 to 05:09:31`; None if unknown.
pub(super) fn time_range(run: &Run) -> Option<String> {
    let (day, from) = day_and_time(run.first_time.as_deref()?)?;
    let (last_day, to) = day_and_time(run.last_time.as_deref()?)?;
    Some(match last_day == day {
        true => format!("{day} {from} to {to}"),
        false => format!("{day} {from} to {last_day} {to}"),
    })
}
