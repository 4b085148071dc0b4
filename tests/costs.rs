//! What findings cost, over all stored logs and damaged copies of them.

use crate::support::{Log, Report, Run, input, reports};

/// Seconds that the findings of a report say were wasted or avoidable, and its compile time.
fn sums(report: &Report) -> (f64, f64) {
    let cost = |finding: &serde_json::Value| match finding["cost"]["kind"].as_str() {
        Some("wasted" | "avoidable") => finding["cost"]["seconds"].as_f64().unwrap(),
        _ => 0.0,
    };
    let lost = report.list("findings").iter().map(cost).sum();
    (lost, report.json["compile_time"]["total_s"].as_f64().unwrap_or_default())
}

/// Sums of numbers with six decimals.
const TOLERANCE_S: f64 = 1e-9;

#[test]
fn findings_never_cost_more_than_the_log_took() {
    let mut any = 0.0;
    for (name, report) in reports() {
        let (lost, took) = sums(report);
        assert!(lost <= took + TOLERANCE_S, "{name}: {lost} of {took} s");
        any += lost;
    }
    assert!(any > 0.0, "no log has a finding that costs anything");
}

#[test]
fn findings_of_a_log_that_lost_records_never_cost_more_than_what_is_left_of_it_took() {
    for name in ["03_graph_breaks", "04_recompiles", "06_errors"] {
        for keep in [2, 3, 7] {
            let mut log = Log::of(input(name));
            let mut number = 0;
            log.records.retain(|record| {
                number += 1;
                !String::from_utf8_lossy(&record.header).contains("chromium_event") || number % keep == 0
            });
            let report = Run::of_bytes("dedicated_log_torch_trace_lost0.log", &log.bytes()).ok();
            let (lost, took) = sums(&report);
            assert!(lost <= took + TOLERANCE_S, "{name}, one of {keep} spans: {lost} of {took} s");
        }
    }
}

#[test]
fn the_parts_of_the_compiler_are_together_the_compile_time() {
    for (name, report) in reports() {
        let time = &report.json["compile_time"];
        let parts = time["parts"].as_array().unwrap();
        let sum: f64 = parts.iter().map(|part| part["seconds"].as_f64().unwrap()).sum();
        let total = time["total_s"].as_f64().unwrap();
        let has_spans = report.read("chromium_events.json").trim() != "[]";
        assert!(!has_spans || (sum - total).abs() < 1e-5, "{name}: {sum} of {total} s");
    }
}
