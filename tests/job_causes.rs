//! What a job is led by: real jobs whose fault is known, each with its program in `tests/inputs/scripts/s32_ranks`.

use crate::jobs::{change, verdict};
use crate::support::{Job, Run, combine, job, job_logs, rank_reports};
use serde_json::{Value, json};

fn text<'v>(finding: &'v Value, key: &str) -> &'v str {
    finding[key].as_str().unwrap_or_default()
}

fn kinds(job: &Job) -> Vec<&str> {
    job.list("findings").iter().map(|finding| text(finding, "kind")).collect()
}

fn first(job: &Job) -> &Value {
    &job.list("findings")[0]
}

/// No finding says that ranks call different collectives, or wait for ever.
fn nobody_hangs(job: &Job) {
    for finding in job.list("findings") {
        assert_ne!(finding["severity"], "error", "{finding}");
        assert_ne!(finding["kind"], "collectives_differ", "{finding}");
        assert!(!text(finding, "hint").contains("different collectives"), "{finding}");
        assert!(!text(finding, "hint").contains("job hangs until"), "{finding}");
    }
}

#[test]
fn a_collective_that_one_rank_skips_is_said_first_with_its_group_and_line() {
    let job = job("32_skipped_collective");
    let hang = first(job);
    assert_eq!((text(hang, "kind"), text(hang, "severity")), ("collectives_differ", "error"));
    let told = "In `Gate.forward`, collective 2 is `all_reduce_` in process group '0' in 0/0 on rank 0, \
                and rank 1 calls no further one in 0/0: rank 0 waits there";
    assert_eq!(text(hang, "title"), told);
    assert_eq!((text(hang, "file"), &hang["line"]), ("/app/skip.py", &json!(16)));
    assert!(text(hang, "hint").contains("the job hangs until its timeout"), "{hang}");
    assert!(verdict(job).contains("rank 0 waits there (skip.py:16)"), "{}", verdict(job));
    // The guard says what the branch depends on.
    let guard = job.list("findings").iter().find(|one| one["kind"] == "guards_differ").unwrap();
    assert!(text(guard, "title").contains("for `self.syncs == False`"), "{guard}");
}

#[test]
fn collectives_in_another_order_are_said_first_with_both_calls() {
    let job = job("32_other_order");
    let hang = first(job);
    assert_eq!((text(hang, "kind"), text(hang, "severity")), ("collectives_differ", "error"));
    let told = "In `exchange`, collective 1 is `all_gather_into_tensor` in process group '0' in 0/0 on rank 1, \
                `all_reduce_` in process group '0' in 0/0 on rank 0";
    assert_eq!(text(hang, "title"), told);
    assert!(text(hang, "detail").contains("The operations are the same, in another order"), "{hang}");
    assert_eq!((text(hang, "file"), &hang["line"]), ("/app/order.py", &json!(11)));
    assert!(
        text(hang, "detail").contains("On rank 1, `all_gather_into_tensor` is called in a line after"),
        "{hang}"
    );
}

#[test]
fn a_failed_backward_leads_and_what_the_launcher_ended_follows_from_it() {
    let job = job("32_memory_in_backward");
    let failure = first(job);
    assert_eq!((text(failure, "kind"), text(failure, "severity")), ("failures_differ", "error"));
    let told = "Rank 1 fails to compile the backward of `Mlp.forward` (0/0), the other rank does not: \
                InductorError: OutOfMemoryError: CUDA out of memory";
    assert!(text(failure, "title").starts_with(told), "{failure}");
    assert_eq!((text(failure, "file"), &failure["line"]), ("/app/oom.py", &json!(13)));
    let ended: Vec<&Value> =
        job.list("findings").iter().filter(|one| one["kind"] == "rank_stopped").collect();
    assert_eq!(ended.len(), 1);
    assert_eq!((&ended[0]["severity"], &ended[0]["caused_by"]), (&json!("info"), &json!(0)));
    assert!(text(ended[0], "title").starts_with("Rank 0's log ends 0.8 s after rank 1's"), "{}", ended[0]);
    assert!(!kinds(job).contains(&"failures"), "rank 0 did not fail");
    assert!(verdict(job).starts_with("2 ranks diverge: rank 1 fails"), "{}", verdict(job));
}

#[test]
fn a_rank_that_was_killed_leads_with_the_compile_and_phase_it_was_in() {
    let job = job("32_preempted");
    let stopped = first(job);
    assert_eq!((text(stopped, "kind"), text(stopped, "severity")), ("rank_stopped", "error"));
    assert!(
        text(stopped, "title")
            .starts_with("Rank 1's log ends at 2026-11-25 03:49:47, 0.2 s before the other"),
        "{stopped}"
    );
    assert!(text(stopped, "title").ends_with("inside 1/0 (`second`), `code_gen`"), "{stopped}");
    assert_eq!((text(stopped, "file"), &stopped["line"]), ("/app/preempt.py", &json!(10)));
    assert_eq!(job.list("findings")[1]["caused_by"], 0, "the launcher ended the other rank");
    assert!(
        verdict(job).ends_with("2 ranks agree in all 12 facts that were compared, as far as their logs go."),
        "{}",
        verdict(job)
    );
}

#[test]
fn a_smaller_last_batch_is_a_recompile_and_neither_a_hang_nor_an_early_end() {
    let job = job("32_uneven_batches");
    nobody_hangs(job);
    let recompile = first(job);
    assert_eq!((text(recompile, "kind"), text(recompile, "severity")), ("recompiles_differ", "warning"));
    let told = "Rank 1 recompiles `FSDPBlock.forward` as 0/1: `x.shape[0]` is 5, was 8; rank 0 does not";
    assert_eq!(text(recompile, "title"), told);
    assert_eq!((text(recompile, "file"), &recompile["line"]), ("/app/fsdp.py", &json!(13)));
    assert!(job.list("findings").iter().all(|one| !text(one, "hint").contains("dynamo.mark_dynamic(")));
    assert!(!kinds(job).contains(&"rank_stopped"), "{:?}", kinds(job));
}

#[test]
fn a_setting_leads_what_it_makes_a_rank_recompile() {
    let copy = rank_reports("32_uneven_batches");
    change(&copy.path().join("rank_1"), |report| {
        let md5 = report["cross_rank"]["configs"]["dynamo_config"].as_str().unwrap().to_owned();
        report["configs"][md5]["automatic_dynamic_shapes"] = json!(false);
    });
    let job = combine(copy.path(), &[]).ok(copy.path());
    assert_eq!(text(first(&job), "kind"), "config_differs");
    let recompile = job.list("findings").iter().find(|one| one["kind"] == "recompiles_differ").unwrap();
    assert_eq!(recompile["caused_by"], 0, "{recompile}");
    let page = job.page("index.html").text();
    assert!(page.contains("finding 1, settings"), "a consequence is linked with its cause");
}

#[test]
fn ranks_of_a_mesh_call_the_same_in_groups_of_their_own() {
    let job = job("32_mesh");
    nobody_hangs(job);
    assert!(job.list("findings").iter().all(|one| one["severity"] == "info"), "{:#}", job.json["findings"]);
    let groups = job.list("findings").iter().find(|one| one["kind"] == "process_groups_differ").unwrap();
    assert!(
        text(groups, "title").starts_with("Ranks call the same collectives in process groups"),
        "{groups}"
    );
}

#[test]
fn a_branch_on_data_that_calls_the_same_collective_behind_a_break_is_no_hang() {
    let job = job("31_data_branch");
    nobody_hangs(job);
    let recompile = first(job);
    assert_eq!(text(recompile, "kind"), "recompiles_differ");
    assert_eq!((text(recompile, "file"), &recompile["line"]), ("/app/program.py", &json!(16)));
    let broken = job.list("findings").iter().find(|one| one["kind"] == "graph_breaks_differ").unwrap();
    assert_eq!(broken["caused_by"], 0);
    let shared = job.list("findings").iter().find(|one| one["kind"] == "first_run").unwrap();
    assert!(text(shared, "title").contains("(on ranks 0, 2 and 3; other numbers on rank 1)"), "{shared}");
    assert!(
        text(shared, "detail").contains("On rank 1: First run with an empty cache folder: 6 cache misses"),
        "{shared}"
    );
}

#[test]
fn what_runs_in_eager_mode_behind_a_break_proves_no_hang() {
    let copy = rank_reports("31_data_branch");
    change(&copy.path().join("rank_1"), |report| {
        for (key, graph) in [("collectives", 1), ("process_groups", 1)] {
            report["cross_rank"][key].as_array_mut().unwrap().remove(graph);
        }
    });
    let job = combine(copy.path(), &[]).ok(copy.path());
    assert!(job.list("findings").iter().all(|one| one["severity"] != "error"), "{:#}", job.json["findings"]);
    assert!(!kinds(&job).contains(&"collectives_differ"), "{:?}", kinds(&job));
}

#[test]
fn a_version_of_one_rank_without_the_collective_may_hang_and_is_said_to() {
    let copy = rank_reports("31_data_branch");
    change(&copy.path().join("rank_1"), |report| {
        // Without the break, 0/1 is the whole function.
        for key in ["collectives", "process_groups"] {
            report["cross_rank"][key].as_array_mut().unwrap().remove(1);
        }
        report["graph_breaks"] = json!([]);
        for compile in report["compiles"].as_array_mut().unwrap() {
            compile["graph_breaks"] = json!(0);
        }
    });
    let job = combine(copy.path(), &[]).ok(copy.path());
    let finding = job.list("findings").iter().find(|one| one["kind"] == "collectives_differ").unwrap();
    assert_eq!(finding["severity"], "warning");
    assert!(text(finding, "title").contains("and rank 1 calls none in 0/1"), "{finding}");
    assert!(
        text(finding, "hint").contains("If the other ranks call the function at the same time"),
        "{finding}"
    );
    assert_eq!(finding["caused_by"], 0, "its version was made by the recompile");
}

#[test]
fn a_rank_that_compiles_the_same_more_slowly_is_named_in_the_verdict_with_its_line() {
    let job = job("31_slow_backend");
    let slow = first(job);
    assert_eq!((text(slow, "kind"), text(slow, "severity")), ("straggler", "warning"));
    assert_eq!(slow["ranks"], json!([1]));
    let said = verdict(job);
    let start = "3 ranks are consistent in all 10 facts that were compared: 2 compilations on each. But rank 1 takes 12.57 s";
    assert!(said.starts_with(start), "{said}");
    assert!(said.contains("(program.py:19)"), "{said}");
    let header = job.page("index.html").text();
    assert!(header.contains("24\u{a0}Nov\u{a0}2026"), "the log's absolute times show the year");
}

#[test]
fn a_job_without_a_graph_says_so_first_and_a_break_of_both_ranks_is_not_one_ranks() {
    let job = job("34_ddp");
    let (nothing, verdict) = (first(job), verdict(job));
    assert!(verdict.starts_with("No rank compiled a graph: all compilations came out empty."), "{verdict}");
    assert_eq!((text(nothing, "kind"), text(nothing, "severity")), ("no_graph", "error"));
    assert!(text(nothing, "hint").contains("`DistributedDataParallel(torch.compile(model))`"), "{nothing}");
    let breaks = job.list("findings").iter().find(|one| one["kind"] == "graph_breaks_differ").unwrap();
    let told = "Rank 1 breaks its graph at `distributed.py:1566` twice, rank 0 once: `Logger.set_runtime_stats_and_log` cannot be in a graph";
    assert_eq!(text(breaks, "title"), told);
}

#[test]
fn one_collective_with_two_dtypes_is_an_error_with_its_line_and_the_guard_behind_it() {
    let job = job("32_bf16_reduce");
    let abort = first(job);
    assert_eq!((text(abort, "kind"), text(abort, "severity")), ("collectives_differ", "error"));
    let told = "In `reduce` (1/0), `all_reduce` gives `bf16[9, 6]` on rank 2, `f32[9, 6]` on ranks 0 and 1";
    assert_eq!(text(abort, "title"), told);
    assert_eq!((text(abort, "file"), &abort["line"]), ("/app/program.py", &json!(11)));
    assert!(verdict(job).contains("all_reduce gives bf16[9, 6] on rank 2"), "{}", verdict(job));
    let guard = job.list("findings").iter().find(|one| one["kind"] == "guards_differ").unwrap();
    let told = "Rank 2 compiles `reduce` (1/0) for `DTYPE == torch.bfloat16`, \
                ranks 0 and 1 for `DTYPE == torch.float32`";
    assert_eq!((text(guard, "title"), text(guard, "severity")), (told, "warning"));
}

#[test]
fn what_one_rank_alone_is_set_to_is_named_by_its_guard_with_what_it_changes() {
    let job = job("32_ckpt_one");
    let guard = first(job);
    let told = "Rank 1 compiles `Tower.forward` (0/0) for `self.save == True`, ranks 0 and 2 for `self.save == False`";
    assert_eq!((text(guard, "kind"), text(guard, "title")), ("guards_differ", told));
    assert_eq!((text(guard, "file"), &guard["line"]), ("/app/program.py", &json!(19)));
    assert!(text(guard, "detail").contains("tag_activation_checkpoint"), "{guard}");
    nobody_hangs(job);
    // The same inputs in another order are no difference.
    assert!(!kinds(job).contains(&"inputs_differ"), "{:?}", kinds(job));
}

#[test]
fn an_exception_of_the_users_code_is_told_once_in_its_own_words() {
    let job = job("32_raise_forward");
    let failure = first(job);
    assert_eq!((text(failure, "kind"), text(failure, "severity")), ("failures_differ", "error"));
    assert!(
        text(failure, "title").ends_with("ValueError: label 9 of record 202, but the model has 5"),
        "{failure}"
    );
    assert_eq!((text(failure, "file"), &failure["line"]), ("/app/program.py", &json!(14)));
    assert!(!kinds(job).contains(&"graph_breaks_differ"), "{:?}", kinds(job));
    for finding in job.list("findings") {
        assert!(!text(finding, "hint").contains("torch.where"), "{finding}");
    }
}

#[test]
fn two_programs_whose_logs_are_in_one_folder_are_not_compared() {
    let logs = job_logs("32_two_jobs");
    let folder = logs[0].parent().unwrap();
    let job = &Run::of(folder).args(["--all-ranks-html"]).ok();
    let told = "This folder holds logs of 2 programs that ran at the same time, with `Teacher.forward` and `Student.forward`";
    assert_eq!((text(first(job), "kind"), text(first(job), "title")), ("several_programs", told));
    assert!(!kinds(job).iter().any(|kind| kind.ends_with("differ")), "{:?}", kinds(job));
    assert!(!verdict(job).contains("consistent"), "{}", verdict(job));
}

#[test]
fn ranks_that_wait_for_a_build_did_not_stop_first() {
    let job = job("32_killed_together");
    let stopped = first(job);
    let told = "All logs end inside a compile: rank 0 builds a kernel in 0/0 (`forward`), `compile_file` for at least 9.2 s, \
                and ranks 1 to 3 may wait for it in 0/0 (`forward`), `Scheduler.codegen`";
    assert_eq!((text(stopped, "severity"), text(stopped, "title")), ("warning", told));
    // Each rank works on its own part: the graphs differ in a constant.
    let graphs = job.list("findings").iter().find(|one| one["kind"] == "graphs_differ").unwrap();
    assert_eq!(text(graphs, "severity"), "info", "{graphs}");
}

#[test]
fn a_rank_that_resets_compiles_again_under_the_same_id() {
    let job = job("32_reset_one");
    let again = first(job);
    let told = "Rank 0 compiles `UNet.forward` (0/0) 3 times, ranks 1 to 3 once";
    assert_eq!((text(again, "kind"), text(again, "title")), ("compile_ids_differ", told));
    assert!(text(again, "hint").contains("torch._dynamo.reset()"), "{again}");
    for finding in job.list("findings") {
        assert_ne!(finding["kind"], "inputs_differ", "{finding}");
        assert!(!text(finding, "hint").contains("harmless race"), "{finding}");
    }
}

#[test]
fn a_function_that_one_rank_skips_is_named_though_each_difference_explains_the_other() {
    let job = job("54_skipped_function");
    assert_eq!(text(first(job), "kind"), "collectives_differ");
    let said = verdict(job);
    assert!(said.contains("in middle, collective 1 is all_gather_into_tensor"), "{said}");
    assert!(said.contains("rank 2 does not compile the function"), "{said}");
    assert_eq!(text(first(job), "file"), "/app/program.py");
}

#[test]
fn another_class_of_a_module_and_another_backend_are_named() {
    let said = verdict(job("54_other_class"));
    let [gelu, relu] = ["GELU", "ReLU"].map(|class| format!("torch.nn.modules.activation.{class}"));
    let told = format!(
        "rank 1 compiles Tail.forward (0/0) for type(self.act) == {gelu}, rank 0 for type(self.act) == {relu}"
    );
    assert!(said.contains(&told) && said.contains("program.py:8"), "{said}");
    let said = verdict(job("54_other_backend"));
    let told = "2 ranks compile the same, but rank 1 compiles without Inductor, rank 0 with it.";
    assert!(said.starts_with(told), "{said}");
}

#[test]
fn a_layer_that_one_rank_freezes_and_one_that_it_does_not_have_are_named() {
    let job = job("54_frozen_part");
    let told = "for self.base.bias.requires_grad == True, rank 0 for self.base.bias.requires_grad == False";
    assert!(verdict(job).contains(told), "{}", verdict(job));
    assert!(text(first(job), "hint").contains("which parameters need gradients"), "{}", first(job));
    assert!(!text(first(job), "hint").contains("only sizes or constants differ"), "{}", first(job));
}

#[test]
fn a_parameter_that_one_rank_lacks_is_named() {
    let job = job("54_no_bias");
    assert!(verdict(job).contains("for self.proj.bias is None"), "{}", verdict(job));
    let titles: Vec<&str> = job.list("findings").iter().map(|one| text(one, "title")).collect();
    let told = "In 0/0 (`Net.forward`), ranks 0 and 2 have the input `self.proj.bias`, rank 1 does not";
    assert!(format!("{titles:?}").contains(told), "{titles:#?}");
}

#[test]
fn a_mode_that_one_rank_compiles_with_is_named_by_the_setting_in_its_cache_key() {
    let said = verdict(job("54_mode"));
    let told = "3 ranks compile the same, but inductor_config[max_autotune] is True on rank 2, False on ranks 0 and 1";
    assert!(said.starts_with(told), "{said}");
    assert_eq!(first(job("54_mode"))["severity"], "warning");
}

#[test]
fn a_tensor_that_one_rank_marks_as_dynamic_is_told_with_what_that_leads_to() {
    let job = job("54_marked");
    assert_eq!(
        text(first(job), "title"),
        "Rank 0 marks `x` as dynamic in `Net.forward` (0/0), rank 1 does not"
    );
    assert!(text(first(job), "hint").contains("`torch._dynamo.mark_dynamic`"), "{}", first(job));
}

#[test]
fn an_operation_of_a_collective_that_one_rank_has_alone_is_an_error_with_both() {
    let job = job("66_reduce_op");
    let told = "In `Stat.forward` (0/0), `all_reduce` is called with `reduce_op='max'` on rank 1, \
                `reduce_op='sum'` on rank 0";
    let wrong = first(job);
    assert_eq!((text(wrong, "severity"), text(wrong, "title")), ("error", told));
    assert!(text(wrong, "hint").contains("results differ between ranks"), "{wrong}");
    assert!(verdict(job).contains("on rank 0 (program.py:7)"), "{}", verdict(job));
}

#[test]
fn a_call_in_the_group_of_all_ranks_pairs_with_none_in_a_group_of_a_ranks_own_making() {
    let job = job("66_other_group");
    let told = "In `Attn.forward`, collective 1 is `all_reduce_` in process group '0' in 0/0 on rank 1, \
                `all_reduce_` in process group '1' in 0/0 on rank 0";
    let hang = first(job);
    assert_eq!((text(hang, "severity"), text(hang, "title")), ("error", told));
    assert!(!text(hang, "detail").contains("in another order"), "{hang}");
}

#[test]
fn what_a_graph_break_keeps_out_of_a_graph_is_no_cause_of_it() {
    let job = job("66_disabled_part");
    let told = "rank 1 breaks its graph at program.py:12 in 0/0, rank 0 does not: \
                Head.forward is under torch.compiler.disable.";
    assert!(verdict(job).starts_with(&format!("2 ranks diverge: {told}")), "{}", verdict(job));
    let known = kinds(job);
    assert!(!known.contains(&"guards_differ") && !known.contains(&"inputs_differ"), "{known:?}");
    nobody_hangs(job);
}

#[test]
fn an_exception_behind_the_name_of_the_backend_is_quoted_and_the_launcher_ends_the_other_rank() {
    let job = job("66_backward_raises");
    // The log of the other rank ends inside the same compile.
    let told = "Rank 1 fails to compile `forward` (0/0): RuntimeError: no backward for scale 3";
    assert_eq!((text(first(job), "severity"), text(first(job), "title")), ("error", told));
    let ended = job.list("findings").iter().find(|one| one["kind"] == "rank_stopped").unwrap();
    assert_eq!(ended["severity"], "info", "{ended}");
    assert!(text(ended, "title").contains("most likely ended by the launcher"), "{ended}");
}

#[test]
fn a_setting_that_decides_what_is_captured_comes_before_the_break_of_the_rank_without_it() {
    let job = job("66_scalar_outputs");
    let setting = first(job);
    assert_eq!(text(setting, "kind"), "config_differs");
    assert!(text(setting, "title").contains("`dynamo_config.capture_scalar_outputs = true`"), "{setting}");
    let broken = job.list("findings").iter().find(|one| one["kind"] == "graph_breaks_differ").unwrap();
    assert_eq!(broken["caused_by"], 0, "{broken}");
}

#[test]
fn uneven_parts_of_ranks_that_call_the_same_are_information() {
    let job = job("66_uneven_parts");
    assert!(verdict(job).starts_with("2 ranks call the same collectives, but "), "{}", verdict(job));
    for finding in job.list("findings").iter().filter(|one| text(one, "kind").ends_with("differ")) {
        assert_eq!(finding["severity"], "info", "{finding}");
        assert!(!text(finding, "hint").contains("drop_last"), "{finding}");
    }
    let parts = job.list("findings").iter().find(|one| one["kind"] == "inputs_differ").unwrap();
    assert!(text(parts, "hint").contains("uneven parts by design"), "{parts}");
}

#[test]
fn a_rank_that_ends_inside_the_compile_of_a_graph_has_compiled_one() {
    let said = verdict(job("54_bucket_refused"));
    assert!(said.contains("inside 4/0 (forward)") && !said.contains("No rank compiled a graph"), "{said}");
}

#[test]
fn a_branch_on_data_behind_which_one_rank_calls_a_collective_may_hang() {
    let job = job("67_branch_calls");
    let told = "In `Trainer.forward` resumed at 11, collective 1 is `all_reduce_` in process group '0' in 2/0 on rank 1, \
                and rank 0 calls none in 1/0";
    let finding = first(job);
    assert_eq!((text(finding, "severity"), text(finding, "title")), ("warning", told));
    assert!(!verdict(job).contains("call the same collectives"), "{}", verdict(job));
    let compiles = job.list("findings").iter().find(|one| one["kind"] == "compile_ids_differ").unwrap();
    assert_eq!(compiles["caused_by"], 0, "{compiles}");
    assert!(!text(compiles, "hint").contains("does not hang"), "{compiles}");
}

#[test]
fn names_of_the_groups_of_a_mesh_are_no_other_code() {
    let job = job("67_mesh");
    nobody_hangs(job);
    let said = verdict(job);
    assert!(said.starts_with("4 ranks call the same collectives in process groups of their own: "), "{said}");
    assert!(job.list("findings").iter().all(|one| one["severity"] == "info"), "{:#}", job.json["findings"]);
}

#[test]
fn cache_keys_that_differ_in_nothing_that_the_logs_record_are_reported_as_such() {
    let job = job("67_tensor_parallel");
    let told = "2 ranks compile the same, but the cache keys of 0/0 (Mlp.forward) differ between ranks, \
                although everything the logs record about them is equal.";
    assert!(verdict(job).starts_with(told), "{}", verdict(job));
    let keys = job.list("findings").iter().find(|one| one["kind"] == "cache_keys_differ").unwrap();
    assert_eq!(keys["severity"], "info", "{keys}");
}

#[test]
fn ranks_with_other_versions_of_torch_are_told_first() {
    let copy = rank_reports("32_uneven_batches");
    change(&copy.path().join("rank_1"), |report| report["torch"]["version"] = json!("2.10.0+cpu"));
    let job = combine(copy.path(), &[]).ok(copy.path());
    assert_eq!(text(first(&job), "kind"), "torch_differs");
    let said = verdict(&job);
    assert!(said.starts_with("Ranks run different versions of torch: "), "{said}");
    let recompile = job.list("findings").iter().find(|one| one["kind"] == "recompiles_differ").unwrap();
    assert_eq!(recompile["caused_by"], 0, "{recompile}");
}

#[test]
fn a_rank_that_failed_is_no_measure_for_the_others() {
    let job = job("67_no_compiler");
    let failure = first(job);
    assert_eq!((text(failure, "kind"), text(failure, "severity")), ("failures_differ", "error"));
    assert!(text(failure, "title").contains("No working C++ compiler found"), "{failure}");
    assert!(!kinds(job).contains(&"straggler"), "{:?}", kinds(job));
}
