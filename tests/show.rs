//! `tlparse show`: facts of a report in the terminal.

use crate::support::{Done, Report, Run, input, report};
use serde_json::Value;

fn show(report: &Report, args: &[&str]) -> Done {
    let folder = report.folder.to_str().unwrap();
    Run::bare().go_with(&[&["show"], args, &[folder]].concat())
}

fn text(report: &Report, args: &[&str]) -> String {
    let done = show(report, args);
    assert_eq!(done.code, Some(0), "{args:?}: {}", done.stderr);
    done.stdout
}

fn json(report: &Report, args: &[&str]) -> Value {
    serde_json::from_str(&text(report, &[&["--json"], args].concat())).unwrap()
}

#[test]
fn json_has_the_objects_of_the_report() {
    for (name, word, key) in [
        ("03_graph_breaks", "breaks", "graph_breaks"),
        ("04_recompiles", "recompiles", "recompiles"),
        ("06_errors", "failures", "failures"),
        ("03_graph_breaks", "failures", "restarts"),
        ("08_cache_miss", "caches", "caches"),
        ("01_inference", "time", "compile_time"),
    ] {
        let report = report(name);
        let shown = json(report, &[word]);
        assert_eq!((&shown["schema"], &shown["show"]), (&1.into(), &word.into()));
        assert_eq!(shown["logs"][0][key], report.json[key], "{name} {word}");
    }
    let overview = json(report("04_recompiles"), &[]);
    assert_eq!(overview["logs"][0]["findings"], report("04_recompiles").json["findings"]);
}

#[test]
fn each_subject_has_a_row_of_each_of_its_entries() {
    let breaks = report("03_graph_breaks");
    let shown = text(breaks, &["breaks"]);
    let all = breaks.list("graph_breaks");
    assert!(shown.starts_with(&format!("Graph breaks ({})", all.len())), "{shown}");
    for one in all {
        assert!(shown.contains(one["gb_id"].as_str().unwrap_or("-")), "{shown}");
    }
    let again = report("04_recompiles");
    let recompiles = text(again, &["recompiles"]);
    let count = again.list("recompiles").len();
    assert!(recompiles.starts_with(&format!("Recompilations ({count})")), "{recompiles}");
    assert!(recompiles.contains("by_shape") && recompiles.contains("expected 4, actual 6"), "{recompiles}");
    assert!(recompiles.contains("9 → 10, limit reached, not compiled"), "{recompiles}");
    let time = text(report("01_inference"), &["time"]);
    assert!(time.contains("Inductor") && time.contains("Phases"), "{time}");
    let trained = report("02_train_mlp");
    let shown = json(trained, &["kernels"]);
    let mut most = 0;
    for one in trained.list("compiles") {
        for (name, count) in one["kernels"].as_object().unwrap() {
            let kernel = serde_json::json!({ "compile_id": one["id"], "name": name, "count": count });
            assert!(shown["logs"][0]["kernels"].as_array().unwrap().contains(&kernel), "{kernel}");
            most = most.max(count.as_u64().unwrap());
        }
    }
    assert!(most > 1, "a kernel is called more than once");
    let kernels = text(report("01_inference"), &["kernels"]);
    assert!(kernels.contains("extern_kernels") || kernels.contains("cpp_fused"), "{kernels}");
    let overview = text(breaks, &[]);
    assert!(overview.contains("graph breaks") && overview.contains("wasted"), "{overview}");
}

#[test]
fn a_compile_and_a_function_have_all_that_belongs_to_them() {
    let report = report("04_recompiles");
    let one = json(report, &["compile", "0/1"]);
    assert_eq!(one["logs"][0]["compiles"][0]["id"], "0/1");
    assert_eq!(one["logs"][0]["recompiles"].as_array().unwrap().len(), 1);
    assert_eq!(text(report, &["compile", "[0/1]"]), text(report, &["compile", "0/1"]));
    let function = json(report, &["function", "hits_limit"]);
    let compiles = function["logs"][0]["compiles"].as_array().unwrap();
    // The last one is what torch refused, of which it does not say the function again.
    let (refused, compiled) = compiles.split_last().unwrap();
    assert!(compiled.len() > 2 && compiled.iter().all(|one| one["function"]["name"] == "hits_limit"));
    assert_eq!((&refused["id"], &refused["function"]), (&"3/8".into(), &Value::Null));
    assert_eq!(function["logs"][0]["failures"][0]["compile_id"], "3/8");
    assert!(!function["logs"][0]["findings"].as_array().unwrap().is_empty());
    for (args, what) in
        [(["compile", "99/0"], "no compile 99/0"), (["function", "nothing"], "no function nothing")]
    {
        let none = show(report, &args);
        assert_eq!(none.code, Some(1));
        assert!(none.stderr.contains(what), "{}", none.stderr);
    }
}

#[test]
fn a_function_is_found_by_each_name_that_a_report_prints_and_a_near_name_is_suggested() {
    let job = crate::support::job("32_raise_forward").folder.to_str().unwrap();
    let shown = |name: &str| Run::bare().go_with(&["show", "--json", "function", name, job]);
    let whole = shown("forward").stdout;
    for name in [
        "Tagger.forward",
        "`Tagger.forward`",
        "program.forward",
        "Tagger.forward (program.py:12)",
        "program.py:12",
    ] {
        let done = shown(name);
        assert_eq!(done.code, Some(0), "{name}: {}", done.stderr);
        let ids = |text: &str| -> Vec<Value> {
            let json: Value = serde_json::from_str(text).unwrap();
            json["logs"].as_array().unwrap().iter().map(|log| log["compiles"].clone()).collect()
        };
        assert_eq!(ids(&done.stdout), ids(&whole), "{name}");
    }
    let near = shown("Taggr.forward");
    assert_eq!(near.code, Some(1));
    assert!(
        near.stderr.contains("has no function Taggr.forward; did you mean `Tagger.forward`?"),
        "{}",
        near.stderr
    );
    let report = report("04_recompiles");
    for finding in report.list("findings") {
        for name in finding["title"].as_str().unwrap().split('`').skip(1).step_by(2).take(1) {
            if finding["kind"] == "recompilation" {
                assert_eq!(show(report, &["function", name]).code, Some(0), "{name}");
            }
        }
    }
}

#[test]
fn lists_that_a_compile_lacks_are_named_in_one_sentence() {
    let shown = text(report("01_inference"), &["compile", "0/0"]);
    let lacking = "No graph breaks, recompilations, failures or restarts.";
    assert_eq!(
        shown.lines().filter(|line| line.starts_with("No ")).collect::<Vec<_>>(),
        [lacking],
        "{shown}"
    );
    assert!(!shown.contains("(0)") && shown.contains("Compiles (1)"), "{shown}");
}

#[test]
fn a_log_is_shown_as_its_report_is() {
    let log = input("03_graph_breaks").path.to_str().unwrap();
    let of_log = Run::bare().go_with(&["show", "breaks", log]);
    assert_eq!(of_log.stdout, text(report("03_graph_breaks"), &["breaks"]), "{}", of_log.stderr);
}

#[test]
fn wrong_words_are_wrong_usage_and_a_missing_report_is_an_error() {
    for (args, code) in [
        (&["show", "compile"][..], 2),
        (&["show", "rank", "x", "y"], 2),
        (&["show", "breaks", "a", "b"], 2),
        (&["show", "breaks", "nothing/here"], 1),
    ] {
        let done = Run::bare().go_with(args);
        assert_eq!(done.code, Some(code), "{args:?}: {}{}", done.stdout, done.stderr);
        assert_eq!(done.stdout, "");
    }
    for args in [&["show", "brekas"][..], &["show", "brekas", "tl_out"]] {
        let done = Run::bare().go_with(args);
        assert_eq!(done.code, Some(2), "{args:?}");
        assert!(done.stderr.contains("did you mean `breaks`?"), "{}", done.stderr);
    }
}

#[test]
fn ranks_of_a_job_are_shown_one_after_the_other_or_alone() {
    let logs = crate::support::source("tests/jobs/13_div_break");
    let logs = logs.to_str().unwrap();
    let whole: Value = serde_json::from_str(&Run::bare().go_with(&["show", "--json", logs]).stdout).unwrap();
    assert_eq!(whole["job"]["ranks"].as_array().unwrap().len(), 2);
    let breaks: Value =
        serde_json::from_str(&Run::bare().go_with(&["show", "--json", "breaks", logs]).stdout).unwrap();
    let names: Vec<&str> =
        breaks["logs"].as_array().unwrap().iter().filter_map(|log| log["name"].as_str()).collect();
    assert_eq!(names, ["rank 0", "rank 1"]);
    assert_eq!(breaks["logs"][1]["graph_breaks"].as_array().unwrap().len(), 1);
    let alone = Run::bare().go_with(&["show", "rank", "1", logs]).stdout;
    assert!(alone.contains("rank 1") && !alone.contains("rank 0"), "{alone}");
}

#[test]
fn lists_are_rows_of_csv_and_lines_of_json_with_the_keys_of_the_report() {
    for (name, word, key) in [
        ("03_graph_breaks", "breaks", "graph_breaks"),
        ("04_recompiles", "recompiles", "recompiles"),
        ("06_errors", "failures", "failures"),
        ("08_cache_miss", "caches", "caches"),
        ("04_recompiles", "findings", "findings"),
    ] {
        let report = report(name);
        let items = report.list(key);
        let lines = text(report, &["--format", "jsonl", word]);
        let of_list = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let of_list: Vec<Value> = of_list.filter(|line| line["list"] == key).collect();
        assert_eq!(of_list.len(), items.len(), "{name} {word}");
        for (line, item) in of_list.iter().zip(items) {
            for (key, value) in item.as_object().unwrap() {
                assert_eq!(&line[key], value, "{name} {word} {key}");
            }
        }
        let table = text(report, &["--format", "csv", word]);
        let columns: Vec<&str> = items[0].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(table.lines().next().unwrap().trim(), columns.join(","), "{name} {word}");
    }
}

#[test]
fn all_files_of_all_compiles_are_listed_with_their_compile() {
    let report = report("01_inference");
    let lines = text(report, &["--format", "jsonl", "files"]);
    let files: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let known: usize =
        report.list("compiles").iter().map(|one| one["artifacts"].as_array().unwrap().len()).sum();
    assert_eq!(files.len(), known);
    assert!(files.iter().all(|file| report.has(file["path"].as_str().unwrap())), "{files:#?}");
    assert!(files.iter().any(|file| file["compile_id"] == "0/0"));
}

#[test]
fn breaks_and_failures_are_called_as_their_findings_are_and_breaks_stand_where_these_do() {
    for name in ["03_graph_breaks", "06_errors", "21_torch26_03_graph_breaks"] {
        let report = report(name);
        let findings = report.list("findings").iter();
        let members = findings.clone().flat_map(|one| one["members"].as_array().into_iter().flatten());
        let all: Vec<&Value> = findings.chain(members).collect();
        for list in ["graph_breaks", "failures"] {
            for one in report.list(list).iter().filter(|one| one["title"].is_string()) {
                let is_its = |finding: &&&Value| finding["title"] == one["title"];
                let mut places = all.iter().filter(is_its).map(|finding| &finding["line"]).peekable();
                assert!(places.peek().is_some(), "{name}: {one:#}");
                // Of a failure, the log may give a line of torch, or none.
                assert!(list == "failures" || places.any(|line| *line == one["line"]), "{name}: {one:#}");
            }
        }
        let has_title = |one: &Value| one["title"].is_string();
        assert!(
            report.list("graph_breaks").iter().any(has_title)
                || report.list("failures").iter().any(has_title)
        );
    }
    let shown = text(report("06_errors"), &["failures"]);
    assert!(shown.contains("was not compiled: ") || shown.contains("runs in eager mode"), "{shown}");
}
