//! `tlparse diff`, rule by rule: one fact of a real report is changed, and exactly the row that this wants is told.

use crate::diff::{compared, diff};
use crate::support::html::text_of;
use crate::support::{Page, changed_report, report};
use serde_json::{Value, json};
use std::fs;
use tempfile::TempDir;

/// A report of graph breaks, recompiles, failures and cache lookups, with changed facts.
fn changed(change: impl FnOnce(&mut Value)) -> TempDir {
    changed_report("03_graph_breaks", change)
}

/// What differs when B is changed so.
fn difference(change: impl FnOnce(&mut Value)) -> Value {
    compared(&report("03_graph_breaks").folder, changed(change).path())
}

/// Each row as `kind topic: subject`.
fn told(json: &Value) -> Vec<String> {
    let word = |row: &Value, key: &str| row[key].as_str().unwrap().to_owned();
    let rows = json["rows"].as_array().unwrap().iter();
    rows.map(|row| format!("{} {}: {}", word(row, "kind"), word(row, "topic"), word(row, "subject")))
        .collect()
}

/// The compile of that id.
fn compile<'j>(json: &'j mut Value, id: &str) -> &'j mut Value {
    let compiles = json["compiles"].as_array_mut().unwrap();
    compiles.iter_mut().find(|compile| compile["id"] == id).unwrap()
}

/// Removes the compile of that id, and its times from those of the log.
fn without_compile(json: &mut Value, id: &str) {
    let time = compile(json, id)["time"].clone();
    let whole = &mut json["compile_time"];
    whole["total_s"] = json!(whole["total_s"].as_f64().unwrap() - time["seconds"].as_f64().unwrap());
    for part in time["parts"].as_array().unwrap() {
        add_to_part(&mut whole["parts"], part["name"].as_str().unwrap(), -part["seconds"].as_f64().unwrap());
    }
    json["compiles"].as_array_mut().unwrap().retain(|compile| compile["id"] != id);
}

/// Adds seconds to a part of the compiler in a list of parts.
fn add_to_part(parts: &mut Value, name: &str, seconds: f64) {
    let part = parts.as_array_mut().unwrap().iter_mut().find(|part| part["name"] == name).unwrap();
    part["seconds"] = json!(part["seconds"].as_f64().unwrap() + seconds);
}

fn seconds_of(id: &str) -> f64 {
    compile(&mut report("03_graph_breaks").json.clone(), id)["time"]["seconds"].as_f64().unwrap()
}

#[test]
fn a_more_frequent_break_is_listed_with_both_counts() {
    let json = difference(|json| json["graph_breaks"][0]["count"] = json!(5));
    assert_eq!(
        told(&json),
        ["changed graph_break: Graph break: Failed to trace builtin operator, 4 → 5 times"]
    );
}

#[test]
fn a_break_at_its_line_for_another_reason_is_one_change() {
    let json = difference(|json| json["graph_breaks"][0]["reason"] = json!("Something else"));
    assert_eq!(told(&json), ["changed graph_break: Graph break at the same line, for another reason"]);
    let row = &json["rows"][0];
    assert_eq!(row["a"]["value"], "Failed to trace builtin operator");
    assert_eq!((&row["b"]["value"], &row["line"]), (&json!("Something else"), &json!(11)));
}

#[test]
fn a_recompile_for_another_reason_is_listed_with_both_guards() {
    let json =
        difference(|json| json["recompiles"][0]["reasons"][0]["guard"] = json!("L['x'].size()[0] == 4"));
    assert_eq!(
        told(&json),
        ["changed recompile: Recompile of `forward`, resumed at line 81, for another reason"]
    );
    let row = &json["rows"][0];
    assert!(row["a"]["value"].as_str().unwrap().starts_with("___stack0 == "), "{row}");
    assert_eq!((&row["b"]["value"], &row["match"]), (&json!("x.size()[0] == 4"), &json!("edited")));
}

#[test]
fn a_recompile_that_is_gone_has_the_seconds_of_its_compile_and_no_other_row_has_them() {
    let json = difference(|json| {
        json["recompiles"] = json!([]);
        without_compile(json, "23/1");
    });
    assert_eq!(
        told(&json),
        ["gone recompile: Recompile of `forward`, resumed at line 81"],
        "no row on the log's time or a part has them"
    );
    assert_eq!(json["rows"][0]["a"]["seconds"], json!(seconds_of("23/1")));
}

#[test]
fn a_compile_that_is_gone_without_a_recompile_is_listed() {
    let a = changed(|json| json["recompiles"] = json!([]));
    let b = changed(|json| {
        json["recompiles"] = json!([]);
        without_compile(json, "23/1");
    });
    let json = compared(a.path(), b.path());
    assert_eq!(
        told(&json)[0],
        "gone compiles: `forward`, resumed at line 81 is compiled 1 time instead of 2, without a reason recorded"
    );
    assert_eq!(json["rows"][0]["a"]["seconds"], json!(seconds_of("23/1")));
}

#[test]
fn a_failure_with_another_exception_is_a_change_but_other_words_are_not() {
    let json = difference(|json| json["failures"][0]["type"] = json!("torch._dynamo.exc.BackendError"));
    assert_eq!(told(&json), ["changed failure: Failure: `loop_with_break` was not compiled"]);
    let row = &json["rows"][0];
    assert_eq!((&row["a"]["value"], &row["b"]["value"]), (&json!("Unsupported"), &json!("BackendError")));
    let json = difference(|json| json["failures"][0]["reason"] = json!("Said otherwise"));
    assert_eq!(told(&json), Vec::<String>::new());
}

#[test]
fn a_failure_that_is_gone_names_the_new_outcome_and_its_time_is_counted_once() {
    let json = difference(|json| {
        json["failures"].as_array_mut().unwrap().remove(0);
        compile(json, "17/0")["status"] = json!("ok");
        compile(json, "17/0")["time"]["seconds"] = json!(2.5);
    });
    assert_eq!(
        told(&json),
        ["gone failure: Failure: `loop_with_break` was not compiled"],
        "and no row on the function's time"
    );
    let row = &json["rows"][0];
    assert_eq!(row["a"]["seconds"], json!(seconds_of("17/0")));
    assert_eq!((&row["b"]["seconds"], &row["b"]["compile_ids"]), (&json!(2.5), &json!(["17/0"])));
}

#[test]
fn failures_come_first_then_what_is_new_then_what_is_gone_then_seconds() {
    let a = changed(|json| {
        json["failures"].as_array_mut().unwrap().remove(1);
        json["graph_breaks"].as_array_mut().unwrap().remove(2);
    });
    let b = changed(|json| {
        json["graph_breaks"].as_array_mut().unwrap().remove(5);
        compile(json, "1/0")["time"]["seconds"] = json!(seconds_of("1/0") + 3.0);
        json["caches"][0]["outcome"] = json!("hit");
    });
    let json = compared(a.path(), b.path());
    let rows = told(&json);
    let kinds: Vec<&str> = rows.iter().map(|row| row.split(':').next().unwrap()).collect();
    let expected =
        ["new failure", "new graph_break", "gone graph_break", "worse function_time", "better cache"];
    assert_eq!(kinds, expected, "{rows:#?}");
}

#[test]
fn a_new_cache_hit_is_better_and_a_lost_one_is_worse() {
    let hit = changed(|json| json["caches"][0]["outcome"] = json!("hit"));
    let miss = &report("03_graph_breaks").folder;
    let kind = |json: &Value| told(json).join(", ");
    assert_eq!(kind(&compared(miss, hit.path())), "better cache: 1 cache lookup: miss → hit");
    assert_eq!(
        kind(&compared(hit.path(), miss)),
        "worse cache: 1 cache lookup: hit → miss, under the same keys: the cache did not have the results"
    );
    let bypass = changed(|json| json["caches"][0]["outcome"] = json!("bypass"));
    assert_eq!(kind(&compared(miss, bypass.path())), "changed cache: 1 cache lookup: miss → bypass");
}

#[test]
fn kernels_are_compared_where_both_logs_name_them() {
    let json = difference(|json| {
        let kernels = compile(json, "1/0")["kernels"].as_object_mut().unwrap();
        let (name, _) = kernels.clone().into_iter().next().unwrap();
        kernels.remove(&name);
        kernels.insert("cpp_fused_made_up_0".to_owned(), json!(2));
    });
    assert_eq!(told(&json), ["changed kernels: Kernels of `inner_print`: 2 of 2 differ"]);
    let detail = json["rows"][0]["detail"].as_str().unwrap();
    assert!(detail.contains("in A only") && detail.contains("`cpp_fused_made_up_0` in B only"), "{detail}");
    let json = difference(|json| {
        for compile in json["compiles"].as_array_mut().unwrap() {
            compile["kernels"] = json!({});
        }
    });
    assert!(!told(&json).iter().any(|row| row.contains(" kernels:")), "{:?}", told(&json));
}

#[test]
fn inputs_are_shown_with_sizes_and_with_strides_if_only_strides_differ() {
    let tensor = |json: &mut Value, change: &dyn Fn(&mut Vec<Value>)| {
        let all = json["cross_rank"]["inputs"].as_array_mut().unwrap();
        let of = all.iter_mut().find(|inputs| inputs["compile_id"] == "1/0").unwrap();
        change(of["tensors"].as_array_mut().unwrap());
    };
    let detail = |json: &Value| {
        assert_eq!(told(json).len(), 1, "{:?}", told(json));
        assert!(
            told(json)[0].starts_with("changed inputs: Inputs of `inner_print`: 1 of "),
            "{:?}",
            told(json)
        );
        json["rows"][0]["detail"].as_str().unwrap().to_owned()
    };
    let sizes = difference(|json| tensor(json, &|all| all[0][2] = json!("[7,7]")));
    assert!(
        detail(&sizes).ends_with("→ float32[7,7]") && !detail(&sizes).contains("stride"),
        "{}",
        detail(&sizes)
    );
    let strides = difference(|json| tensor(json, &|all| all[0][3] = json!("[1,99]")));
    assert!(detail(&strides).ends_with("[1,99]"), "{}", detail(&strides));
    let gone = difference(|json| tensor(json, &|all| drop(all.remove(0))));
    assert!(detail(&gone).ends_with("in A only"), "{}", detail(&gone));
}

#[test]
fn differences_within_the_noise_are_set_apart() {
    let slower = changed(|json| {
        for (id, more) in [("1/0", 3.0), ("2/0", 0.01), ("3/0", 0.01)] {
            compile(json, id)["time"]["seconds"] = json!(seconds_of(id) + more);
        }
    });
    let done = diff(&[&report("03_graph_breaks").folder, slower.path()]);
    assert!(done.stdout.contains("are set apart as noise."), "{}", done.stdout);
    let page = fs::read_to_string(done.work.path().join("tl_diff/diff.html")).unwrap();
    let page = page.replace("&#160;", " ").replace('\u{a0}', " ");
    assert!(page.contains("functions within the noise"), "{}", done.stdout);
}

#[test]
fn the_table_of_functions_says_how_much_of_a_difference_is_kernel_builds() {
    let slower = changed(|json| {
        let of = &mut compile(json, "1/0")["time"];
        of["seconds"] = json!(of["seconds"].as_f64().unwrap() + 7.0);
        add_to_part(&mut of["parts"], "Kernel builds", 4.0);
        add_to_part(&mut of["parts"], "Dynamo", 3.0);
    });
    let done = diff(&[&report("03_graph_breaks").folder, slower.path()]);
    let page =
        Page::parse("diff.html", &fs::read_to_string(done.work.path().join("tl_diff/diff.html")).unwrap());
    let row = page.all("#functions-table tbody tr").into_iter().map(text_of);
    let row = row.map(|text| text.replace('\u{a0}', " ")).find(|text| text.contains("inner_print")).unwrap();
    assert!(row.contains("+7.00 s") && row.contains("+4.00 s"), "{row}");
}

#[test]
fn moved_and_edited_functions_are_distinguished() {
    for (lines, operators, how) in [(0, 0, "exact"), (5, 0, "moved"), (0, 9, "edited"), (5, 9, "name")] {
        let json = difference(|json| {
            let compile = compile(json, "8/0");
            compile["time"]["seconds"] = json!(seconds_of("8/0") + 3.0);
            compile["function"]["line"] = json!(compile["function"]["line"].as_u64().unwrap() + lines);
            for record in compile["metrics"].as_array_mut().unwrap() {
                let count = record["fields"]["graph_op_count"].as_u64();
                record["fields"]["graph_op_count"] = json!(count.map(|count| count + operators));
            }
        });
        let rows = json["rows"].as_array().unwrap();
        let time = rows.iter().find(|row| row["topic"] == "function_time").unwrap();
        assert_eq!(time["match"], how, "{time}");
    }
}

#[test]
fn a_break_that_moved_with_its_line_is_the_same_break() {
    let json = difference(|json| {
        let of = &mut json["graph_breaks"][0];
        of["line"] = json!(14);
        for frame in of["user_stack"].as_array_mut().unwrap() {
            if frame["line"] == 11 {
                frame["line"] = json!(14);
            }
        }
        of["count"] = json!(5);
    });
    assert_eq!(told(&json).len(), 1, "{:?}", told(&json));
    let row = &json["rows"][0];
    assert_eq!((&row["kind"], &row["match"], &row["line"]), (&json!("changed"), &json!("moved"), &json!(14)));
}

#[test]
fn breaks_distinguished_only_by_order_are_matched_as_a_guess() {
    // Two breaks for one reason, whose lines the log does not quote, moved.
    let twins = |by: u64, count: u64| {
        changed(|json| {
            let mut one = json["graph_breaks"][0].clone();
            one["user_stack"] = json!([]);
            let at = |line: u64, count: u64| {
                let mut one = one.clone();
                (one["line"], one["count"]) = (json!(line + by), json!(count));
                one
            };
            json["graph_breaks"] = json!([at(11, 1), at(13, count)]);
        })
    };
    let (a, b) = (twins(0, 2), twins(0, 3));
    let json = compared(a.path(), b.path());
    assert_eq!((json["rows"].as_array().unwrap().len(), &json["rows"][0]["match"]), (1, &json!("exact")));
    // The same line twice: which is which, only their order says.
    let same_line = |count: u64| {
        let folder = twins(0, count);
        let path = folder.path().join("report.json");
        let mut json: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        json["graph_breaks"][1]["line"] = json!(11);
        fs::write(path, json.to_string()).unwrap();
        folder
    };
    let (a, b) = (same_line(2), same_line(3));
    let json = compared(a.path(), b.path());
    let row = &json["rows"][0];
    assert_eq!(row["match"], "order", "{json:#}");
    let said = diff(&[a.path(), b.path()]).stdout;
    assert!(said.contains("matched by line and order only, a guess"), "{said}");
}

#[test]
fn only_one_factor_for_nearly_all_functions_points_at_the_machine() {
    let verdict = |factor: fn(usize) -> f64| {
        let slower = changed(|json| {
            for (place, compile) in json["compiles"].as_array_mut().unwrap().iter_mut().enumerate() {
                if let Some(seconds) = compile["time"]["seconds"].as_f64() {
                    compile["time"]["seconds"] = json!(seconds * factor(place));
                }
            }
        });
        diff(&[&report("03_graph_breaks").folder, slower.path()]).stdout
    };
    let machine = "a slower machine or compiler would look like this too";
    let all = verdict(|_| 1.5);
    assert!(all.contains(machine), "{all}");
    assert!(!verdict(|_| 1.06).contains(machine), "too little");
    assert!(
        !verdict(|place| if place % 2 == 0 { 1.2 } else { 9.0 }).contains(machine),
        "each by another factor"
    );
}

#[test]
fn settings_are_compared_only_where_both_logs_record_them() {
    let json = difference(|json| json["configs"] = json!({}));
    assert_eq!(told(&json), Vec::<String>::new(), "a log without settings says nothing about them");
    let done = diff(&[&report("03_graph_breaks").folder, &report("03_graph_breaks").folder]);
    let same = "2 failures, 7 graph breaks, 1 recompilation, 24 functions, 15 kernels, 30 cache lookups, 865 settings";
    assert!(done.stdout.contains(same), "what is the same is counted: {}", done.stdout);
}
