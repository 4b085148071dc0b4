//! Measured kernels: traces of torch.profiler, alone and beside the log of the same run.

use crate::support::html::{select, text_of};
use crate::support::{Report, Run, source, source_text};
use serde_json::{Value, json};
use std::io::Read;
use std::path::PathBuf;

/// The path of a stored trace.
pub fn trace_path(name: &str) -> PathBuf {
    source("tests/profiles").join(name)
}

/// A stored trace, to be changed.
pub fn trace(name: &str) -> Value {
    let packed = std::fs::File::open(trace_path(name)).unwrap();
    let mut text = String::new();
    flate2::read::GzDecoder::new(packed).read_to_string(&mut text).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The report of a trace alone.
pub fn report_of(trace: &Value) -> Report {
    Run::of_bytes("trace.json", trace.to_string().as_bytes()).ok()
}

/// What the trace tells, in report.json.
pub fn performance(report: &Report) -> &Value {
    &report.json["performance"]
}

/// A list of it.
pub fn rows<'r>(report: &'r Report, list: &str) -> &'r [Value] {
    performance(report)[list].as_array().unwrap()
}

/// The log and the trace of one run of a compiled model on a CPU.
pub fn of_cpu(scenario: &str) -> Report {
    let trace = trace_path(scenario).join("profile.json.gz");
    Run::of(log_of(scenario)).args(["--profile"]).args([trace]).ok()
}

/// The log of such a run.
fn log_of(scenario: &str) -> PathBuf {
    let mut files = std::fs::read_dir(trace_path(scenario)).unwrap().map(|entry| entry.unwrap().path());
    files.find(|path| path.to_string_lossy().ends_with(".log.zst")).unwrap()
}

/// A report with measured kernels of a GPU, roofline and all.
pub fn of_gpu() -> Report {
    Run::of(trace_path("h100_qwen.json.gz")).ok()
}

/// The events of a kind that a change is made to.
pub fn events<'t>(trace: &'t mut Value, kind: &str) -> Vec<&'t mut Value> {
    let all = trace["traceEvents"].as_array_mut().unwrap();
    all.iter_mut().filter(|event| event["cat"] == kind).collect()
}

#[test]
fn products_attention_and_convolutions_have_the_figures_that_another_tool_computes() {
    for name in ["h100_qwen", "h100_vit", "mi300_vit"] {
        let report = Run::of(trace_path(&format!("{name}.json.gz"))).ok();
        let peer: Vec<Value> =
            serde_json::from_str(&source_text(&format!("tests/profiles/{name}.ops.json"))).unwrap();
        let mut compared = 0;
        for theirs in peer {
            let kind = theirs["category"].as_str().unwrap();
            if !["GEMM", "SDPA", "CONV"].iter().any(|start| kind.starts_with(start)) {
                continue;
            }
            // Python's tuples are lists in JSON, but for the comma behind a single entry.
            let dims =
                theirs["input_dims"].as_str().unwrap().replace('(', "[").replace(')', "]").replace(",]", "]");
            let dims: Value = serde_json::from_str(&dims).unwrap();
            let ours = rows(&report, "ops")
                .iter()
                .find(|op| op["op"] == theirs["op"] && op["input_dims"] == dims)
                .unwrap_or_else(|| panic!("{name}: no {} {dims}", theirs["op"]));
            let near = |what: &str, ours: f64, theirs: f64, within: f64| {
                assert!(
                    (ours - theirs).abs() <= within * theirs,
                    "{name} {dims} {what}: {ours} and {theirs}"
                );
            };
            let number = |value: &Value| value.as_f64().unwrap();
            assert_eq!(ours["count"], theirs["count"], "{name} {dims}");
            near("GFLOP", number(&ours["flops"]) / 1e9, number(&theirs["gflop"]), 0.005);
            near("MiB", number(&ours["bytes"]) / (1 << 20) as f64, number(&theirs["mb"]), 0.01);
            let mean = number(&ours["kernel_us_sum"]) / number(&ours["count"]);
            near("us", mean, number(&theirs["kernel_us_mean"]), 0.01);
            near("TFLOP/s", number(&ours["tflops"]), number(&theirs["tflops_mean"]), 0.02);
            compared += 1;
        }
        assert!(compared >= 5, "{name}: {compared}");
    }
}

#[test]
fn every_generated_kernel_of_a_run_is_in_its_compile_with_its_lines() {
    let report = of_cpu("24_profile");
    let mut generated = 0;
    for kernel in rows(&report, "kernels").iter().filter(|kernel| kernel["backend"] == "cpp") {
        generated += 1;
        assert_eq!(kernel["compile_ids"], json!(["0/0"]), "{kernel}");
        assert!(!kernel["lines"].as_array().unwrap().is_empty(), "{kernel}");
        assert_eq!(kernel["count"].as_u64().unwrap() % 5, 0, "five steps: {kernel}");
    }
    assert_eq!(generated, 16, "six of the forward graph, ten of the backward");
    // Three kernels whose buffers were added up by hand from the generated code.
    let bytes = |name: &str| {
        let kernel = rows(&report, "kernels").iter().find(|kernel| kernel["name"] == name);
        kernel.unwrap_or_else(|| panic!("no {name}"))["bytes"].as_f64().unwrap()
    };
    assert_eq!(bytes("graph_0_cpp_fused__unsafe_view_gelu_1"), (2 * 512 * 1024 * 4) as f64);
    assert_eq!(bytes("graph_0_cpp_fused__unsafe_view_add_4"), (5 * 8 * 64 * 256 * 4) as f64);
    assert_eq!(bytes("graph_0_cpp_fused_add_transpose_2"), (4 * 8 * 64 * 256 * 4) as f64);
}

#[test]
fn times_of_lines_and_of_unattributed_kernels_add_up_to_all_kernels() {
    for scenario in ["24_profile", "24_profile_wide"] {
        let report = of_cpu(scenario);
        let sum = |list: &str, field: &str| -> f64 {
            rows(&report, list).iter().map(|row| row[field].as_f64().unwrap()).sum()
        };
        let unjoined = performance(&report)["unjoined"]["us"].as_f64().unwrap();
        let (lines, kernels) = (sum("lines", "us"), sum("kernels", "sum_us"));
        assert!((lines + unjoined - kernels).abs() < 1.0, "{lines} + {unjoined} is not {kernels}");
        assert!(unjoined < 0.02 * kernels, "only the loss and its gradient run outside of compiled code");
        // The two products of the hidden layer are nearly all of the model.
        let first: Vec<u64> =
            rows(&report, "lines").iter().take(2).map(|line| line["line"].as_u64().unwrap()).collect();
        assert!(first.contains(&23) && first.contains(&24), "{first:?}");
    }
}

#[test]
fn a_wider_layer_moves_and_computes_twice_as_much() {
    let largest = |scenario: &str| {
        let report = of_cpu(scenario);
        let flops = rows(&report, "kernels").iter().filter_map(|kernel| kernel["flops"].as_f64());
        flops.fold(0.0, f64::max)
    };
    assert_eq!(largest("24_profile_wide"), 2.0 * largest("24_profile"));
}

#[test]
fn a_report_without_a_trace_does_not_mention_measured_kernels() {
    let report = Run::from(crate::support::input("01_inference")).ok();
    assert_eq!(report.json["performance"], Value::Null);
    assert!(!report.has("performance.html"));
}

#[test]
fn secrets_in_a_traces_metadata_reach_no_file_of_the_report() {
    let mut trace = trace("h100_vit.json.gz");
    trace["metadata"] = json!({"HF_TOKEN": "hf_plantedsecret", "env": {"AWS": "plantedsecret2"}});
    let report = report_of(&trace);
    for path in report.manifest() {
        let bytes = report.bytes(&path);
        assert!(!crate::support::log::contains(&bytes, b"plantedsecret"), "{path}");
    }
}

#[test]
fn a_truncated_trace_is_read_as_far_as_possible_and_the_page_says_so() {
    let text = trace("h100_vit.json.gz").to_string();
    let report = Run::of_bytes("trace.json", &text.as_bytes()[..text.len() / 2]).ok();
    let damaged = performance(&report)["trace"]["damaged"].as_str().unwrap();
    assert!(damaged.contains("ends in the middle"), "{damaged}");
    assert!(!rows(&report, "ops").is_empty() || !rows(&report, "kernels").is_empty());
    assert!(report.list("findings").iter().any(|finding| finding["kind"] == "damaged_trace"));
    let head = report.page("performance.html").text();
    let said = format!("could not be read to its end: {damaged}. This page covers the part before.");
    assert!(head.contains(&said), "{said}: {head}");
}

#[test]
fn a_device_file_with_a_tenth_of_the_peak_makes_figures_implausible() {
    let device = r#"{"name": "too small", "matrix": {"bf16": 98.9}, "vector": {}, "gbps": 335}"#;
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("device.json");
    std::fs::write(&file, device).unwrap();
    let run = Run::of(trace_path("h100_qwen.json.gz")).args(["--device"]).args([file]);
    let report = run.ok();
    assert_eq!(performance(&report)["device"]["entry"], "too small");
    let product =
        rows(&report, "kernels").iter().find(|kernel| kernel["flops"].as_f64() > Some(5e10)).unwrap();
    assert!(product["share_of_peak"].as_f64() > Some(5.0));
    let why = product["plausible"]["why"].as_str().unwrap();
    assert!(why.contains("over 100 % of the peak") && why.contains("--clock"), "{why}");
    let finding = report.list("findings").iter().find(|finding| finding["kind"] == "implausible_kernel");
    assert!(finding.unwrap()["title"].as_str().unwrap().contains("too small"));
}

#[test]
fn the_clock_of_the_trace_corrects_the_peak_and_is_shown() {
    let half = Run::of(trace_path("h100_qwen.json.gz")).args(["--clock", "915"]).ok();
    let whole = Run::of(trace_path("h100_qwen.json.gz")).ok();
    let share = |report: &Report| {
        let product = rows(report, "kernels").iter().find(|kernel| kernel["flops"].as_f64() > Some(5e10));
        product.unwrap()["share_of_peak"].as_f64().unwrap()
    };
    assert!((share(&half) - 2.0 * share(&whole)).abs() < 1e-9);
    assert_eq!(performance(&half)["device"]["corrected"], true);
    assert!(half.page("performance.html").text().contains("NVIDIA H100 SXM at 915 MHz"));
    assert!(whole.page("performance.html").text().contains("at its boost clock"));
}

#[test]
fn a_clock_that_cannot_correct_anything_is_an_error_that_says_so() {
    let device = r#"{"name": "mine", "gbps": 335, "matrix": {"bf16": 98.9}}"#;
    let run = Run::of(trace_path("h100_qwen.json.gz")).args(["--clock", "915", "--device", device]);
    let said = run.go().fails(1);
    assert!(said.contains("--clock") && said.contains("boost_mhz"), "{said}");
}

#[test]
fn a_bare_name_says_which_device_is_assumed() {
    let mut trace = trace("h100_vit.json.gz");
    trace["deviceProperties"][0]["name"] = json!("NVIDIA H100");
    let report = report_of(&trace);
    assert_eq!(performance(&report)["device"]["entry"], "NVIDIA H100 SXM");
    assert!(report.page("performance.html").text().contains("SXM is assumed. Choose another with --device."));
}

#[test]
fn an_unknown_device_has_rates_without_shares() {
    let mut trace = trace("h100_vit.json.gz");
    trace["deviceProperties"][0]["name"] = json!("NVIDIA H999");
    let report = report_of(&trace);
    assert_eq!(performance(&report)["device"]["entry"], Value::Null);
    for kernel in rows(&report, "kernels") {
        assert_eq!(kernel["share_of_peak"], Value::Null);
    }
    assert!(rows(&report, "kernels").iter().any(|kernel| kernel["tflops"].as_f64() > Some(1.0)));
    assert!(report.page("performance.html").text().contains("--device"));
}

#[test]
fn the_device_is_the_one_named_by_the_kernels_at_any_position_in_the_list() {
    let mut trace = trace("h100_vit.json.gz");
    trace["deviceProperties"] = json!([
        {"id": 0, "name": "NVIDIA A100-SXM4-80GB"}, {"id": 1, "name": "NVIDIA H100 80GB HBM3"}
    ]);
    let entry = |report: &Report| performance(report)["device"]["entry"].clone();
    let notes = |report: &Report| report.page("performance.html").text().replace('\u{a0}', " ");
    assert_eq!(entry(&report_of(&trace)), "NVIDIA A100 80GB SXM");
    events(&mut trace, "kernel").into_iter().for_each(|launch| launch["args"]["device"] = json!(1));
    let on_second = report_of(&trace);
    assert_eq!(entry(&on_second), "NVIDIA H100 SXM");
    assert!(!notes(&on_second).contains("Kernels ran on"));
    events(&mut trace, "kernel")[0]["args"]["device"] = json!(0);
    let on_both = report_of(&trace);
    assert_eq!(entry(&on_both), "NVIDIA H100 SXM", "most ran there");
    let said = "Kernels ran on 2 devices: device 1 (NVIDIA H100 80GB HBM3, ";
    assert!(notes(&on_both).contains(said), "{}", notes(&on_both));
    assert!(notes(&on_both).contains("device 0 (NVIDIA A100-SXM4-80GB, 1 run)"));
    // Kernels of ROCm name their device by its place in the machine, which the list does not have.
    events(&mut trace, "kernel").into_iter().for_each(|launch| launch["args"]["device"] = json!(5));
    assert_eq!(entry(&report_of(&trace)), Value::Null, "two kinds are listed, and nothing tells which it is");
    let rocm = Run::of(trace_path("mi300_vit.json.gz")).ok();
    assert_eq!(entry(&rocm), "AMD Instinct MI300X", "all that are listed are of one kind");
}

#[test]
fn odd_launches_cost_nothing_but_their_own_figure() {
    let mut trace = trace("h100_vit.json.gz");
    let before = report_of(&trace);
    let launches = performance(&before)["trace"]["launches"].as_u64().unwrap();
    trace.as_object_mut().unwrap().remove("deviceProperties");
    let kernels = events(&mut trace, "kernel").len() as u64;
    assert!(kernels > 20);
    let mut all = events(&mut trace, "kernel");
    all[0]["name"] = json!("");
    all[1]["args"]["External id"] = json!(999_999_999_u64);
    all[2]["dur"] = json!(0);
    all[3]["args"] = json!("not an object");
    all[4].as_object_mut().unwrap().remove("dur");
    let length = all[5]["dur"].clone();
    all[6]["dur"] = length;
    let operators = events(&mut trace, "cpu_op");
    let id = operators[0]["args"]["External id"].clone();
    for operator in operators.into_iter().skip(1).take(1) {
        operator["args"]["External id"] = id.clone();
    }
    let report = report_of(&trace);
    let found = performance(&report)["trace"]["launches"].as_u64().unwrap();
    assert_eq!(found, launches - 1, "all but the launch without a length");
    let runs: u64 = rows(&report, "kernels").iter().map(|kernel| kernel["count"].as_u64().unwrap()).sum();
    assert_eq!(runs, found, "no launch is dropped, and two of equal length are two");
    assert!(
        report
            .page("performance.html")
            .text()
            .replace('\u{a0}', " ")
            .contains("1 entry of the trace could not be read")
    );
}

#[test]
fn launches_that_name_no_operator_are_joined_by_the_call_of_the_runtime() {
    let mut trace = trace("h100_vit.json.gz");
    let whole = rows(&report_of(&trace), "ops").to_vec();
    for launch in events(&mut trace, "kernel") {
        launch["args"].as_object_mut().unwrap().remove("External id");
    }
    let by_correlation = report_of(&trace);
    assert!(whole.len() > 5);
    assert_eq!(rows(&by_correlation, "ops"), whole);
}

#[test]
fn a_type_without_a_peak_has_a_rate_and_no_share() {
    let mut trace = trace("h100_vit.json.gz");
    for operator in events(&mut trace, "cpu_op") {
        if operator["args"]["Input type"].is_array() {
            let text =
                operator["args"]["Input type"].to_string().replace("c10::BFloat16", "c10::complex<float>");
            operator["args"]["Input type"] = serde_json::from_str(&text).unwrap();
        }
    }
    let report = report_of(&trace);
    let products: Vec<&Value> =
        rows(&report, "kernels").iter().filter(|kernel| kernel["tflops"].as_f64().is_some()).collect();
    assert!(!products.is_empty());
    for product in products {
        assert_eq!(product["share_of_peak"], Value::Null, "{product}");
    }
}

#[test]
fn a_triton_kernel_of_a_trace_alone_is_named_as_one() {
    let report = Run::of(trace_path("triton_example.json.gz")).ok();
    let kernel = &rows(&report, "kernels")[0];
    assert_eq!(kernel["name"], "triton_poi_fused_add_cos_sin_0");
    assert_eq!((kernel["backend"].as_str(), kernel["bound"].as_str()), (Some("triton"), Some("launch")));
}

#[test]
fn a_report_of_a_trace_alone_says_what_ran_and_how_to_get_lines() {
    let done = Run::of(trace_path("h100_qwen.json.gz")).go();
    let first = done.stdout.lines().next().unwrap();
    assert!(first.ends_with("The device was busy for 46 ms of 50 ms (92 %)."), "{}", done.stdout);
    let report = done.report(0);
    let landing = report.page("index.html").text();
    assert!(landing.contains("The device was busy for") && landing.contains("--profile TRACE"), "{landing}");
    assert!(!landing.contains("Nothing was recorded"));
    let page = report.page("index.html");
    let links =
        page.all("nav[aria-label=Report] a").into_iter().map(|link| link.value().attr("href").unwrap());
    assert_eq!(links.collect::<Vec<_>>(), ["report.md"], "pages about compiles have nothing to show");
}

#[test]
fn reports_with_a_trace_keep_to_the_schema() {
    let schema: Value = serde_json::from_str(&source_text("report.schema.json")).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    for report in [of_cpu("24_profile"), Run::of(trace_path("mi300_vit.json.gz")).ok()] {
        let errors: Vec<String> = schema
            .iter_errors(&report.json)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{errors:#?}");
    }
}

#[test]
fn a_missing_trace_is_an_error_with_advice() {
    let run =
        Run::from(crate::support::input("01_inference")).args(["--profile", "/nowhere/trace.json"]).go();
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("torch.profiler exported"), "{}", run.stderr);
    let run = Run::of(trace_path("h100_vit.json.gz")).args(["--device", "abacus"]).go();
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("NVIDIA H100 SXM"), "{}", run.stderr);
}

#[test]
fn names_of_kernels_never_become_markup() {
    let mut trace = trace("h100_vit.json.gz");
    let probe = "<img src=x onerror=alert(1)>\"'&";
    events(&mut trace, "kernel")[0]["name"] = json!(probe);
    let operators = events(&mut trace, "cpu_op");
    for operator in operators {
        if operator["name"] == "aten::addmm" {
            operator["name"] = json!(format!("aten::addmm{probe}"));
        }
    }
    let report = report_of(&trace);
    let page = report.page("performance.html");
    assert!(page.all("img").is_empty(), "a name became markup");
    assert!(page.text().contains("<img src=x"), "it is shown as text");
}

#[test]
fn lines_are_ordered_by_time_each_with_forward_backward_and_its_longest_kernels() {
    let report = of_cpu("24_profile");
    let page = report.page("performance.html");
    let shown: Vec<Vec<String>> = page
        .all("#lines-table tbody tr")
        .into_iter()
        .map(|row| row.select(&select("td")).map(|cell| text_of(cell).replace('\u{a0}', " ")).collect())
        .collect();
    let lines = rows(&report, "lines");
    assert_eq!(shown.len(), lines.len() + 2, "the rest and the sum come last");
    for (row, line) in shown.iter().zip(lines) {
        assert!(row[0].contains(line["code"].as_str().unwrap()), "{row:?}: {line}");
        let own = |kernel: &&Value| {
            let of = |at: &Value| at["file"] == line["file"] && at["line"] == line["line"];
            kernel["lines"].as_array().unwrap().iter().any(of)
        };
        assert_eq!(row[5], rows(&report, "kernels").iter().filter(own).count().to_string(), "{row:?}");
    }
    let down = shown.iter().find(|row| row[0].contains("return x + self.down(h)")).unwrap();
    assert_eq!(down[1..5], ["215 ms", "47.0 %", "73 ms", "143 ms"], "all, its share, forward, backward");
}

#[test]
fn kernels_html_and_provenance_have_measured_columns_only_beside_a_trace() {
    let report = of_cpu("24_profile");
    let head = |page: &str| report.page(page).all("th").into_iter().map(text_of).collect::<Vec<_>>();
    for column in ["Time", "Kernel time", "Measured time"] {
        assert_eq!(head("kernels.html").iter().filter(|head| *head == column).count(), 1, "{column}");
    }
    let panes = report.pages().into_iter().filter(|page| page.starts_with("provenance_tracking"));
    for page in panes {
        assert_eq!(head(&page).iter().filter(|head| *head == "Measured time").count(), 2, "{page}");
    }
    let bare = crate::support::report("09_provenance");
    assert!(!bare.page("kernels.html").text().contains("Measured time"), "nor is it named as missing");
    // All calls of the generated code were measured, so the columns add up to the kernels of compiled code.
    let of_code = report.page("kernels.html");
    let (timed, rows) = ("#code-table tbody td.heat", "#code-table tbody tr");
    assert_eq!(of_code.all(timed).len(), of_code.all(rows).len());
}

#[test]
fn output_code_says_beside_each_kernel_what_it_took() {
    let report = of_cpu("24_profile");
    let product = regex::Regex::new(r"mm\s*\d[\d.]* (us|ms)").unwrap();
    let is_code = |page: &String| page.contains("inductor_output_code");
    for page in report.pages().into_iter().filter(is_code) {
        let side = text_of(report.page(&page).one(".side")).replace('\u{a0}', " ");
        assert!(product.is_match(&side), "{page}: {side}");
    }
}

#[test]
fn a_trace_without_kernels_says_what_to_set() {
    let mut trace = trace("triton_example.json.gz");
    trace["traceEvents"].as_array_mut().unwrap().retain(|event| event["ph"] == "M");
    let report = report_of(&trace);
    let text = report.page("performance.html").text();
    assert!(text.contains("The trace contains no kernel runs"), "{text}");
    assert!(text.contains("enable_kernel_profile") && text.contains("ProfilerActivity.CUDA"), "{text}");
}

#[test]
fn a_trace_of_a_cpu_without_generated_kernels_says_what_to_set() {
    let mut trace = trace("24_profile/profile.json.gz");
    let generated = |event: &Value| event["name"].as_str().is_some_and(|name| name.contains("cpp_fused"));
    trace["traceEvents"].as_array_mut().unwrap().retain(|event| !generated(event));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("profile.json");
    std::fs::write(&path, trace.to_string()).unwrap();
    let report = Run::of(log_of("24_profile")).args(["--profile"]).args([path]).ok();
    let text = report.page("performance.html").text();
    assert!(text.contains("no generated C++ kernel") && text.contains("enable_kernel_profile"), "{text}");
    let whole = of_cpu("24_profile").page("performance.html").text();
    assert!(!whole.contains("no generated C++ kernel"));
}

#[test]
fn a_trace_of_another_run_says_that_nothing_was_joined_and_what_was_compared() {
    let log = crate::support::input("09_provenance").path.clone();
    let report = Run::of(log).args(["--profile"]).args([trace_path("triton_example.json.gz")]).ok();
    let text = report.page("performance.html").text();
    assert!(text.contains("Nothing in this trace matches the log"), "{text}");
    let compared = text.replace('\u{a0}', " ");
    assert!(compared.contains("1 generated kernel") && compared.contains("cache keys"), "{text}");
}

#[test]
fn a_finding_about_a_kernel_leads_to_its_row() {
    let device = r#"{"name": "too small", "gbps": 33, "matrix": {"bf16": 9}, "vector": {"fp32": 6}}"#;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("device.json");
    std::fs::write(&path, device).unwrap();
    let report = Run::of(trace_path("h100_qwen.json.gz")).args(["--device"]).args([path]).ok();
    let page = report.page("performance.html");
    let links = page.all("#notes-table a");
    assert!(!links.is_empty());
    for link in links {
        let row = link.attr("href").unwrap();
        let row = page.one(&format!("tr{row}"));
        assert!(text_of(row).contains("cannot be true"), "{}", text_of(row));
    }
}

#[test]
fn tuning_registers_and_spills_are_shown_with_the_kernel() {
    let mut trace = trace("triton_example.json.gz");
    let call = events(&mut trace, "cpu_op").into_iter().find(|call| call["args"]["kernel_file"].is_string());
    let args = &mut call.unwrap()["args"];
    args["num_warps"] = json!(4);
    args["kernel_kwargs"] = json!("XBLOCK=128");
    let launch = &mut events(&mut trace, "kernel")[0]["args"];
    launch["n_spills"] = json!(12);
    launch["shared memory"] = json!(2048);
    let text = report_of(&trace).page("performance.html").text().replace('\u{a0}', " ");
    let said = "16 registers, 12 of them spilled, 2.0 KB of shared memory; ran with XBLOCK=128, num_warps=4";
    assert!(text.contains(said), "{text}");
}

#[test]
fn a_point_of_the_roofline_is_reached_by_keyboard_and_leads_to_its_row() {
    let Some(window) = crate::browser::window() else { return };
    let report = of_gpu();
    window.open(&report.folder.join("performance.html"), "");
    window.value("document.querySelector('.roofline a').focus()");
    let told = window.value("document.activeElement.getAttribute('aria-label')");
    assert!(told.as_str().unwrap().contains("TFLOP/s"), "{told}");
    window.press("Enter");
    let address = window.value("location.hash");
    let row = address.as_str().unwrap();
    assert!(row.starts_with("#kernel-"), "{row}");
    assert!(window.is_true(&format!("document.querySelector('{row}').checkVisibility()")));
    window.quiet("performance.html");
}
