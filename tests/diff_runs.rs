//! `tlparse diff` of several runs a side, and of ranks: what is said of a thing that only some of them have.

use crate::diff::{compared, diff, rows, subject};
use crate::support::{changed_report, job, report};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A report of graph breaks whose facts are changed, in a folder of its own.
fn changed(change: impl FnOnce(&mut Value)) -> TempDir {
    changed_report("03_graph_breaks", change)
}

/// Removes what a list of the report holds of the kind.
fn remove(json: &mut Value, list: &str, is_meant: impl Fn(&Value) -> bool) {
    let all = json[list].as_array_mut().unwrap();
    let before = all.len();
    all.retain(|one| !is_meant(one));
    assert!(all.len() < before, "{list} has no such entry");
}

/// The comparison of these runs.
fn several(a: &[&Path], b: &[&Path]) -> Value {
    let mut args: Vec<OsString> = vec!["--json".into(), "--a".into()];
    args.extend(a.iter().map(|path| path.as_os_str().to_owned()));
    args.push("--b".into());
    args.extend(b.iter().map(|path| path.as_os_str().to_owned()));
    let done = diff(&args);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    serde_json::from_str(&done.stdout).unwrap()
}

#[test]
fn differences_in_only_some_runs_of_a_side_are_shown_with_their_count() {
    let whole = report("03_graph_breaks").folder.as_path();
    let without = changed(|json| {
        remove(json, "graph_breaks", |one| one["line"] == 65);
        remove(json, "compiles", |one| one["function"]["name"] == "inner_unsupported");
    });
    let without = without.path();
    // Two of three on one side are most runs there, as all are on the other.
    let json = several(&[whole, whole, whole], &[whole, whole, without]);
    assert!(rows(&json, "graph_break").is_empty() && rows(&json, "function").is_empty(), "{json:#}");
    let json = several(&[whole, whole, whole], &[whole, without, without]);
    let words = "in 3 of 3 runs of A and in 1 of 3 runs of B";
    let of_break = rows(&json, "graph_break")[0];
    assert_eq!((&of_break["kind"], &of_break["line"]), (&json!("changed"), &json!(65)), "{of_break}");
    assert!(of_break["detail"].as_str().unwrap().ends_with(words), "{of_break}");
    let function = rows(&json, "function")[0];
    assert_eq!(subject(function), "`inner_unsupported` is compiled by some runs only");
    assert_eq!(function["detail"], words);
    let json = several(&[whole, whole], &[without, without]);
    let of_break = rows(&json, "graph_break")[0];
    assert_eq!(of_break["kind"], "gone");
    assert!(of_break["detail"].as_str().unwrap().ends_with("in 2 of 2 runs of A and in none of B"));
}

#[test]
fn logs_of_two_ranks_are_compared_with_each_other_where_they_are_given_alone() {
    let job = &job("13_div_break").folder;
    let json = compared(&job.join("rank_0"), &job.join("rank_1"));
    assert_eq!(rows(&json, "graph_break")[0]["line"], 28, "{json:#}");
}

#[test]
fn times_of_several_ranks_are_those_of_the_rank_that_differs_most() {
    let json = compared(&job("13_div_healthy").folder, &job("13_div_break").folder);
    let time = rows(&json, "compile_time");
    assert_eq!(time.len(), 1, "{time:#?}");
    let most = time[0]["ranks"][0].as_u64().unwrap();
    assert_eq!(time[0]["detail"], format!("times of the rank that differs most, rank {most}"));
    let seconds = |side: &str| {
        let report = job(side).folder.join(format!("rank_{most}/report.json"));
        let report: Value = serde_json::from_slice(&fs::read(report).unwrap()).unwrap();
        report["compile_time"]["total_s"].as_f64().unwrap()
    };
    let (a, b) = (seconds("13_div_healthy"), seconds("13_div_break"));
    assert!((time[0]["a"]["seconds"].as_f64().unwrap() - a).abs() < 1e-6, "{} {a}", time[0]);
    assert!((time[0]["b"]["seconds"].as_f64().unwrap() - b).abs() < 1e-6, "{} {b}", time[0]);
}

#[test]
fn reports_of_one_name_are_called_by_their_paths() {
    let (one, other) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    for folder in [&one, &other] {
        let report = report("01_inference").folder.join("report.json");
        fs::create_dir(folder.path().join("tl_out")).unwrap();
        fs::copy(report, folder.path().join("tl_out/report.json")).unwrap();
    }
    let (one, other) = (one.path().join("tl_out"), other.path().join("tl_out"));
    let json = compared(&one, &other);
    assert_eq!(json["a"][0]["name"], one.to_str().unwrap(), "{json:#}");
    assert_eq!(json["b"][0]["name"], other.to_str().unwrap());
}
