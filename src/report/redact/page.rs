//! The page of a redacted report: what is known, and what was left out.

use super::facts::{Redacted, RedactedLog};
use super::words::list;
use crate::output::{Page, RelPath};
use crate::report::kit::assets::COMPARE;
use crate::report::kit::formats::{counted, whole};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{Element, close_section, paragraph, put};
use crate::report::kit::shell::{Shell, Tab, write_page};
use crate::report::kit::tables::{Head, Row, Table, Td};
use crate::report::kit::templates::Worker;
use crate::report::kit::view::Pieces;
use serde_json::Value;
use std::io::Write;

/// The landing page.
pub fn landing(redacted: &Redacted) -> Page<'_, Worker> {
    Page::rendered(path_in("", "index.html"), move |worker, out| match &redacted.job {
        Some(job) => write_page(worker, out, &shell("Redacted job", job, redacted), |worker, out| {
            let view = Pieces { worker, depth: 0 };
            begin(view, out, &sentence(redacted))?;
            section(view, out, &RANKS, job)?;
            section(view, out, &FINDINGS, job)?;
            left_out(view, out, redacted, &redacted.logs)
        }),
        None => redacted.logs.first().map_or(Ok(()), |log| write_log(redacted, log, worker, out)),
    })
}

/// The page of a rank.
pub fn of_log<'r>(redacted: &'r Redacted, log: &'r RedactedLog) -> Page<'r, Worker> {
    Page::rendered(path_in(&log.folder, "index.html"), move |worker, out| {
        write_log(redacted, log, worker, out)
    })
}

fn write_log(
    redacted: &Redacted,
    log: &RedactedLog,
    worker: &mut Worker,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let (facts, name) = (&log.facts, log.folder.trim_end_matches('/').replace('_', " "));
    let name = if name.is_empty() { "Redacted log".to_owned() } else { format!("Redacted log of {name}") };
    write_page(worker, out, &shell(&name, facts, redacted), |worker, out| {
        let view = Pieces { worker, depth: 0 };
        begin(view, out, &sentence_of_log(facts))?;
        for one in [&FINDINGS, &COMPILES, &BREAKS, &RECOMPILES, &FAILURES, &RESTARTS, &CACHES] {
            section(view, out, one, facts)?;
        }
        section(view, out, &PARTS, &facts["compile_time"])?;
        section(view, out, &PHASES, &facts["compile_time"])?;
        left_out(view, out, redacted, std::slice::from_ref(log))
    })
}

fn shell(name: &str, facts: &Value, redacted: &Redacted) -> Shell<'static> {
    let mut shell = Shell::of_job(name, None, COMPARE);
    let version = facts["torch"]["version"].as_str();
    shell.aside = version.map(|version| format!("torch {version}")).unwrap_or_default();
    shell.tabs.push(Tab::section(FINDINGS.id, FINDINGS.title, Some(whole(list(facts, FINDINGS.key).len()))));
    shell.tabs.push(Tab::section(LEFT_OUT, "What was left out", None));
    if redacted.job.is_some() && facts["kind"] == "job" {
        let ranks = redacted.logs.iter().map(|log| {
            Tab::away(
                format!("{}index.html", log.folder),
                &log.folder.trim_end_matches('/').replace('_', " "),
                None,
            )
        });
        shell.tabs.extend(ranks);
    }
    shell
}

fn begin(view: Pieces<'_>, out: &mut dyn Write, sentence: &str) -> anyhow::Result<()> {
    let note = "This report is redacted: names are replaced, and all texts of the log are left out.";
    put(out, &view.verdict(Html::escaped(sentence), vec![Html::escaped(note)])?)?;
    Ok(())
}

/// The verdict in numbers.
pub fn sentence(redacted: &Redacted) -> String {
    match (&redacted.job, redacted.logs.first()) {
        (Some(job), _) => {
            let compared = job["divergence"].as_object().into_iter().flatten();
            let differing = compared.filter(|(_, fact)| fact["differs"] == true).count();
            let ranks = counted(list(job, "ranks").len(), "rank", "ranks");
            match differing {
                0 => format!("{ranks}, which agree."),
                _ => format!("{ranks}, which differ in {}.", counted(differing, "fact", "facts")),
            }
        }
        (None, Some(log)) => sentence_of_log(&log.facts),
        (None, None) => "Nothing was recorded.".to_owned(),
    }
}

fn sentence_of_log(facts: &Value) -> String {
    let count = |key: &str| list(facts, key).len();
    let seconds = facts["compile_time"]["total_s"].as_f64().map(|seconds| format!(" in {seconds:.2} s"));
    // Records without a compile id are an entry of the list, and no compilation.
    let compiles = list(facts, "compiles").iter().filter(|one| one["id"].is_string()).count();
    format!(
        "{}{}: {}, {}, {}.",
        counted(compiles, "compilation", "compilations"),
        seconds.unwrap_or_default(),
        counted(count("failures"), "failure", "failures"),
        counted(count("graph_breaks"), "distinct graph break", "distinct graph breaks"),
        counted(count("recompiles"), "recompilation", "recompilations"),
    )
}

/// A list of the facts as a section with a table.
struct Section {
    id: &'static str,
    title: &'static str,
    key: &'static str,
    columns: &'static [&'static str],
    cells: fn(&Value) -> Vec<String>,
}

const RANKS: Section = Section {
    id: "ranks",
    title: "Ranks",
    key: "ranks",
    columns: &["Rank", "State", "Compiles", "Breaks", "Recompiles", "Failures", "Seconds"],
    cells: |one| {
        ["rank", "state", "compiles", "graph_breaks", "recompiles", "failures", "compile_time_s"]
            .map(|key| text(&one[key]))
            .to_vec()
    },
};

const FINDINGS: Section = Section {
    id: "findings",
    title: "Findings",
    key: "findings",
    columns: &["Severity", "Finding", "Place", "Compiles", "Cost"],
    cells: |one| {
        let cost = &one["cost"];
        let cost = cost["seconds"].as_f64().map(|seconds| format!("{seconds:.3} s {}", text(&cost["kind"])));
        vec![text(&one["severity"]), text(&one["title"]), place(one), ids(one), cost.unwrap_or_default()]
    },
};

const COMPILES: Section = Section {
    id: "compiles",
    title: "Compiles",
    key: "compiles",
    columns: &["Compile", "Status", "Function", "Place", "Breaks", "Seconds"],
    cells: |one| {
        let function = &one["function"];
        vec![
            text(&one["id"]),
            text(&one["status"]),
            text(&function["name"]),
            place(function),
            text(&one["graph_breaks"]),
            seconds(&one["time"]["seconds"]),
        ]
    },
};

const BREAKS: Section = Section {
    id: "breaks",
    title: "Graph breaks",
    key: "graph_breaks",
    columns: &["Count", "Id", "Place", "Compiles"],
    cells: |one| vec![text(&one["count"]), text(&one["gb_id"]), place(one), ids(one)],
};

const RECOMPILES: Section = Section {
    id: "recompiles",
    title: "Recompilations",
    key: "recompiles",
    columns: &["Compile", "Function", "Instead of"],
    cells: |one| {
        let against: Vec<String> =
            list(one, "reasons").iter().map(|reason| text(&reason["against"])).collect();
        vec![text(&one["compile_id"]), text(&one["function"]), against.join(", ")]
    },
};

const FAILURES: Section = Section {
    id: "failures",
    title: "Failures",
    key: "failures",
    columns: &["Compile", "Error", "Place"],
    cells: |one| vec![text(&one["compile_id"]), text(&one["type"]), place(one)],
};

const RESTARTS: Section = Section {
    id: "restarts",
    title: "Restarts",
    key: "restarts",
    columns: &["Compile", "Why"],
    cells: |one| vec![text(&one["compile_id"]), text(&one["reason"])],
};

const CACHES: Section = Section {
    id: "caches",
    title: "Lookups in caches",
    key: "caches",
    columns: &["Compile", "Cache", "Outcome", "Reason"],
    cells: |one| ["compile_id", "cache", "outcome", "reason"].map(|key| text(&one[key])).to_vec(),
};

const PARTS: Section = Section {
    id: "parts",
    title: "Time by part",
    key: "parts",
    columns: &["Part", "Seconds"],
    cells: |one| vec![text(&one["name"]), seconds(&one["seconds"])],
};

const PHASES: Section = Section {
    id: "phases",
    title: "Time by phase",
    key: "phases",
    columns: &["Phase", "Own seconds", "Seconds", "Count"],
    cells: |one| {
        vec![text(&one["name"]), seconds(&one["self_s"]), seconds(&one["total_s"]), text(&one["count"])]
    },
};

/// A section, where its list has an entry.
fn section(view: Pieces<'_>, out: &mut dyn Write, section: &Section, facts: &Value) -> anyhow::Result<()> {
    let entries = list(facts, section.key);
    if entries.is_empty() {
        return Ok(());
    }
    let count = Some(whole(entries.len()));
    view.open_section(out, (section.id, section.title, ""), count, Html::default())?;
    let heads = section.columns.iter().map(|title| Head::text(title)).collect();
    let table = Table { id: &format!("{}-table", section.id), label: section.title, heads };
    let rows = entries.iter().zip(1..).map(|(one, number)| {
        let row = Row::of((section.cells)(one).iter().map(|cell| Td::text(cell)).collect());
        // `url` of a finding leads here.
        Ok(if section.id == FINDINGS.id { row.anchored(format!("finding-{number}")) } else { row })
    });
    view.table(out, &table, rows.collect::<Vec<_>>().into_iter())?;
    close_section(out)?;
    Ok(())
}

/// The anchor of the last section.
const LEFT_OUT: &str = "left-out";

/// What a reader of the whole report would see besides.
fn left_out(
    view: Pieces<'_>,
    out: &mut dyn Write,
    redacted: &Redacted,
    logs: &[RedactedLog],
) -> anyhow::Result<()> {
    view.open_section(out, (LEFT_OUT, "What was left out", ""), None, Html::default())?;
    let sum = |of: fn(&RedactedLog) -> usize| logs.iter().map(of).sum::<usize>();
    let (functions, files) = redacted.names.counts();
    paragraph(
        out,
        "This report is made of numbers, of words of this program and of torch, and of pseudonyms. Everything else is \
         left out, and nothing of it stands anywhere in the folder:",
    )?;
    let items = [
        format!(
            "the names of {} and {}, which are called f1, f2 and file1, file2 in the order of the log; names of kernels, and \
             names that torch does not give",
            counted(functions, "function", "functions"),
            counted(files, "file", "files")
        ),
        format!(
            "{} of the log: graphs, generated code, guards, metrics, payloads, raw.log and raw.jsonl",
            counted(sum(|log| log.left_out.files), "file", "files")
        ),
        format!(
            "{} of stacks, and the source text of every line",
            counted(sum(|log| log.left_out.frames), "frame", "frames")
        ),
        format!("{} of torch, cache keys, folders", counted(sum(|log| log.left_out.settings), "setting", "settings")),
        "messages of errors and graph breaks, guards that failed, hints that quote code: gb numbers lead to torch's catalog"
            .to_owned(),
        "the name of the log, process ids, times of day, and the reports of further processes".to_owned(),
        "kernels measured by torch.profiler".to_owned(),
    ];
    let items = items.iter().map(|item| Element::new("li").around(Html::escaped(item)));
    put(out, &Element::new("ul").around(Html::joined(items.collect::<Vec<_>>(), "")))?;
    close_section(out)?;
    Ok(())
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn seconds(value: &Value) -> String {
    value.as_f64().map_or_else(|| "-".to_owned(), |seconds| format!("{seconds:.3}"))
}

fn place(one: &Value) -> String {
    match (one["file"].as_str(), one["line"].as_u64()) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        (Some(file), None) => file.to_owned(),
        (None, _) => "-".to_owned(),
    }
}

fn ids(one: &Value) -> String {
    list(one, "compile_ids").iter().map(text).collect::<Vec<_>>().join(", ")
}

/// A file of a folder such as `rank_0/`.
pub fn path_in(folder: &str, name: &str) -> RelPath {
    let folder = folder.trim_end_matches('/');
    if folder.is_empty() { RelPath::of_parts(&[name]) } else { RelPath::of_parts(&[folder, name]) }
}
