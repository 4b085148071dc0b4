//! How bad each finding is, and what became of each difference: the words of every form are those of report.json.

use super::forms::of_markdown;
use super::{LOGS, hold, jobs, none};
use crate::support::{Report, Run, job, report, select, text_of};
use serde_json::{Value, json};

/// The severities of a report's findings, in order.
fn told(report: &Report) -> Vec<&str> {
    report.list("findings").iter().map(|finding| finding["severity"].as_str().unwrap()).collect()
}

/// The severities that the landing page shows of findings with an entry of their own, with their numbers.
fn on_page(report: &Report) -> Vec<(usize, String)> {
    let page = report.page("index.html");
    let severity = |entry: scraper::ElementRef<'_>| {
        let number = entry.attr("id")?.strip_prefix("finding-")?.parse().ok()?;
        let kind = select("summary .kind");
        let classes = entry.select(&kind).next()?.attr("class")?;
        let word = classes.trim_start_matches("kind").trim();
        Some((number, if word == "soft" { "info" } else { word }.to_owned()))
    };
    page.all("[id^=finding-]").into_iter().filter_map(severity).collect()
}

/// The severities below the headings of findings in `report.md`.
fn in_markdown(report: &Report) -> Vec<String> {
    let text = report.read("report.md");
    let findings = text.split("\n### ").skip(1);
    let word = |part: &str| Some(part.lines().nth(2)?.split(' ').next()?.to_owned());
    findings.filter(|part| part.starts_with(|c: char| c.is_ascii_digit())).filter_map(word).collect()
}

/// Holds the severities of a report in its landing page and in `report.md`.
fn hold_severities(name: &str, report: &Report) {
    let told = told(report);
    let shown = on_page(report);
    assert!(shown.len() <= told.len() && (told.is_empty() || !shown.is_empty()), "{name}: {shown:?}");
    for (number, severity) in shown {
        assert_eq!(severity, told[number - 1], "{name}: finding {number} on the landing page");
    }
    let listed = in_markdown(report);
    assert!(listed.len() <= told.len(), "{name}: {listed:?}");
    assert_eq!(listed, told[..listed.len()], "{name}: report.md");
}

#[test]
fn severities_on_landing_pages_and_in_markdown_are_those_of_report_json() {
    for name in LOGS {
        hold_severities(name, report(name));
    }
    for name in jobs() {
        hold_severities(&name, job(&name));
    }
}

/// The first words of a line in the terminal of a comparison.
const KINDS: [&str; 5] = ["New", "Gone", "Worse", "Better", "Changed"];

/// Lines of the terminal as a table: what became of it, and what it is.
fn in_terminal(text: &str) -> Vec<(&str, &str)> {
    let lines = text.lines().filter_map(|line| line.split_once(": "));
    lines.filter(|(kind, _)| KINDS.contains(kind)).collect()
}

/// The facts of a comparison, with the place of each row.
fn facts(comparison: &Value) -> Value {
    let rows = comparison["rows"].as_array().unwrap().iter().cloned();
    let row = |mut row: Value| {
        row["place"] = json!({ "file": row["file"], "line": row["line"] });
        row
    };
    json!({ "rows": rows.map(row).collect::<Vec<_>>() })
}

#[test]
fn what_a_comparison_says_in_its_terminal_and_its_markdown_is_that_of_diff_json() {
    for (before, after) in [("03_graph_breaks", "04_recompiles"), ("04_recompiles", "25_guards")] {
        let folders = [before, after].map(|name| report(name).folder.clone());
        let done = Run::of("diff").args(folders).go();
        let text = done.stdout.clone();
        let read = |file: &str| std::fs::read_to_string(done.folder.join(file)).unwrap();
        let facts = facts(&serde_json::from_str(&read("diff.json")).unwrap());
        for table in of_markdown(&read("diff.md"), "diff ") {
            none(&hold(&table, &facts));
        }
        let lines = in_terminal(&text);
        assert!(lines.len() > 5, "{text}");
        for (kind, what) in lines {
            let rows = facts["rows"].as_array().unwrap();
            let is_row = |row: &&Value| {
                let subject = row["subject"].as_str().unwrap().replace('`', "");
                what.starts_with(subject.as_str()) && row["kind"] == kind.to_lowercase()
            };
            assert!(rows.iter().any(|row| is_row(&row)), "{before} and {after}: {kind}: {what}");
        }
    }
}

/// Entries of graph breaks on their page, by number: how often each happened.
fn breaks_on_page(report: &Report) -> Vec<(usize, String)> {
    let page = report.page("graph_breaks.html");
    let counted = |entry: scraper::ElementRef<'_>| {
        let number = entry.attr("id")?.strip_prefix("break-")?.parse().ok()?;
        let count = select("summary .cost small");
        Some((number, text_of(entry.select(&count).next()?)))
    };
    page.all("[id^=break-]").into_iter().filter_map(counted).collect()
}

#[test]
fn the_page_of_graph_breaks_counts_each_break_as_report_json_does() {
    let with_breaks = LOGS.iter().map(|name| (name, report(name)));
    for (name, report) in with_breaks.filter(|(_, report)| report.has("graph_breaks.html")) {
        let shown = breaks_on_page(report);
        let told = report.list("graph_breaks");
        assert_eq!(shown.len(), told.len(), "{name}: {shown:?}");
        for (number, text) in shown {
            let count = told[number - 1]["count"].as_u64().unwrap();
            let words = text.replace('\u{a0}', " ");
            assert_eq!(words.split(' ').next(), Some(count.to_string().as_str()), "{name}: break {number}");
        }
    }
}
