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
    assert!(first["title"].as_str().unwrap().contains(": 1 record is not valid JSON, at line "), "{first}");
}

/// The position of the cause of each finding, if it has one.
fn causes(report: &Report) -> Vec<Option<usize>> {
    let cause = |finding: &Value| finding["caused_by"].as_u64().map(|index| index as usize);
    report.list("findings").iter().map(cause).collect()
}

/// The finding above a finding that has no cause of its own.
fn root(causes: &[Option<usize>], index: usize) -> usize {
    std::iter::successors(Some(index), |index| causes[*index]).last().unwrap()
}

#[test]
fn findings_are_ranked_by_severity_then_seconds_then_count_each_above_what_follows_from_it() {
    for (name, report) in reports() {
        let (findings, causes) = (report.list("findings"), causes(report));
        let rank = |finding: &Value| {
            let severities = ["error", "warning", "info"];
            // What every first run has is last of all.
            severities.iter().position(|word| finding["severity"] == *word).unwrap()
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
        // What vanishes with a cause is lost with it, and its detail says so.
        let made = |cause: usize| {
            let detail = findings[cause]["detail"].as_str().unwrap_or_default();
            let below = (0..findings.len()).filter(|index| causes[*index] == Some(cause));
            let is_named =
                |one: &&Value| detail.contains(&format!("\nCauses: {}", one["title"].as_str().unwrap()));
            below.map(|index| &findings[index]).filter(is_named).map(cost).sum::<f64>()
        };
        let of = |index: usize| {
            let one = &findings[index];
            (rank(one), cost(one) + made(index), times(one))
        };
        let in_order = |one: usize, other: usize, what: &str| {
            let ((rank, seconds, times), (next_rank, next_seconds, next_times)) = (of(one), of(other));
            let (one, other) = (&findings[one], &findings[other]);
            let by_seconds = match (seconds - next_seconds).abs() < 1e-5 {
                true => std::cmp::Ordering::Equal,
                false => next_seconds.total_cmp(&seconds),
            };
            let order = rank.cmp(&next_rank).then(by_seconds).then(next_times.cmp(&times));
            assert!(order.is_le(), "{name}: {} {what} {}", one["title"], other["title"]);
        };
        // What the next run saves is no cost of this one.
        let is_of_next_run = |one: &Value| {
            one["severity"] == "info"
                && ["first_run", "slow_log", "cache_miss"].iter().any(|kind| one["kind"] == *kind)
        };
        let tops = (0..findings.len())
            .filter(|index| causes[*index].is_none() && !is_of_next_run(&findings[*index]));
        let tops: Vec<usize> = tops.collect();
        tops.windows(2).for_each(|pair| in_order(pair[0], pair[1], "before"));
        for (index, cause) in causes.iter().enumerate() {
            cause.iter().for_each(|cause| in_order(*cause, index, "above"));
        }
    }
}

#[test]
fn what_follows_from_a_finding_comes_right_after_it() {
    let mut linked = 0;
    for (name, report) in reports() {
        let causes = causes(report);
        for (index, cause) in causes.iter().enumerate() {
            let Some(cause) = *cause else { continue };
            linked += 1;
            assert!(cause < index, "{name}: {index} before its cause {cause}");
            let between = cause + 1..index;
            assert!(
                between.into_iter().all(|other| root(&causes, other) == root(&causes, index)),
                "{name}: {index}"
            );
        }
    }
    assert!(linked > 1, "{linked} findings follow from others");
}

/// Titles of the findings that follow from the one with that title.
fn consequences<'r>(report: &'r Report, title: &str) -> Vec<&'r str> {
    let (findings, causes) = (report.list("findings"), causes(report));
    let at = findings.iter().position(|one| one["title"].as_str().unwrap().contains(title));
    let at = at.unwrap_or_else(|| panic!("no finding {title}"));
    let of = findings.iter().zip(&causes).filter(|(_, cause)| **cause == Some(at));
    of.map(|(finding, _)| finding["title"].as_str().unwrap()).collect()
}

#[test]
fn what_a_break_makes_is_below_it_and_is_lost_with_it_whatever_it_costs() {
    let breaks = report("03_graph_breaks");
    let failed = consequences(breaks, "`inner_try` runs in eager mode");
    assert_eq!(failed, ["`print` cannot be in a graph"], "the break whose record it is");
    let mut all = breaks.list("findings").iter();
    let resumed = all.find(|one| one["title"].as_str().unwrap().contains("resumed at line 81")).unwrap();
    let detail = resumed["detail"].as_str().unwrap();
    assert!(detail.contains("\nCaused by: A tensor's value is needed as a number of Python"), "{detail}");
    let cause = &breaks.list("findings")[resumed["caused_by"].as_u64().unwrap() as usize];
    assert!(cause["cost"]["seconds"].as_f64() < resumed["cost"]["seconds"].as_f64(), "{cause}");
    let detail = cause["detail"].as_str().unwrap();
    assert!(detail.contains("\nCauses: `forward`, resumed at line 81 was compiled 2 times"), "{detail}");
}

#[test]
fn what_every_first_run_has_is_one_finding() {
    let mut first_runs = 0;
    for (name, report) in reports() {
        let findings = report.list("findings");
        let kinds: Vec<&str> = findings.iter().map(|one| one["kind"].as_str().unwrap()).collect();
        let count = kinds.iter().filter(|kind| **kind == "first_run").count();
        assert!(count <= 1, "{name}: {kinds:?}");
        if count == 0 {
            continue;
        }
        first_runs += 1;
        let parts = ["cache_miss", "toolchain", "slow_log"];
        assert!(!kinds.iter().any(|kind| parts.contains(kind)), "{name}: {kinds:?}");
    }
    assert!(first_runs > 5, "{first_runs}");
}

/// The findings of a stored log with such records at its end.
fn with_records(records: &[(&str, &str)]) -> Vec<Value> {
    let mut log = Log::parse(&input("01_inference").bytes());
    let like = log.records[log.nth("compilation_metrics", 0)].clone();
    for (name, payload) in records {
        let envelope = format!(
            r#"{{"artifact": {{"name": "{name}", "encoding": "json"}}, "frame_id": 0, "frame_compile_id": 0, "attempt": 0}}"#
        );
        log.records.push(like.like(&envelope, Some(payload.as_bytes())));
    }
    let report = Run::of_bytes("dedicated_log_torch_trace_added.log", &log.bytes()).ok();
    report.list("findings").to_vec()
}

#[test]
fn what_torch_reports_in_records_of_its_own_is_a_finding() {
    let tangent = r#"{"position": 0, "shape": [4, 8], "stride": [1, 4], "dtype": "torch.float32"}"#;
    let variant = format!(
        r#"{{"forward_identifier": "layer_0", "num_variants_for_identifier": 2, "new_variant": {{"tangents": [{tangent}]}}}}"#
    );
    let native = r#"{"op": "aten::_scaled_mm", "dsl": "cutedsl", "outcome": "compiled", "compiled": true, "wall_ms": 800.0, "key": "(128, 64)", "hits": 0, "misses": 1}"#;
    let found = with_records(&[
        ("invoke_subgraph_backward_duplicate", &variant),
        (
            "aotautograd_cache_pickle_failure",
            r#"{"error": "cannot pickle 'module' object", "field": "runtime_metadata"}"#,
        ),
        ("native_dsl_compile", native),
        ("native_dsl_compile", native),
    ]);
    let of = |kind: &str| found.iter().find(|one| one["kind"] == kind).unwrap_or_else(|| panic!("no {kind}"));
    assert_eq!(of("backward_variants")["title"], "The nested region `layer_0` has 2 backward passes");
    assert!(of("backward_variants")["detail"].as_str().unwrap().contains("stride [1,4]"));
    assert_eq!(
        of("cache_error")["title"],
        "AOTAutograd's cache could not store 1 result: `runtime_metadata`"
    );
    assert_eq!(
        of("native_compiles")["title"],
        "`aten::_scaled_mm` was compiled 2 times by `cutedsl` with the same key"
    );
}

/// Whether a failure says that the recompile limit was reached; until torch 2.6 it was one of the cache.
fn is_limit(reason: &str) -> bool {
    reason.contains("recompile") || reason.contains("cache_size_limit")
}

#[test]
fn every_break_failure_and_guard_of_the_report_is_in_a_finding() {
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
            // torch before 2.5 records no reasons.
            let Some(guard) = entry["reasons"][0]["guard"].as_str() else { continue };
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
    // The break at which that failed is its cause, at the same line: it is not a second thing to look at.
    assert!(lines[2].starts_with("Failure: inner_try runs in eager mode"), "{}", lines[2]);
    assert!(lines[3..6].iter().all(|line| !line.contains("s03_graph_breaks.py:11")), "{}", done.stdout);
    assert_eq!(lines[6], "5 more findings in the report.");
}

#[test]
fn a_clean_log_says_in_one_sentence_what_was_checked() {
    let done = Run::of(&input("11_export_clean").path).go();
    assert!(done.stdout.contains("No damaged record, missing metrics,"), "{}", done.stdout);
    assert!(report("11_export_clean").list("findings").is_empty());
    assert!(report("11_export_clean").read("index.html").contains("No damaged record, missing metrics,"));
}
