//! What ranks are compared by: inputs, process groups, keys, collectives by their order, whatever the ids; what all
//! ranks share; who waits for whom.

use crate::jobs::{change, differing, first, verdict};
use crate::support::job::copy_rank;
use crate::support::{Job, combine, job, rank_reports, text_of};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

fn finding<'j>(job: &'j Job, kind: &str) -> &'j Value {
    let found = job.list("findings").iter().find(|finding| finding["kind"] == kind);
    found.unwrap_or_else(|| panic!("no finding {kind}: {:#}", job.json["findings"]))
}

fn text<'v>(finding: &'v Value, key: &str) -> &'v str {
    finding[key].as_str().unwrap_or_default()
}

#[test]
fn inputs_of_other_sizes_are_named_also_where_every_graph_comes_from_a_cache() {
    for name in ["13_div_shapes", "13_rerun_same_dir"] {
        let job = job(name);
        let told = "in 2/0, local_fn, the input x is float32[12,16] on rank 1, float32[8,16] on rank 0";
        assert!(verdict(job).contains(told), "{name}: {}", verdict(job));
        assert_eq!(
            *first(job, "inputs"),
            json!({ "index": 2, "compile_id": "2/0", "by_rank": {
                "0": "2/0 L['x']: float32[8,16]/[16,1]", "1": "2/0 L['x']: float32[12,16]/[16,1]" } })
        );
        let finding = finding(job, "inputs_differ");
        assert_eq!(finding["severity"], "warning");
        assert!(text(finding, "file").ends_with("s13_divergence.py"), "{finding}");
        // No collective runs in that function.
        assert!(!text(finding, "hint").contains("hang"), "{finding}");
        assert!(job.list("findings").iter().all(|one| !text(one, "title").contains("op0_op1")));
    }
}

#[test]
fn inputs_of_a_graph_with_collectives_may_hang_it() {
    let copy = rank_reports("13_div_healthy");
    change(&copy.path().join("rank_1"), |report| {
        report["cross_rank"]["inputs"][0]["tensors"][0][3] = json!("[1,8]");
    });
    let job = combine(copy.path(), &[]).ok(copy.path());
    let finding = finding(&job, "inputs_differ");
    // Sizes and dtype are equal, so the strides are shown.
    assert!(text(finding, "title").contains("`float32[8,16]/[1,8]` on rank 1"), "{finding}");
    assert!(text(finding, "hint").contains("This graph calls collectives"), "{finding}");
}

#[test]
fn what_the_fewer_ranks_have_is_marked_in_the_table_of_facts() {
    let copy = rank_reports("13_div_healthy");
    copy_rank("13_div_healthy", 0, &copy.path().join("rank_2"));
    for rank in ["rank_1", "rank_2"] {
        change(&copy.path().join(rank), |report| {
            report["log"]["rank"] = json!(rank[5..].parse::<u64>().unwrap())
        });
    }
    change(&copy.path().join("rank_1"), |report| {
        report["cross_rank"]["inputs"][0]["tensors"][0][1] = json!("float64");
    });
    let job = combine(copy.path(), &[]).ok(copy.path());
    let page = job.page("index.html");
    let marks: Vec<String> = page.all("#facts-table mark").into_iter().map(text_of).collect();
    let table = page.one("#facts-table");
    assert!(
        !marks.is_empty() && marks.iter().all(|mark| mark.contains("float64")),
        "{marks:?}: {}",
        text_of(table)
    );
}

#[test]
fn inputs_of_another_dtype_are_named() {
    let copy = rank_reports("13_div_healthy");
    change(&copy.path().join("rank_1"), |report| {
        report["cross_rank"]["inputs"][0]["tensors"][0][1] = json!("float64");
    });
    let job = combine(copy.path(), &[]).ok(copy.path());
    let finding = finding(&job, "inputs_differ");
    assert!(
        text(finding, "title").contains("`float64[8,16]` on rank 1, `float32[8,16]` on rank 0"),
        "{finding}"
    );
}

#[test]
fn different_process_groups_are_named_without_predicting_a_hang() {
    let colls = job("13_div_colls");
    let groups = finding(colls, "process_groups_differ");
    assert!(text(groups, "title").contains("process group '2', rank 0 in process group '1'"), "{groups}");
    assert_eq!(groups["severity"], "info");
    let collectives = finding(colls, "collectives_differ");
    assert_eq!(collectives["severity"], "warning", "nobody waits for a rank outside of its group");
    assert!(text(collectives, "title").contains("`colls_fn`"), "{collectives}");
    assert!(!text(collectives, "hint").contains("hangs"), "{collectives}");
    assert_eq!(
        first(colls, "process_groups")["by_rank"],
        json!({ "0": "0/0 torch.ops._c10d_functional.all_reduce_.default in group 1",
                "1": "0/0 torch.ops._c10d_functional.all_reduce_.default in group 2" })
    );
}

#[test]
fn other_collectives_in_one_process_group_hang_the_job() {
    let copy = rank_reports("13_div_colls");
    change(&copy.path().join("rank_1"), |report| {
        for call in report["cross_rank"]["process_groups"][0]["calls"].as_array_mut().unwrap() {
            if call[1] == "2" {
                call[1] = json!("1");
            }
        }
    });
    let job = combine(copy.path(), &[]).ok(copy.path());
    let finding = finding(&job, "collectives_differ");
    assert_eq!(finding["severity"], "error");
    assert!(text(finding, "hint").contains("the job hangs until its timeout"), "{finding}");
    assert!(job.list("findings").iter().all(|one| one["kind"] != "process_groups_differ"));
}

#[test]
fn equal_collectives_under_other_ids_are_information() {
    let order = job("13_div_order");
    assert_eq!(differing(order), BTreeSet::from(["compile_ids", "exec_order"]), "matched by function");
    for finding in order.list("findings") {
        assert_eq!(finding["severity"], "info", "{finding}");
    }
    let broken = job("13_div_break");
    assert!(!differing(broken).contains("collectives"));
    assert!(broken.list("findings").iter().all(|one| one["severity"] != "error"));
    assert!(broken.list("findings").iter().all(|one| !text(one, "hint").contains("the job hangs")));
}

#[test]
fn without_recorded_collectives_no_hang_is_predicted() {
    let copy = rank_reports("13_div_break");
    for rank in 0..2 {
        change(&copy.path().join(format!("rank_{rank}")), |report| {
            report["cross_rank"]["collectives"] = Value::Null;
            report["cross_rank"]["process_groups"] = Value::Null;
        });
    }
    let job = combine(copy.path(), &[]).ok(copy.path());
    let finding = finding(&job, "graph_breaks_differ");
    assert_eq!(finding["severity"], "warning");
    assert!(text(finding, "hint").contains("do not show whether ranks wait"), "{finding}");
}

#[test]
fn a_hit_after_a_miss_of_the_same_key_is_a_harmless_race() {
    let race = finding(job("12_ddp_2"), "cache_differs");
    assert_eq!(race["severity"], "info");
    assert!(text(race, "hint").contains("A harmless race"), "{race}");
    assert!(!text(race, "hint").to_lowercase().contains("share the cache"), "{race}");
    // In the other order, the entry was there before the lookup: then the key or the folder was another.
    let copy = rank_reports("12_ddp_2");
    change(&copy.path().join("rank_1"), |report| {
        for lookup in report["cross_rank"]["cache_keys"].as_array_mut().unwrap() {
            lookup[3] = json!(1);
        }
    });
    let job = combine(copy.path(), &[]).ok(copy.path());
    let finding = finding(&job, "cache_differs");
    assert_eq!(finding["severity"], "warning");
    assert!(text(finding, "hint").contains("use one cache folder already"), "{finding}");
}

#[test]
fn sharing_the_cache_folder_is_advised_only_where_folders_differ() {
    let cache = finding(job("13_div_cache"), "cache_differs");
    assert!(text(cache, "hint").contains("Share the cache folder"), "{cache}");
    assert!(text(cache, "detail").contains("`/app/cache/13_div_cache/rank1` on rank 1"), "{cache}");
    assert_eq!(cache["severity"], "warning");
}

#[test]
fn cache_keys_are_compared_and_named_where_nothing_else_differs() {
    let copy = rank_reports("13_div_healthy");
    change(&copy.path().join("rank_1"), |report| {
        for lookup in report["cross_rank"]["cache_keys"].as_array_mut().unwrap() {
            lookup[2] = json!("fanother");
        }
    });
    let job = combine(copy.path(), &[]).ok(copy.path());
    assert_eq!(differing(&job), BTreeSet::from(["cache_keys"]));
    let finding = finding(&job, "cache_keys_differ");
    assert_eq!(finding["severity"], "info");
    assert!(text(finding, "title").contains("`fanother…` for 0/0"), "{finding}");
}

#[test]
fn files_shared_by_all_ranks_are_stored_once_at_the_jobs_root() {
    for name in ["12_ddp_crash", "12_ddp_2"] {
        let job = job(name);
        let own = job.json_file("rank_0/report.json");
        let other = job.json_file("rank_1/report.json");
        let on_both = |finding: &&Value| {
            other["findings"].as_array().unwrap().iter().any(|one| one["title"] == finding["title"])
        };
        let findings: Vec<&Value> = own["findings"].as_array().unwrap().iter().filter(on_both).collect();
        assert!(!findings.is_empty(), "{name}");
        for finding in findings {
            let told = format!("{} (on both ranks)", text(finding, "title"));
            let shared: Vec<&Value> = job
                .list("findings")
                .iter()
                .filter(|one| text(one, "title").eq_ignore_ascii_case(&told))
                .collect();
            assert_eq!(shared.len(), 1, "{name}: {told}");
            for key in ["kind", "severity", "file", "line", "hint"] {
                assert_eq!(shared[0][key], finding[key], "{name}: {key} of {told}");
            }
        }
        let page = job.page("index.html");
        let links = page.attributes("href");
        assert!(links.iter().any(|link| link.starts_with("rank_0/index.html#finding-")), "{links:?}");
    }
    // What only one rank has is a difference, and not shared.
    let broken = job("13_div_break");
    assert!(broken.list("findings").iter().all(|one| one["kind"] != "graph_break"));
}

#[test]
fn two_ranks_have_no_median() {
    let cache = job("13_div_cache");
    let straggler = finding(cache, "straggler");
    let told = "Rank 1 takes 8.45 s to compile; rank 0 0.93 s; 6.42 s of it in `reduce_fn` (0/0), 5.15 s in kernel builds; 0.83 s on rank 0";
    assert_eq!(straggler["title"], told);
    assert!(!cache.page("index.html").text().to_lowercase().contains("median"));
    assert!(!text_of(cache.page("index.html").one("#time")).contains("median"));
}

/// Seconds behind a label of a page: `Dynamo 511 ms`.
fn seconds_behind(text: &str, label: &str) -> Option<f64> {
    let mut words = text.split_once(label)?.1.split_whitespace();
    let number: f64 = words.next()?.replace(',', "").parse().ok()?;
    Some(number / if words.next()? == "ms" { 1e3 } else { 1.0 })
}

#[test]
fn a_job_splits_its_time_as_its_ranks_do() {
    for name in ["12_ddp_2", "13_div_healthy"] {
        let job = job(name);
        let mut parts: BTreeMap<String, f64> = BTreeMap::new();
        for rank in 0..job.list("ranks").len() {
            let report = job.json_file(&format!("rank_{rank}/report.json"));
            for part in report["compile_time"]["parts"].as_array().unwrap() {
                if let Some(label) = part["name"].as_str() {
                    *parts.entry(label.to_owned()).or_default() += part["seconds"].as_f64().unwrap();
                }
            }
            let told = &job.list("ranks")[rank]["compile_time_s"];
            assert_eq!(*told, report["compile_time"]["total_s"], "{name}: rank {rank}");
        }
        let text = job.page("index.html").text().replace('\u{a0}', " ");
        let (_, together) = text.split_once("All ranks together").expect("a bar of all ranks");
        for (label, told) in parts {
            let shown = seconds_behind(together, &format!("{label} "));
            let shown = shown.unwrap_or_else(|| panic!("{name}: no time of {label}"));
            assert!((told - shown).abs() <= told * 0.0051, "{name}: {label} took {told} s, shown {shown}");
        }
    }
}

#[test]
fn a_verdict_about_tensors_names_one_operation_with_its_line_or_compile() {
    for name in ["13_div_shapes", "13_rerun_same_dir"] {
        let verdict = verdict(job(name));
        assert!(
            verdict.contains("in 2/0, local_fn, the input x") && !verdict.contains("op1_op2"),
            "{verdict}"
        );
    }
}

#[test]
fn a_function_that_is_compiled_twice_is_two_graphs_in_their_order() {
    let copy = rank_reports("13_div_shapes");
    for rank in 0..2 {
        change(&copy.path().join(format!("rank_{rank}")), |report| {
            let compiles = report["compiles"].as_array_mut().unwrap();
            let of = |id: &str| compiles.iter().position(|compile| compile["id"] == id).unwrap();
            let (first, second) = (of("0/0"), of("2/0"));
            compiles[second]["function"] = compiles[first]["function"].clone();
        });
    }
    let job = combine(copy.path(), &[]).ok(copy.path());
    let finding = finding(&job, "inputs_differ");
    assert_eq!(finding["compile_ids"], json!(["2/0"]));
    // The first compile of the function calls a collective, the second does not.
    assert!(text(finding, "hint").contains("No collective of this graph is recorded"), "{finding}");
}

#[test]
fn pages_of_a_job_call_functions_as_the_reports_of_its_ranks_do() {
    let job = job("12_ddp_2");
    let page = job.page("index.html");
    let facts = text_of(page.one("#facts-table"));
    for name in ["1/0 DistributedDataParallel", "3/0 __init__ resumed at 105"] {
        assert!(facts.contains(name), "{name}: {facts}");
    }
    assert!(!page.text().contains("torch_dynamo_resume_in"));
    let race = finding(job, "cache_differs");
    assert!(!race.to_string().contains("torch_dynamo_resume_in"), "{race}");
    // Torch's name is still there for whoever looks for it.
    let page = crate::support::job("13_div_break").read("index.html");
    let line = "title=\"torch: 1/0 torch_dynamo_resume_in_reduce_fn_at_28 at /app/s13_divergence.py:28\"";
    assert!(page.contains(line));
    assert!(
        crate::support::job("13_div_break")
            .page("index.html")
            .text()
            .contains("1/0 reduce_fn resumed at 28 at /app/s13_divergence.py:28")
    );
}

#[test]
fn where_classes_of_ranks_differ_a_job_calls_a_function_as_torch_does() {
    let copy = rank_reports("12_ddp_2");
    change(&copy.path().join("rank_1"), |report| {
        report["cross_rank"]["names"][0][1] = json!("FullyShardedDataParallel");
    });
    let job = combine(copy.path(), &[]).ok(copy.path());
    assert!(job.page("index.html").text().contains("0/0 inner,"));
}
