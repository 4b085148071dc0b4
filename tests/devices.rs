//! What reports say of compiled code on a GPU: CUDA graphs, operators on the CPU, float32 products, wrapped modules.

use crate::support::{Check, Log, Report, Run, input, report};
use serde_json::{Value, json};

fn finding<'r>(report: &'r Report, kind: &str) -> Option<&'r Value> {
    report.list("findings").iter().find(|finding| finding["kind"] == kind)
}

fn found<'r>(report: &'r Report, kind: &str) -> &'r Value {
    finding(report, kind).unwrap_or_else(|| panic!("no {kind} among {:#?}", report.list("findings")))
}

/// A stored log in which this text stands in place of another one, as if torch had written it.
fn changed_log(name: &str, from: &str, to: &str) -> Vec<u8> {
    let mut log = Log::of(input(name));
    let mut times = 0;
    for record in &mut log.records {
        let text = String::from_utf8_lossy(&record.text()).into_owned();
        if text.contains(from) {
            record.set_payload(text.replace(from, to).as_bytes());
            times += 1;
        }
    }
    assert!(times > 0, "{from} is not in {name}");
    log.bytes()
}

/// The report of such a log.
fn changed(name: &str, from: &str, to: &str) -> Report {
    Run::of_bytes("dedicated_log_torch_trace_changed0.log", &changed_log(name, from, to)).ok()
}

#[test]
fn an_input_that_is_written_in_place_is_named_where_no_cuda_graph_was_recorded() {
    let report = report("34_cg_mutated_input");
    let skipped = found(report, "cuda_graph_skipped");
    assert_eq!(skipped["title"], "No CUDA graph of `attend`: input `k_cache` is written in place");
    assert_eq!((&skipped["file"], &skipped["line"]), (&json!("/app/g05_cg_mutated_input.py"), &json!(7)));
    let hint = skipped["hint"].as_str().unwrap();
    assert!(hint.contains("mark_static_address") && hint.contains("register_buffer"), "{hint}");
    let expected = json!([{
        "compile_id": "0/0", "parts": 1, "recordings": 0, "seconds": 0.0,
        "obstacles": [{"reason": "input_written", "input": "k_cache", "file": "/app/g05_cg_mutated_input.py", "line": 7}],
    }]);
    assert_eq!(report.json["cuda_graphs"], expected);
    let row = report.page("-_0_0_0/compile.html").text();
    assert!(row.contains("asked for, 1 part, no recording in the log"), "{row}");
}

#[test]
fn an_input_with_a_fixed_address_may_be_written_and_a_recording_contradicts_a_skip() {
    let fixed = changed("34_cg_mutated_input", "static_input_indices=[]", "static_input_indices=[0]");
    assert!(finding(&fixed, "cuda_graph_skipped").is_none());
    let recorded = changed("34_cg_mutated_input", "cudagraphify.get_container", "CUDAGraphNode.record");
    assert!(finding(&recorded, "cuda_graph_skipped").is_none());
    let unasked = changed("34_cg_mutated_input", "triton.cudagraphs", "triton.other");
    assert!(finding(&unasked, "cuda_graph_skipped").is_none());
    assert!(unasked.json.get("cuda_graphs").is_none(), "nobody asked");
}

#[test]
fn an_operator_on_the_cpu_is_first_with_its_input_and_the_build_that_it_costs() {
    let report = report("34_cg_cpu_input");
    let first = &report.list("findings")[0];
    assert_eq!(first["kind"], "host_operator");
    assert_eq!(first["title"], "Input `scale` is on the CPU, and so is what is computed from it");
    assert_eq!((&first["line"], &first["cost"]["kind"]), (&json!(10), &json!("avoidable")));
    let seconds = first["cost"]["seconds"].as_f64().unwrap();
    assert!((46.0..52.0).contains(&seconds), "{seconds}");
    assert!(
        finding(report, "toolchain").is_none(),
        "the same seconds are not told as those of every machine"
    );
    let split = found(report, "cuda_graph_split");
    assert_eq!(split["line"], 10);
    assert_eq!(report.json["cuda_graphs"][0]["recordings"], 1);
    assert_eq!(report.json["cuda_graphs"][0]["obstacles"][0]["reason"], "on_cpu");
}

#[test]
fn each_size_of_a_dynamic_batch_has_a_recording_and_a_wrapped_module_is_called_at_the_users_line() {
    let report = report("34_cg_many_sizes");
    let sizes = found(report, "cuda_graph_sizes");
    assert_eq!(sizes["title"], "60 CUDA graphs of `Sequential` were recorded, one for each size of an input");
    assert_eq!((&sizes["file"], &sizes["line"]), (&json!("/app/g06_cg_many_sizes.py"), &json!(11)));
    for finding in report.list("findings") {
        let text = finding.to_string();
        assert!(!text.contains("`inner`") && !text.contains("external_utils.py:67"), "{text}");
    }
    let function = &report.compile("0/0")["function"];
    assert_eq!(function["name"], "inner", "torch's own word stays in the facts");
    // The width of a weight is nothing to act on.
    let fixed = found(report, "specialization");
    assert_eq!((&fixed["severity"], &fixed["hint"]), (&json!("info"), &Value::Null));
    let page = report.page("configuration.html").text();
    assert!(page.contains("ask for CUDA graphs"), "{page:.600}");
}

#[test]
fn float32_products_are_told_unless_tf32_is_on_or_the_device_has_none() {
    let name = "34_cg_many_sizes";
    let told = found(report(name), "float32_products");
    assert!(told["hint"].as_str().unwrap().contains("torch.set_float32_matmul_precision(\"high\")"));
    assert!(told["hint"].as_str().unwrap().contains("changes the results"));
    let setting = "cuda_matmul_settings: ('none'";
    let allowed = changed(name, setting, "cuda_matmul_settings: ('tf32'");
    assert!(finding(&allowed, "float32_products").is_none());
    assert_eq!(
        allowed.compile("0/0")["device"],
        json!({"cudagraphs": true, "max_autotune": false, "tf32": true})
    );
    // torch 2.8 writes a flag.
    let flag = changed(name, setting, "cuda_matmul_settings: (False");
    assert!(finding(&flag, "float32_products").is_some());
    let old = changed(name, "cc=90", "cc=75");
    assert!(finding(&old, "float32_products").is_none());
}

#[test]
fn nothing_is_denied_about_cuda_graphs_and_a_log_of_a_cpu_has_none() {
    let done = Run::bare().go_with(&[&input("01_inference").path.display().to_string(), "--no-browser"]);
    assert!(!done.stdout.contains("CUDA graph"), "{}", done.stdout);
    let cpu = report("01_inference");
    assert!(cpu.json.get("cuda_graphs").is_none());
    assert!(cpu.compile("0/0").get("device").is_none());
}

#[test]
fn the_precision_of_products_is_a_setting_that_is_compared() {
    let name = "34_cg_many_sizes";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dedicated_log_torch_trace_tf32.log");
    let log = changed_log(name, "cuda_matmul_settings: ('none'", "cuda_matmul_settings: ('tf32'");
    std::fs::write(&path, log).unwrap();
    let path = path.display().to_string();
    let done = Run::bare().go_with(&["diff", &input(name).path.display().to_string(), &path]);
    assert!(done.stdout.contains("Changed: Setting compile.allow_tf32: false → true"), "{}", done.stdout);
    let script = Run::bare().go_with(&["repro", "0/0", &path]);
    assert!(script.stdout.contains("torch.backends.cuda.matmul.allow_tf32 = True"), "{}", script.stdout);
}

#[test]
fn tuning_in_the_compile_and_at_the_first_call_are_told_apart_with_what_was_chosen() {
    let report = report("34_max_autotune");
    let tuning = found(report, "autotuning");
    assert_eq!(tuning["title"], "Autotuning took 8.31 s in 1 compile");
    let detail = tuning["detail"].as_str().unwrap();
    let chosen = "mm of 4096x4096 by 4096x4096: cuBLAS won with 171 us against 188 us of triton_mm_37, of 20 choices; 1 more did \
                  not fit into shared memory.";
    assert!(detail.contains(chosen), "{detail}");
    let at_run_time = found(report, "runtime_cost");
    assert_eq!(at_run_time["title"], "Kernels were autotuned while the model ran");
    assert_eq!(at_run_time["cost"]["seconds"], json!(0.945235));
    let page = report.page("-_0_0_0/compile.html").text();
    assert!(page.contains("Chosen by autotuning") && page.contains("triton_bmm_56"), "{page}");
    // Fields of metrics are as torch wrote them.
    let own = page.split("compile_times_us").next().unwrap();
    assert!(own.contains("num_warps=4, num_stages=5") && !own.contains("[["), "{page}");
}

#[test]
fn a_log_that_ends_in_a_compile_says_so_first_and_no_budget_holds_for_it() {
    let report = report("34_killed");
    let first = &report.list("findings")[0];
    assert_eq!(first["kind"], "cut_off");
    let title = first["title"].as_str().unwrap();
    assert!(title.starts_with("The log ends while Triton kernels were loaded and built"), "{title}");
    assert_eq!((&first["file"], &first["line"]), (&json!("/app/g28_killed.py"), &json!(19)));
    assert!(finding(report, "missing_metrics").is_none());
    let done = Check::of([&report.folder]).budget("graph_breaks = 0").go().ends_with(3);
    assert!(done.stdout.starts_with("Not known: a log ends within a compile"), "{}", done.stdout);
}

#[test]
fn a_version_without_a_graph_runs_in_eager_mode_and_is_not_dynamic() {
    let report = report("34_dynamic_len");
    let again = found(report, "recompilation");
    let title = "`TransformerEncoderLayer` was compiled 2 times: size `args[0].shape[1]`: 128 -> 96, which runs in eager mode";
    assert_eq!(again["title"], title);
    let detail = again["detail"].as_str().unwrap();
    assert!(detail.contains("0/1 holds no graph: calls that it serves run in eager mode."), "{detail}");
    assert!(!again["hint"].to_string().contains("differ in more than sizes"), "{again}");
    let hint = found(report, "graph_break")["hint"].as_str().unwrap();
    assert!(hint.contains("the whole function in eager mode"), "{hint}");
}
