//! Numbers that a reader sees in tables, held against report.json: of a job, of each rank, in every form of the report.

mod columns;
pub mod forms;
mod lists;
mod severity;
mod shown;

use crate::support::html::{Page, text_of};
use crate::support::job::job;
use crate::support::{Report, Run, files_below, input, report, reports, source};
use columns::{LISTS, Shown, WITHOUT_FACTS};
use forms::{Table, of_report};
use lists::{at, entries};
use serde_json::{Value, json};
use shown::shows;
use std::collections::{BTreeMap, BTreeSet};

/// The jobs whose ranks are compared.
fn jobs() -> Vec<String> {
    let files = files_below(&source("tests/jobs"));
    let names: BTreeSet<String> =
        files.iter().filter_map(|path| Some(path.split_once('/')?.0.to_owned())).collect();
    // Ranks of two jobs are not compared, and have no counts in common.
    let names = names.into_iter().filter(|name| name != "32_two_jobs");
    let held = names.filter(|name| !job(name).list("ranks").is_empty());
    held.collect()
}

/// The counts of a rank by key of report.json.
const COUNTS: [&str; 4] = ["compiles", "graph_breaks", "recompiles", "failures"];

/// The key of report.json for the head of a column.
fn key(head: &str) -> Option<&'static str> {
    Some(match head {
        "Rank" => "rank",
        "Compiles" => "compiles",
        "Breaks" | "Graph breaks" => "graph_breaks",
        "Recompiles" => "recompiles",
        "Failures" => "failures",
        _ => return None,
    })
}

/// A table as rows of cells by key, from rows of texts of which the first is the head.
fn keyed(rows: &[Vec<String>]) -> Vec<BTreeMap<&'static str, u64>> {
    let (head, rows) = rows.split_first().unwrap();
    let keys: Vec<Option<&str>> = head.iter().map(|text| key(text)).collect();
    assert_eq!(keys.iter().flatten().count(), 1 + COUNTS.len(), "{head:?}");
    let number = |cell: &String| cell.trim_start_matches("rank ").parse().unwrap();
    let row = |cells: &Vec<String>| {
        keys.iter().zip(cells).filter_map(|(key, cell)| Some(((*key)?, number(cell)))).collect()
    };
    let mut rows: Vec<BTreeMap<_, _>> = rows.iter().map(row).collect();
    rows.sort_by_key(|row| row["rank"]);
    rows
}

/// The same of report.json.
fn expected(report: &Value) -> Vec<BTreeMap<&'static str, u64>> {
    let ranks = report["ranks"].as_array().unwrap();
    let keys = || std::iter::once("rank").chain(COUNTS);
    ranks.iter().map(|rank| keys().map(|key| (key, rank[key].as_u64().unwrap())).collect()).collect()
}

/// The rows of a table of a page, its head first.
fn of_page(page: &Page, id: &str) -> Vec<Vec<String>> {
    let cells = |row: scraper::ElementRef<'_>| {
        row.child_elements().map(|cell| text_of(cell).replace('\u{a0}', " ").trim().to_owned()).collect()
    };
    page.all(&format!("{id} tr")).into_iter().map(cells).collect()
}

/// The rows of the table below a heading of a Markdown file, its head first.
fn of_markdown(text: &str, heading: &str) -> Vec<Vec<String>> {
    let lines = text.lines().skip_while(|line| *line != heading).skip_while(|line| !line.starts_with('|'));
    let rows = lines.take_while(|line| line.starts_with('|')).filter(|line| !line.contains("---"));
    rows.map(|row| row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()).collect()
}

/// The rows of a list that `tlparse show` prints, its head first.
fn of_show(text: &str, heading: &str) -> Vec<Vec<String>> {
    let lines = text.lines().skip_while(|line| !line.starts_with(heading)).skip(1);
    let rows = lines.take_while(|line| !line.is_empty());
    let two_spaces = |row: &str| {
        row.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).map(str::to_owned).collect()
    };
    rows.map(two_spaces).collect()
}

#[test]
fn each_table_of_ranks_has_the_counts_of_report_json() {
    for name in jobs() {
        let report = job(&name);
        let expected = expected(&report.json);
        assert_eq!(keyed(&of_page(&report.page("index.html"), "#ranks-table")), expected, "{name}");
        assert_eq!(keyed(&of_markdown(&report.read("report.md"), "## Ranks")), expected, "{name}");
        let shown = Run::bare().go_with(&["show", report.folder.to_str().unwrap()]).stdout;
        assert_eq!(keyed(&of_show(&shown, "Ranks (")), expected, "{name}: {shown}");
        let redacted = Run::of(source(&format!("tests/jobs/{name}"))).args(["--redact"]).ok();
        assert_eq!(keyed(&of_page(&redacted.page("index.html"), "#ranks-table")), expected, "{name}");
    }
}

#[test]
fn a_column_of_the_ranks_is_in_each_of_their_tables() {
    for name in ["34_ddp", "13_div_shapes"] {
        let report = job(name);
        let shown = Run::bare().go_with(&["show", report.folder.to_str().unwrap()]).stdout;
        let columns = of_show(&shown, "Ranks (").remove(0);
        assert!(columns.len() > COUNTS.len() + 2, "{columns:?}");
        let page = of_page(&report.page("index.html"), "#ranks-table").remove(0);
        let markdown = of_markdown(&report.read("report.md"), "## Ranks").remove(0);
        let redacted = Run::of(source(&format!("tests/jobs/{name}"))).args(["--redact"]).ok();
        let redacted = of_page(&redacted.page("index.html"), "#ranks-table").remove(0);
        for column in &columns {
            assert!(page.contains(column), "{column}: {page:?}");
            assert!(markdown.contains(column), "{column}: {markdown:?}");
            // The names of files are left out.
            assert!(column == "Log" || redacted.contains(column), "{column}: {redacted:?}");
        }
    }
}

/// What a rank's own report says of itself.
fn of_rank(report: &Value) -> BTreeMap<&'static str, Value> {
    let count = |key: &str| json!(report[key].as_array().unwrap().len());
    let named = report["compiles"].as_array().unwrap().iter().filter(|one| !one["id"].is_null());
    BTreeMap::from([
        ("compiles", json!(named.count())),
        ("graph_breaks", count("graph_breaks")),
        ("recompiles", count("recompiles")),
        ("failures", count("failures")),
        ("compile_time_s", report["compile_time"]["total_s"].clone()),
    ])
}

#[test]
fn a_job_says_of_each_rank_what_the_rank_says_of_itself() {
    for name in jobs() {
        let report = job(&name);
        for rank in report.list("ranks") {
            let own = report.json_file(&format!("{}/report.json", rank["dir"].as_str().unwrap()));
            for (key, value) in of_rank(&own) {
                assert_eq!(rank[key], value, "{name}: {key} of rank {}", rank["rank"]);
            }
        }
    }
}

/// The number beside the heading of a section; 0 without the section.
fn count_of(page: &Page, id: &str) -> u64 {
    let count = page.all(&format!("section#{id} .section-head .count")).first().map(|one| text_of(*one));
    count.map_or(0, |text| text.trim().parse().unwrap())
}

#[test]
fn the_page_of_a_compile_counts_its_breaks_failures_and_restarts_as_report_json_does() {
    for (name, report) in reports() {
        for compile in report.list("compiles").iter().filter(|compile| !compile["id"].is_null()) {
            let of_id = |one: &Value| one["compile_id"] == compile["id"];
            let breaks = report.list("graph_breaks").iter();
            let breaks = breaks.filter(|one| one["compile_ids"].as_array().unwrap().contains(&compile["id"]));
            let listed = [
                ("breaks", breaks.count()),
                ("failures", report.list("failures").iter().filter(|one| of_id(one)).count()),
                ("restarts", report.list("restarts").iter().filter(|one| of_id(one)).count()),
            ];
            let attempts = compile["attempts"].as_array().unwrap();
            let page = format!("{}/compile.html", attempts[0]["dir"].as_str().unwrap());
            if !report.has(&page) {
                continue;
            }
            let text = report.read(&page);
            if listed.iter().all(|(id, count)| *count == 0 && !text.contains(&format!("section id=\"{id}\"")))
            {
                continue;
            }
            let page = Page::parse(&page, &text);
            for (id, expected) in listed {
                assert_eq!(count_of(&page, id), expected as u64, "{name}: {id} of {}", compile["id"]);
            }
        }
    }
}

/// Stored logs of which every table is held: with breaks, recompiles, failures, caches, exports, vLLM and CUDA graphs.
const LOGS: [&str; 21] = [
    "01_inference",
    "02_train_mlp",
    "03_graph_breaks",
    "04_recompiles",
    "05_dynamic_shapes",
    "06_errors",
    "07_compiled_autograd",
    "08_cache_bypass",
    "08_cache_hit",
    "08_cache_miss",
    "10_aoti",
    "11_export_clean",
    "11_export_draft",
    "12_ddp_crash",
    "21_torch26_03_graph_breaks",
    "22_vllm_new",
    "25_guards",
    "34_cg_many_sizes",
    "34_max_autotune",
    "34_triton_memory",
    "34_triton_shapes",
];

/// Runs with a trace of torch.profiler, in `tests/profiles`.
const PROFILED: [&str; 3] = ["24_profile", "34_cg_decoder", "34_user_triton"];

/// The list that a table shows, and whether it shows all of it.
fn list_of(name: &str) -> Option<(&'static Shown, bool)> {
    let whole = LISTS.iter().find(|list| list.whole.contains(&name)).map(|list| (list, true));
    whole.or_else(|| Some((LISTS.iter().find(|list| list.some.contains(&name))?, false)))
}

/// Whether it is written down why a table shows nothing of report.json.
fn is_without_facts(name: &str) -> bool {
    let file = name.strip_prefix("job ").unwrap_or(name).split(' ').next().unwrap();
    let file = if file.starts_with("provenance_tracking") { "provenance_tracking.html" } else { file };
    WITHOUT_FACTS.iter().any(|(without, _)| *without == name || *without == file)
}

/// The keys of the columns of a table, with the texts of a row; a column without a fact has no key.
fn keys_of(table: &Table, list: &Shown) -> Result<Vec<Option<&'static str>>, String> {
    let key = |head: &String| {
        let of = |columns: &[(&'static str, &'static str)]| {
            columns.iter().find(|(name, _)| name == head).map(|(_, key)| *key)
        };
        let heard = of(list.columns).map(Some).or_else(|| of(list.unsaid).map(|_| None));
        heard.ok_or_else(|| {
            let place = &table.place;
            format!("{place}: the column {head} of {} is not in tests/cells/columns.rs", list.list)
        })
    };
    table.head.iter().map(key).collect()
}

/// Cells of a row that do not show an entry, in words.
fn wrong(table: &Table, list: &Shown, keys: &[Option<&str>], row: &[String], entry: &Value) -> Vec<String> {
    let heading = list.columns.iter().find(|(head, _)| *head == "^").map(|(_, key)| *key);
    let heading = heading.filter(|_| table.name.starts_with("recompilations"));
    let cells = keys.iter().copied().zip(row).chain([(heading, &table.heading)]);
    let told = cells.filter_map(|(key, cell)| Some((key?, cell)));
    let differs = told.filter(|(key, cell)| !shows(cell, at(entry, key), key));
    differs.map(|(key, cell)| format!("{key}: {cell:?} for {}", at(entry, key))).collect()
}

/// Holds the rows of a table against the entries that it shows.
fn hold(table: &Table, facts: &Value) -> Vec<String> {
    let Some((list, whole)) = list_of(&table.name) else {
        let known = is_without_facts(&table.name);
        let words = format!("{}: add the table {:?} to tests/cells/columns.rs", table.place, table.name);
        return if known { Vec::new() } else { vec![words] };
    };
    let keys = match keys_of(table, list) {
        Ok(keys) => keys,
        Err(words) => return vec![words],
    };
    let mut left = entries(facts, list.list, table.number);
    let mut faults = Vec::new();
    for row in table.rows.iter().filter(|row| row.len() == keys.len()) {
        let wrongs = left.iter().map(|entry| wrong(table, list, &keys, row, entry));
        let nearest = wrongs.enumerate().min_by_key(|(_, wrongs)| wrongs.len());
        match nearest {
            Some((index, wrongs)) if wrongs.is_empty() => drop(left.remove(index)),
            Some((_, wrongs)) => faults.push(format!("{}: {row:?}: {wrongs:?}", table.place)),
            None => faults.push(format!("{}: {row:?} is of nothing in report.json", table.place)),
        }
    }
    if whole && faults.is_empty() && !left.is_empty() {
        faults.push(format!("{}: {} entries are not in it, such as {}", table.place, left.len(), left[0]));
    }
    faults
}

/// Holds all tables of a report against its report.json.
fn hold_all(name: &str, report: &Report) -> Vec<String> {
    let redacted = if name.starts_with("redacted") { "redacted " } else { "" };
    let job = if report.json["kind"] == "job" { "job " } else { "" };
    let tables = of_report(report, &format!("{redacted}{job}"));
    assert!(!tables.is_empty(), "{name} has no table");
    let faults = tables.iter().flat_map(|table| hold(table, &report.json));
    faults.map(|fault| format!("{name}: {fault}")).collect()
}

/// Fails with the first faults of all.
fn none(faults: &[String]) {
    let first: Vec<&String> = faults.iter().take(40).collect();
    assert!(faults.is_empty(), "{} cells: {first:#?}", faults.len());
}

#[test]
fn every_cell_of_a_table_of_a_log_is_that_of_report_json() {
    let faults: Vec<String> = LOGS.iter().flat_map(|name| hold_all(name, report(name))).collect();
    none(&faults);
}

#[test]
fn every_cell_of_a_table_of_a_profiled_run_is_that_of_report_json() {
    let folder = |name: &str| source(&format!("tests/profiles/{name}"));
    none(&PROFILED.iter().flat_map(|name| hold_all(name, &Run::of(folder(name)).ok())).collect::<Vec<_>>());
}

#[test]
fn every_cell_of_a_table_of_a_job_is_that_of_report_json() {
    none(&jobs().iter().flat_map(|name| hold_all(name, job(name))).collect::<Vec<_>>());
}

#[test]
fn every_cell_of_a_redacted_table_is_that_of_its_report_json() {
    let mut faults = Vec::new();
    for name in LOGS {
        faults.extend(hold_all(&format!("redacted {name}"), &Run::from(input(name)).args(["--redact"]).ok()));
    }
    for name in PROFILED {
        let run = Run::of(source(&format!("tests/profiles/{name}"))).args(["--redact"]);
        faults.extend(hold_all(&format!("redacted {name}"), &run.ok()));
    }
    for name in jobs() {
        let run = Run::of(source(&format!("tests/jobs/{name}"))).args(["--redact"]);
        faults.extend(hold_all(&format!("redacted {name}"), &run.ok()));
    }
    none(&faults);
}
