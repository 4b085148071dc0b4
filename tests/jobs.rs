//! Reports of jobs: where real ranks diverge, and that everything else is consistent.

use crate::support::job::copy_rank;
use crate::support::site::Facts;
use crate::support::{Job, Page, Run, combine, job, job_logs, rank_reports, source_text, text_of};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// All jobs that these tests have logs of.
pub const JOBS: [&str; 11] = [
    "12_ddp_2",
    "12_ddp_crash",
    "13_div_break",
    "13_div_cache",
    "13_div_colls",
    "13_div_healthy",
    "13_div_order",
    "13_div_runtime_patched",
    "13_div_shapes",
    "13_rerun_same_dir",
    "17_fork",
];

/// Facts that report.json compares.
const FACTS: [&str; 13] = [
    "compile_ids",
    "cache",
    "collectives",
    "tensor_meta",
    "exec_order",
    "graph_breaks",
    "recompiles",
    "config",
    "inputs",
    "graphs",
    "guards",
    "process_groups",
    "cache_keys",
];

/// The sentence at the top of the landing page.
pub fn verdict(job: &Job) -> String {
    text_of(job.page("index.html").one("h1")).replace('\u{a0}', " ")
}

/// Facts in which the ranks differ.
pub fn differing(job: &Job) -> BTreeSet<&'static str> {
    FACTS.into_iter().filter(|fact| job.json["divergence"][fact]["differs"] == true).collect()
}

/// Where ranks first differ in a kind of fact.
pub fn first<'j>(job: &'j Job, fact: &str) -> &'j Value {
    &job.json["divergence"][fact]["first"]
}

#[test]
fn ranks_with_equal_logs_are_consistent_in_everything() {
    let job = job("13_div_healthy");
    assert_eq!(
        verdict(job),
        "2 ranks are consistent in all 16 facts that were compared: 3 compilations on each."
    );
    for fact in FACTS {
        let compared = &job.json["divergence"][fact];
        assert_eq!(compared["differs"], false, "{fact}");
        assert_eq!(compared["first"], Value::Null, "{fact}");
        assert_eq!(compared["groups"].as_array().unwrap().len(), 1, "{fact}");
        assert_eq!(compared["groups"][0]["ranks"], json!([0, 1]), "{fact}");
    }
    let kinds: Vec<&Value> = job.list("findings").iter().map(|finding| &finding["kind"]).collect();
    assert_eq!(kinds, ["first_run"], "both ranks were cold and slow, which is one entry");
    assert_eq!(job.json["parity"], json!([]));
    let page = job.page("index.html");
    let states: Vec<String> = page.all("#facts-table td:nth-child(2)").into_iter().map(text_of).collect();
    assert_eq!(states, vec!["consistent"; 17]);
    assert!(!text_of(page.one("#facts")).contains("differ"), "{}", page.text());
}

#[test]
fn a_graph_break_on_one_rank_is_named_with_its_line_and_what_it_moves() {
    let job = job("13_div_break");
    let verdict = verdict(job);
    let told = "rank 1 compiles reduce_fn (0/0) for rank == 1, rank 0 for rank == 0 (s13_divergence.py:27)";
    assert!(verdict.starts_with(&format!("2 ranks diverge: {told}")), "{verdict}");
    assert_eq!(
        *first(job, "graph_breaks"),
        json!({ "index": 0, "compile_id": "0/0", "by_rank": {
            "0": null, "1": "/app/s13_divergence.py:28: Call to `torch._dynamo.graph_break()`" } })
    );
    assert_eq!(*first(job, "collectives"), Value::Null, "the same collectives in the same order");
    let counts: Vec<&Value> = job.list("ranks").iter().map(|rank| &rank["compiles"]).collect();
    assert_eq!(counts, [3, 4]);
    assert!(!differing(job).contains("config") && !differing(job).contains("recompiles"));
    let finding = &job.json["findings"][1];
    assert_eq!((&finding["kind"], &finding["severity"]), (&json!("graph_breaks_differ"), &json!("warning")));
    assert_eq!(finding["caused_by"], 0, "the branch on the rank leads there");
    assert_eq!((&finding["file"], &finding["line"]), (&json!("/app/s13_divergence.py"), &json!(28)));
    assert!(
        finding["hint"].as_str().unwrap().contains("the same collectives in the same order"),
        "{finding}"
    );
}

#[test]
fn equal_ids_of_other_functions_are_a_difference() {
    let job = job("13_div_order");
    let ids = |rank: usize| -> Vec<Value> {
        let report = job.json_file(&format!("rank_{rank}/report.json"));
        report["cross_rank"]["compiles"]
            .as_array()
            .unwrap()
            .iter()
            .map(|compile| compile[0].clone())
            .collect()
    };
    assert_eq!(ids(0), ids(1), "the ids do not tell");
    assert!(verdict(job).contains("rank 1 compiles local_fn as 0/0, rank 0 compiles reduce_fn as 0/0"));
    assert_eq!(
        *first(job, "compile_ids"),
        json!({ "index": 0, "compile_id": "0/0", "by_rank": {
            "0": "0/0 reduce_fn at /app/s13_divergence.py:24", "1": "0/0 local_fn at /app/s13_divergence.py:38" } })
    );
    assert_eq!(first(job, "exec_order")["by_rank"], json!({ "0": "0/0 reduce_fn", "1": "0/0 local_fn" }));
    assert_eq!(first(job, "exec_order")["index"], 0);
    let text = job.page("index.html").text();
    assert!(text.contains("All ranks schedule the same collectives in the same order"), "{text}");
}

#[test]
fn names_of_files_may_hold_the_words_and_signs_of_a_sentence() {
    let copy = rank_reports("13_div_order");
    let odd = "/data at work/a: b (c)/s13 at 7, run.py";
    for rank in 0..2 {
        change(&copy.path().join(format!("rank_{rank}")), |report| {
            for compile in report["cross_rank"]["compiles"].as_array_mut().unwrap() {
                compile[2] = json!(odd);
            }
        });
    }
    let job = combine(copy.path(), &[]).ok(copy.path());
    let finding = job.list("findings").iter().find(|one| one["kind"] == "compile_ids_differ").unwrap();
    assert_eq!((&finding["file"], &finding["line"]), (&json!(odd), &json!(38)), "{finding}");
    let title = finding["title"].as_str().unwrap();
    assert!(title.contains("`local_fn`") && !title.contains("work"), "{title}");
    let page = job.page("index.html");
    let rows: Vec<String> = page.all("#facts-table tbody tr").into_iter().map(text_of).collect();
    let compiles = rows.iter().find(|row| row.starts_with("Compiles")).unwrap();
    assert!(compiles.contains("0/0 reduce_fn, 1/0") && !compiles.contains("work"), "{compiles}");
}

#[test]
fn a_break_without_a_line_keeps_its_whole_reason() {
    let copy = rank_reports("13_div_break");
    change(&copy.path().join("rank_1"), |report| {
        report["graph_breaks"][0]["file"] = Value::Null;
        report["graph_breaks"][0]["reason"] = json!("Failed: a call: to x.py:3");
    });
    let job = combine(copy.path(), &[]).ok(copy.path());
    let finding = &job.json["findings"][0];
    let title = finding["title"].as_str().unwrap();
    assert!(
        title.contains("at `an unknown place`") && title.ends_with("Failed: a call: to x.py:3"),
        "{title}"
    );
    assert_eq!(finding["file"], Value::Null);
}

#[test]
fn another_batch_size_is_a_difference_of_inputs_tensors_and_keys() {
    let job = job("13_div_shapes");
    assert_eq!(differing(job), BTreeSet::from(["cache_keys", "graphs", "inputs", "tensor_meta"]));
    assert_eq!(first(job, "tensor_meta")["compile_id"], "2/0");
    assert_eq!(first(job, "tensor_meta")["index"], 12);
}

#[test]
fn a_collective_in_the_middle_of_the_schedule_is_named_with_its_position() {
    let job = job("13_div_colls");
    let told = "in colls_fn, collective 2 is all_gather_into_tensor in process group '2' in 0/0 on rank 1, all_reduce_ in process group '1' in 0/0 on rank 0";
    assert!(verdict(job).contains(told), "{}", verdict(job));
    assert_eq!(first(job, "collectives")["index"], 2);
    assert_eq!(
        differing(job),
        BTreeSet::from(["cache_keys", "collectives", "graphs", "guards", "process_groups", "tensor_meta"])
    );
}

#[test]
fn a_rank_that_compiles_what_another_has_in_its_cache_is_named_and_nothing_is_guessed() {
    let job = job("13_div_cache");
    let told = "rank 1 misses the AOTAutograd cache for 0/0, rank 0 hits it";
    assert!(verdict(job).contains(told), "{}", verdict(job));
    assert_eq!(differing(job), BTreeSet::from(["cache"]));
    let detail = job.json["findings"][0]["detail"].as_str().unwrap();
    assert!(detail.contains("rank 1: hit 0, missed 6; rank 0: hit 6, missed 0"), "{detail}");
    // After a cache hit, torch records no schedule, no sizes and no order for the graph.
    for fact in ["collectives", "tensor_meta", "exec_order"] {
        assert_eq!(job.json["divergence"][fact], Value::Null, "{fact}");
    }
    assert!(job.page("index.html").text().contains("TORCHINDUCTOR_FORCE_DISABLE_CACHES=1"));
    assert_eq!(job.json["runtime"]["comparable"], false);
    assert!(job.json["runtime"]["why_not"].as_str().unwrap().contains("no data"));
}

#[test]
fn a_recompile_on_one_rank_is_named_with_what_changed() {
    // The parent and the forked child of one program, as if they were two ranks.
    let job = job("17_fork");
    assert!(differing(job).contains("recompiles"), "{}", job.json["divergence"]);
    let by_rank = &first(job, "recompiles")["by_rank"];
    assert_eq!(by_rank.as_object().unwrap().values().filter(|value| value.is_null()).count(), 1, "{by_rank}");
    let finding = job.list("findings").iter().find(|finding| finding["kind"] == "recompiles_differ").unwrap();
    let title = finding["title"].as_str().unwrap();
    assert!(title.starts_with("Rank ") && title.contains(" recompiles `"), "{title}");
}

#[test]
fn estimated_runtimes_are_compared_where_graphs_match_and_numbers_can_be_right() {
    let patched = job("13_div_runtime_patched");
    let runtime = &patched.json["runtime"];
    assert_eq!((&runtime["comparable"], &runtime["why_not"]), (&json!(true), &Value::Null));
    let graph =
        runtime["graphs"].as_array().unwrap().iter().find(|graph| graph["graph"] == "-_0_0_0").unwrap();
    // 7.68 + 4 * 5.12 ns on rank 0, ten times that on rank 1.
    let close = |value: &Value, expected: f64| (value.as_f64().unwrap() - expected).abs() < 1e-12;
    assert_eq!((&graph["fastest"]["rank"], &graph["slowest"]["rank"]), (&json!(0), &json!(1)));
    assert!(close(&graph["fastest"]["ms"], 28.16e-6) && close(&graph["slowest"]["ms"], 281.6e-6), "{graph}");
    assert!(close(&graph["delta_ms"], 253.44e-6) && close(&graph["mean_ms"], 154.88e-6), "{graph}");
    let told = "is estimated to run 10.0 times as long on rank 1 as on rank 0";
    assert!(verdict(patched).contains(told), "{}", verdict(patched));
    let zero = &job("13_div_healthy").json["runtime"];
    assert_eq!(zero["comparable"], false);
    assert_eq!(zero["why_not"], "no data: all estimates are 0, as torch gives for the CPU");
    assert_eq!(job("12_ddp_2").json["runtime"], Value::Null);
}

#[test]
fn estimates_are_compared_of_graphs_that_have_the_same_operations() {
    let copy = rank_reports("13_div_runtime_patched");
    change(&copy.path().join("rank_1"), |report| {
        report["cross_rank"]["runtime"][1]["ops"][0]["name"] = json!("another");
        report["cross_rank"]["runtime"][1]["ops"].as_array_mut().unwrap().pop();
    });
    let job = combine(copy.path(), &[]).ok(copy.path());
    let runtime = &job.json["runtime"];
    let graphs: Vec<&Value> = runtime["graphs"].as_array().unwrap().iter().map(|one| &one["graph"]).collect();
    assert_eq!((&runtime["why_not"], graphs), (&Value::Null, vec![&json!("-_0_0_0"), &json!("-_2_0_0")]));
    change(&copy.path().join("rank_1"), |report| {
        report["cross_rank"]["runtime"][0]["ops"][0]["ns"] = json!(-3.5);
    });
    let job = combine(copy.path(), &["--overwrite"]).ok(copy.path());
    let why = job.json["runtime"]["why_not"].as_str().unwrap();
    assert!(why.starts_with("implausible: rank 1 has -3.5 ns for "), "{why}");
}

#[test]
fn a_job_that_died_before_any_graph_is_reported_as_such() {
    let job = job("12_ddp_crash");
    assert_eq!(differing(job), BTreeSet::new());
    let verdict = verdict(job);
    assert!(verdict.contains("No rank compiled a graph: all 4 compilations came out empty"), "{verdict}");
    assert!(
        verdict
            .contains("3/0 torch_dynamo_resume_in___init___at_105 at /usr/lib/python3.11/contextlib.py:105")
    );
    assert_eq!(job.json["divergence"]["exec_order"], Value::Null);
    let text = job.page("index.html").text();
    assert!(text.contains("torch._inductor.debug.record_and_log_graph_execution_order()"));
}

#[test]
fn caches_alone_do_not_make_ranks_part_ways() {
    let job = job("12_ddp_2");
    let verdict = verdict(job);
    assert!(
        verdict
            .starts_with("2 ranks compile the same; a harmless race: rank 1 hits the FX graph cache for 4/0"),
        "{verdict}"
    );
    assert_eq!(differing(job), BTreeSet::from(["cache"]));
}

#[test]
fn settings_that_differ_are_named_with_both_values() {
    let copy = rank_reports("13_div_healthy");
    change(&copy.path().join("rank_1"), |report| {
        let md5 = report["cross_rank"]["configs"]["inductor_config"].as_str().unwrap().to_owned();
        report["configs"][&md5]["max_autotune"] = json!(true);
    });
    let job = combine(copy.path(), &[]).ok(copy.path());
    assert_eq!(differing(&job), BTreeSet::from(["config"]));
    let by_rank = &first(&job, "config")["by_rank"];
    assert_eq!(
        *by_rank,
        json!({ "0": "inductor_config.max_autotune = false", "1": "inductor_config.max_autotune = true" })
    );
}

#[test]
fn every_job_keeps_to_the_schema_and_its_page_to_the_rules_of_pages() {
    let schema: Value = serde_json::from_str(&source_text("report.schema.json")).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    for name in JOBS {
        let job = job(name);
        let errors: Vec<String> = schema.iter_errors(&job.json).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{name}: {errors:#?}");
        let page = Facts::of(&job.page("index.html"));
        assert!(
            page.missing.is_empty() && page.foreign.is_empty(),
            "{name}: {:?}{:?}",
            page.missing,
            page.foreign
        );
        assert_eq!(page.doubled_ids(), Vec::<&str>::new(), "{name}");
        for (path, anchor) in page.relative_links("index.html") {
            assert!(job.has(&path), "{name}: a link leads to {path}");
            if let Some(anchor) = anchor.filter(|_| path == "index.html") {
                assert!(page.ids.contains(&anchor), "{name}: a link leads to #{anchor}");
            }
        }
        assert!(page.code_bytes() <= 40 << 10, "{name}: {} bytes of CSS and JavaScript", page.code_bytes());
    }
}

#[test]
fn pages_of_ranks_never_refer_to_their_job() {
    let job = job("13_div_break");
    for rank in 0..2 {
        for path in job.pages().into_iter().filter(|path| path.starts_with(&format!("rank_{rank}/"))) {
            let below = path.split_once('/').unwrap().1;
            let page = Facts::of(&job.page(&path));
            let outside: Vec<_> = page.relative_links(below).filter(|(to, _)| to.starts_with("..")).collect();
            assert!(outside.is_empty(), "{path}: {outside:?}");
        }
    }
}

#[test]
fn the_events_of_all_ranks_are_in_one_file_with_one_process_per_rank() {
    let job = job("13_div_healthy");
    let all = job.json_file("chromium_events.json");
    let all = all.as_array().unwrap();
    for rank in 0..2 {
        let own: Vec<&Value> = all.iter().filter(|event| event["pid"] == rank).collect();
        let (about, events): (Vec<&Value>, Vec<&Value>) =
            own.into_iter().partition(|event| event["ph"] == "M");
        assert!(about.iter().any(|event| event["args"]["name"] == format!("rank {rank}")), "{about:?}");
        let mut theirs = job.json_file(&format!("rank_{rank}/chromium_events.json"));
        for event in theirs.as_array_mut().unwrap() {
            event["pid"] = json!(rank);
        }
        assert_eq!(json!(events), theirs);
    }
}

#[test]
fn schedules_and_runtimes_are_ordered_by_rank_and_graph() {
    let job = job("13_div_runtime_patched");
    let order = |file: &str| -> Vec<(u64, String)> {
        let entries = job.json_file(file);
        let entry =
            |entry: &Value| (entry["rank"].as_u64().unwrap(), entry["graph"].as_str().unwrap().to_owned());
        entries.as_array().unwrap().iter().map(entry).collect()
    };
    let graphs = |rank, graphs: &[&str]| graphs.iter().map(|g| (rank, (*g).to_owned())).collect::<Vec<_>>();
    let all = ["-_0_0_0", "-_1_0_0", "-_2_0_0"];
    assert_eq!(order("runtime_estimations.json"), [graphs(0, &all), graphs(1, &all)].concat());
    assert_eq!(order("collective_schedules.json"), [graphs(0, &all[..2]), graphs(1, &all[..2])].concat());
    let trace = job.json_file("chromium_trace_with_runtime.json");
    let ops: Vec<&Value> = trace.as_array().unwrap().iter().filter(|event| event["ph"] == "X").collect();
    assert_eq!(ops.len(), 26);
    for (one, next) in
        ops.iter().zip(&ops[1..]).filter(|(a, b)| (&a["pid"], &a["tid"]) == (&b["pid"], &b["tid"]))
    {
        let end = one["ts"].as_u64().unwrap() + one["dur"].as_u64().unwrap();
        assert_eq!(next["ts"], end, "operations lie end to end");
    }
    let threads: BTreeSet<u64> = ops.iter().map(|op| op["tid"].as_u64().unwrap()).collect();
    assert_eq!(threads, BTreeSet::from([1, 2, 3]));
}

#[test]
fn the_run_is_named_with_its_logs_and_from_first_to_last_record() {
    let job = job("13_div_break");
    let logs = job_logs("13_div_break");
    let names: Vec<&str> = logs.iter().map(|log| log.file_name().unwrap().to_str().unwrap()).collect();
    let times: Vec<&Value> = job.list("ranks").iter().map(|rank| &rank["log"]["first_time"]).collect();
    let first = times.iter().map(|time| time.as_str().unwrap()).min().unwrap();
    assert_eq!(job.json["runs"].as_array().unwrap().len(), 1);
    assert_eq!(job.json["runs"][0]["logs"], json!(names));
    assert_eq!(job.json["runs"][0]["first_time"], first);
    assert_eq!(job.json["skipped_files"], json!([]));
}

#[test]
fn combining_changes_no_rank_and_gives_the_same_bytes_again() {
    let copy = rank_reports("13_div_break");
    let before = contents(copy.path());
    combine(copy.path(), &[]).ok(copy.path());
    let once = contents(copy.path());
    combine(copy.path(), &["--overwrite"]).ok(copy.path());
    assert_eq!(once, contents(copy.path()));
    for (path, bytes) in &before {
        assert!(once.iter().any(|(other, same)| other == path && same == bytes), "{path} has changed");
    }
    let added: Vec<&str> =
        once.iter().map(|(path, _)| path.as_str()).filter(|path| !path.contains('/')).collect();
    let files = [
        "chromium_events.json",
        "chromium_trace_with_runtime.json",
        "collective_schedules.json",
        "index.html",
        "report.json",
        "report.md",
        "runtime_estimations.json",
        "search.html",
    ];
    assert_eq!(added, files);
}

#[test]
fn the_ranks_of_a_large_job_are_grouped_and_the_odd_one_is_named() {
    let folder = tempfile::tempdir().unwrap();
    for rank in 0..24 {
        let (from, number) = if rank == 17 { ("13_div_break", 1) } else { ("13_div_healthy", 0) };
        copy_rank(from, number, &folder.path().join(format!("rank_{rank}")));
    }
    let job = combine(folder.path(), &[]).ok(folder.path());
    let verdict = verdict(&job);
    let told = "24 ranks diverge: rank 17 breaks its graph at s13_divergence.py:28 in 0/0, the other 23 ranks do not";
    assert!(verdict.starts_with(told), "{verdict}");
    assert!(verdict.contains("Rank 17 differs in 12 of 16 facts"), "{verdict}");
    let groups = &job.json["divergence"]["graph_breaks"]["groups"];
    assert_eq!(groups[0]["ranks"].as_array().unwrap().len(), 23);
    assert_eq!(groups[1]["ranks"], json!([17]));
    let page = job.page("index.html");
    assert_eq!(page.all("#ranks-table tbody tr").len(), 24);
    assert!(page.all("#ranks-table th[data-sort=num]").len() > 4, "the slowest rank is found by sorting");
    assert_eq!(page.all("#ranks-table tbody tr[data-row]").len(), 24);
    assert_eq!(page.all("#time-table tbody tr").len(), 12, "the slowest ranks");
    assert!(page.all("#ends").is_empty(), "no rank stopped early");
}

#[test]
fn a_custom_header_is_at_the_top_of_the_landing_page() {
    let copy = rank_reports("13_div_colls");
    let header = "<p id=\"ours\">Job 4711</p>";
    let job = combine(copy.path(), &["--custom-header-html", header]).ok(copy.path());
    assert_eq!(text_of(job.page("index.html").one("#ours")), "Job 4711");
}

/// Path and bytes of every file.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let files = crate::support::files_below(folder).into_iter();
    files.map(|path| (path.clone(), fs::read(folder.join(path)).unwrap())).collect()
}

/// Changes the report.json of a rank.
pub fn change(rank: &Path, change: impl FnOnce(&mut Value)) {
    let path = rank.join("report.json");
    let mut report: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    change(&mut report);
    fs::write(&path, report.to_string()).unwrap();
}

#[test]
fn a_rank_leads_to_its_job_and_to_the_ranks_beside_it_and_the_job_to_provenance() {
    let logs = crate::support::source("tests/inputs/12_ddp_2");
    let job = Run::of(&logs).args(["--all-ranks-html"]).ok();
    let rank = &job.folder.join("rank_0");
    let page = |path: &str| Page::parse(path, &fs::read_to_string(rank.join(path)).unwrap());
    for (path, up) in [("index.html", "../"), ("-_0_0_0/compile.html", "../../")] {
        let page = page(path);
        let links: Vec<&str> = page
            .all("nav[aria-label=Breadcrumb] a")
            .into_iter()
            .filter_map(|link| link.attr("href"))
            .collect();
        assert_eq!(links[0], format!("{up}index.html"), "{path}");
        let beside: Vec<&str> =
            page.all(".page-head > .soft a").into_iter().filter_map(|link| link.attr("href")).collect();
        assert_eq!(beside, [format!("{up}rank_1/index.html")], "{path}");
    }
    let provenance = job.page("index.html").all("#ranks-table a[href*=provenance_tracking]").len();
    let written =
        crate::support::files_below(rank).iter().any(|file| file.starts_with("provenance_tracking"));
    assert_eq!(provenance > 0, written);
}
