//! Logs that are unusual but undamaged: everything in them is read, and `integrity.ok` stays true.

use crate::support::log::{contains, md5_of, replaced};
use crate::support::{Log, Report, Run, input, report};
use serde_json::{Value, json};

/// The report of an odd but undamaged log: `--strict` ends with 0.
fn whole(bytes: &[u8]) -> Report {
    let report = Run::of_bytes("odd.log", bytes).args(["--strict"]).ok();
    assert_eq!(report.integrity()["ok"], true);
    assert!(report.bytes("raw.log") == bytes);
    report
}

/// Asserts that everything except `log` (name, size) and line numbers is the same as in the report of `source`.
fn same_facts(report: &Report, source: &str) {
    let (found, expected) = (without_lines(&report.json), without_lines(&self::report(source).json));
    for key in expected.as_object().unwrap().keys().filter(|key| *key != "log") {
        assert!(found[key] == expected[key], "{key} differs from that of {source}");
    }
    let records = |report: &Value| report["log"]["records"].clone();
    assert_eq!(records(&report.json), records(&self::report(source).json));
}

/// The report without the lines of records, which move when lines are added.
fn without_lines(report: &Value) -> Value {
    let mut report = report.clone();
    for compile in report["compiles"].as_array_mut().unwrap() {
        for list in ["metrics", "artifacts"] {
            for entry in compile[list].as_array_mut().unwrap() {
                entry["line"] = Value::Null;
            }
        }
    }
    report
}

#[test]
fn a_missing_final_newline_is_not_damage() {
    let bytes = input("01_inference").bytes();
    same_facts(&whole(bytes.strip_suffix(b"\n").unwrap()), "01_inference");
}

#[test]
fn blank_lines_are_skipped_also_inside_payloads() {
    let lines: Vec<Vec<u8>> =
        input("03_graph_breaks").bytes().split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    let with_blanks = lines.chunks(50).map(|chunk| chunk.join(&b'\n'));
    let bytes = with_blanks.collect::<Vec<_>>().join(&b"\n\n"[..]);
    same_facts(&whole(&bytes), "03_graph_breaks");
}

#[test]
fn windows_line_ends_are_read_as_newlines() {
    let bytes = replaced(&input("03_graph_breaks").bytes(), b"\n", b"\r\n");
    same_facts(&whole(&bytes), "03_graph_breaks");
}

#[test]
fn a_carriage_return_that_belongs_to_a_payload_is_kept() {
    let mut log = Log::of(input("01_inference"));
    let record = log.first("aot_inference_graph");
    record.set_payload(b"one\r\ntwo\r\n\r");
    let report = whole(&log.bytes());
    let path = report.manifest().into_iter().find(|path| path.contains("/aot_inference_graph_")).unwrap();
    assert_eq!(report.bytes(&path), b"one\r\ntwo\r\n\r");
}

#[test]
fn other_line_separators_do_not_end_a_payload_line() {
    let mut log = Log::of(input("01_inference"));
    log.first("aot_inference_graph").set_payload("a\u{b}b\u{c}c\u{85}d\u{2028}e".as_bytes());
    let report = whole(&log.bytes());
    let path = report.manifest().into_iter().find(|path| path.contains("/aot_inference_graph_")).unwrap();
    assert_eq!(report.read(&path), "a\u{b}b\u{c}c\u{85}d\u{2028}e");
}

#[test]
fn a_byte_order_mark_in_front_is_skipped() {
    let bytes = [b"\xef\xbb\xbf", input("01_inference").bytes().as_slice()].concat();
    same_facts(&whole(&bytes), "01_inference");
}

#[test]
fn the_report_of_an_empty_log_says_that_nothing_was_recorded() {
    for bytes in [&b""[..], b"\n\n\n", b"\r\n", b"\xef\xbb\xbf"] {
        let done = Run::of_bytes("empty.log", bytes).args(["--strict"]).go();
        assert!(done.stdout.contains("Nothing was recorded"), "{}", done.stdout);
        let report = done.report(0);
        assert_eq!(report.json["log"]["records"], 0);
        assert_eq!(report.list("compiles").len(), 0);
        assert_eq!(report.json_file("chromium_events.json"), json!([]));
        assert_eq!(report.json_file("compile_directory.json"), json!({}));
        assert_eq!(report.raw_jsonl(), [json!({"string_table": []})]);
    }
}

#[test]
fn bytes_that_are_not_utf_8_under_a_right_hash_are_listed_and_not_fatal() {
    let mut log = Log::of(input("03_graph_breaks"));
    let record = log.first("aot_inference_graph");
    let mut payload = record.text();
    payload.splice(40..40, *b"\xff\xfe\x80");
    // The hash of the bytes, which `set_payload` computes too; the envelope itself stays UTF-8.
    record.set_payload(&payload);
    let report = whole(&log.bytes());
    assert_eq!(report.count("non_utf8"), 1);
    let lines = report.raw_jsonl();
    let line = lines.iter().find(|line| line["has_payload"] == md5_of(&payload)).unwrap();
    assert!(report.bytes(line["payload_filename"].as_str().unwrap()) == payload);
}

#[test]
fn bytes_that_are_not_utf_8_in_a_header_are_listed_and_not_fatal() {
    let mut log = Log::of(input("03_graph_breaks"));
    let index = log.nth("str", 1);
    let header = &mut log.records[index].header;
    let slash = header.iter().position(|byte| *byte == b'/').unwrap();
    header.insert(slash, 0xe9);
    let end = header.len() - 8;
    header.insert(end, 0xff);
    let report = whole(&log.bytes());
    assert_eq!(report.count("non_utf8"), 1);
    assert_eq!(report.integrity()["problems"][0]["line"], log.line(index));
    report.raw_jsonl();
}

#[test]
fn a_payload_line_of_12_mb_is_read() {
    let mut log = Log::of(input("01_inference"));
    let payload = b"x = f(y) ".repeat(1_333_334);
    log.first("aot_inference_graph").set_payload(&payload);
    let report = whole(&log.bytes());
    let path = report.manifest().into_iter().find(|path| path.contains("/aot_inference_graph_")).unwrap();
    assert!(report.bytes(&path) == payload);
}

#[test]
fn output_code_of_12_mb_in_one_line_is_kept() {
    let mut log = Log::of(input("01_inference"));
    let payload = b"x = f(y) ".repeat(1_333_334);
    log.first("inductor_output_code").set_payload(&payload);
    let report = whole(&log.bytes());
    let path = format!("payloads/{}.txt", md5_of(&payload));
    assert!(report.bytes(&path) == payload);
}

#[test]
fn a_header_of_11_mb_is_read() {
    let mut log = Log::of(input("01_inference"));
    log.edit("dynamo_start", 0, |envelope| {
        envelope["dynamo_start"]["padding"] = "p".repeat(11_000_000).into()
    });
    let report = whole(&log.bytes());
    assert_eq!(report.compile("0/0")["stack"], self::report("01_inference").compile("0/0")["stack"]);
}

#[test]
fn stacks_whose_strings_are_not_in_the_log_are_shown_as_unknown() {
    let mut log = Log::of(input("03_graph_breaks"));
    log.records.retain(|record| !contains(&record.header, b"] {\"str\":"));
    let report = whole(&log.bytes());
    assert!(report.count("unresolved_strings") > 0);
    let stack = &report.list("compiles")[0]["stack"];
    assert!(!stack.as_array().unwrap().is_empty());
    assert_eq!(stack[0]["file"], Value::Null, "{stack}");
}

#[test]
fn strings_that_follow_their_first_use_are_resolved() {
    let mut log = Log::of(input("03_graph_breaks"));
    let is_string = |record: &crate::support::Record| contains(&record.header, b"] {\"str\":");
    log.records.sort_by_key(is_string);
    let report = whole(&log.bytes());
    assert_eq!(report.count("unresolved_strings"), 0);
    let stacks = |r: &Report| r.list("compiles").iter().map(|c| c["stack"].clone()).collect::<Vec<_>>();
    assert_eq!(stacks(&report), stacks(self::report("03_graph_breaks")));
}

#[test]
fn records_in_reverse_order_are_all_read() {
    let mut log = Log::of(input("03_graph_breaks"));
    log.records.reverse();
    let report = whole(&log.bytes());
    let sorted = |report: &Report| {
        let mut ids: Vec<String> = report.ids().iter().map(|id| id.to_string()).collect();
        ids.sort();
        ids
    };
    assert_eq!(sorted(&report), sorted(self::report("03_graph_breaks")));
    assert_eq!(report.integrity()["events"], self::report("03_graph_breaks").integrity()["events"]);
}

#[test]
fn a_log_without_its_first_half_is_read() {
    let mut log = Log::of(input("03_graph_breaks"));
    log.records.drain(..log.records.len() / 2);
    let report = whole(&log.bytes());
    assert!(report.ids().len() > 10);
}

#[test]
fn a_log_twice_in_one_file_is_read_twice() {
    let bytes = input("03_graph_breaks").bytes().repeat(2);
    let report = whole(&bytes);
    let once = self::report("03_graph_breaks");
    let records = |report: &Report| report.json["log"]["records"].as_u64().unwrap();
    assert_eq!(records(&report), 2 * records(once));
    assert_eq!(report.ids(), once.ids(), "one entry an id");
    assert_eq!(report.list("failures").len(), 2 * once.list("failures").len());
    let counts =
        |r: &Report| r.list("graph_breaks").iter().map(|b| b["count"].as_u64().unwrap()).collect::<Vec<_>>();
    assert_eq!(counts(&report), counts(once).iter().map(|count| 2 * count).collect::<Vec<_>>());
}

#[test]
fn a_forked_childs_strings_come_from_its_parents_log() {
    for name in ["17_fork", "17_fork#1"] {
        let files =
            report(name).list("compiles").iter().flat_map(|compile| compile["stack"].as_array().unwrap());
        for frame in files {
            assert!(frame["file"].as_str().is_some_and(|file| file.starts_with('/')), "{name}: {frame}");
        }
        assert_eq!(report(name).count("unresolved_strings"), 0, "{name}");
    }
}

#[test]
fn a_forked_childs_strings_are_unknown_without_its_parents_log() {
    let missing = [input("17_fork"), input("17_fork#1")].map(|input| {
        Run::of_bytes(&input.file_name(), &input.bytes()).args(["--strict"]).ok().count("unresolved_strings")
    });
    assert!(missing.iter().any(|count| *count > 0), "one of them is the child");
    assert!(missing.contains(&0), "one of them is the parent");
}

#[test]
fn an_id_shared_by_several_compiles_has_their_number() {
    let report = report("09_provenance_reset");
    assert_eq!(report.compile("0/0")["occurrences"], 3);
}

#[test]
fn a_thread_id_in_place_of_the_process_id_is_read() {
    let mut log = Log::of(input("11_export_clean"));
    for record in &mut log.records {
        record.header = replaced(&record.header, b" 18906 ", b" 140144363024384 ");
    }
    let report = whole(&log.bytes());
    assert_eq!(report.json["log"]["pids"], json!([140144363024384_u64]));
}
