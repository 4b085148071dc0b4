//! What the findings of each stored log say, as text to be read when it changes:
//! `INSTA_UPDATE=always cargo test findings` takes what is new.

use crate::support::{Log, Report, Run, input, report, reports};
use insta::assert_snapshot;
use serde_json::Value;

/// The findings of a report as text: a paragraph each.
fn text(report: &Report) -> String {
    let lines = |value: &Value, label: &str| -> Vec<String> {
        let text = value.as_str().unwrap_or_default();
        text.lines().map(|line| format!("    {label}{line}").trim_end().to_owned()).collect()
    };
    let paragraph = |finding: &Value| {
        let ids = finding["compile_ids"].as_array().unwrap();
        let ids: Vec<&str> = ids.iter().take(12).map(|id| id.as_str().unwrap_or("-")).collect();
        let place = match (finding["file"].as_str(), finding["line"].as_u64()) {
            (Some(file), Some(line)) => format!(" at {file}:{line}"),
            (Some(file), None) => format!(" in {file}"),
            _ => String::new(),
        };
        let cost = &finding["cost"];
        let cost = cost["seconds"]
            .as_f64()
            .map_or_else(String::new, |s| format!(", {s:.3} s {}", cost["kind"].as_str().unwrap()));
        let mut paragraph = vec![format!(
            "{} {}: {}{place} [{}]{cost}",
            finding["severity"].as_str().unwrap(),
            finding["kind"].as_str().unwrap(),
            finding["title"].as_str().unwrap(),
            ids.join(" ")
        )];
        paragraph.extend(lines(&finding["detail"], ""));
        paragraph.extend(lines(&finding["hint"], "> "));
        paragraph.join("\n")
    };
    report.list("findings").iter().map(paragraph).collect::<Vec<_>>().join("\n\n")
}

#[test]
fn the_findings_of_each_log_name_what_it_shows() {
    for (name, report) in reports() {
        assert_snapshot!(format!("findings_of_{}", name.replace('#', "_")), text(report));
    }
}

#[test]
fn damage_comes_first_whatever_else_was_lost() {
    let mut log = Log::of(input("03_graph_breaks"));
    let at = log.nth("create_symbol", 0);
    log.records[at].header.pop();
    let report = Run::of_bytes("dedicated_log_torch_trace_damaged0.log", &log.bytes()).ok();
    let first = &report.list("findings")[0];
    assert_eq!(first["kind"], "damaged_log");
    assert_eq!(first["severity"], "error");
    assert!(
        first["title"].as_str().unwrap().contains(": 1 record is not valid JSON; first at line "),
        "{first}"
    );
}

#[test]
fn findings_are_ranked_by_severity_then_seconds_then_count() {
    for (name, report) in reports() {
        let findings = report.list("findings");
        let rank = |finding: &Value| {
            ["error", "warning", "info"].iter().position(|word| finding["severity"] == *word).unwrap()
        };
        // What is expected comes last, and so is information already.
        let cost = |finding: &Value| match finding["cost"]["kind"].as_str() {
            Some("wasted" | "avoidable") => finding["cost"]["seconds"].as_f64().unwrap(),
            _ => 0.0,
        };
        // How often it happened stands in the detail where it is more than once.
        let times = |finding: &Value| {
            let mut lines = finding["detail"].as_str().unwrap_or_default().lines();
            lines.find_map(|line| line.strip_prefix("Times: ")?.parse().ok()).unwrap_or(1_u64)
        };
        for pair in findings.windows(2) {
            let (a, b) = (&pair[0], &pair[1]);
            let order = rank(a).cmp(&rank(b)).then(cost(b).total_cmp(&cost(a))).then(times(b).cmp(&times(a)));
            assert!(order.is_le(), "{name}: {a} before {b}");
        }
    }
}

/// Whether a failure says that the recompile limit was reached; until torch 2.6 it was one of the cache.
fn is_limit(reason: &str) -> bool {
    reason.contains("recompile") || reason.contains("cache_size_limit")
}

#[test]
fn every_break_failure_and_guard_of_the_report_stands_in_a_finding() {
    for (name, report) in reports() {
        let all = text(report);
        let place = |entry: &Value| format!("{}:{}", entry["file"].as_str().unwrap(), entry["line"]);
        for entry in report.list("graph_breaks") {
            assert!(all.contains(&place(entry)), "{name}: no finding names {}", place(entry));
        }
        for entry in report.list("failures") {
            let reason = entry["reason"].as_str().unwrap_or_default().lines().next().unwrap_or_default();
            let known = all.contains(reason) || is_limit(reason) && all.contains("recompile_limit");
            assert!(known, "{name}: no finding names {reason}");
        }
        let values = |guard: &str| -> Vec<String> {
            guard
                .split(['.', ','])
                .filter_map(|part| part.trim().rsplit_once(' '))
                .map(|(_, v)| v.to_owned())
                .collect()
        };
        for entry in report.list("recompiles") {
            let guard = entry["reasons"][0]["guard"].as_str().unwrap();
            let known = all.contains(guard) || values(guard).iter().all(|value| all.contains(value.as_str()));
            assert!(known, "{name}: no finding names {guard}");
        }
    }
}

#[test]
fn more_than_ten_findings_of_one_reason_are_one() {
    let findings = report("16_many").list("findings");
    let of = |kind: &str| findings.iter().filter(|one| one["kind"] == kind).collect::<Vec<_>>();
    assert_eq!((of("recompilation").len(), of("graph_break").len()), (1, 1));
    assert!(of("recompilation")[0]["title"].as_str().unwrap().starts_with("32 functions"));
    assert_eq!(of("recompilation")[0]["compile_ids"].as_array().unwrap().len(), 64);
    assert!(of("graph_break")[0]["title"].as_str().unwrap().ends_with("in 16 places"));
}

#[test]
fn every_finding_has_an_entry_at_its_url() {
    for name in ["03_graph_breaks", "04_recompiles", "16_many"] {
        let page = report(name).read("index.html");
        for finding in report(name).list("findings") {
            let (file, anchor) = finding["url"].as_str().unwrap().split_once('#').unwrap();
            assert_eq!(file, "index.html");
            assert!(page.contains(&format!("id=\"{anchor}\"")), "{name}: {anchor}");
        }
    }
}

#[test]
fn json_prints_the_findings_of_the_report_and_nothing_else() {
    let done = Run::of(&input("04_recompiles").path).args(["--json"]).go();
    assert_eq!(done.code, Some(0));
    let printed: Value = serde_json::from_str(&done.stdout).unwrap();
    let stored: Value =
        serde_json::from_slice(&std::fs::read(done.folder.join("report.json")).unwrap()).unwrap();
    assert_eq!(printed, stored["findings"]);
    assert_eq!(done.stderr, "");
}

#[test]
fn the_terminal_names_the_first_findings_and_how_many_more_there_are() {
    let done = Run::of(&input("03_graph_breaks").path).go();
    let lines: Vec<&str> = done.stdout.lines().collect();
    assert_eq!(lines.len(), 8, "{}", done.stdout);
    assert!(lines[1].starts_with("Failure: loop_with_break: graph break inside a loop"), "{}", lines[1]);
    assert!(lines[3].contains("s03_graph_breaks.py:11") && lines[3].ends_with("ms wasted"), "{}", lines[3]);
    assert_eq!(lines[6], "6 more findings in the report.");
}

#[test]
fn a_clean_log_says_in_one_sentence_what_was_checked() {
    let done = Run::of(&input("11_export_clean").path).go();
    assert!(done.stdout.contains("No damaged record, missing metrics,"), "{}", done.stdout);
    assert!(report("11_export_clean").list("findings").is_empty());
    assert!(report("11_export_clean").read("index.html").contains("No damaged record, missing metrics,"));
}
