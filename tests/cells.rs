//! Numbers that a reader sees in tables, held against report.json: of a job, of each rank, in every form of the report.

use crate::support::html::{Page, text_of};
use crate::support::job::job;
use crate::support::{Run, files_below, reports, source};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The jobs whose ranks are compared.
fn jobs() -> Vec<String> {
    let files = files_below(&source("tests/jobs"));
    let names: BTreeSet<String> =
        files.iter().filter_map(|path| Some(path.split_once('/')?.0.to_owned())).collect();
    let held = names.into_iter().filter(|name| !job(name).list("ranks").is_empty());
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
        assert_eq!(keyed(&of_page(&report.page("index.html"), "#rank-table")), expected, "{name}");
        assert_eq!(keyed(&of_markdown(&report.read("report.md"), "## Ranks")), expected, "{name}");
        let shown = Run::bare().go_with(&["show", report.folder.to_str().unwrap()]).stdout;
        assert_eq!(keyed(&of_show(&shown, "Ranks (")), expected, "{name}: {shown}");
        let redacted = Run::of(source(&format!("tests/jobs/{name}"))).args(["--redact"]).ok();
        assert_eq!(keyed(&of_page(&redacted.page("index.html"), "#ranks-table")), expected, "{name}");
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
