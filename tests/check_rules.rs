//! `tlparse check`, rule by rule: what counts towards which budget, on a real report with one fact changed.

use crate::check::excesses;
use crate::support::{Check, changed_report, report};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A report of graph breaks, a recompile, failures and cache lookups, with changed facts.
fn changed(change: impl FnOnce(&mut Value)) -> TempDir {
    changed_report("03_graph_breaks", change)
}

/// How much of what the budget of that name counts the report has.
fn found(report: &Path, budget: &str) -> f64 {
    let verdict = Check::of([report]).budget(&format!("{budget} = 1000000")).json(0);
    verdict["checks"][0]["found"].as_f64().unwrap()
}

/// The baseline of these reports.
fn baseline(reports: &[&Path]) -> String {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("baseline.toml");
    let check = Check::of(reports).args(["--update-baseline", "--baseline"]).args([&file]);
    check.go().ends_with(0);
    fs::read_to_string(file).unwrap()
}

/// What is new in a report, held against a baseline.
fn new_in(report: &Path, known: &str) -> Vec<Value> {
    let check = Check::of([report]);
    let file = check.write("known.toml", known.as_bytes());
    let verdict = check.args(["--baseline"]).args([file]).args(["--format", "json"]).go();
    let verdict: Value = serde_json::from_str(&verdict.stdout).unwrap();
    excesses(&verdict).cloned().collect()
}

/// The compile of that id.
fn compile<'j>(json: &'j mut Value, id: &str) -> &'j mut Value {
    let compiles = json["compiles"].as_array_mut().unwrap();
    compiles.iter_mut().find(|compile| compile["id"] == id).unwrap()
}

#[test]
fn operators_left_to_torch_count_by_their_calls_and_collectives_do_not() {
    let report = changed(|json| {
        compile(json, "1/0")["kernels"] = json!({
            "cpp_fused_add_0": 1,
            "torch.ops.aten.cumsum.default": 3,
            "torch.ops._c10d_functional.all_reduce.default": 2,
            "extern_kernels.mm": 4,
        });
    });
    assert!((found(report.path(), "fallback_ops") - 3.0).abs() < f64::EPSILON);
}

#[test]
fn a_bypassed_lookup_is_not_a_miss() {
    let misses = found(&report("03_graph_breaks").folder, "cache_misses");
    let report = changed(|json| json["caches"][0]["outcome"] = json!("bypass"));
    assert!((found(report.path(), "cache_misses") - (misses - 1.0)).abs() < f64::EPSILON, "{misses}");
}

#[test]
fn findings_are_the_errors_and_warnings_that_no_other_budget_counts() {
    assert!(found(&report("03_graph_breaks").folder, "findings").abs() < f64::EPSILON);
    let with = |severity: &str| {
        let report = changed(|json| {
            let one = json!({
                "kind": "cudagraph_skip", "severity": severity, "title": "Skipped", "count": 1,
                "compile_ids": ["1/0"], "file": null, "line": null, "cost": null, "hint": null, "url": null,
            });
            let mut whole = json["findings"][0].clone();
            whole.as_object_mut().unwrap().extend(one.as_object().unwrap().clone());
            json["findings"].as_array_mut().unwrap().push(whole);
        });
        found(report.path(), "findings")
    };
    assert!((with("warning") - 1.0).abs() < f64::EPSILON && with("info").abs() < f64::EPSILON);
}

#[test]
fn a_compile_without_a_function_belongs_to_the_function_of_its_frame() {
    let report = changed(|json| compile(json, "23/1")["function"] = Value::Null);
    let verdict = Check::of([report.path()]).budget("[functions.forward]\nrecompiles = 0").json(3);
    assert_eq!(excesses(&verdict).count(), 1, "{verdict:#}");
}

#[test]
fn each_excess_links_to_its_finding() {
    let report = report("03_graph_breaks").folder.as_path();
    let verdict = Check::of([report]).budget("graph_breaks = 0\nfailures = 0").json(3);
    let mut told = 0;
    for excess in excesses(&verdict) {
        // The break at line 65 is part of a failure and has no finding of its own.
        let own = excess["kind"] == "failure" || excess["line"] != 65;
        let page = if own { "/index.html#finding-" } else { "/graph_breaks.html" };
        assert!(excess["page"].as_str().unwrap().contains(page), "{excess}");
        told += usize::from(own);
    }
    assert!(told > 5, "{told}");
}

#[test]
fn functions_that_took_longest_are_named_first() {
    let verdict = Check::of([&report("03_graph_breaks").folder]).budget("compile_seconds = 1").json(3);
    let title = excesses(&verdict).next().unwrap()["title"].as_str().unwrap().replace('\u{a0}', " ");
    assert!(title.starts_with("35.2 s of compilation, most of it inner_print 2"), "{title}");
    // The order does not come from that of the log.
    let slow = changed(|json| compile(json, "22/0")["time"]["seconds"] = json!(99.0));
    let verdict = Check::of([slow.path()]).budget("compile_seconds = 1").json(3);
    let title = excesses(&verdict).next().unwrap()["title"].as_str().unwrap().replace('\u{a0}', " ");
    assert!(title.contains("most of it forward 100.0 s"), "{title}");
}

#[test]
fn a_baseline_of_several_logs_holds_what_one_of_them_has_at_most() {
    let report = report("03_graph_breaks").folder.as_path();
    assert_eq!(baseline(&[report, report]), baseline(&[report]), "two logs with the same break know it once");
    assert!(!baseline(&[report]).contains("cache_miss"), "cold caches are nothing to be known");
}

#[test]
fn a_recompile_is_known_by_what_changed_also_in_reports_that_have_only_its_guard() {
    let report = changed_report("04_recompiles", |_| {});
    let known = baseline(&[report.path()]);
    assert!(known.contains("reason = \"x.shape[1]\"") && known.contains("reason = \"cfg.mode\""), "{known}");
    let older = changed_report("04_recompiles", |json| {
        for recompile in json["recompiles"].as_array_mut().unwrap() {
            recompile.as_object_mut().unwrap().remove("change");
        }
    });
    // The newest version of these two failed at another guard than the closest one, which only `change` names.
    let new = new_in(older.path(), &known);
    let mut functions: Vec<&str> = new.iter().map(|one| one["function"].as_str().unwrap()).collect();
    functions.sort_unstable();
    assert_eq!(functions, ["by_grad_mode", "by_python_scalar"], "{new:#?}");
}

#[test]
fn a_baseline_matches_by_source_line_and_ignores_numbers_in_reasons() {
    let known = baseline(&[&report("03_graph_breaks").folder]);
    let of_break = |change: &dyn Fn(&mut Value)| {
        let report = changed(|json| change(&mut json["graph_breaks"][0]));
        new_in(report.path(), &known)
    };
    assert_eq!(of_break(&|_| ()), Vec::<Value>::new());
    let other_line = |one: &mut Value| {
        for frame in one["user_stack"].as_array_mut().unwrap() {
            frame["loc"] = json!("print(y)");
        }
    };
    let new = of_break(&other_line);
    assert_eq!((new.len(), &new[0]["line"]), (1, &json!(11)), "another source line is another break");
    // An address in memory is another one in each run.
    let with_address = |address: &str| {
        let reason = format!("Cannot trace <built-in function f at {address}>");
        changed(|json| json["graph_breaks"][0]["reason"] = json!(reason))
    };
    let known = baseline(&[with_address("0x7f0011223344").path()]);
    assert_eq!(new_in(with_address("0x7f99aabbccdd").path(), &known), Vec::<Value>::new());
}

#[test]
fn what_logs_share_is_counted_as_often_as_the_log_that_has_it_most() {
    let one = changed(|_| ());
    let other = changed(|_| ());
    let verdict = Check::of([one.path(), other.path()]).budget("graph_breaks = 0").json(3);
    for excess in excesses(&verdict) {
        assert_eq!(excess["count"], 1.0, "{excess}");
        assert_eq!(excess["logs"].as_array().unwrap().len(), 2, "{excess}");
    }
}
