//! The page of failures: one row per reason, in plain words, with what to do also where torch gives no hint.

use crate::support::html::text_of;
use crate::support::report;

/// The rows of the page, each as one text with single spaces.
fn rows(name: &str) -> Vec<String> {
    let page = report(name).page("failures_and_restarts.html");
    let entries = page.all("#failures-list > details");
    entries.into_iter().map(|entry| text_of(entry).split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

fn row_of<'r>(rows: &'r [String], function: &str) -> &'r str {
    let found = rows.iter().find(|row| row.contains(function));
    found.unwrap_or_else(|| panic!("no row of {function}: {rows:#?}"))
}

#[test]
fn each_reason_is_one_row_with_its_compiles_its_cause_in_plain_words_and_how_far_it_came() {
    let rows = rows("06_errors");
    assert_eq!(rows.len(), 7, "8 compiles failed for 7 reasons");
    for (function, says) in [
        ("backend_fails", "Backend backend_fails, suppressed: The backend raising_backend raised an error"),
        ("backend_fails", "0/0 error7/0 error"),
        ("wrong_matmul", "matmul does not take these inputs: a and b must have same reduction dim"),
        ("fullgraph_print", "print cannot be in a graph, and no graph break is allowed"),
        ("fullgraph_branch", "A branch depends on the value of a tensor"),
        ("user_raises", "Your code raised ValueError, and nothing in the function catches it"),
        ("lowering_error", "A pass of your own raised an error: custom post-grad pass exploded"),
        ("lowering_error", "Inductor, post-grad passes"),
        ("backend_fails", "your backend"),
        ("wrong_matmul", "return a @ b"),
        ("wrong_matmul", "s06_errors.py:26"),
        ("wrong_matmul", "Failed in Dynamo, fake tensors"),
    ] {
        let row = row_of(&rows, function);
        assert!(row.contains(says), "{says}: {row}");
    }
}

#[test]
fn where_torch_gives_no_hint_the_row_names_the_stage_and_the_function_to_fix() {
    let rows = rows("06_errors");
    let pass = row_of(&rows, "lowering_error");
    assert!(
        pass.contains("Failed in Inductor, post-grad passes: fix bad_post_grad_pass, s06_errors.py:62."),
        "{pass}"
    );
    assert!(pass.contains("The graph that it was given: before_post_grad_graph"), "{pass}");
    assert!(pass.contains("torch._inductor.config.post_grad_custom_post_pass = None"), "{pass}");
    let backend = row_of(&rows, "backend_fails");
    assert!(backend.contains("Failed in your backend: fix raising_backend, s06_errors.py:8."), "{backend}");
    // What was tried stands where it is known.
    assert!(row_of(&rows, "fullgraph_print").contains("reorderable_logging_functions"));
    for row in &rows {
        assert!(row.contains("What to do") && row.contains("What torch says"), "{row}");
    }
}

#[test]
fn the_users_frames_are_open_and_those_of_torch_are_folded_between_them() {
    let page = report("06_errors").page("failures_and_restarts.html");
    let trace = page.one("#failure-1 .traceback");
    let trace = text_of(trace);
    let at = |text: &str| trace.find(text).unwrap_or_else(|| panic!("{text}: {trace}"));
    assert!(at("s06_errors.py:79") < at("30\u{a0}frames of torch, from convert_frame.py:2169"));
    assert!(at("30\u{a0}frames") < at("s06_errors.py:62"));
    assert_eq!(page.all("#failure-1 .traceback > pre .soft").len(), 0, "frames of libraries are in the fold");
    assert!(!page.all("#failure-1 .traceback > .more .soft").is_empty());
}

#[test]
fn a_failure_at_the_recompile_limit_leads_to_what_changed() {
    let rows = rows("04_recompiles");
    let limit = row_of(&rows, "hits_limit");
    assert!(limit.contains("Compiled too often: the limit of 8 versions is reached"), "{limit}");
    let page = report("04_recompiles").page("failures_and_restarts.html");
    page.one("#failure-1 a[href='recompilations.html']");
}

#[test]
fn the_reason_of_restarts_is_one_line_that_unfolds() {
    let page = report("03_graph_breaks").page("failures_and_restarts.html");
    for row in page.all("#restarts-table tbody tr") {
        let shown = row.select(&crate::support::html::select("td:first-child summary")).next();
        let shown = shown.map_or_else(|| text_of(row), text_of);
        assert!(!shown.contains("Explanation"), "{shown}");
    }
}

#[test]
fn the_page_of_a_failed_compile_leads_to_the_entry_of_its_failure() {
    let report = report("06_errors");
    let page = report.page("failures_and_restarts.html");
    for (folder, function) in
        [("-_6_0_0", "lowering_error"), ("-_1_0_0", "wrong_matmul"), ("-_7_0_0", "suppressed")]
    {
        let compile = report.page(&format!("{folder}/compile.html"));
        let link = compile.one("#failures a[href*='failures_and_restarts.html#']");
        let (_, anchor) = link.value().attr("href").unwrap().split_once('#').unwrap();
        let entry = text_of(page.one(&format!("[id='{anchor}']")));
        assert!(entry.contains(function), "{folder}: {entry:.200}");
    }
}

#[test]
fn a_failure_of_the_users_triton_kernel_is_at_the_kernel_and_in_the_words_of_its_compiler() {
    let told = [
        (
            "34_triton_memory",
            "`call` was not compiled: Triton kernel `big_product`: shared memory: 3,145,728 of 232,448 bytes",
            "/app/triton_memory.py",
            "Give the kernel smaller blocks or fewer stages (`num_stages`).",
        ),
        (
            "34_triton_shapes",
            "`forward` was not compiled: Triton kernel `fused`: Cannot make_shape_compatible: incompatible dimensions \
             at index 0: 64 and 128",
            "/app/triton_shapes.py",
            "Correct `tl.store(out + i, x + y, mask=i < n)` in the kernel.",
        ),
    ];
    for (log, title, file, hint) in told {
        let first = &report(log).list("findings")[0];
        assert_eq!(
            (&first["title"], &first["file"], &first["line"]),
            (&title.into(), &file.into(), &8.into())
        );
        assert_eq!(first["hint"], hint);
        let rows = rows(log);
        let shown = title.split_once(": ").unwrap().1.replace('`', "");
        assert!(rows[0].contains(&shown), "{}", rows[0]);
    }
}
