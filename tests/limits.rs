//! Logs that are large in what is small elsewhere: a name, a list, a schedule. Each has cost gigabytes or minutes before.
//! `benches/growth` has many more, and measures them.

use crate::support::log::contains;
use crate::support::{Log, Run, input, input_of};
use serde_json::{Value, json};
use std::fs;
use std::process::Command;

/// The program within an address space of so many megabytes and two minutes of work, on a log; gives the bytes of its report.
fn bytes_within(megabytes: u64, log: &Log) -> u64 {
    let folder = tempfile::tempdir().unwrap();
    let (path, out) = (folder.path().join("made.log"), folder.path().join("report"));
    fs::write(&path, log.bytes()).unwrap();
    let script = format!("ulimit -v {}; ulimit -t 120; exec \"$@\"", megabytes * 1024);
    let mut command = Command::new("sh");
    command.args(["-c", &script, "sh", env!("CARGO_BIN_EXE_tlparse")]);
    let output = command.arg(&path).arg("--no-browser").arg("-o").arg(&out).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let files = crate::support::files_below(&out);
    files.iter().map(|file| fs::metadata(out.join(file)).unwrap().len()).sum()
}

#[test]
fn a_name_full_of_markup_costs_time_in_proportion_to_its_length() {
    let long = "class=".repeat(30_000);
    let mut log = Log::of(input("01_inference"));
    log.edit("dynamo_start", 0, |envelope| {
        for frame in envelope["dynamo_start"]["stack"].as_array_mut().unwrap() {
            frame["name"] = long.as_str().into();
            frame["loc"] = long.as_str().into();
        }
    });
    log.edit("compilation_metrics", 0, |envelope| {
        let metrics = &mut envelope["compilation_metrics"];
        metrics["co_name"] = long.as_str().into();
        metrics["fail_type"] = "Unsupported".into();
        metrics["fail_reason"] = long.as_str().into();
    });
    let bytes = bytes_within(2_000, &log);
    assert!(bytes < 40_000_000, "{bytes} bytes of a log of two megabytes");
}

#[test]
fn sizes_without_a_line_cost_time_in_proportion_to_their_number() {
    let mut log = Log::of(input("05_dynamic_shapes"));
    let mut fixed = log.first("symbolic_shape_specialization").clone();
    fixed.edit(|envelope| {
        let fixed = &mut envelope["symbolic_shape_specialization"];
        fixed["reason"] = "find".into();
        fixed["stack"] = json!([]);
        fixed["user_stack"] = json!([]);
    });
    // Each was once compared with all others.
    log.records.extend(std::iter::repeat_n(fixed, 30_000));
    bytes_within(2_000, &log);
}

#[test]
fn nested_brackets_of_a_guard_cost_time_in_proportion_to_their_number() {
    let mut log = Log::of(input("04_recompiles"));
    let reason =
        (0..log.records.len()).find(|at| contains(&log.records[*at].header, b"\"recompile_reasons\""));
    let guard = format!("0/0: {}x{} == 3", "(".repeat(20_000), ")".repeat(20_000));
    // Each pair was once taken off by reading the whole text again.
    log.records[reason.unwrap()].set_payload(guard.as_bytes());
    bytes_within(2_000, &log);
}

/// A rank whose two graphs of 200 collectives run 5,000 times.
fn executed() -> Log {
    let mut log = Log::of(input_of("13_div_colls", 0));
    let schedules: Vec<usize> = (0..log.records.len())
        .filter(|at| {
            log.records[*at].header.windows(30).any(|part| part == b"\"inductor_collective_schedule\"")
        })
        .collect();
    assert!(!schedules.is_empty());
    let operations = vec!["torch.ops._c10d_functional.all_reduce_.default"; 200];
    for at in schedules {
        log.records[at].set_payload(&serde_json::to_vec(&operations).unwrap());
    }
    let order: Vec<Value> = (0..5_000).map(|_| json!({"compile_id": "0/0"})).collect();
    let at = (0..log.records.len()).find(|at| {
        let record = &log.records[*at];
        record.header.windows(17).any(|part| part == b"\"graph_execution\"")
    });
    let order = json!({ "graph_execution_order": order }).to_string();
    log.records[at.expect("the log has an order")].set_payload(order.as_bytes());
    log
}

#[test]
fn a_schedule_is_not_repeated_for_each_of_thousands_of_runs() {
    let report = Run::of_bytes("executed.log", &executed().bytes()).ok();
    let order = report.json_file("report.json")["cross_rank"]["execution"].clone();
    let order = order.as_array().unwrap();
    assert_eq!(order.len(), 5_000);
    assert_eq!(order[0]["schedule"].as_array().unwrap().len(), 200, "the first run names them");
    assert_eq!(order[4_999]["schedule"], Value::Null);
    assert_eq!(order[4_999]["compile_id"], "0/0");
    let bytes = report.bytes("report.json").len();
    assert!(bytes < 3_000_000, "{bytes}");
}

#[test]
fn attempts_without_a_compile_id_have_a_page_of_provenance_each() {
    let mut log = Log::of(input("09_provenance"));
    for record in &mut log.records {
        if record.header.windows(11).any(|part| part == b"\"frame_id\": ") {
            record.edit(|envelope| {
                let map = envelope.as_object_mut().unwrap();
                let second = map.get("frame_compile_id").is_some_and(|compile| *compile == 1);
                map.shift_remove("frame_id");
                map.shift_remove("frame_compile_id");
                map.insert("attempt".to_owned(), u64::from(second).into());
            });
        }
    }
    let done = Run::of_bytes("without_ids.log", &log.bytes()).go();
    assert!(!done.stderr.contains("have the path"), "{}", done.stderr);
    let report = done.report(0);
    let pages = report.pages().into_iter().filter(|page| page.starts_with("provenance_tracking_")).count();
    assert!(pages >= 2, "{pages}");
}

#[test]
fn times_that_no_clock_has_leave_no_gap_in_the_facts() {
    let mut log = Log::of(input("01_inference"));
    for (n, at) in log.all("chromium_event").into_iter().enumerate() {
        let mut payload: Value = serde_json::from_slice(&log.records[at].text()).unwrap();
        payload["ts"] = json!(if n % 2 == 0 { -1.5e308 } else { 1.5e308 });
        log.records[at].set_payload(payload.to_string().as_bytes());
    }
    log.edit("compilation_metrics", 0, |envelope| {
        for (name, value) in envelope["compilation_metrics"].as_object_mut().unwrap() {
            if name.ends_with("_us") || name.ends_with("_s") {
                *value = json!(1.7e308);
            }
        }
    });
    let report = Run::of_bytes("times.log", &log.bytes()).ok();
    let time = &report.json_file("report.json")["compile_time"];
    assert!(time["total_s"].is_number(), "{time}");
    for phase in time["phases"].as_array().unwrap() {
        assert!(phase["self_s"].is_number() && phase["total_s"].is_number(), "{phase}");
    }
}

#[test]
fn an_id_of_a_graph_break_is_one_of_torchs_catalog() {
    let mut log = Log::of(input("03_graph_breaks"));
    let breaks = (0..log.records.len()).filter(|at| {
        log.records[*at].header.windows(27).any(|part| part == b"\"dynamo_graph_break_reason\"")
    });
    for at in breaks.collect::<Vec<_>>() {
        let text = String::from_utf8(log.records[at].text()).unwrap().replace("gb0", "gb{x}0");
        log.records[at].set_payload(text.as_bytes());
    }
    let report = Run::of_bytes("ids.log", &log.bytes()).ok();
    let ids: Vec<Value> = report.list("graph_breaks").iter().map(|found| found["gb_id"].clone()).collect();
    assert!(!ids.is_empty() && ids.iter().all(Value::is_null), "{ids:?}");
}

#[test]
fn no_page_links_to_a_missing_page_of_kernels() {
    let report = Run::from(input("25_guards")).args(["-i"]).ok();
    assert!(!report.manifest().contains(&"kernels.html".to_owned()));
    for path in report.pages() {
        assert!(!report.read(&path).contains("kernels.html"), "{path}");
    }
}

#[test]
fn a_long_name_of_a_file_costs_each_frame_that_has_it_a_bounded_part() {
    let mut log = Log::of(input("01_inference"));
    let at = log.nth("str", 0);
    log.records[at].edit(|envelope| {
        let number = envelope["str"][1].clone();
        envelope["str"] = json!([format!("/{}", "f".repeat(900_000)), number]);
    });
    let number = serde_json::from_slice::<Value>(log.records[at].envelope()).unwrap()["str"][1].clone();
    let start = log.nth("dynamo_start", 0);
    let copies: Vec<_> = (0..100)
        .map(|frame| {
            let mut copy = log.records[start].clone();
            copy.edit(|envelope| {
                envelope["frame_id"] = json!(100 + frame);
                let frames = envelope["dynamo_start"]["stack"].as_array_mut().unwrap();
                frames.iter_mut().for_each(|frame| frame["filename"] = number.clone());
            });
            copy
        })
        .collect();
    log.records.splice(start + 1..start + 1, copies);
    let bytes = bytes_within(1_500, &log);
    assert!(bytes < 40_000_000, "{bytes} bytes of a log of one megabyte");
}

#[test]
fn records_that_say_nothing_are_counted() {
    let empty = "V0401 12:00:00.000000 1 a.py:1] {}\n".repeat(120_000);
    let bytes = [empty.as_bytes(), &input("11_export_clean").bytes()].concat();
    let report = Run::of_bytes("empty.log", &bytes).ok();
    let facts = report.json_file("report.json");
    assert_eq!(facts["integrity"]["events"]["(none)"], 120_000);
    let problems = facts["integrity"]["problems"].as_array().unwrap();
    let detail = "110000 records from here on are only counted: they have no event";
    assert!(problems.iter().any(|problem| problem["detail"] == detail), "{problems:?}");
    assert!(report.read("raw.jsonl").lines().count() < 11_000);
}
