//! Costs of findings, for all stored logs and damaged copies of them.

use crate::support::log::contains;
use crate::support::{Log, Record, Report, Run, input, input_of, reports};
use serde_json::{Value, json};

/// Wasted and avoidable seconds in the findings of a report, and its compile time.
fn sums(report: &Report) -> (f64, f64) {
    let cost = |finding: &Value| match finding["cost"]["kind"].as_str() {
        Some("wasted" | "avoidable") => finding["cost"]["seconds"].as_f64().unwrap(),
        _ => 0.0,
    };
    let lost = report.list("findings").iter().map(cost).sum();
    (lost, report.json["compile_time"]["total_s"].as_f64().unwrap_or_default())
}

/// Tolerance for sums of numbers with six decimals.
const TOLERANCE_S: f64 = 1e-9;

/// Asserts that the findings of a report cost at most its compile time; returns their cost.
fn assert_within(about: &str, report: &Report) -> f64 {
    let (lost, took) = sums(report);
    assert!(lost <= took + TOLERANCE_S, "{about}: {lost} of {took} s");
    lost
}

/// The same for a damaged copy, with what is left of it.
fn assert_copy_within(about: &str, bytes: &[u8]) {
    assert_within(about, &Run::of_bytes("dedicated_log_torch_trace_damaged0.log", bytes).ok());
}

#[test]
fn findings_never_cost_more_than_the_log_took() {
    let lost: f64 = reports().map(|(name, report)| assert_within(name, report)).sum();
    assert!(lost > 0.0, "no log has a finding that costs anything");
}

fn is_event(record: &Record, event: &str) -> bool {
    contains(&record.header, format!("] {{\"{event}\":").as_bytes())
}

fn is_metrics(record: &Record) -> bool {
    is_event(record, "compilation_metrics") || is_event(record, "bwd_compilation_metrics")
}

/// The log without records for which `lost` is true, given their number among the records of that kind.
fn without(log: &Log, of_kind: fn(&Record) -> bool, lost: impl Fn(usize) -> bool) -> Log {
    let mut copy = log.clone();
    let mut seen = 0;
    copy.records.retain(|record| {
        let is_lost = of_kind(record) && lost(seen);
        seen += usize::from(of_kind(record));
        !is_lost
    });
    copy
}

#[test]
fn findings_of_a_log_that_lost_spans_or_metrics_never_cost_more_than_the_rest_took() {
    let begins = |record: &Record| {
        is_event(record, "chromium_event") && contains(&record.payload.join(&b'\n'), b"\"ph\": \"B\"")
    };
    let ends = |record: &Record| {
        is_event(record, "chromium_event") && contains(&record.payload.join(&b'\n'), b"\"ph\": \"E\"")
    };
    let spans = |record: &Record| is_event(record, "chromium_event");
    let starts = |record: &Record| is_event(record, "dynamo_start");
    for name in ["03_graph_breaks", "06_errors", "08_cache_bypass", "21_torch28_25_guards"] {
        let log = Log::of(input(name));
        let copies = [
            ("half of the spans", without(&log, spans, |n| n % 2 == 0)),
            ("all but every third span", without(&log, spans, |n| n % 3 != 2)),
            ("all but every seventh span", without(&log, spans, |n| n % 7 != 6)),
            ("all spans", without(&log, spans, |_| true)),
            ("begins of spans", without(&log, begins, |n| n % 4 == 1)),
            ("ends of spans", without(&log, ends, |n| n % 4 == 1)),
            ("half of the metrics", without(&log, is_metrics, |n| n % 2 == 0)),
            ("all metrics", without(&log, is_metrics, |_| true)),
            ("half of the starts", without(&log, starts, |n| n % 2 == 0)),
        ];
        for (what, copy) in copies {
            assert_copy_within(&format!("{name} lost {what}"), &copy.bytes());
        }
    }
}

/// The log with changed metrics; `change` gets each field and its value.
fn with_metrics(log: &Log, change: impl Fn(&str, &mut Value)) -> Log {
    let mut copy = log.clone();
    for record in copy.records.iter_mut().filter(|record| is_metrics(record)) {
        record.edit(|envelope| {
            for event in ["compilation_metrics", "bwd_compilation_metrics"] {
                let fields = envelope[event].as_object_mut();
                fields.into_iter().flatten().for_each(|(field, value)| change(field, value));
            }
        });
    }
    copy
}

#[test]
fn findings_never_cost_more_than_spans_cover_with_any_metrics() {
    let is_time = |field: &str| field.ends_with("_us") || field.ends_with("_s");
    for name in ["03_graph_breaks", "06_errors", "08_cache_bypass"] {
        let log = Log::of(input(name));
        let set = |to: f64| {
            with_metrics(&log, move |field, value| {
                if let Some(number) = value.as_f64().filter(|_| is_time(field)) {
                    *value = json!(number * to);
                }
            })
        };
        let copies = [
            ("a thousand times what they took", set(1e3)),
            ("more than any log takes", set(1e300)),
            ("less than nothing", set(-1.0)),
            ("lists", with_metrics(&log, |_, value| *value = json!([value.to_string()]))),
            ("nothing", with_metrics(&log, |_, value| *value = Value::Null)),
        ];
        for (what, copy) in copies {
            assert_copy_within(&format!("{name}, whose metrics say {what}"), &copy.bytes());
        }
    }
}

/// The place of the record with the longest payload.
fn longest(log: &Log) -> usize {
    let length = |index: &usize| log.records[*index].payload.iter().map(Vec::len).sum::<usize>();
    (0..log.records.len()).max_by_key(length).unwrap()
}

/// Copies of a log with damage by disks, launchers and killed programs.
fn damaged(log: &Log) -> Vec<(&'static str, Vec<u8>)> {
    let whole = log.bytes();
    let (middle, long) = (log.records.len() * 6 / 10, longest(log));
    let (before_middle, before_long) = (log.bytes_before(middle).len(), log.bytes_before(long).len());
    let header = log.records[long].header.len();
    let reversed = Log { records: log.records.iter().rev().cloned().collect() };
    let second_half = Log { records: log.records[log.records.len() / 2..].to_vec() };
    let is_name = |record: &&Record| is_event(record, "str");
    let others = log.records.iter().filter(|record| !is_name(record));
    let names = log.records.iter().filter(is_name);
    let names_last = Log { records: others.clone().chain(names).cloned().collect() };
    let no_names = Log { records: others.cloned().collect() };
    let mut cut_headers = log.clone();
    for record in cut_headers.records.iter_mut().step_by(10) {
        record.header.pop();
    }
    let mut odd_ids = log.clone();
    let odd = [json!(-1), json!(u64::MAX), json!("7"), Value::Null, json!(1.5)];
    for (record, id) in odd_ids.records.iter_mut().filter(|one| is_metrics(one)).zip(odd.iter().cycle()) {
        record.edit(|envelope| envelope["frame_id"] = id.clone());
    }
    let noise = b"RuntimeError: backend refuses graph with 3 nodes\n";
    let noisy = log.records.iter().flat_map(|record| {
        let lines = std::iter::once(&record.header).chain(&record.payload);
        let mut bytes: Vec<u8> = lines.flat_map(|line| line.iter().copied().chain([b'\n'])).collect();
        bytes.extend_from_slice(noise);
        bytes
    });
    vec![
        ("cut inside a header", whole[..before_middle + log.records[middle].header.len() / 2].to_vec()),
        ("cut before a payload", whole[..=before_long + header].to_vec()),
        ("cut inside a payload", whole[..(before_long + header + 400).min(whole.len())].to_vec()),
        ("begun inside a payload", whole[(before_long + header + 400).min(whole.len())..].to_vec()),
        ("without its first half", second_half.bytes()),
        ("in reverse order", reversed.bytes()),
        ("twice in one file", [whole.as_slice(), whole.as_slice()].concat()),
        ("with names last", names_last.bytes()),
        ("without names", no_names.bytes()),
        ("with cut headers", cut_headers.bytes()),
        ("with odd ids in its metrics", odd_ids.bytes()),
        ("with standard error between its records", noisy.collect()),
    ]
}

#[test]
fn findings_of_a_damaged_log_never_cost_more_than_the_rest_took() {
    for name in ["03_graph_breaks", "06_errors", "08_cache_bypass"] {
        for (what, bytes) in damaged(&Log::of(input(name))) {
            assert_copy_within(&format!("{name} {what}"), &bytes);
        }
    }
    let lines = |rank: usize| -> Vec<Vec<u8>> {
        input_of("12_ddp_2", rank).bytes().split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
    };
    let (first, second) = (lines(0), lines(1));
    let mixed = first.chunks(7).zip(second.chunks(7)).flat_map(|(one, other)| [one, other].concat());
    assert_copy_within("two ranks in one file", &mixed.collect::<Vec<_>>().join(&b'\n'));
}

#[test]
fn the_parts_of_the_compiler_add_up_to_the_compile_time() {
    for (name, report) in reports() {
        let time = &report.json["compile_time"];
        let parts = time["parts"].as_array().unwrap();
        let sum: f64 = parts.iter().map(|part| part["seconds"].as_f64().unwrap()).sum();
        let total = time["total_s"].as_f64().unwrap();
        let has_spans = report.read("chromium_events.json").trim() != "[]";
        assert!(!has_spans || (sum - total).abs() < 1e-5, "{name}: {sum} of {total} s");
    }
}
