//! Measured kernels of a GPU beside the log of the same run: CUDA graphs, copies, idle time, and traces of another run.

use crate::performance::{of_cpu, performance, report_of, rows, trace, trace_path};
use crate::support::{Report, Run};
use serde_json::{Value, json};
use std::sync::OnceLock;

/// A decoder whose kernels all run in a CUDA graph.
pub fn decoder() -> &'static Report {
    static REPORT: OnceLock<Report> = OnceLock::new();
    REPORT.get_or_init(|| of_cpu("34_cg_decoder"))
}

/// A Triton kernel of the program between products.
pub fn user_triton() -> &'static Report {
    static REPORT: OnceLock<Report> = OnceLock::new();
    REPORT.get_or_init(|| of_cpu("34_user_triton"))
}

fn kernels<'r>(report: &'r Report, name: &str) -> Vec<&'r Value> {
    let is_named = |kernel: &&Value| kernel["name"].as_str().unwrap().contains(name);
    rows(report, "kernels").iter().filter(is_named).collect()
}

#[test]
fn kernels_of_a_cuda_graph_have_operator_line_flops_and_bytes_of_the_code_that_was_recorded() {
    let tokens = 4.0 * 1024.0;
    let products = kernels(decoder(), "nvjet");
    let [mlp, qkv, out] = products.as_slice() else { panic!("{products:#?}") };
    for (product, line, inner, columns) in
        [(mlp, 24, 1024.0, 4096.0), (qkv, 21, 1024.0, 3072.0), (out, 23, 1024.0, 1024.0)]
    {
        assert_eq!(product["flops"].as_f64(), Some(2.0 * tokens * inner * columns), "{product:#}");
        let elements = tokens * inner + inner * columns + tokens * columns;
        assert_eq!(product["bytes"].as_f64(), Some(2.0 * elements));
        assert_eq!((&product["operator"], &product["compile_ids"]), (&json!("aten::mm"), &json!(["0/0"])));
        assert_eq!(product["lines"], json!([{"file": "/app/cg_decoder.py", "line": line}]));
    }
    let attention = kernels(decoder(), "sdpa");
    let causal = 0.5 * 2.0 * 4.0 * 16.0 * 1024.0 * 1024.0 * 128.0;
    assert_eq!(attention[0]["flops"].as_f64(), Some(causal), "{:#}", attention[0]);
    assert_eq!(attention[0]["lines"][0]["line"], 22);
}

#[test]
fn a_fill_has_its_own_bytes_and_no_flops_of_the_operator_that_it_serves() {
    let fills = kernels(decoder(), "Memset");
    assert!(!fills.is_empty());
    for fill in fills {
        assert_eq!((&fill["flops"], fill["bytes"].as_f64()), (&Value::Null, Some(4.0)), "{fill:#}");
        assert_eq!(fill["bytes_from"], "trace");
    }
    let copies = kernels(user_triton(), "Memcpy DtoD");
    assert_eq!(copies[0]["bytes"].as_f64(), Some(2.0 * 8192.0 * 1024.0 * 2.0), "read and written");
}

#[test]
fn a_kernel_of_the_program_stands_at_the_line_that_launches_it_and_counts_its_loads_and_stores() {
    let kernel = kernels(user_triton(), "swiglu_kernel")[0];
    let elements = 8192.0 * 2816.0;
    assert_eq!(kernel["bytes"].as_f64(), Some(3.0 * 2.0 * elements), "{kernel:#}");
    assert_eq!((&kernel["bytes_from"], &kernel["lines"][0]["line"]), (&json!("kernel"), &json!(21)));
    // torch made one `addmm` of a product and a sum, and left it without a stack.
    let fused = kernels(user_triton(), "badd")[0];
    assert_eq!(fused["lines"], json!([{"file": "/app/g09_user_triton.py", "line": 27}]));
}

#[test]
fn a_device_is_idle_only_between_its_first_and_its_last_kernel() {
    let time = &performance(user_triton())["time"];
    let idle = time["idle_us"].as_f64().unwrap() / time["wall_us"].as_f64().unwrap();
    assert!((0.61..0.65).contains(&idle), "{idle}");
    let summary = performance(user_triton())["summary"].as_str().unwrap();
    assert!(
        summary.starts_with("The device was idle for 1.3 ms of 2.0 ms (63 %), and busy for 743 us")
            && summary.ends_with("The profiler slows the host."),
        "{summary}"
    );
}

#[test]
fn no_figure_of_these_kernels_is_called_impossible() {
    for report in [decoder(), user_triton()] {
        let doubtful = rows(report, "kernels").iter().filter(|kernel| !kernel["plausible"].is_null());
        assert_eq!(doubtful.count(), 0);
    }
}

#[test]
fn a_trace_of_another_run_is_refused_unless_it_is_read_by_itself() {
    let trace = trace_path("34_user_triton").join("profile.json.gz");
    let log = || {
        let mut files =
            std::fs::read_dir(trace_path("34_cg_decoder")).unwrap().map(|file| file.unwrap().path());
        files.find(|path| path.to_string_lossy().ends_with(".log.zst")).unwrap()
    };
    let refused = Run::of(log()).args(["--profile"]).args([trace.clone()]).ends_with(1);
    assert!(rows(&refused, "kernels").is_empty());
    let summary = performance(&refused)["summary"].as_str().unwrap();
    assert!(summary.starts_with("profile.json is of another run"), "{summary}");
    assert_eq!(refused.list("findings")[0]["kind"], "other_run");
    let forced = Run::of(log()).args(["--force", "--profile"]).args([trace]).ok();
    assert!(!rows(&forced, "kernels").is_empty());
    assert!(rows(&forced, "lines").is_empty(), "no line of this program ran there");
}

/// A trace without what says which call launched a kernel, as several tools and devices write it.
fn without_launches(name: &str) -> Value {
    let mut trace = trace(name);
    let all = trace["traceEvents"].as_array_mut().unwrap();
    all.retain(|event| event["cat"] != "ac2g");
    for arguments in all.iter_mut().filter_map(|event| event["args"].as_object_mut()) {
        arguments.retain(|key, _| !["correlation", "External id", "external id"].contains(&key.as_str()));
    }
    trace
}

fn notes(report: &Report) -> String {
    report.page("performance.html").text().replace('\u{a0}', " ")
}

#[test]
fn kernels_of_which_nothing_says_what_launched_them_are_of_unknown_origin_and_are_not_judged() {
    // One of AMD: kernels of rocBLAS are called `Cijk_..`, copies `CopyHostToDevice`.
    for name in ["mi300_vit.json.gz", "h100_vit.json.gz", "34_user_triton/profile.json.gz"] {
        let report = report_of(&without_launches(name));
        let kernels = rows(&report, "kernels");
        assert!(kernels.iter().all(|kernel| kernel["backend"] != "eager"), "{name}: {kernels:#?}");
        let text = notes(&report);
        assert!(!text.contains("eager kernels"), "{name}");
        let is_judged = kernels.iter().any(|kernel| kernel["share_of_peak"].is_number());
        let unknown = "The work of all kernels is unknown, so none is held against the limits of ";
        assert_eq!(text.contains(unknown), !is_judged, "{name}: {text}");
        assert!(!text.contains("0 % of the kernel time is in kernels"), "{name}: {text}");
    }
}

#[test]
fn the_share_of_compiled_kernels_is_a_lower_bound_where_the_origin_of_others_is_unknown() {
    let log = std::fs::read_dir(trace_path("34_user_triton")).unwrap().map(|entry| entry.unwrap().path());
    let log = log.into_iter().find(|path| path.to_string_lossy().ends_with(".log.zst")).unwrap();
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("profile.json");
    std::fs::write(&path, without_launches("34_user_triton/profile.json.gz").to_string()).unwrap();
    let report = Run::of(log).args(["--profile".into(), path]).ok();
    let summary = performance(&report)["summary"].as_str().unwrap();
    assert!(summary.contains(", at least ") && summary.contains(" of it in compiled kernels"), "{summary}");
    let whole = performance(user_triton())["summary"].as_str().unwrap();
    assert!(!whole.contains("at least"), "{whole}");
}
