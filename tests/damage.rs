//! Copies of real logs, each with one kind of damage: the report names its line and kind, and has everything else.

use crate::support::html::text_of;
use crate::support::log::{contains, replaced};
use crate::support::{Done, Input, Log, Report, Run, files_below, input, input_of, report};
use serde_json::{Value, json};

/// The log that most tests damage.
fn breaks() -> Log {
    Log::of(input("03_graph_breaks"))
}

/// The report on a damaged log. Damage ends with 0, and with 3 under `--strict`.
fn damaged(bytes: &[u8]) -> Report {
    let strict = Run::of_bytes("damaged.log", bytes).args(["--strict"]).go();
    assert!(strict.stderr.contains("--strict"), "{}", strict.stderr);
    let strict = strict.report(3);
    let report = Run::of_bytes("damaged.log", bytes).ok();
    assert_eq!(report.json, strict.json, "--strict changes the exit code only");
    assert_eq!(report.integrity()["ok"], false);
    assert!(report.bytes("raw.log") == bytes);
    report
}

const COUNTERS: [&str; 8] = [
    "bad_prefix",
    "bad_json",
    "bad_payload_md5",
    "truncated",
    "non_utf8",
    "other_rank",
    "parser_errors",
    "unresolved_strings",
];

/// The counters must be as given; those that are not given must be 0.
fn counts(report: &Report, expected: &[(&str, u64)]) {
    for counter in COUNTERS {
        let wanted = expected.iter().find(|(name, _)| *name == counter).map_or(0, |(_, count)| *count);
        assert_eq!(report.count(counter), wanted, "{counter}: {}", report.integrity()["problems"]);
    }
}

/// A problem of that kind has to be listed at that line.
fn names(report: &Report, kind: &str, line: u64) {
    let problems = report.integrity()["problems"].as_array().unwrap();
    let found = problems.iter().any(|problem| problem["kind"] == kind && problem["line"] == line);
    assert!(found, "no {kind} at line {line} in {problems:?}");
}

/// All compiles of the undamaged log have to be there, with their functions.
fn keeps_compiles_of(report: &Report, source: &str) {
    let functions = |report: &Report| -> Vec<Value> {
        report.list("compiles").iter().map(|c| json!([c["id"], c["function"]["name"]])).collect()
    };
    assert_eq!(functions(report), functions(self::report(source)));
}

/// A record that is cut short has no valid JSON or another hash, too, which is no second fact.
fn is_said_once(report: &Report, line: u64) {
    let title = format!("The log is damaged: 1 record is cut short, at line {line}");
    let mut damaged = report.list("findings").iter().filter(|one| one["kind"] == "damaged_log");
    assert_eq!(damaged.next().unwrap()["title"], json!(title));
    let verdict = text_of(report.page("index.html").one("main h1")).replace('\u{a0}', " ");
    assert!(verdict.contains("1 record"), "{verdict}");
}

#[test]
fn a_header_cut_in_its_json_is_truncated_and_what_came_before_is_kept() {
    let log = breaks();
    let at = log.nth("inductor_output_code", 0);
    let mut bytes = log.bytes_before(at);
    let header = &log.records[at].header;
    bytes.extend_from_slice(&header[..header.len() / 2]);
    let report = damaged(&bytes);
    counts(&report, &[("bad_json", 1), ("truncated", 1)]);
    names(&report, "bad_json", log.line(at));
    names(&report, "truncated", log.line(at));
    is_said_once(&report, log.line(at));
    assert_eq!(report.ids(), ["0/0", "1/0"]);
}

#[test]
fn a_payload_cut_at_the_end_is_truncated_and_what_is_left_of_it_is_kept() {
    let log = breaks();
    let at = log.nth("inductor_output_code", 0);
    let mut bytes = log.bytes_before(at + 1);
    bytes.truncate(log.bytes_before(at).len() + log.records[at].header.len() + 400);
    let report = damaged(&bytes);
    counts(&report, &[("bad_payload_md5", 1), ("truncated", 1)]);
    names(&report, "bad_payload_md5", log.line(at));
    names(&report, "truncated", log.line(at));
    is_said_once(&report, log.line(at));
    let line = report.raw_jsonl().pop().unwrap();
    let kept = report.bytes(line["payload_filename"].as_str().unwrap());
    assert!(kept.len() > 300 && log.records[at].text().starts_with(&kept), "{line}");
}

#[test]
fn a_log_that_ends_before_a_payload_says_so() {
    let log = breaks();
    let at = log.nth("inductor_output_code", 0);
    let mut bytes = log.bytes_before(at);
    bytes.extend_from_slice(&log.records[at].header);
    bytes.push(b'\n');
    let report = damaged(&bytes);
    counts(&report, &[("bad_payload_md5", 1), ("truncated", 1)]);
    names(&report, "truncated", log.line(at));
}

#[test]
fn a_header_with_invalid_json_costs_only_its_record() {
    let mut log = breaks();
    let at = log.nth("dynamo_output_graph", 0);
    log.records[at].header.pop();
    let report = damaged(&log.bytes());
    counts(&report, &[("bad_json", 1)]);
    names(&report, "bad_json", log.line(at));
    keeps_compiles_of(&report, "03_graph_breaks");
    let graphs = |r: &Report| r.integrity()["events"]["dynamo_output_graph"].as_u64().unwrap();
    assert_eq!(graphs(&report), graphs(self::report("03_graph_breaks")) - 1);
}

/// A list in a list in a list, so many levels.
fn lists(levels: usize) -> String {
    format!("{}{}", "[".repeat(levels), "]".repeat(levels))
}

#[test]
fn json_nested_too_deeply_is_not_copied_into_json_files() {
    let mut log = breaks();
    let at = log.nth("dynamo_start", 0);
    let deep = log.records[at].like(&format!("{{\"artifact\": {}}}", lists(90)), None);
    let too_deep = log.records[at].like(&format!("{{\"artifact\": {}}}", lists(100_000)), None);
    log.records.splice(at..at, [deep, too_deep]);
    let mut event = |n: usize, levels: usize| {
        let at = log.nth("chromium_event", n);
        let mut payload: Value = serde_json::from_slice(&log.records[at].text()).unwrap();
        payload["more"] = "MORE".into();
        let payload = payload.to_string().replace("\"MORE\"", &lists(levels));
        log.records[at].set_payload(payload.as_bytes());
        (log.line(at), payload)
    };
    event(0, 90);
    let (line_of_event, payload) = event(1, 127);
    let report = damaged(&log.bytes());
    counts(&report, &[("bad_json", 1), ("parser_errors", 1)]);
    names(&report, "bad_json", log.line(at + 1));
    names(&report, "parser_errors", line_of_event);
    // The readers that this is about give up at 128 levels; this one does.
    for line in report.read("raw.jsonl").lines() {
        serde_json::from_str::<Value>(line).unwrap();
    }
    let events = report.json_file("chromium_events.json");
    let as_before = self::report("03_graph_breaks").json_file("chromium_events.json");
    assert_eq!(events.as_array().unwrap().len() + 1, as_before.as_array().unwrap().len());
    assert!(
        report
            .manifest()
            .iter()
            .any(|file| { file.starts_with("payloads/") && report.bytes(file) == payload.as_bytes() })
    );
    keeps_compiles_of(&report, "03_graph_breaks");
}

#[test]
fn a_header_that_is_a_json_array_is_bad_json() {
    let mut log = breaks();
    let at = log.nth("dynamo_start", 2);
    log.records[at].set_envelope(br#"["not", "an object"]"#);
    let report = damaged(&log.bytes());
    counts(&report, &[("bad_json", 1)]);
    names(&report, "bad_json", log.line(at));
    keeps_compiles_of(&report, "03_graph_breaks");
}

#[test]
fn a_payload_that_does_not_fit_its_hash_is_named_and_kept_under_the_hash_it_has() {
    let mut log = breaks();
    let line = log.edit("aot_inference_graph", 0, |envelope| envelope["has_payload"] = "0".repeat(32).into());
    let at = log.nth("aot_inference_graph", 0);
    let report = damaged(&log.bytes());
    counts(&report, &[("bad_payload_md5", 1)]);
    names(&report, "bad_payload_md5", line);
    keeps_compiles_of(&report, "03_graph_breaks");
    let lines = report.raw_jsonl();
    let record = lines.iter().find(|line| line["has_payload"] == "0".repeat(32)).unwrap();
    assert!(report.bytes(record["payload_filename"].as_str().unwrap()) == log.records[at].text());
}

#[test]
fn bytes_that_are_not_utf_8_under_a_wrong_hash_are_named_twice() {
    let mut log = breaks();
    let at = log.nth("aot_inference_graph", 0);
    log.records[at].payload[1].splice(5..5, *b"\xff\xfe\x80");
    let report = damaged(&log.bytes());
    counts(&report, &[("bad_payload_md5", 1), ("non_utf8", 1)]);
    names(&report, "bad_payload_md5", log.line(at));
    names(&report, "non_utf8", log.line(at));
}

#[test]
fn nul_bytes_in_payloads_break_their_hashes_and_nothing_else() {
    let mut log = breaks();
    let mut changed = 0;
    for record in &mut log.records {
        let before = record.payload.concat();
        for line in &mut record.payload {
            if let Some(at) = memchr::memmem::find(line, b"def ") {
                line[at + 3] = 0;
            }
        }
        changed += u64::from(before != record.payload.concat());
    }
    let report = damaged(&log.bytes());
    counts(&report, &[("bad_payload_md5", changed)]);
    keeps_compiles_of(&report, "03_graph_breaks");
}

#[test]
fn binary_bytes_behind_the_last_record_are_named() {
    let log = breaks();
    let mut bytes = log.bytes();
    let tail: Vec<u8> = (0..=255).cycle().take(64 * 256).collect();
    bytes.extend_from_slice(&tail);
    let report = damaged(&bytes);
    names(&report, "bad_prefix", log.line(log.records.len()));
    assert!(report.count("bad_prefix") > 60 && report.count("truncated") == 1);
    keeps_compiles_of(&report, "03_graph_breaks");
}

#[test]
fn records_of_a_second_rank_are_counted_and_kept_apart() {
    let ranks = [input_of("12_ddp_2", 0), input_of("12_ddp_2", 1)].map(Log::of);
    let second = ranks[1].records.iter().filter(|r| contains(&r.header, b"\"rank\": 1")).count() as u64;
    let first = report_of(input_of("12_ddp_2", 0));
    let mut merged = Log { records: ranks.into_iter().flat_map(|log| log.records).collect() };
    merged.records.sort_by(|a, b| a.header[..21].cmp(&b.header[..21]));
    let report = damaged(&merged.bytes());
    counts(&report, &[("other_rank", second)]);
    let ids = |report: &Report| report.ids().iter().map(|id| id.to_string()).collect::<Vec<_>>();
    assert_eq!(ids(&report), ids(first), "compiles of rank 1 are not mixed in");
    assert_eq!(report.json["failures"], first.json["failures"]);
    assert_eq!(report.json["graph_breaks"], first.json["graph_breaks"]);
    let kept = report.raw_jsonl().iter().filter(|line| line["rank"] == 1).count() as u64;
    assert!(kept > 0 && kept <= second, "records of rank 1 stand in raw.jsonl");
}

fn report_of(input: &Input) -> &'static Report {
    report(&input.name)
}

#[test]
fn lines_of_two_ranks_cut_into_each_other_still_give_a_report() {
    let lines = |rank| -> Vec<Vec<u8>> {
        input_of("12_ddp_2", rank).bytes().split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
    };
    let (first, second) = (lines(0), lines(1));
    let mut mixed = Vec::new();
    for (a, b) in first.chunks(7).zip(second.chunks(7)) {
        mixed.extend(a.iter().chain(b).cloned());
    }
    let report = damaged(&mixed.join(&b'\n'));
    assert!(report.count("bad_payload_md5") > 100 && report.count("other_rank") > 100);
    let problems = report.integrity()["problems"].as_array().unwrap();
    let of_hash = problems.iter().filter(|problem| problem["kind"] == "bad_payload_md5").count();
    assert_eq!(of_hash, 100, "the first 100 of each kind are listed");
    assert!(!report.ids().is_empty());
}

#[test]
fn standard_error_between_the_records_is_named_and_costs_no_record() {
    let noise: [&[u8]; 5] = [
        b"W1120 04:44:53.000000 15540 torch/_dynamo/convert_frame.py:1] WON'T CONVERT broken",
        b"Traceback (most recent call last):",
        b"  File \"/app/s06_errors.py\", line 70, in main",
        b"RuntimeError: backend refuses graph with 3 nodes",
        b"step 3: loss 1.25",
    ];
    let log = breaks();
    let (mut bytes, mut glog, mut plain) = (Vec::new(), 0, 0);
    for (index, record) in log.records.iter().enumerate() {
        let line = noise[index % noise.len()];
        *(if line.starts_with(b"W") { &mut glog } else { &mut plain }) += 1;
        let lines = std::iter::once(&record.header).chain(&record.payload).map(Vec::as_slice);
        for line in lines.chain([line]) {
            bytes.extend_from_slice(line);
            bytes.push(b'\n');
        }
    }
    let report = damaged(&bytes);
    counts(&report, &[("bad_prefix", plain), ("bad_json", glog)]);
    for key in ["compiles", "graph_breaks", "failures", "caches", "restarts"] {
        let count = |report: &Report| report.list(key).len();
        assert_eq!(count(&report), count(self::report("03_graph_breaks")), "{key}");
    }
}

#[test]
fn a_log_that_begins_inside_a_payload_is_read_from_the_next_record() {
    let log = breaks();
    let at = log.nth("inductor_output_code", 0);
    let from = log.bytes_before(at).len() + log.records[at].header.len() + 400;
    let report = damaged(&log.bytes()[from..]);
    names(&report, "bad_prefix", 1);
    assert_eq!(report.count("bad_prefix"), 1);
    assert_eq!(report.ids(), self::report("03_graph_breaks").ids()[1..], "0/0 ended before the cut");
}

#[test]
fn payload_lines_that_lost_their_tab_are_named() {
    let mut log = breaks();
    let graphs = log.all("dynamo_output_graph");
    let mut lost = 0;
    for index in &graphs {
        for line in &mut log.records[*index].payload {
            line.remove(0);
            // A blank line is neither a record nor damage.
            lost += u64::from(!line.is_empty());
        }
    }
    let report = damaged(&log.bytes());
    counts(&report, &[("bad_payload_md5", graphs.len() as u64), ("bad_prefix", lost)]);
    names(&report, "bad_payload_md5", log.line(graphs[0]));
    keeps_compiles_of(&report, "03_graph_breaks");
}

#[test]
fn frame_ids_that_are_not_numbers_are_named() {
    let mut log = breaks();
    let values = [json!(-1), json!(1u64 << 63), json!(1e21), json!("7"), Value::Null, json!(1.5)];
    let mut lines = Vec::new();
    for (n, value) in values.into_iter().enumerate() {
        lines.push(log.edit("dynamo_start", n + 1, |envelope| envelope["frame_id"] = value));
    }
    let report = damaged(&log.bytes());
    assert!(report.count("parser_errors") >= 2, "{}", report.integrity()["problems"]);
    for index in [0, 5] {
        names(&report, "parser_errors", lines[index]);
    }
    let ids = report.ids();
    assert!(self::report("03_graph_breaks").ids().iter().all(|id| ids.contains(id)));
    assert!(ids.contains(&"9223372036854775808/0"), "{ids:?}");
}

#[test]
fn records_without_their_fields_are_named_and_the_others_are_kept() {
    let mut log = breaks();
    let mut lines = Vec::new();
    for (n, key) in ["line", "name", "filename"].into_iter().enumerate() {
        lines.push(log.edit("dynamo_start", n, |envelope| {
            envelope["dynamo_start"]["stack"][0].as_object_mut().unwrap().remove(key);
        }));
    }
    lines.push(log.edit("dynamo_start", 5, |envelope| envelope["dynamo_start"] = json!({})));
    lines.push(log.edit("compilation_metrics", 0, |envelope| envelope["compilation_metrics"] = json!({})));
    let report = damaged(&log.bytes());
    counts(&report, &[("parser_errors", lines.len() as u64)]);
    for line in lines {
        names(&report, "parser_errors", line);
    }
    let ids = |report: &Report| report.ids().iter().map(|id| id.to_string()).collect::<Vec<_>>();
    assert_eq!(ids(&report), ids(self::report("03_graph_breaks")));
}

#[test]
fn metrics_whose_every_field_has_a_wrong_type_are_named_and_shown() {
    let mut log = breaks();
    let line = log.edit("compilation_metrics", 0, |envelope| {
        for value in envelope["compilation_metrics"].as_object_mut().unwrap().values_mut() {
            *value = json!([value.to_string()]);
        }
    });
    let report = damaged(&log.bytes());
    counts(&report, &[("parser_errors", 1)]);
    names(&report, "parser_errors", line);
    keeps_compiles_of(&report, "03_graph_breaks");
}

#[test]
fn a_field_of_a_wrong_type_degrades_only_its_view() {
    let mut log = breaks();
    log.edit("compilation_metrics", 0, |envelope| {
        envelope["compilation_metrics"]["graph_op_count"] = json!("many")
    });
    let report = Run::of_bytes("odd.log", &log.bytes()).args(["--strict"]).ok();
    keeps_compiles_of(&report, "03_graph_breaks");
    assert_eq!(report.list("compiles")[0]["metrics"][0]["fields"]["graph_op_count"], "many");
}

#[test]
fn a_compressed_log_that_is_cut_gives_a_report_on_what_can_be_read() {
    let log = input("03_graph_breaks");
    let packed = std::fs::read(&log.stored).unwrap();
    let report = Run::of_bytes("cut.log.zst", &packed[..packed.len() / 2]).args(["--strict"]).ends_with(3);
    assert!(report.count("truncated") > 0);
    let read = report.bytes("raw.log");
    assert!(!read.is_empty() && log.bytes().starts_with(&read));
    assert_eq!(report.ids(), self::report("03_graph_breaks").ids()[..report.ids().len()]);
}

#[test]
fn a_utf_16_file_is_refused_as_a_log() {
    let text = String::from_utf8(input("01_inference").bytes()).unwrap();
    let wide: Vec<u8> = [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    no_log(Run::of_bytes("utf16.log", &wide).go());
}

#[test]
fn a_file_without_records_is_refused_and_leaves_no_folder() {
    for bytes in [&b"hello\nworld\n"[..], b"\x7fELF\0\0\0\x01", b"{\"a\": 1}\n", b"\tonly a payload line\n"] {
        no_log(Run::of_bytes("other.log", bytes).go());
    }
}

#[test]
fn a_truncated_archive_is_named_as_such_and_leaves_no_folder() {
    let done = Run::of_bytes("other.log", b"PK\x03\x04zip").go();
    let error = done.fails(1);
    assert!(error.contains("the archive is damaged or was cut"), "{error}");
    assert_eq!(files_below(done.work.path()), ["other.log"]);
}

/// Asserts exit code 1, a message that says what to do, and that nothing is left behind.
fn no_log(done: Done) {
    let error = done.fails(1);
    assert!(error.contains("TORCH_TRACE"), "{error}");
    let left: Vec<_> =
        std::fs::read_dir(done.work.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 1, "beside the log stands {left:?}");
}

#[test]
fn a_carriage_return_lost_from_one_payload_line_is_found_by_its_hash() {
    let log = breaks();
    let crlf = replaced(&log.bytes(), b"\n", b"\r\n");
    let at = memchr::memmem::find(&crlf, b"\tdef ").unwrap();
    let mut bytes = crlf.clone();
    bytes[at + 1] = b'D';
    let report = damaged(&bytes);
    counts(&report, &[("bad_payload_md5", 1)]);
}
