//! `tlparse diff` on what is not two plain logs: traces of a profiler, jobs of different sizes, forked processes, reports
//! that may come from anywhere.

use crate::diff::{compared, diff, rows, subject};
use crate::support::{Done, Run, changed_report, copy_rank, input, inputs, job, report, source};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The log and the trace of a profiled scenario.
fn profiled(scenario: &str) -> (PathBuf, PathBuf) {
    let folder = source("tests/profiles").join(scenario);
    let log = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let log = log.into_iter().find(|path| path.to_string_lossy().ends_with(".log.zst")).unwrap();
    (log, folder.join("profile.json.gz"))
}

fn run<S: Into<OsString>>(args: impl IntoIterator<Item = S>) -> Done {
    let args: Vec<OsString> = args.into_iter().map(Into::into).collect();
    diff(&args)
}

#[test]
fn traces_given_for_each_side_compare_kernels_with_rates_and_shares() {
    let ((a, trace_a), (b, trace_b)) = (profiled("24_profile"), profiled("24_profile_wide"));
    let profiles = |a: &Path, b: &Path| -> Vec<OsString> {
        vec!["--profile-a".into(), a.into(), "--profile-b".into(), b.into(), "--json".into()]
    };
    let logs: Vec<OsString> = vec![a.clone().into(), b.clone().into()];
    let done = run(logs.iter().cloned().chain(profiles(&trace_a, &trace_b)));
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let json: Value = serde_json::from_str(&done.stdout).unwrap();
    let measured = rows(&json, "measured");
    assert_eq!(subject(measured[0]), "Device time of the traced steps");
    let first = measured[1];
    assert_eq!((subject(first), &first["match"]), ("Kernel `aten::addmm`", &json!("shape")));
    let detail = first["detail"].as_str().unwrap();
    for part in ["512×1024", "512×2048", "GB/s", "GFLOP/s", "21 % of the difference of the device time"] {
        assert!(detail.contains(part), "{part} is not in {detail}");
    }
    let generated = measured.iter().find(|row| subject(row).contains("graph_0_cpp_fused")).unwrap();
    assert_eq!(generated["match"], "exact", "{generated}");
    // Without traces nothing is said about kernels.
    let done = run(logs.iter().cloned().chain(["--json".into()]));
    let json: Value = serde_json::from_str(&done.stdout).unwrap();
    assert!(rows(&json, "measured").is_empty(), "{json:#}");
    // A trace of a report that is finished, or too few for several runs, is refused with what to do.
    let finished = report("01_inference").folder.clone();
    let done = run([
        "--profile-a".into(),
        trace_a.clone().into(),
        finished.clone().into_os_string(),
        finished.into(),
    ]);
    assert!(done.fails(1).contains("comes too late"), "{}", done.stderr);
    let several: Vec<OsString> = vec!["--a".into(), a.clone().into(), a.into(), "--b".into(), b.into()];
    let done = run(several.into_iter().chain(["--profile-a".into(), trace_a.into()]));
    assert!(done.fails(1).contains("one for each"), "{}", done.stderr);
}

#[test]
fn a_kernel_of_one_side_is_new_or_gone_with_its_seconds_and_the_only_one_of_its_name_is_the_same() {
    let (log, trace) = profiled("24_profile");
    let json = Run::of(log).args(["--profile"]).args([trace]).ok().json.clone();
    let folder_with = |change: &dyn Fn(&mut Vec<Value>)| {
        let folder = TempDir::new().unwrap();
        let mut json = json.clone();
        change(json["performance"]["kernels"].as_array_mut().unwrap());
        fs::write(folder.path().join("report.json"), json.to_string()).unwrap();
        folder
    };
    let is_meant = |kernel: &Value| kernel["name"].as_str().unwrap().contains("view_gelu_1");
    let longer = |us: f64| {
        folder_with(&|kernels| {
            let of = kernels.iter_mut().find(|kernel| is_meant(kernel)).unwrap();
            (of["count"], of["sum_us"]) = (json!(of["count"].as_u64().unwrap() + 5), json!(us));
        })
    };
    let without = folder_with(&|kernels| kernels.retain(|kernel| !is_meant(kernel)));
    let row = |a: &TempDir, b: &TempDir| {
        let json = compared(a.path(), b.path());
        let measured = rows(&json, "measured");
        assert_eq!(measured.len(), 1, "{measured:#?}");
        measured[0].clone()
    };
    let gone = row(&longer(90_000.0), &without);
    assert_eq!(
        (&gone["kind"], &gone["a"]["seconds"]),
        (&json!("gone"), &json!(0.018)),
        "of one of five steps: {gone}"
    );
    assert_eq!(row(&without, &longer(90_000.0))["kind"], "new");
    let worse = row(&longer(20_000.0), &longer(90_000.0));
    assert_eq!((&worse["kind"], &worse["match"]), (&json!("worse"), &json!("exact")), "{worse}");
}

/// Changes the compiles of the function of that name.
fn each_compile(json: &mut Value, name: &str, change: impl Fn(&mut Value)) {
    let mut found = 0;
    for compile in json["compiles"].as_array_mut().unwrap() {
        if compile["function"]["name"] == name {
            change(compile);
            found += 1;
        }
    }
    assert!(found > 0, "{name} is not compiled");
}

/// Another line, and another number of operators.
fn elsewhere(compile: &mut Value) {
    compile["function"]["line"] = json!(compile["function"]["line"].as_u64().unwrap() + 100);
    for record in compile["metrics"].as_array_mut().unwrap() {
        record["fields"]["graph_op_count"] = json!(77);
    }
}

#[test]
fn what_is_matched_by_name_alone_is_marked_as_a_guess_everywhere() {
    let other = changed_report("03_graph_breaks", |json| each_compile(json, "inner_print", elsewhere));
    let json = compared(&report("03_graph_breaks").folder, other.path());
    let operators = rows(&json, "operators");
    assert_eq!(operators.len(), 1, "{operators:#?}");
    assert_eq!(operators[0]["match"], "name");
    let done = diff(&[&report("03_graph_breaks").folder, other.path()]);
    let guess = "matched by name only, a guess";
    assert!(done.stdout.contains(guess), "{}", done.stdout);
    let folder = done.work.path().join("tl_diff");
    for file in ["diff.html", "diff.md", "changed/1.html"] {
        assert!(fs::read_to_string(folder.join(file)).unwrap().contains(guess), "{file}");
    }
    // At the same line with other code it is edited, and no guess.
    let edited = changed_report("03_graph_breaks", |json| {
        each_compile(json, "inner_print", |compile| {
            elsewhere(compile);
            compile["function"]["line"] = json!(compile["function"]["line"].as_u64().unwrap() - 100);
        });
    });
    let json = compared(&report("03_graph_breaks").folder, edited.path());
    assert_eq!(rows(&json, "operators")[0]["match"], "edited");
    let done = diff(&[&report("03_graph_breaks").folder, edited.path()]);
    assert!(!done.stdout.contains("a guess"), "{}", done.stdout);
}

#[test]
fn functions_of_one_name_whose_order_decides_are_a_guess() {
    // Two functions get one name, and other code and lines than on the other side.
    let rename = |json: &mut Value, by: u64| {
        for (name, line) in [("inner_print", 10), ("inner_item", 20)] {
            each_compile(json, name, |compile| {
                elsewhere(compile);
                compile["function"]["name"] = json!("twin");
                compile["function"]["line"] = json!(line + by);
                for record in compile["metrics"].as_array_mut().unwrap() {
                    record["fields"]["graph_op_count"] = json!(by);
                }
            });
        }
    };
    let (a, b) = (
        changed_report("03_graph_breaks", |json| rename(json, 1)),
        changed_report("03_graph_breaks", |json| rename(json, 2)),
    );
    let json = compared(a.path(), b.path());
    let operators = rows(&json, "operators");
    assert_eq!(operators.len(), 2, "{operators:#?}");
    assert!(operators.iter().all(|row| row["match"] == "order"), "{operators:#?}");
}

#[test]
fn jobs_of_different_sizes_are_compared_on_the_ranks_that_both_have() {
    let (one, two) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    copy_rank("13_div_healthy", 0, &one.path().join("rank_0"));
    for rank in [0, 1] {
        copy_rank("13_div_healthy", rank, &two.path().join(format!("rank_{rank}")));
    }
    for folder in [one.path(), two.path()] {
        crate::support::combine(folder, &[]).ok(folder);
    }
    let json = compared(one.path(), two.path());
    let ranks = rows(&json, "ranks");
    assert_eq!(ranks.len(), 1, "{ranks:#?}");
    assert_eq!((subject(ranks[0]), &ranks[0]["ranks"]), ("Ranks that only B has: 1", &json!([1])));
    assert_eq!(json["rows"].as_array().unwrap().len(), 1, "rank 0 is the same: {json:#}");
    // A log against a job has no rank in common.
    let done = diff(&[&report("01_inference").folder, two.path()]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(done.stdout.contains("no rank in common"), "{}", done.stdout);
}

#[test]
fn the_log_of_a_forked_process_is_compared_like_any_other() {
    let of_fork = inputs().iter().filter(|input| input.name.starts_with("17_fork"));
    let logs: Vec<&Path> = of_fork.map(|input| input.path.as_path()).collect();
    assert_eq!(logs.len(), 2);
    let json = compared(logs[0], logs[1]);
    let recompiles = rows(&json, "recompile");
    assert_eq!(recompiles.len(), 1, "only the child compiles a function again: {json:#}");
    assert_eq!(compared(logs[1], logs[1])["rows"], json!([]));
    // The folder holds both, and is compared with itself as a whole.
    let folder = input("17_fork").path.parent().unwrap();
    assert_eq!(compared(folder, folder)["rows"], json!([]));
}

/// The places of a JSON value, each with one example of what stands there: objects by key, lists by their first entry.
fn places(value: &Value, at: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in
                fields.iter().filter(|(key, _)| !key.contains('/') && !key.contains('~')).take(40)
            {
                let place = format!("{at}/{key}");
                found.insert(place.clone());
                places(value, &place, found);
            }
        }
        Value::Array(entries) => {
            if let Some(first) = entries.first() {
                places(first, &format!("{at}/0"), found);
            }
        }
        _ => {}
    }
}

#[test]
fn runs_of_different_programs_are_not_told_as_faster_or_slower() {
    let done = diff(&[&report("05_dynamic_shapes").folder, &report("06_errors").folder]);
    let said = &done.stdout;
    assert!(said.contains("No function is compiled by both A and B"), "{said}");
    assert!(!said.contains("compiles 7") && !said.contains(" faster"), "{said}");
    assert!(said.contains("8 failures and 9 functions are new"), "{said}");
}

#[test]
fn any_report_gives_a_comparison_or_an_error_sentence() {
    let good = &report("03_graph_breaks").folder;
    let json = report("03_graph_breaks").json.clone();
    let mut all = BTreeSet::new();
    places(&json, "", &mut all);
    // What is compared, and not the hundreds of settings and metrics.
    all.retain(|place| !place.contains("/fields/") && !place.starts_with("/configs/"));
    assert!(all.len() > 150, "{} places", all.len());
    let odd = [
        json!(null),
        json!(-1),
        json!(1e308),
        json!(u64::MAX),
        json!("x".repeat(200_000)),
        json!([[[]]]),
        json!({}),
    ];
    let folder = TempDir::new().unwrap();
    let (mut compared, mut refused) = (0, 0);
    // Each place gets one of the odd values, and each value its share of the places.
    for (number, place) in all.iter().enumerate().step_by(2) {
        let mut changed = json.clone();
        *changed.pointer_mut(place).unwrap() = odd[number / 2 % odd.len()].clone();
        fs::write(folder.path().join("report.json"), changed.to_string()).unwrap();
        let done =
            diff(&[good.as_os_str(), folder.path().as_os_str(), "--format".as_ref(), "markdown".as_ref()]);
        match done.code {
            Some(0) => {
                assert!(done.stdout.len() <= 60_000, "{place}: {} bytes", done.stdout.len());
                compared += 1;
            }
            Some(1) => {
                let said = done.stderr.lines().filter(|line| line.starts_with("error: ")).count();
                assert!(said == 1 && done.stderr.len() < 2_000, "{place}: {}", done.stderr);
                refused += 1;
            }
            code => panic!("{place}: {code:?} {}", done.stderr),
        }
    }
    // Every key is read by its type, so most odd values are refused; where any value fits, the comparison is made.
    assert!(compared > 15 && refused > 60, "{compared} compared, {refused} refused");
}

#[test]
fn another_version_of_torch_is_recognized_by_its_settings() {
    let of = |name: &str| report(name).folder.as_path();
    let json = compared(of("21_torch26_25_guards"), of("21_torch28_25_guards"));
    let torch = rows(&json, "torch");
    assert_eq!(torch.len(), 1, "{torch:#?}");
    assert!(subject(torch[0]).contains("the logs do not name it"), "{}", torch[0]);
    let one_sided = rows(&json, "setting").into_iter().filter(|row| row["kind"] != "changed");
    let one_sided: Vec<&str> = one_sided.map(subject).collect();
    assert!(one_sided.len() <= 2, "settings of one version are counted, not listed: {one_sided:#?}");
    // A setting or two that are missing do not make another version.
    let fewer = changed_report("21_torch26_25_guards", |json| {
        for config in json["configs"].as_object_mut().unwrap().values_mut() {
            let fields = config.as_object_mut().unwrap();
            let first: Vec<String> = fields.keys().take(2).cloned().collect();
            fields.retain(|key, _| !first.contains(key));
        }
    });
    let json = compared(of("21_torch26_25_guards"), fewer.path());
    assert!(rows(&json, "torch").is_empty(), "{json:#}");
    assert!(rows(&json, "setting").iter().all(|row| row["kind"] == "gone"));
}

#[test]
fn the_guard_and_the_operator_in_which_two_runs_first_differ_are_named() {
    let ranks = |scenario: &str| ["rank_0", "rank_1"].map(|rank| job(scenario).folder.join(rank));
    let [a, b] = ranks("54_other_class");
    let json = compared(&a, &b);
    let detail = |topic: &str| -> Vec<String> {
        rows(&json, topic).iter().map(|row| row["detail"].as_str().unwrap().to_owned()).collect()
    };
    let class = |name: &str| format!("`type(self.act) == torch.nn.modules.activation.{name}`");
    assert_eq!(detail("guards"), [format!("{} → {}", class("ReLU"), class("GELU"))]);
    assert_eq!(detail("operators"), ["`relu` → `gelu`"]);
    let place = |row: &Value| (row["file"].as_str().unwrap().to_owned(), row["line"].as_u64());
    assert_eq!(place(rows(&json, "guards")[0]), ("/app/program.py".to_owned(), Some(8)));
    let said = diff(&[&a, &b]).stdout;
    assert!(said.contains("Guards of Tail.forward differ, as type(self.act) == "), "{said}");
    // The other way round, the other is the new one.
    let json = compared(&b, &a);
    assert_eq!(rows(&json, "operators")[0]["detail"], "`gelu` → `relu`");
}

#[test]
fn graphs_of_other_sizes_are_no_difference_in_operators() {
    let [a, b] = ["rank_0", "rank_1"].map(|rank| job("13_div_shapes").folder.join(rank));
    let json = compared(&a, &b);
    assert!(!rows(&json, "inputs").is_empty(), "{json:#}");
    assert!(rows(&json, "operators").is_empty() && rows(&json, "guards").is_empty(), "{json:#}");
}

#[test]
fn a_class_that_a_log_does_not_know_makes_no_other_function_of_one() {
    let with_classes = |most: usize| {
        changed_report("03_graph_breaks", |json| {
            let compiles = json["compiles"].as_array().unwrap().iter();
            let named =
                compiles.filter_map(|one| Some((one["id"].as_str()?, one["function"]["name"].as_str()?)));
            let own =
                named.filter(|(id, name)| id.ends_with("/0") && !name.starts_with("torch_dynamo_resume"));
            let names = own.take(most).map(|(id, name)| json!([id, format!("Net.{name}"), null, null]));
            json["cross_rank"]["names"] = names.collect();
        })
    };
    let json = compared(with_classes(2).path(), with_classes(1).path());
    assert!(rows(&json, "function").is_empty(), "{json:#}");
}

#[test]
fn a_function_that_reaches_the_limit_on_one_side_is_not_called_uncompiled_or_new() {
    let below = changed_report("04_recompiles", |json| {
        json["failures"] = json!([]);
        for (list, key) in [("compiles", "id"), ("recompiles", "compile_id")] {
            json[list].as_array_mut().unwrap().retain(|one| one[key] != "3/8");
        }
    });
    let limit = report("04_recompiles").folder.as_path();
    let said = diff(&[below.path(), limit]).stdout;
    assert!(said.starts_with("Only in B, hits_limit runs in eager mode after 8 versions"), "{said}");
    assert!(rows(&compared(below.path(), limit), "function").is_empty(), "{said}");
}
