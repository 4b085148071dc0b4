//! `--combine`: the traces of several ranks as one file.

use crate::performance::trace;
use crate::support::{Run, report::Report};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Nanoseconds by which the clock of each rank is later than that of the one before.
const LATER_NS: u64 = 5_000_000;

/// The recorded trace as each of two ranks would have written it, by the names of their files.
fn ranks(folder: &Path) -> [PathBuf; 2] {
    [0, 1].map(|rank| {
        let mut given = trace("h100_vit.json.gz");
        let clock = given["baseTimeNanoseconds"].as_u64().unwrap();
        given["baseTimeNanoseconds"] = json!(clock + rank * LATER_NS);
        given["metadata"] = json!({"HF_TOKEN": "planted"});
        let path = folder.join(format!("rank{rank}.json"));
        std::fs::write(&path, given.to_string()).unwrap();
        path
    })
}

fn combined(run: Run, to: &Path) -> (Report, Value) {
    let report = run.args(["--combine"]).args([to]).ok();
    let text = std::fs::read_to_string(to).unwrap();
    assert!(!text.contains("planted"), "what surrounds the events is not copied");
    (report, serde_json::from_str(&text).unwrap())
}

/// The events of a process, without those that name it.
fn of_process(combined: &Value, process: u64) -> Vec<&Value> {
    let all = combined["traceEvents"].as_array().unwrap().iter();
    let named = |event: &Value| event["name"].as_str().is_some_and(|name| name.starts_with("process_"));
    all.filter(|event| event["pid"].as_u64() == Some(process) && !named(event)).collect()
}

#[test]
fn traces_of_two_ranks_become_one_file_with_a_process_each_and_one_clock() {
    let folder = TempDir::new().unwrap();
    let [first, second] = ranks(folder.path());
    let to = folder.path().join("all.json");
    let (_, all) = combined(Run::of(&second).args([&first]), &to);
    let names: Vec<&str> = all["traceEvents"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|event| event["name"] == "process_name")
        .map(|event| event["args"]["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["rank 0 (rank0.json)", "rank 1 (rank1.json)"]);
    let (zero, one) = (of_process(&all, 0), of_process(&all, 1));
    let recorded = trace("h100_vit.json.gz");
    let kept = recorded["traceEvents"].as_array().unwrap().iter();
    let kept = kept.filter(|event| !event["name"].as_str().is_some_and(|name| name.starts_with("process_")));
    assert_eq!((zero.len(), one.len()), (kept.clone().count(), zero.len()), "every event is in it once");
    for ((at_zero, at_one), event) in zero.iter().zip(&one).zip(kept) {
        assert_eq!((&at_zero["name"], &at_zero["args"]), (&event["name"], &event["args"]));
        assert_eq!(at_zero["ts"], event["ts"]);
        if event["ts"].as_f64().is_some() {
            let later = at_one["ts"].as_f64().unwrap() - at_zero["ts"].as_f64().unwrap();
            assert!((later - LATER_NS as f64 / 1e3).abs() < 0.01, "{later}");
        }
    }
}

#[test]
fn arrows_and_streams_of_one_rank_do_not_meet_those_of_another() {
    let folder = TempDir::new().unwrap();
    let [first, second] = ranks(folder.path());
    let (_, all) = combined(Run::of(&first).args([&second]), &folder.path().join("all.json"));
    let flows = |process: u64| -> BTreeSet<u64> {
        of_process(&all, process).iter().filter_map(|event| event["id"].as_u64()).collect()
    };
    assert!(!flows(0).is_empty() && flows(0).is_disjoint(&flows(1)));
    let recorded = trace("h100_vit.json.gz");
    let threads: BTreeSet<String> = recorded["traceEvents"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|event| !event["name"].as_str().is_some_and(|name| name.starts_with("process_")))
        .map(|event| format!("{} {}", event["pid"], event["tid"]))
        .collect();
    let rows: BTreeSet<u64> =
        of_process(&all, 1).iter().map(|event| event["tid"].as_u64().unwrap()).collect();
    assert_eq!(rows.len(), threads.len(), "streams and threads with equal numbers stay apart");
}

#[test]
fn a_combined_trace_needs_two_traces_and_replaces_nothing_unasked() {
    let folder = TempDir::new().unwrap();
    let [first, second] = ranks(folder.path());
    let there = folder.path().join("there.json");
    std::fs::write(&there, "mine").unwrap();
    let run = |inputs: &[&Path], to: &Path, more: &[&str]| {
        let run = inputs.iter().skip(1).fold(Run::of(inputs[0]), |run, path| run.args([path]));
        run.args(["--combine"]).args([to]).args(more).go()
    };
    let new = folder.path().join("new.json");
    assert!(run(&[&first], &new, &[]).fails(1).contains("needs the traces of several ranks"));
    assert!(run(&[&first, &second], &there, &[]).fails(1).contains("--overwrite"));
    assert_eq!(std::fs::read(&there).unwrap(), b"mine");
    assert!(run(&[&first, &second], &first, &["--overwrite"]).fails(1).contains("a trace that it reads"));
    run(&[&first, &second], &there, &["--overwrite"]);
    assert!(std::fs::read_to_string(&there).unwrap().contains("traceEvents"));
}

#[test]
fn ids_of_any_form_are_those_of_one_rank_only() {
    let folder = TempDir::new().unwrap();
    let paths = [0, 1].map(|rank| {
        let launch = json!({"ph": "X", "cat": "kernel", "name": "k", "pid": 1, "tid": 1, "ts": 1.0, "dur": 1.0,
            "args": {"External id": 7, "correlation": 8, "device": 0}});
        let large = json!({"ph": "s", "id": 1_u64 << 40, "name": "a", "pid": 1, "tid": 1, "ts": 1.0});
        let text = json!({"ph": "b", "id": "0x10", "cat": "c", "name": "a", "pid": 1, "tid": 1, "ts": 1.0});
        let path = folder.path().join(format!("rank{rank}.json"));
        std::fs::write(&path, json!({"traceEvents": [launch, large, text]}).to_string()).unwrap();
        path
    });
    let to = folder.path().join("all.json");
    let run = Run::of(&paths[0]).args([&paths[1], &paths[0]]).args(["--combine"]).args([&to]).go();
    assert!(run.stderr.contains("2 traces are in"), "one that is given twice is one: {}", run.stderr);
    assert!(run.stderr.contains("2 of them do not say what times count from"), "{}", run.stderr);
    let all: Value = serde_json::from_slice(&std::fs::read(&to).unwrap()).unwrap();
    let ids = |process: u64| -> BTreeSet<String> {
        let of_args = |event: &Value| ["External id", "correlation"].map(|id| event["args"][id].to_string());
        let all = of_process(&all, process);
        let ids = all.iter().flat_map(|event| of_args(event).into_iter().chain([event["id"].to_string()]));
        ids.filter(|id| id != "null").collect()
    };
    assert_eq!((ids(0).len(), ids(1).len()), (4, 4));
    assert!(ids(0).is_disjoint(&ids(1)), "{:?} {:?}", ids(0), ids(1));
}
