//! Logs that are written to do harm: nothing is written outside of the report, no script runs, memory and time are bounded.

use crate::support::log::md5_of;
use crate::support::{Log, Report, Run, input, report};
use serde_json::{Value, json};

/// A script that would run if it were not escaped. No page of a real log has it.
const SCRIPT: &str = "</script><script>alert(4711)</script><img src=x onerror=alert(4711)>";

fn breaks() -> Log {
    Log::of(input("03_graph_breaks"))
}

/// The nth artifact gets another name.
fn rename(log: &mut Log, n: usize, name: &str) {
    log.edit("artifact", n, |envelope| envelope["artifact"]["name"] = name.into());
}

#[test]
fn names_of_artifacts_never_lead_out_of_the_report() {
    let names = [
        "../../escape_attempt",
        "/absolute_attempt",
        "a/b/c",
        "..\\..\\windows",
        "C:\\windows",
        "grüße 你好",
        "",
        ".",
        "..",
        "con:aux|?*",
        "nul",
        "a\nb",
        "\u{202e}evil",
        "a\0b",
        "index.html",
        "compile_directory.json",
        "report.json",
        "-rf",
    ];
    let mut log = breaks();
    for (n, name) in names.iter().enumerate() {
        rename(&mut log, 3 * n, name);
    }
    let done = Run::of_bytes("hostile.log", &log.bytes()).args(["--strict"]).go();
    let beside: Vec<_> =
        std::fs::read_dir(done.work.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(beside.len(), 2, "only the log and the report stand in {beside:?}");
    let report = done.report(0);
    for path in report.manifest() {
        for part in path.split('/') {
            assert!(
                part != ".."
                    && part != "."
                    && !part.contains(['\\', ':', '*', '?', '|', '\n', '\0', '\u{202e}']),
                "{path:?}"
            );
        }
    }
    assert!(!std::path::Path::new("/absolute_attempt").exists());
    for name in names.iter().filter(|name| !name.is_empty()) {
        assert_eq!(report.integrity()["artifacts"][name], 1, "{name:?} is counted under its own name");
    }
    assert!(
        report.json_file("report.json")["kind"] == "log"
            && report.json_file("compile_directory.json").is_object()
    );
}

#[test]
fn two_artifacts_of_one_name_are_two_files() {
    let mut log = breaks();
    for n in 0..6 {
        rename(&mut log, n, ["a/b", "a_b", "a:b"][n % 3]);
    }
    let report = Run::of_bytes("same.log", &log.bytes()).args(["--strict"]).ok();
    let paths: Vec<&Value> = report
        .list("compiles")
        .iter()
        .flat_map(|compile| compile["artifacts"].as_array().unwrap())
        .filter(|artifact| artifact["path"].as_str().is_some_and(|path| path.contains("/a_b_")))
        .map(|artifact| &artifact["path"])
        .collect();
    assert_eq!(paths.len(), 6);
    assert!((1..6).all(|n| !paths[..n].contains(&paths[n])), "{paths:?}");
}

#[test]
fn a_name_of_300_characters_is_cut_and_stays_distinct() {
    let mut log = breaks();
    rename(&mut log, 0, &format!("{}1", "x".repeat(300)));
    rename(&mut log, 1, &format!("{}2", "x".repeat(300)));
    let report = Run::of_bytes("long.log", &log.bytes()).args(["--strict"]).ok();
    let long: Vec<String> = report.manifest().into_iter().filter(|path| path.contains("/xxxxx")).collect();
    assert_eq!(long.len(), 2);
    assert!(long.iter().all(|path| path.rsplit('/').next().unwrap().len() < 128), "{long:?}");
}

/// A log in which every text that a page may show is a script.
fn scripted() -> Report {
    let mut log = breaks();
    for (n, index) in log.all("artifact").into_iter().enumerate() {
        if n % 5 == 0 {
            log.records[index].edit(|envelope| envelope["artifact"]["name"] = SCRIPT.into());
        }
    }
    for index in log.all("str") {
        log.records[index].edit(|envelope| envelope["str"][0] = format!("/app/{SCRIPT}.py").into());
    }
    for index in log.all("dynamo_start") {
        log.records[index].edit(|envelope| {
            for frame in envelope["dynamo_start"]["stack"].as_array_mut().unwrap() {
                frame["name"] = SCRIPT.into();
                frame["loc"] = SCRIPT.into();
            }
        });
    }
    for index in log.all("compilation_metrics") {
        log.records[index].edit(|envelope| {
            for value in envelope["compilation_metrics"].as_object_mut().unwrap().values_mut() {
                if value.is_string() {
                    *value = SCRIPT.into();
                }
            }
            envelope["compilation_metrics"]["restart_reasons"] = json!([SCRIPT]);
            envelope["compilation_metrics"][SCRIPT] = json!([SCRIPT, {SCRIPT: SCRIPT}]);
        });
    }
    for event in
        ["dynamo_output_graph", "inductor_output_code", "dynamo_cpp_guards_str", "aot_inference_graph"]
    {
        for index in log.all(event) {
            let text = [SCRIPT.as_bytes(), b"\n", &log.records[index].text()].concat();
            log.records[index].set_payload(&text);
        }
    }
    let like = log.first("artifact").clone();
    let mut envelope = json!({"link": {"name": SCRIPT, "url": "javascript:alert(4711)"}});
    log.records.push(like.like(&envelope.to_string(), None));
    envelope = json!({SCRIPT: {"name": SCRIPT}, "frame_id": 0, "frame_compile_id": 0, "attempt": 0});
    log.records.push(like.like(&envelope.to_string(), Some(SCRIPT.as_bytes())));
    Run::of_bytes("<script>alert(4711)<script>.log", &log.bytes()).ok()
}

#[test]
fn no_text_of_a_log_becomes_markup() {
    let report = scripted();
    for path in report.pages() {
        let page = report.page(&path);
        for script in page.all("script") {
            let text: String = script.text().collect();
            let is_data = script.attr("type") == Some("application/json");
            assert!(is_data || !text.contains("alert(4711)"), "{path}: a script of the log would run");
        }
        assert!(page.all("img").is_empty(), "{path}: an image of the log is shown");
        for element in page.all("*") {
            for (name, value) in element.value().attrs() {
                assert!(!name.starts_with("on"), "{path}: {name}={value}");
                let leads = matches!(name, "href" | "src" | "action");
                assert!(
                    !leads || !value.trim_start().to_lowercase().starts_with("javascript:"),
                    "{path}: {value}"
                );
            }
        }
        assert!(!report.read(&path).contains("<script>alert(4711)"), "{path}");
    }
}

#[test]
fn string_ids_without_bound_cost_neither_memory_nor_the_log() {
    let mut log = Log::of(input("01_inference"));
    let like = log.first("artifact").clone();
    for id in ["99999999999999999999", "9223372036854775807", "4294967296", "-5", "1.5", "\"0\"", "null"] {
        log.records.push(like.like(&format!(r#"{{"str": ["/app/x.py", {id}]}}"#), None));
    }
    let report = Run::of_bytes("ids.log", &log.bytes()).ok();
    assert_eq!(report.ids(), ["0/0"]);
    assert!(report.bytes("raw.jsonl").len() < 2 << 20, "the string table has no gap of a million");
}

#[test]
fn a_stack_of_ten_thousand_frames_keeps_its_innermost() {
    let mut log = Log::of(input("01_inference"));
    log.edit("dynamo_start", 0, |envelope| {
        let stack = envelope["dynamo_start"]["stack"].as_array_mut().unwrap();
        let frame = |n: u64| json!({"line": n, "name": format!("f{n}"), "filename": 0, "loc": "f()"});
        stack.splice(0..0, (1..=10_000).map(frame));
    });
    let report = Run::of_bytes("deep.log", &log.bytes()).args(["--strict"]).ok();
    let stack = |report: &Report| report.compile("0/0")["stack"].as_array().unwrap().clone();
    let (deep, plain) = (stack(&report), stack(self::report("01_inference")));
    // Pages nest lists as deep as stacks are, so not all of these frames may be shown; but at least as many as a real stack
    // can have under Python's own limit, and the innermost ones, which matter most.
    assert!(deep.len() >= 500 && deep.ends_with(&plain), "{}", deep.len());
}

#[test]
fn json_that_is_nested_without_bound_is_a_problem_of_its_line() {
    let mut log = Log::of(input("01_inference"));
    let like = log.first("artifact").clone();
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    log.records.push(like.like(&format!(r#"{{"link": {deep}}}"#), None));
    let artifact = r#"{"artifact": {"name": "deep", "encoding": "json"}, "frame_id": 0, "frame_compile_id": 0, "attempt": 0}"#;
    log.records.push(like.like(artifact, Some(deep.as_bytes())));
    log.records.push(like.like(r#"{"chromium_event": {}}"#, Some(deep.as_bytes())));
    let line = log.line(log.records.len() - 3);
    let report = Run::of_bytes("nested.log", &log.bytes()).ok();
    let problem = &report.integrity()["problems"][0];
    assert_eq!((&problem["kind"], &problem["line"]), (&json!("bad_json"), &json!(line)), "{problem}");
    assert!(problem["detail"].as_str().unwrap().contains("deeper than 100 levels"), "{problem}");
}

#[test]
fn a_dump_file_of_a_hostile_name_stays_in_its_folder() {
    let mut log = Log::of(input("23_dump_file"));
    for (n, name) in ["../../../evil", SCRIPT].iter().enumerate() {
        log.edit("dump_file", n, |envelope| envelope["dump_file"]["name"] = (*name).into());
    }
    let report = Run::of_bytes("dump.log", &log.bytes()).ok();
    let outside =
        report.manifest().into_iter().filter(|path| path.contains("evil") && !path.starts_with("dump_file/"));
    assert_eq!(outside.count(), 0);
}

#[test]
fn an_invalid_payload_hash_never_becomes_a_path() {
    let mut log = Log::of(input("01_inference"));
    let like = log.first("artifact").clone();
    let mut record = like.like(r#"{"event_of_the_future": {}, "has_payload": "x"}"#, Some(b"text"));
    record.edit(|envelope| envelope["has_payload"] = "../../../etc/passwd".into());
    log.records.push(record);
    let report = Run::of_bytes("hash.log", &log.bytes()).args(["--strict"]).ends_with(3);
    assert_eq!(report.count("bad_payload_md5"), 1);
    assert_eq!(report.read(&format!("payloads/{}.txt", md5_of(b"text"))), "text");
}
