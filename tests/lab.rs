//! The lab: each kind of advice has its program and came out well under the newest torch, and a report gives it on the log
//! of that program and not once it was followed.

use crate::support::{Run, files_below, source, source_text};
use regex::Regex;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// An advice of the lab: its program, and the number of its FIX.
type Key = String;

/// Advice that the stored log of its program cannot have, with the reason.
const NOT_ON_THIS_LOG: [(&str, &str); 8] = [
    ("compile_threads.1", "only where builds of kernels take most of the time; those of the program are few"),
    (
        "idle_device.1",
        "a trace of the device shows that it is idle, and the logs of the lab have none beside them",
    ),
    (
        "layer_index.1",
        "its graphs differ in the number alone, so that the report says int_attribute.1: the same setting",
    ),
    ("logging_call.2", "the setting of older versions; the stored logs are of the newest"),
    ("modules_limit.1", "raising the limit is advised before it is reached, and here it was"),
    (
        "optimizer_lr.5",
        "the break is in torch: torch compiled the step itself, not a function of the program",
    ),
    ("shared_forward.2", "what older versions have; the stored logs are of the newest"),
    ("regional.1", "only where a compile takes seconds; that of the program takes less than one"),
];

/// Advice that the log after it has, too, with the reason.
const STILL_ON_THE_LOG_AFTER: [(&str, &str); 1] = [(
    "cache_kept.1",
    "the program compiles twice, and it is the first compile that fills the folder for the second",
)];

/// The programs of the lab, by kind.
fn programs() -> BTreeMap<String, String> {
    let files = files_below(&source("lab")).into_iter().filter(|path| !path.contains('/'));
    let kinds = files.filter_map(|path| path.strip_suffix(".py").map(str::to_owned));
    let kinds = kinds.filter(|kind| kind != "run");
    kinds.map(|kind| (kind.clone(), source_text(&format!("lab/{kind}.py")))).collect()
}

fn json(path: &str) -> Value {
    serde_json::from_str(&source_text(path)).unwrap()
}

/// What the program reads: the versions under which each advice came out well.
fn table() -> BTreeMap<Key, Vec<String>> {
    let table = json("src/analysis/lab.json");
    let versions = |text: &Value| {
        text.as_str().unwrap().split("; ").next().unwrap().split(", ").map(str::to_owned).collect()
    };
    table.as_object().unwrap().iter().map(|(key, text)| (key.clone(), versions(text))).collect()
}

/// 2.8 before 2.10.
fn parts(version: &str) -> Vec<u32> {
    version.split('.').map(|part| part.parse().unwrap()).collect()
}

/// The newest torch that anything was tried under on a CPU.
fn newest() -> String {
    let all: BTreeSet<String> = table().into_values().flatten().collect();
    let on_cpu = all.into_iter().filter(|version| !version.contains(" on "));
    on_cpu.max_by_key(|version| parts(version)).unwrap()
}

/// Whether a program came out well where it counts: under the newest torch, or on a device if it needs one.
fn came_out_well(versions: Option<&Vec<String>>, program: &str) -> bool {
    let (newest, needs_device) = (newest(), program.contains("\nDEVICE = "));
    let counts = |version: &String| if needs_device { version.contains(" on ") } else { *version == newest };
    versions.is_some_and(|versions| versions.iter().any(counts))
}

/// The advice that the source says was tried.
fn advised() -> BTreeSet<Key> {
    let programs = programs();
    let key = Regex::new(r#""([a-z_]+)\.(\d+)""#).unwrap();
    let is_ours = |path: &String| path.ends_with(".rs") || path.ends_with(".toml");
    let files = files_below(&source("src/analysis")).into_iter().filter(is_ours);
    let texts =
        files.filter(|path| path != "lab.rs").map(|path| source_text(&format!("src/analysis/{path}")));
    let found = |text: String| -> Vec<Key> {
        let all = key.captures_iter(&text).filter(|found| programs.contains_key(&found[1]));
        all.map(|found| format!("{}.{}", &found[1], &found[2])).collect()
    };
    texts.flat_map(found).collect()
}

/// The logs of the programs under the newest torch, by kind: with FIX=0, or with the first FIX that is advised.
fn logs(when: &str) -> BTreeMap<String, Vec<u8>> {
    let packed = fs::read(source(&format!("tests/lab/{when}.tar.zst"))).unwrap();
    let tar = zstd::decode_all(packed.as_slice()).unwrap();
    let mut logs = BTreeMap::new();
    let mut rest = tar.as_slice();
    // A tar is a head of 512 bytes per file, with its name and its size in octal digits, then the file in blocks of 512.
    while let Some((head, files)) = rest.split_at_checked(512).filter(|(head, _)| head[0] != 0) {
        let text = |range: std::ops::Range<usize>| {
            String::from_utf8_lossy(&head[range]).trim_end_matches('\0').to_owned()
        };
        let size = usize::from_str_radix(&text(124..136), 8).unwrap();
        let kind = text(0..100).strip_suffix(".log").unwrap().to_owned();
        logs.insert(kind, files[..size].to_vec());
        rest = &files[size.next_multiple_of(512)..];
    }
    logs
}

/// The advice that the report of a log says was tried.
fn advised_on(log: Option<&Vec<u8>>) -> BTreeSet<Key> {
    let Some(log) = log else { return BTreeSet::new() };
    let report = Run::of_bytes("dedicated_log_torch_trace_lab.log", log).ok();
    let advice = report.list("findings").iter().flat_map(|finding| finding["advice"].as_array().unwrap());
    advice.filter_map(|advice| advice["tried"]["kind"].as_str().map(str::to_owned)).collect()
}

#[test]
fn each_kind_has_a_program_that_came_out_well_under_the_newest_torch() {
    let (programs, table) = (programs(), table());
    assert!(programs.len() >= 90, "{} programs", programs.len());
    for (kind, text) in &programs {
        let versions = table.get(kind);
        assert!(came_out_well(versions, text), "lab/{kind}.py came out well under {versions:?}");
        assert!(text.contains("FIX=0 "), "lab/{kind}.py says what its users write");
    }
}

#[test]
fn each_program_has_its_log_before() {
    let (logs, outcomes) = (logs("before"), json("lab/outcomes.json"));
    let compiles = |kind: &String| {
        let by_version = outcomes[kind]["0"].as_object().unwrap();
        by_version.values().any(|outcome| outcome["compiles"] != 0)
    };
    let without = programs().into_keys().filter(|kind| !logs.contains_key(kind));
    let missing: Vec<String> = without.filter(compiles).collect();
    assert!(missing.is_empty(), "lab/run.py python --record tests/lab {}", missing.join(" "));
}

#[test]
fn the_table_of_the_program_is_what_the_lab_recorded() {
    let outcomes = json("lab/outcomes.json");
    for (key, versions) in table() {
        let (kind, fix) = key.split_once('.').unwrap_or((&key, "0"));
        for version in versions {
            for fix in ["0", fix] {
                let outcome = &outcomes[kind][fix][&version];
                assert!(outcome.is_object(), "{kind} was not run with FIX={fix} under {version}");
            }
            let is_advice = fix != "0";
            let raised = &outcomes[kind][fix][&version]["error"];
            assert!(!is_advice || raised.is_null(), "{key} raised under {version}: {raised}");
        }
    }
}

#[test]
fn tried_advice_refers_to_the_lab() {
    let (table, programs) = (table(), programs());
    for key in advised() {
        let (versions, kind) = (table.get(&key), key.split('.').next().unwrap());
        assert!(came_out_well(versions, &programs[kind]), "{key} came out well under {versions:?}");
    }
}

#[test]
fn a_report_gives_an_advice_on_the_log_before_and_not_on_the_log_after() {
    let kinds: BTreeSet<String> =
        advised().iter().map(|key| key.split('.').next().unwrap().to_owned()).collect();
    let (logs_before, logs_after) = (logs("before"), logs("after"));
    let mut wrong = Vec::new();
    for kind in kinds {
        let before = advised_on(logs_before.get(&kind));
        let after = advised_on(logs_after.get(&kind));
        let stored = |key: &&Key| key.split('.').next() == Some(&kind);
        for key in advised().iter().filter(stored) {
            let excused = NOT_ON_THIS_LOG.iter().any(|(one, _)| one == key);
            if !before.contains(key) && !excused {
                wrong.push(format!("the log of {kind} before lacks the advice {key}; it has {before:?}"));
            }
            let is_right = STILL_ON_THE_LOG_AFTER.iter().any(|(one, _)| one == key);
            if after.contains(key) && !is_right {
                wrong.push(format!("the log of {kind} after still has the advice {key}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
