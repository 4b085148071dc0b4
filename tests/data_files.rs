//! The files that scripts read: raw.log, raw.jsonl, chromium_events.json, compile_directory.json, artifacts, payloads.

use crate::support::log::{contains, md5_of, replaced};
use crate::support::{Input, Log, Record, Report, Run, input, inputs, report, reports};
use serde_json::{Value, json};
use std::io::Write;

/// The log packed as `gzip` would.
fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    writer.write_all(bytes).unwrap();
    writer.finish().unwrap()
}

/// A stored log with further records at its end that look like its first artifact.
fn with_records(input: &Input, make: impl Fn(&Record) -> Vec<Record>) -> Report {
    let mut log = Log::of(input);
    let like = log.first("artifact").clone();
    log.records.extend(make(&like));
    Run::of_bytes("made.log", &log.bytes()).args(["--strict"]).ok()
}

#[test]
fn raw_log_holds_exactly_the_bytes_that_were_read() {
    for input in inputs() {
        assert!(report(&input.name).bytes("raw.log") == input.bytes(), "{}", input.name);
    }
}

#[test]
fn a_compressed_log_gives_the_same_raw_log_and_facts() {
    let log = input("01_inference");
    let plain = log.bytes();
    let name = log.file_name();
    let zst = Run::of_bytes(&format!("{name}.zst"), &zstd::encode_all(&*plain, 1).unwrap()).ok();
    let gz = Run::of_bytes(&format!("{name}.gz"), &gzipped(&plain)).ok();
    for report in [zst, gz] {
        assert!(report.bytes("raw.log") == plain);
        assert_eq!(report.json, self::report("01_inference").json);
    }
}

#[test]
fn a_log_is_read_from_standard_input() {
    let plain = input("01_inference").bytes();
    for bytes in [plain.clone(), gzipped(&plain)] {
        let report = Run::of("-").stdin(bytes).ok();
        assert!(report.bytes("raw.log") == plain);
        assert_eq!(report.json["log"]["file"], "-");
        assert_eq!(report.json["compiles"], self::report("01_inference").json["compiles"]);
    }
}

#[test]
fn raw_jsonl_holds_every_record_but_strings_and_chromium_events() {
    for (name, report) in reports() {
        let lines = report.raw_jsonl();
        assert!(lines[0]["string_table"].is_array(), "{name}: the first line is the string table");
        let counts = report.integrity()["events"].as_object().unwrap();
        let count = |key: &str| counts.get(key).and_then(Value::as_u64).unwrap_or(0);
        let records = report.json["log"]["records"].as_u64().unwrap();
        let expected = records - count("str") - count("chromium_event");
        assert_eq!(lines.len() as u64 - 1, expected, "{name}");
        for line in &lines[1..] {
            for key in ["timestamp", "thread", "pathname", "lineno"] {
                assert!(line.get(key).is_some(), "{name}: no {key} in {line}");
            }
            assert!(!line["pathname"].as_str().unwrap().starts_with(' '), "{name}: {line}");
            assert!(line.get("str").is_none() && line.get("chromium_event").is_none(), "{name}: {line}");
        }
    }
}

#[test]
fn every_record_with_a_payload_says_which_file_holds_it() {
    for (name, report) in reports() {
        for line in &report.raw_jsonl()[1..] {
            let Some(md5) = line.get("has_payload").and_then(Value::as_str) else {
                // An artifact without payload has an empty file.
                let empty =
                    line.get("payload_filename").is_none_or(|f| report.bytes(f.as_str().unwrap()).is_empty());
                assert!(empty, "{name}: {line}");
                continue;
            };
            let file = line["payload_filename"].as_str().unwrap_or_else(|| panic!("{name}: {line}"));
            let held = report.bytes(file);
            match file.ends_with(".json") {
                true => assert!(
                    serde_json::from_slice::<Value>(&held).is_ok() || md5_of(&held) == md5,
                    "{name}: {file}"
                ),
                false => assert_eq!(md5_of(&held), md5, "{name}: {file}"),
            }
        }
    }
}

#[test]
fn the_string_table_resolves_the_logs_own_ids() {
    let log = Log::of(input("03_graph_breaks"));
    let table = &report("03_graph_breaks").raw_jsonl()[0]["string_table"];
    for index in log.all("str") {
        let envelope: Value = serde_json::from_slice(log.records[index].envelope()).unwrap();
        assert_eq!(table[envelope["str"][1].as_u64().unwrap() as usize], envelope["str"][0]);
    }
}

#[test]
fn chromium_events_json_holds_all_of_them_in_log_order() {
    for (name, report) in reports() {
        let events = report.json_file("chromium_events.json");
        let count = report.integrity()["events"].get("chromium_event").cloned().unwrap_or(json!(0));
        assert_eq!(json!(events.as_array().unwrap().len()), count, "{name}");
    }
    let log = Log::of(input("02_train_mlp"));
    let texts = log.all("chromium_event").into_iter().map(|index| log.records[index].text());
    let expected: Vec<Value> = texts.map(|text| serde_json::from_slice(&text).unwrap()).collect();
    assert_eq!(report("02_train_mlp").json_file("chromium_events.json"), Value::Array(expected));
}

#[test]
fn every_file_that_the_compile_directory_names_is_there() {
    for (name, report) in reports() {
        let directory = report.json_file("compile_directory.json");
        for (id, entry) in directory.as_object().unwrap() {
            for artifact in entry["artifacts"].as_array().unwrap() {
                let url = artifact["url"].as_str().unwrap();
                let is_link = url.contains("://");
                assert!(is_link || report.has(url), "{name}: {id} names {url}, which is not there");
                match &artifact["readable_url"] {
                    Value::Null => {}
                    readable if readable == "" => {}
                    readable => assert!(report.has(readable.as_str().unwrap()), "{name}: {artifact}"),
                }
                for key in ["name", "number", "suffix"] {
                    assert!(!artifact[key].is_null(), "{name}: {artifact} has no {key}");
                }
            }
        }
    }
}

#[test]
fn the_compile_directory_has_one_key_per_attempt() {
    let report = report("03_graph_breaks");
    let directory = report.json_file("compile_directory.json");
    let mut attempts = 0;
    for compile in report.list("compiles").iter().filter(|compile| !compile["id"].is_null()) {
        for attempt in compile["attempts"].as_array().unwrap() {
            let suffix = match attempt["attempt"].as_u64().unwrap() {
                0 => String::new(),
                number => format!("_{number}"),
            };
            let key = format!("[{}{suffix}]", compile["id"].as_str().unwrap());
            assert!(directory.get(&key).is_some(), "no key {key}");
            attempts += 1;
        }
    }
    assert!(attempts > report.ids().len(), "the log has restarts");
}

#[test]
fn cache_outcomes_are_marked_in_the_compile_directory() {
    for (name, outcome, mark) in
        [("08_cache_hit", "hit", "✅"), ("08_cache_miss", "miss", "❌"), ("08_cache_bypass", "bypass", "❓")]
    {
        let directory = report(name).json_file("compile_directory.json");
        let artifacts: Vec<&Value> = directory
            .as_object()
            .unwrap()
            .values()
            .flat_map(|e| e["artifacts"].as_array().unwrap())
            .collect();
        let cached =
            artifacts.iter().filter(|a| a["name"].as_str().unwrap().contains(&format!("_cache_{outcome}_")));
        let marks: Vec<&Value> = cached.map(|artifact| &artifact["suffix"]).collect();
        assert!(!marks.is_empty() && marks.iter().all(|found| **found == mark), "{name}: {marks:?}");
    }
}

#[test]
fn json_artifacts_hold_the_same_json_as_their_payload() {
    for name in ["01_inference", "04_recompiles", "09_provenance", "13_div_colls", "22_vllm_new"] {
        let report = report(name);
        let log = Log::of(input(name));
        let lines = report.raw_jsonl();
        let mut compared = 0;
        let records = log.records.iter().filter(|r| {
            !contains(&r.header, b"] {\"str\":") && !contains(&r.header, b"] {\"chromium_event\":")
        });
        for (record, line) in records.zip(&lines[1..]) {
            let Some(file) = line.get("payload_filename").and_then(Value::as_str) else { continue };
            if !file.ends_with(".json") {
                continue;
            }
            match serde_json::from_slice::<Value>(&record.text()) {
                Ok(payload) => assert_eq!(report.json_file(file), payload, "{name}: {file}"),
                Err(_) => assert!(report.bytes(file) == record.text(), "{name}: {file}"),
            }
            compared += 1;
        }
        assert!(compared > 1, "{name} has JSON artifacts");
    }
}

#[test]
fn an_artifact_without_payload_is_an_empty_file() {
    let report = report("08_cache_hit");
    let names = report.manifest();
    let empty: Vec<&String> = names
        .iter()
        .filter(|path| path.contains("/inductor_provenance_tracking_") && report.bytes(path).is_empty())
        .collect();
    assert!(!empty.is_empty());
    assert!(
        !names.iter().any(|path| path.contains("kernel_stack_traces") && path.ends_with("_readable.html"))
    );
}

#[test]
fn plain_text_is_asked_for_of_the_code_of_aotinductor_too() {
    let report = Run::from(input("10_aoti")).args(["-p"]).ok();
    let code: Vec<String> =
        report.manifest().into_iter().filter(|path| path.contains("inductor_aot_")).collect();
    assert!(code.len() >= 2 && code.iter().all(|path| path.ends_with(".txt")), "{code:?}");
}

#[test]
fn payloads_are_named_by_their_md5() {
    for (name, report) in reports() {
        for path in report.manifest().iter().filter(|path| path.starts_with("payloads/")) {
            assert_eq!(*path, format!("payloads/{}.txt", md5_of(&report.bytes(path))), "{name}");
        }
    }
}

#[test]
fn times_are_absolute_and_never_the_clocks() {
    let log = &report("03_graph_breaks").json["log"];
    for key in ["first_time", "last_time"] {
        let time = log[key].as_str().unwrap();
        assert!(
            time.starts_with("2026-11-20T") && time.len() == "2026-11-20T04:55:35.653000+01:00".len(),
            "{time}"
        );
    }
    // Nothing in it tells the year.
    let time = &report("11_export_draft").json["log"]["first_time"];
    assert!(time.as_str().unwrap().starts_with("11-20T"), "{time}");
}

#[test]
fn a_bare_nan_is_read_and_becomes_null_in_raw_jsonl() {
    let report = with_records(input("01_inference"), |like| {
        vec![like.like(
            r#"{"link": {"name": "n", "url": "x.html", "a": NaN, "b": [Infinity, -Infinity], "c": "NaN"}}"#,
            None,
        )]
    });
    let line = report.raw_jsonl().pop().unwrap();
    assert_eq!(line["link"], json!({"name": "n", "url": "x.html", "a": null, "b": [null, null], "c": "NaN"}));
}

#[test]
fn a_metric_that_is_nan_does_not_cost_the_other_metrics() {
    let mut log = Log::of(input("01_inference"));
    let record = log.first("compilation_metrics");
    let envelope = String::from_utf8(record.envelope().to_owned()).unwrap();
    let start = envelope.find("\"entire_frame_compile_time_s\": ").unwrap()
        + "\"entire_frame_compile_time_s\": ".len();
    let end = start + envelope[start..].find(',').unwrap();
    record.set_envelope(format!("{}NaN{}", &envelope[..start], &envelope[end..]).as_bytes());
    let changed = Run::of_bytes("nan.log", &log.bytes()).args(["--strict"]).ok();
    let fields = |report: &Report| report.compile("0/0")["metrics"][0]["fields"].clone();
    let mut expected = fields(report("01_inference"));
    expected["entire_frame_compile_time_s"] = Value::Null;
    assert_eq!(fields(&changed), expected);
}

#[test]
fn a_metric_of_more_digits_than_a_float_holds_does_not_cost_the_other_metrics() {
    let digits = "9".repeat(400);
    let mut log = Log::of(input("01_inference"));
    let record = log.first("compilation_metrics");
    let envelope = String::from_utf8(record.envelope().to_owned()).unwrap();
    let (before, after) = envelope.split_once("\"entire_frame_compile_time_s\": ").unwrap();
    let (_, after) = after.split_once(',').unwrap();
    record.set_envelope(
        format!("{before}\"entire_frame_compile_time_s\": {digits}, \"nested\": [{digits}], {after}")
            .as_bytes(),
    );
    let changed = Run::of_bytes("digits.log", &log.bytes()).args(["--strict"]).ok();
    let fields = |report: &Report| report.compile("0/0")["metrics"][0]["fields"].clone();
    let mut expected = fields(report("01_inference"));
    expected["entire_frame_compile_time_s"] = Value::Null;
    expected["nested"] = json!([null]);
    assert_eq!(fields(&changed), expected);
}

#[test]
fn a_key_of_the_log_that_collides_with_one_of_raw_jsonl_is_renamed() {
    let report = with_records(input("01_inference"), |like| {
        vec![like.like(r#"{"timestamp": {"a": 1}, "lineno": 7, "payload_filename": "../x", "thread": null, "frame_id": 0}"#, None)]
    });
    let line = report.raw_jsonl().pop().unwrap();
    assert_eq!(line["_timestamp"], json!({"a": 1}));
    assert_eq!(line["_lineno"], 7);
    assert_eq!(line["_payload_filename"], "../x");
    assert_eq!(line["_thread"], Value::Null);
    assert!(line.get("payload_filename").is_none(), "{line}");
    assert!(line["timestamp"].is_string() && line["lineno"].is_u64() && line["thread"].is_u64(), "{line}");
}

#[test]
fn a_lone_surrogate_costs_neither_its_record_nor_strict_json() {
    let lone = r#"{"artifact": {"name": "odd_\ud800_name", "encoding": "string"}, "frame_id": 0, "frame_compile_id": 0, "attempt": 0}"#;
    let report = with_records(input("01_inference"), |like| {
        vec![like.like(lone, None), like.like(r#"{"link": {"name": "x\udc00", "url": "a.html"}}"#, None)]
    });
    let lines = report.raw_jsonl();
    assert_eq!(lines[lines.len() - 2]["artifact"]["name"], "odd_\u{fffd}_name");
    assert_eq!(lines[lines.len() - 1]["link"]["name"], "x\u{fffd}");
    assert_eq!(report.json["integrity"]["artifacts"]["odd_\u{fffd}_name"], 1);
}

#[test]
fn an_unknown_event_is_counted_listed_and_its_payload_kept() {
    let log = input("03_graph_breaks");
    let bytes = replaced(&log.bytes(), b"] {\"aot_inference_graph\":", b"] {\"event_of_the_future\":");
    let changed = Run::of_bytes("future.log", &bytes).args(["--strict"]).ok();
    let count =
        report("03_graph_breaks").json["integrity"]["events"]["aot_inference_graph"].as_u64().unwrap();
    assert_eq!(changed.json["integrity"]["unknown_events"], json!({"event_of_the_future": count}));
    let lines = changed.raw_jsonl();
    let unknown: Vec<&Value> =
        lines.iter().filter(|line| line.get("event_of_the_future").is_some()).collect();
    assert_eq!(unknown.len() as u64, count);
    for line in unknown {
        let file = line["payload_filename"].as_str().unwrap();
        assert_eq!(json!(md5_of(&changed.bytes(file))), line["has_payload"]);
        let is_listed = changed.list("compiles").iter().any(|compile| {
            compile["artifacts"].as_array().unwrap().iter().any(|artifact| artifact["path"] == file)
        });
        assert!(is_listed, "{file} is listed with no compile");
    }
}

#[test]
fn an_unknown_encoding_is_kept_as_text() {
    let envelope = r#"{"artifact": {"name": "picture", "encoding": "base64"}, "frame_id": 0, "frame_compile_id": 0, "attempt": 0}"#;
    let report =
        with_records(input("01_inference"), |like| vec![like.like(envelope, Some(b"aGVsbG8=\n<b>"))]);
    let path = report.manifest().into_iter().find(|path| path.contains("/picture_")).expect("it has a file");
    assert_eq!(report.read(&path), "aGVsbG8=\n<b>");
}

#[test]
fn the_subgraph_of_a_record_is_shown_with_its_file() {
    let mut log = Log::of(input("01_inference"));
    log.edit("inductor_output_code", 0, |envelope| envelope["subgraph_name"] = json!("region_<1>"));
    let report = Run::of_bytes("made.log", &log.bytes()).args(["--strict"]).ok();
    let files = report.compile("0/0")["artifacts"].as_array().unwrap().clone();
    let named: Vec<&Value> = files.iter().filter(|file| !file["subgraph"].is_null()).collect();
    assert_eq!(named.len(), 1);
    assert_eq!(named[0]["subgraph"], "region_<1>");
    assert!(named[0]["name"].as_str().unwrap().starts_with("inductor_output_code"));
    for page in ["index.html", "-_0_0_0/compile.html"] {
        assert!(report.read(page).contains("subgraph region_&lt;1&gt;"), "{page}");
    }
}

#[test]
fn collectives_that_differ_are_listed_with_upstreams_fields() {
    let mut log = Log::of(input("13_div_colls"));
    let at = log.nth("artifact", 0);
    let schedule = (at..log.records.len())
        .find(|&at| contains(log.records[at].envelope(), b"inductor_collective_schedule"))
        .expect("the log has a schedule");
    let mut ops: Vec<String> = serde_json::from_slice(&log.records[schedule].text()).unwrap();
    let other = "torch.ops._c10d_functional.all_gather_into_tensor.default".to_owned();
    ops.extend([other.clone(), other]);
    log.records[schedule].set_payload(&serde_json::to_vec(&ops).unwrap());
    let report = Run::of_bytes("made.log", &log.bytes()).ok();
    let parity: Value = serde_json::from_str(&report.read("collectives_parity.json")).unwrap();
    let graph = &parity["graphs"][0];
    assert_eq!((&graph["graph"], &graph["compile_id"]), (&json!("-_0_0_0"), &json!("[0/0]")));
    assert_eq!((&graph["offset"], &graph["missing_waits"]), (&json!(2), &json!(0)));
}
