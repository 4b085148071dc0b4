//! Jobs of which something is missing, broken or hostile, and folders that are not jobs.

use crate::jobs::change;
use crate::support::job::copy_rank;
use crate::support::{combine, rank_reports, source_text, text_of};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// Kinds and titles of the findings.
fn findings(job: &crate::support::Job) -> Vec<(String, String)> {
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap().to_owned();
    job.list("findings").iter().map(|finding| (text(finding, "kind"), text(finding, "title"))).collect()
}

#[test]
fn ranks_without_a_report_that_can_be_read_are_named_and_the_others_compared() {
    let copy = rank_reports("13_div_healthy");
    let folder = copy.path();
    fs::create_dir(folder.join("rank_2")).unwrap();
    fs::create_dir(folder.join("rank_3")).unwrap();
    let whole = fs::read(folder.join("rank_0/report.json")).unwrap();
    fs::write(folder.join("rank_3/report.json"), &whole[..whole.len() / 2]).unwrap();
    copy_rank("13_div_healthy", 0, &folder.join("rank_5"));
    change(&folder.join("rank_5"), |report| {
        report["integrity"]["ok"] = json!(false);
        // The cut record has no valid JSON either, which is no second damage.
        report["integrity"]["truncated"] = json!(1);
        report["integrity"]["bad_json"] = json!(1);
        let problem = |kind| json!({ "line": 9, "kind": kind, "detail": "" });
        report["integrity"]["problems"] = json!([problem("bad_json"), problem("truncated")]);
    });
    let done = combine(folder, &["--strict"]);
    let job = done.ends_with(3, folder);
    let states: Vec<&str> = job.list("ranks").iter().map(|rank| rank["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["ok", "ok", "damaged", "damaged", "damaged"]);
    assert_eq!(job.json["divergence"]["compile_ids"]["groups"][0]["ranks"], json!([0, 1, 5]));
    for key in ["compiles", "graph_breaks", "recompiles", "failures"] {
        for (rank, known) in [(0, true), (2, false), (5, true)] {
            assert_eq!(job.list("ranks")[rank.min(4)][key].is_u64(), known, "{key} of rank {rank}");
        }
    }
    let found = findings(&job);
    for part in [
        "Rank 2: no report.json",
        "Rank 3: a report.json that is not as tlparse writes it",
        "Rank 5: damaged records: 1 cut short",
    ] {
        assert!(
            found.iter().any(|(kind, title)| kind == "damaged_rank" && title.starts_with(part)),
            "{found:#?}"
        );
    }
    assert!(found.contains(&("missing_ranks".to_owned(), "No log of rank 4".to_owned())), "{found:#?}");
    let verdict = text_of(job.page("index.html").one("h1")).replace('\u{a0}', " ");
    assert!(verdict.ends_with("Damaged: ranks 2, 3 and 5. No log of rank 4."), "{verdict}");
    assert_eq!(combine(folder, &["--overwrite"]).0.code, Some(0), "without --strict damage is no error");
}

#[test]
fn an_empty_rank_is_named() {
    let copy = rank_reports("13_div_healthy");
    let empty = crate::support::Run::of_bytes("empty.log", b"").out(copy.path().join("rank_2")).ok();
    assert_eq!(empty.json["log"]["records"], 0);
    let job = combine(copy.path(), &["--strict"]).ok(copy.path());
    assert_eq!(job.list("ranks")[2]["state"], "empty");
    assert!(
        findings(&job).contains(&("empty_rank".to_owned(), "The log of rank 2 holds no record".to_owned()))
    );
    assert_eq!(
        job.json["divergence"]["compile_ids"]["differs"], false,
        "what holds nothing differs from nothing"
    );
}

#[test]
fn further_processes_of_a_rank_are_counted_in_it() {
    let copy = rank_reports("13_div_healthy");
    let folder = copy.path();
    copy_rank("17_fork", 1, &folder.join("rank_1/process_4711"));
    let job = combine(folder, &[]).ok(folder);
    let rank = &job.list("ranks")[1];
    assert_eq!(rank["compiles"], 5);
    assert_eq!(rank["processes"][0]["pid"], 4711);
    assert_eq!(rank["processes"][0]["dir"], "rank_1/process_4711");
    let events = job.json_file("chromium_events.json");
    let own = events.as_array().unwrap().iter().filter(|event| event["pid"] == 1 && event["tid"] == 4711);
    assert!(own.count() > 10, "its events stand on a thread of their own");
    change(&folder.join("rank_1/process_4711"), |report| report["integrity"]["ok"] = json!(false));
    let job = combine(folder, &["--overwrite"]).ok(folder);
    assert_eq!(job.list("ranks")[1]["state"], "damaged");
}

#[test]
fn an_earlier_combine_is_replaced_only_with_overwrite() {
    let copy = rank_reports("13_div_colls");
    combine(copy.path(), &[]).ok(copy.path());
    let page = fs::read(copy.path().join("index.html")).unwrap();
    fs::write(copy.path().join("runtime_estimations.json"), "old").unwrap();
    let error = combine(copy.path(), &[]).0.fails(1);
    assert!(error.contains("of an earlier combine; pass --overwrite"), "{error}");
    assert_eq!(fs::read(copy.path().join("runtime_estimations.json")).unwrap(), b"old");
    combine(copy.path(), &["--overwrite"]).ok(copy.path());
    assert_ne!(fs::read(copy.path().join("runtime_estimations.json")).unwrap(), b"old");
    assert_eq!(fs::read(copy.path().join("index.html")).unwrap(), page);
    // What no rank has any more goes.
    for rank in 0..2 {
        change(&copy.path().join(format!("rank_{rank}")), |report| {
            report["cross_rank"]["runtime"] = Value::Null
        });
    }
    combine(copy.path(), &["--overwrite"]).ok(copy.path());
    assert!(!copy.path().join("runtime_estimations.json").exists());
    let left: Vec<String> = fs::read_dir(copy.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with('.'))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_folder_without_ranks_is_refused_with_advice() {
    let empty = tempfile::tempdir().unwrap();
    let error = combine(empty.path(), &[]).0.fails(1);
    assert!(error.contains("holds no rank_<n>/report.json; write each rank's report first"), "{error}");
    let error = combine(&empty.path().join("missing"), &[]).0.fails(1);
    assert!(error.contains("give the folder that contains rank_0, rank_1 and so on"), "{error}");
    for foreign in ["notes.txt", "rank_007", "rank_99999999999999999999999", "rank_-1", "raw.log"] {
        let copy = rank_reports("13_div_colls");
        fs::write(copy.path().join(foreign), "mine").unwrap();
        let error = combine(copy.path(), &["--overwrite"]).0.fails(1);
        assert!(error.contains(&format!("holds {foreign:?}")) && error.contains("move that away"), "{error}");
        assert!(!copy.path().join("index.html").exists());
    }
}

#[test]
fn a_log_that_is_called_combine_is_given_with_its_folder() {
    let error = crate::support::Run::of("combine").without_out().go().fails(2);
    assert!(error.contains("to read a log or folder named combine, pass ./combine"), "{error}");
    let error = crate::support::Run::of("--overwrite").without_out().args(["combine", "out"]).go().fails(2);
    assert!(error.contains("options of tlparse combine must follow it"), "{error}");
    let folder = tempfile::tempdir().unwrap();
    fs::copy(&crate::support::input("11_export_clean").path, folder.path().join("combine")).unwrap();
    crate::support::Run::of(folder.path().join("combine")).ok();
}

/// A rank whose report.json has content that no report has.
fn hostile(text: impl AsRef<[u8]>) -> (tempfile::TempDir, crate::support::Job) {
    let copy = rank_reports("13_div_healthy");
    fs::create_dir_all(copy.path().join("rank_2")).unwrap();
    fs::write(copy.path().join("rank_2/report.json"), text).unwrap();
    let job = combine(copy.path(), &[]).ok(copy.path());
    (copy, job)
}

#[test]
fn an_invalid_report_is_a_damaged_rank() {
    let deep = "[".repeat(100_000);
    let texts = [
        "",
        "null",
        "[]",
        "{}",
        "\u{0}",
        r#"{"schema": 1, "kind": "log"}"#,
        r#"{"schema": 2, "kind": "job"}"#,
        r#"{"schema": 2, "kind": "log", "torch": 1e999}"#,
        &deep,
    ];
    for text in texts {
        let (_folder, job) = hostile(text);
        assert_eq!(job.list("ranks")[2]["state"], "damaged", "{text:.40}");
        assert_eq!(job.list("ranks")[0]["state"], "ok");
    }
    let (_folder, job) = hostile(r#"{"schema": 1, "kind": "log"}"#);
    let told = "Rank 2: a report.json of version 1, and this tlparse reads version 2";
    assert!(findings(&job).iter().any(|(_, title)| title == told), "{:?}", findings(&job));
}

#[test]
fn each_field_of_a_wrong_type_or_size_is_survived() {
    let odd = [
        json!(null),
        json!(-1),
        json!(18446744073709551615u64),
        json!(1e308),
        json!("<script>alert(1)</script>"),
        json!([]),
        json!({}),
    ];
    let copy = rank_reports("13_div_healthy");
    let good: Value =
        serde_json::from_slice(&fs::read(copy.path().join("rank_1/report.json")).unwrap()).unwrap();
    let mut paths: Vec<String> = good.as_object().unwrap().keys().map(|key| format!("/{key}")).collect();
    for key in ["log", "cross_rank", "compile_time"] {
        paths.extend(good[key].as_object().unwrap().keys().map(|inner| format!("/{key}/{inner}")));
    }
    paths.extend(
        [
            "/compiles/0/id",
            "/compiles/0/metrics/0/fields",
            "/cross_rank/runtime/0/ops/0/ns",
            "/cross_rank/tensor_meta/0/ops/0",
            "/cross_rank/execution/1/compile_id",
        ]
        .map(str::to_owned),
    );
    for (index, path) in paths.iter().enumerate() {
        let mut report = good.clone();
        *report.pointer_mut(path).unwrap_or_else(|| panic!("{path}")) = odd[index % odd.len()].clone();
        fs::write(copy.path().join("rank_1/report.json"), report.to_string()).unwrap();
        let job = combine(copy.path(), &["--overwrite"]).ok(copy.path());
        assert_eq!(job.list("ranks").len(), 2, "{path}");
        let page = job.read("index.html");
        assert!(!page.contains("<script>alert"), "{path}");
    }
}

#[test]
fn texts_of_a_report_never_become_markup() {
    let copy = rank_reports("13_div_healthy");
    let evil = "</script><script>alert(1)</script>\u{202e}`x`{{x}}";
    change(&copy.path().join("rank_1"), |report| {
        for compile in report["cross_rank"]["compiles"].as_array_mut().unwrap() {
            compile[1] = json!(evil);
        }
        for compile in report["compiles"].as_array_mut().unwrap() {
            compile["id"] = json!(format!("0/0{evil}"));
            compile["status"] = json!("ok\" onclick=\"alert(1)");
        }
        report["log"]["file"] = json!(evil);
        report["torch"]["version"] = json!(evil);
    });
    let job = combine(copy.path(), &[]).ok(copy.path());
    let page = crate::support::site::Facts::of(&job.page("index.html"));
    assert!(page.foreign.is_empty(), "{:?}", page.foreign);
    assert!(!page.scripts.iter().any(|script| script.contains("alert")), "a script of the log runs");
    for (path, _) in page.relative_links("index.html") {
        assert!(!path.starts_with("..") && !path.contains('<'), "{path}");
    }
}

#[test]
fn any_number_is_a_rank_and_large_gaps_are_not_listed() {
    let folder = tempfile::tempdir().unwrap();
    for rank in ["0", "7", "999999999999", "18446744073709551615"] {
        copy_rank("13_div_healthy", 0, &folder.path().join(format!("rank_{rank}")));
    }
    let job = combine(folder.path(), &[]).ok(folder.path());
    let numbers: Vec<u64> = job.list("ranks").iter().map(|rank| rank["rank"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [0, 7, 999_999_999_999, u64::MAX]);
    assert!(!findings(&job).iter().any(|(kind, _)| kind == "missing_ranks"));
}

#[test]
fn invalid_events_are_left_out() {
    let copy = rank_reports("13_div_colls");
    let path = copy.path().join("rank_1/chromium_events.json");
    fs::write(&path, "[\n{\"name\": \"kept\", \"pid\": 3},\nnull,\n{\"cut\": \n\u{0}\n]\n").unwrap();
    fs::remove_file(copy.path().join("rank_0/chromium_events.json")).unwrap();
    let job = combine(copy.path(), &[]).ok(copy.path());
    let events = job.json_file("chromium_events.json");
    let kept: Vec<&Value> = events.as_array().unwrap().iter().filter(|event| event["ph"] != "M").collect();
    assert_eq!(json!(kept), json!([{ "name": "kept", "pid": 1 }]));
}

#[test]
fn leftovers_of_killed_runs_are_ignored_and_a_wrong_folder_is_named() {
    let copy = rank_reports("13_div_healthy");
    fs::create_dir(copy.path().join(".rank_3.tlparse-4711")).unwrap();
    fs::write(copy.path().join(".rank_3.tlparse-lock"), "").unwrap();
    copy_rank("13_div_healthy", 0, &copy.path().join("rank_2"));
    let job = combine(copy.path(), &[]).ok(copy.path());
    let told = "The log of rank 2 names another rank; rank 2's log names rank 0";
    assert!(findings(&job).contains(&("wrong_rank".to_owned(), told.to_owned())), "{:?}", findings(&job));
    assert!(copy.path().join(".rank_3.tlparse-lock").exists(), "a run may be at work there");
}

#[cfg(unix)]
#[test]
fn a_link_in_place_of_a_rank_is_refused() {
    let copy = rank_reports("13_div_colls");
    let outside = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(outside.path(), copy.path().join("rank_2")).unwrap();
    let error = combine(copy.path(), &[]).0.fails(1);
    assert!(error.contains("rank_2"), "{error}");
    assert!(Path::new(&outside.path()).read_dir().unwrap().next().is_none());
}

#[test]
fn empty_ids_and_invalid_times_are_left_out_of_the_facts_of_the_job() {
    let schema = serde_json::from_str(&source_text("report.schema.json")).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let changes: [fn(&mut Value); 2] = [
        |report| {
            report["log"]["last_time"] = json!("\u{20cef}\u{8dee} not a time");
            for finding in report["findings"].as_array_mut().unwrap() {
                finding["compile_ids"] = json!(["", "0/0"]);
                finding["compile_ids_total"] = json!(2);
            }
        },
        |report| {
            for compile in report["cross_rank"]["compiles"].as_array_mut().unwrap().iter_mut().skip(1) {
                compile[0] = json!("");
            }
        },
    ];
    for edit in changes {
        let copy = rank_reports("13_div_break");
        change(&copy.path().join("rank_1"), edit);
        let job = combine(copy.path(), &[]).ok(copy.path());
        let errors: Vec<String> = schema.iter_errors(&job.json).map(|error| error.to_string()).collect();
        assert_eq!(errors, [""; 0]);
    }
}
