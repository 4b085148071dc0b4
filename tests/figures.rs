//! Figures of measured kernels: how they are computed, also from odd traces, and what replaces unknown figures.

use crate::performance::{events, of_cpu, performance, report_of, rows, trace, trace_path};
use crate::support::log::Log;
use crate::support::{Report, Run, source};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The log of a stored run of a compiled model on a CPU.
fn log_of_cpu() -> Log {
    Log::parse(&zstd::decode_all(std::fs::read(log_path_of_cpu()).unwrap().as_slice()).unwrap())
}

/// The path of that log.
fn log_path_of_cpu() -> PathBuf {
    let folder = source("tests/profiles/24_profile");
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths.into_iter().find(|path| path.to_string_lossy().ends_with(".log.zst")).unwrap()
}

/// The report of a changed log with its trace.
fn report_of_log(log: &Log) -> Report {
    let trace = trace_path("24_profile/profile.json.gz");
    Run::of_bytes("edited.log", &log.bytes()).args(["--profile"]).args([trace]).ok()
}

#[test]
fn calls_of_compiled_code_are_split_into_guards_graphs_and_wrapper() {
    let report = of_cpu("24_profile");
    let region = &rows(&report, "regions")[0];
    let us = |name: &str| region[name].as_f64().unwrap();
    assert_eq!((region["compile_id"].as_str(), region["calls"].as_u64()), (Some("0/0"), Some(5)));
    // Read from the trace by hand: the five lookups before the calls, and the five graphs in them.
    assert!((us("guards_us") - 645.939).abs() < 0.01, "{region}");
    assert!((us("graphs_us") - 170_045.917).abs() < 0.01, "{region}");
    assert!((us("wrapper_us") + us("graphs_us") - us("sum_us")).abs() < 0.01, "{region}");
    assert!(us("first_us") > 1.5 * us("later_median_us"), "the first call is the slowest: {region}");
}

#[test]
fn a_measured_kernel_has_tuning_and_estimates_from_the_log() {
    let mut log = log_of_cpu();
    let at = log.records.iter().position(|record| {
        String::from_utf8_lossy(&record.header).contains("inductor_provenance_tracking_node_mappings")
    });
    let at = at.unwrap();
    let frame = r#""frame_id": 0, "frame_compile_id": 0, "attempt": 0"#;
    let envelope = |name: &str| {
        format!(r#"{{"artifact": {{"name": "{name}", "encoding": "json"}}, {frame}, "has_payload": ""}}"#)
    };
    let tuned = r#"{"cpp_fused__unsafe_view_gelu_1": {"autotune_cache_state": "miss", "num_configs": 7, "compile_time_us": 281016}}"#;
    let estimated = r#"{"ops": [{"name": "cpp_fused__unsafe_view_gelu_1", "estimated_runtime_ns": 50000.0},
        {"name": "cpp_fused__unsafe_view_gelu_1", "estimated_runtime_ns": 150000.0}, {"name": "extern_kernels.mm", "estimated_runtime_ns": 0}]}"#;
    let tuned = log.records[at].like(&envelope("triton_kernel_info"), Some(tuned.as_bytes()));
    let estimated =
        log.records[at].like(&envelope("inductor_runtime_and_tensor_meta"), Some(estimated.as_bytes()));
    log.records.insert(at + 1, tuned);
    log.records.insert(at + 1, estimated);
    let report = report_of_log(&log);
    let kernel = |name: &str| rows(&report, "kernels").iter().find(|kernel| kernel["name"] == name).unwrap();
    let gelu = kernel("graph_0_cpp_fused__unsafe_view_gelu_1");
    assert_eq!(gelu["estimated_us"], 100.0, "the mean of two calls: {gelu}");
    let ratio = gelu["ratio_to_estimate"].as_f64().unwrap();
    assert!((ratio - gelu["mean_us"].as_f64().unwrap() / 100.0).abs() < 1e-4);
    let expected =
        json!({"state": "miss", "candidates": 7, "compile_us": 281_016.0, "in_log": null, "ran": []});
    assert_eq!(gelu["tuning"], expected);
    assert_eq!(kernel("aten::mm")["estimated_us"], Value::Null, "an estimate of 0 is none");
}

#[test]
fn the_trace_has_the_configuration_that_ran_and_the_launch_on_the_device() {
    let mut trace = trace("triton_example.json.gz");
    let call = events(&mut trace, "cpu_op").into_iter().find(|call| call["args"]["kernel_file"].is_string());
    let args = &mut call.unwrap()["args"];
    args["num_warps"] = json!(4);
    args["num_stages"] = json!(1);
    args["kernel_kwargs"] = json!("XBLOCK=128");
    events(&mut trace, "kernel")[0]["args"]["n_spills"] = json!(12);
    let report = report_of(&trace);
    let kernel = &rows(&report, "kernels")[0];
    assert_eq!(kernel["tuning"]["ran"], json!(["XBLOCK=128, num_warps=4, num_stages=1"]));
    assert_eq!((kernel["registers"].as_u64(), kernel["shared_memory"].as_u64()), (Some(16), Some(0)));
    assert_eq!(kernel["spills"].as_u64(), Some(12));
    assert_eq!(kernel["occupancy"], Value::Null, "the profiler writes 0 where it has no estimate");
    assert_eq!(performance(&report)["trace"]["launches"], 1);
}

/// The contents of a possibly packed file.
fn unpacked(path: &Path) -> Vec<u8> {
    let bytes = std::fs::read(path).unwrap();
    match path.extension().unwrap().to_str().unwrap() {
        "gz" => {
            let mut text = Vec::new();
            std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(bytes.as_slice()), &mut text)
                .unwrap();
            text
        }
        "zst" => zstd::decode_all(bytes.as_slice()).unwrap(),
        _ => bytes,
    }
}

/// The figures of a trace in a report, without the name of its file, which the notes have too.
fn figures_of(report: &Report) -> Value {
    let mut figures = performance(report).clone();
    (figures["trace"]["file"], figures["notes"]) = (Value::Null, Value::Null);
    figures
}

#[test]
fn a_trace_is_written_again_with_the_figures_of_each_launch_and_without_its_environment() {
    let mut given = trace("h100_vit.json.gz");
    given["metadata"] = json!({"HF_TOKEN": "hf_plantedsecret", "env": {"AWS": "plantedsecret2"}});
    given["otherData"] = json!({"environment": {"TOKEN": "plantedsecret3"}, "kept": 1});
    let count = given["traceEvents"].as_array().unwrap().len();
    let folder = tempfile::TempDir::new().unwrap();
    for name in ["out.json", "out.json.gz", "out.json.zst"] {
        let to = folder.path().join(name);
        let run = Run::of_bytes("trace.json", given.to_string().as_bytes()).args(["--augment"]).args([&to]);
        let report = run.ok();
        let text = unpacked(&to);
        assert!(!crate::support::log::contains(&text, b"plantedsecret"), "{name}");
        for path in report.manifest() {
            assert!(!crate::support::log::contains(&report.bytes(&path), b"plantedsecret"), "{path}");
        }
        let mut written: Value = serde_json::from_slice(&text).unwrap();
        assert_eq!(written["traceEvents"].as_array().unwrap().len(), count);
        assert_eq!((&written["otherData"], &written["metadata"]), (&json!({"kept": 1}), &Value::Null));
        assert_eq!(written["deviceProperties"], given["deviceProperties"]);
        let product = events(&mut written, "kernel")
            .into_iter()
            .find(|kernel| kernel["args"]["flops"].as_f64() > Some(1e9));
        let product = product.unwrap().clone();
        let (id, flops) =
            (product["args"]["External id"].clone(), product["args"]["flops"].as_f64().unwrap());
        let (args, us) = (&product["args"], product["dur"].as_f64().unwrap());
        let number = |name: &str| args[name].as_f64().unwrap();
        assert!((number("tflops") - number("flops") / us / 1e6).abs() < 1e-6, "of this launch: {args}");
        assert!((number("gbps") - number("bytes") / us / 1e3).abs() < 1e-6, "{args}");
        assert!(number("share_of_peak") > 0.0 && args["bound"].is_string(), "{args}");
        assert_eq!(number("kernel_flop"), number("flops"), "as PyTorch's own script names it");
        assert_eq!(args["name"], product["name"], "without it that script skips the launch");
        // For a launch, that script looks at the call with the same id.
        let launcher =
            events(&mut written, "cpu_op").into_iter().find(|call| call["args"]["External id"] == id);
        assert_eq!(launcher.unwrap()["args"]["kernel_flop"].as_f64(), Some(flops));
        assert!((number("kernel_num_gb") * 1e9 - number("bytes")).abs() < 1.0, "{args}");
        assert!(
            args["correlation"].is_number() && args["registers per thread"].is_number(),
            "what was there stays"
        );
        assert_eq!(figures_of(&Run::of(&to).ok()), figures_of(&report), "{name}");
    }
}

#[test]
fn kernels_of_a_cpu_are_written_again_with_their_lines_and_their_compile() {
    let folder = tempfile::TempDir::new().unwrap();
    let to = folder.path().join("with figures.json");
    let given = trace_path("24_profile/profile.json.gz");
    let run = Run::of(log_path_of_cpu()).args(["--profile"]).args([&given]).args(["--augment"]).args([&to]);
    let report = run.ok();
    let mut written: Value = serde_json::from_slice(&unpacked(&to)).unwrap();
    let gelu = events(&mut written, "cpu_op")
        .into_iter()
        .find(|call| call["name"] == "graph_0_cpp_fused__unsafe_view_gelu_1");
    let args = &gelu.unwrap()["args"];
    assert_eq!((args["compile_id"].as_str(), args["lines"][0]["line"].as_u64()), (Some("0/0"), Some(23)));
    assert_eq!(args["bytes"].as_f64(), Some(4_194_304.0));
    let inner = events(&mut written, "cpu_op").into_iter().find(|call| call["name"] == "aten::resolve_conj");
    assert_eq!(inner.unwrap()["args"]["bytes"], Value::Null, "a part of another call is no kernel");
    let again = Run::of(log_path_of_cpu()).args(["--profile"]).args([&to]).ok();
    assert_eq!(figures_of(&again), figures_of(&report));
}

#[test]
fn a_trace_never_replaces_another_file_and_one_of_several_is_never_chosen() {
    let folder = tempfile::TempDir::new().unwrap();
    let given = folder.path().join("trace.json.gz");
    std::fs::copy(trace_path("triton_example.json.gz"), &given).unwrap();
    let augment = |to: &Path| Run::of(&given).args(["--augment"]).args([to]);
    let there = folder.path().join("there.json");
    std::fs::write(&there, "mine").unwrap();
    assert!(augment(&there).go().fails(1).contains("--overwrite"));
    assert_eq!(std::fs::read(&there).unwrap(), b"mine");
    assert!(augment(&given).args(["--overwrite"]).go().fails(1).contains("the trace that it reads"));
    augment(&there).args(["--overwrite"]).ok();
    assert!(serde_json::from_slice::<Value>(&std::fs::read(&there).unwrap()).is_ok());
    let of_log = |traces: &[&Path]| {
        let run = traces
            .iter()
            .fold(Run::of(log_path_of_cpu()), |run, trace| run.args(["--profile"]).args([trace]));
        run.args(["--augment"]).args([folder.path().join("new.json")]).go()
    };
    assert!(of_log(&[&given, &there]).fails(2).contains("once for each"));
    assert!(of_log(&[]).fails(1).contains("--profile"));
    assert!(!folder.path().join("new.json").exists());
}

#[test]
fn the_kernels_that_grow_with_the_hidden_layer_are_those_of_its_lines() {
    type Kernels = BTreeMap<(String, Vec<u64>), (f64, f64)>;
    let work = |scenario: &str| -> Kernels {
        let mut found = Kernels::new();
        for kernel in rows(&of_cpu(scenario), "kernels") {
            let lines = kernel["lines"].as_array().unwrap();
            let lines: Vec<u64> = lines.iter().map(|line| line["line"].as_u64().unwrap()).collect();
            let number = |name: &str| kernel[name].as_f64().unwrap_or_default();
            let known = found.entry((kernel["name"].as_str().unwrap().to_owned(), lines)).or_default();
            known.0 += number("count") * (number("bytes") + number("flops"));
            known.1 += number("sum_us");
        }
        found.retain(|(_, lines), _| !lines.is_empty());
        found
    };
    let (narrow, wide) = (work("24_profile"), work("24_profile_wide"));
    assert_eq!(narrow.keys().collect::<Vec<_>>(), wide.keys().collect::<Vec<_>>());
    let mut grown = (0.0, 0.0);
    let mut names = Vec::new();
    for (kernel, (work, us)) in &narrow {
        let (more, longer) = wide[kernel];
        // Lines 23 and 24 are the hidden layer of a block, 36 and 37 attention and head.
        let hidden = kernel.1.contains(&23) || kernel.1.contains(&24);
        assert!(more == *work || hidden, "{kernel:?} grew from {work} to {more}");
        if more > *work {
            grown = (grown.0 + us, grown.1 + longer);
            names.push(kernel.0.as_str());
        }
    }
    for product in ["aten::addmm", "aten::mm", "graph_0_cpp_fused__unsafe_view_gelu_1"] {
        assert!(names.contains(&product), "{product} is not among {names:?}");
    }
    assert!(grown.1 > 1.3 * grown.0, "they also take longer: {grown:?}");
}

/// The number of runs in a report of a trace alone.
fn runs(report: &Report) -> u64 {
    rows(report, "kernels").iter().map(|kernel| kernel["count"].as_u64().unwrap()).sum()
}

#[test]
fn a_product_of_float_has_the_peak_of_tf32_if_a_name_an_option_or_its_speed_says_so() {
    let mut given = trace("h100_qwen.json.gz");
    for operator in events(&mut given, "cpu_op") {
        let types = operator["args"]["Input type"].to_string().replace("c10::BFloat16", "float");
        operator["args"]["Input type"] = serde_json::from_str(&types).unwrap();
    }
    let products = |report: &Report| -> Vec<(f64, String)> {
        let products = rows(report, "kernels").iter().filter(|kernel| kernel["flops"].as_f64() > Some(1e9));
        let described = products.map(|kernel| {
            (kernel["tflops"].as_f64().unwrap(), kernel["computes_in"].as_str().unwrap().to_owned())
        });
        described.collect()
    };
    let computes_in = |trace: &Value| products(&report_of(trace));
    // An H100 has 67 TFLOP/s in FP32 and 494.5 in TF32.
    for (tflops, kind) in computes_in(&given) {
        assert_eq!(kind == "tf32", (67.0..=494.5).contains(&tflops), "{tflops}: {kind}");
    }
    let page = report_of(&given).page("performance.html").text();
    assert!(page.contains("TF32 was on"), "{page}");
    let text = given.to_string();
    let told = Run::of_bytes("trace.json", text.as_bytes()).args(["--tf32"]).ok();
    assert!(products(&told).iter().all(|(_, kind)| kind == "tf32"));
    for kernel in events(&mut given, "kernel") {
        kernel["name"] = json!(format!("tf32_{}", kernel["name"].as_str().unwrap()));
    }
    assert!(computes_in(&given).iter().all(|(_, kind)| *kind == "tf32"));
}

#[test]
fn a_device_without_a_name_has_rates_without_shares() {
    for device in [json!([{"id": 0, "name": ""}]), json!([]), json!("none"), Value::Null] {
        let mut given = trace("mi300_vit.json.gz");
        given["deviceProperties"] = device;
        let report = report_of(&given);
        assert_eq!(performance(&report)["device"]["name"], Value::Null);
        assert!(rows(&report, "kernels").iter().all(|kernel| kernel["share_of_peak"].is_null()));
        assert!(rows(&report, "kernels").iter().any(|kernel| kernel["tflops"].is_number()));
    }
}

#[test]
fn launches_of_no_length_and_of_equal_length_are_counted_and_have_no_impossible_rate() {
    let mut given = trace("h100_vit.json.gz");
    let before = runs(&report_of(&given));
    for kernel in events(&mut given, "kernel") {
        kernel["dur"] = json!(0);
    }
    let report = report_of(&given);
    assert_eq!(runs(&report), before);
    for kernel in rows(&report, "kernels").iter().filter(|kernel| kernel["sum_us"] == 0.0) {
        assert_eq!(
            (&kernel["tflops"], &kernel["gbps"], &kernel["plausible"]),
            (&Value::Null, &Value::Null, &Value::Null)
        );
    }
    for kernel in events(&mut given, "kernel") {
        kernel["dur"] = json!(7);
        kernel["name"] = json!("");
    }
    let report = report_of(&given);
    assert_eq!(runs(&report), before, "equal launches of kernels without a name are as many as they were");
    assert!(
        rows(&report, "kernels")
            .iter()
            .filter(|kernel| kernel["name"] == "")
            .all(|kernel| kernel["median_us"] == 7.0)
    );
}

#[test]
fn negative_sizes_give_no_work() {
    let mut trace = trace("h100_vit.json.gz");
    for operator in events(&mut trace, "cpu_op") {
        let text = operator["args"]["Input Dims"].to_string().replace("768", "-768");
        operator["args"]["Input Dims"] = serde_json::from_str(&text).unwrap();
    }
    let report = report_of(&trace);
    let of_size = |op: &&Value| op["input_dims"].to_string().contains("-768");
    let odd: Vec<&Value> = rows(&report, "ops").iter().filter(of_size).collect();
    assert!(odd.len() > 3, "{odd:#?}");
    for op in odd {
        assert_eq!((&op["flops"], &op["bytes"]), (&Value::Null, &Value::Null), "{op}");
    }
}

#[test]
fn an_eager_operator_has_its_bytes_from_the_shapes_of_its_inputs() {
    let report = Run::of(trace_path("h100_qwen.json.gz")).ok();
    let adds: Vec<&Value> = rows(&report, "ops").iter().filter(|op| op["op"] == "aten::add").collect();
    let same = adds
        .iter()
        .find(|op| op["input_dims"][0] == op["input_dims"][1] && op["input_types"][1] == "c10::BFloat16");
    let op = same.expect("a sum of two tensors");
    let elements: f64 =
        op["input_dims"][0].as_array().unwrap().iter().map(|size| size.as_f64().unwrap()).product();
    assert_eq!(op["bytes"].as_f64(), Some(3.0 * 2.0 * elements), "two are read, one is written: {op}");
    let kernel = rows(&report, "kernels").iter().find(|kernel| {
        kernel["backend"] == "eager" && kernel["flops"].is_null() && kernel["bytes"].is_number()
    });
    assert_eq!(kernel.unwrap()["bytes_from"], "inputs");
}

#[test]
fn a_trace_that_is_broken_anywhere_is_read_as_far_as_it_goes() {
    let text = trace("triton_example.json.gz").to_string();
    for at in (1..text.len()).step_by(997) {
        let report =
            Run::of_bytes("trace.json", format!("{}\u{0}{}", &text[..at], &text[at..]).as_bytes()).go();
        // The first bytes decide whether it is a trace; later ones decide how much of it is read.
        assert!(report.code == Some(0) || at < 2_000, "{at}: {}", report.stderr);
        assert!(!report.stderr.contains("panicked"), "{at}: {}", report.stderr);
    }
}

/// A Triton template needs a GPU to run. Here, a recorded log and its trace name one where the CPU called a library.
#[test]
fn a_triton_template_has_the_flops_of_the_nodes_that_it_replaces() {
    const TEMPLATE: &str = "triton_tem_fused_addmm_0";
    let mut log = log_of_cpu();
    let names = [
        ("extern_kernels.addmm:2", format!("{TEMPLATE}:2")),
        ("extern_kernels.addmm(primals_5,", format!("{TEMPLATE}.run(primals_5,")),
    ];
    for line in log.records.iter_mut().flat_map(|record| &mut record.payload) {
        let text = String::from_utf8_lossy(line).into_owned();
        if names.iter().any(|(library, _)| text.contains(library)) {
            *line = names
                .iter()
                .fold(text, |text, (library, template)| text.replace(library, template))
                .into_bytes();
        }
    }
    let mut trace = trace("24_profile/profile.json.gz");
    let all = trace["traceEvents"].as_array_mut().unwrap();
    let products = all.iter().filter(|event| event["cat"] == "cpu_op" && event["name"] == "aten::addmm");
    let first =
        products.min_by(|one, other| one["ts"].as_f64().unwrap().total_cmp(&other["ts"].as_f64().unwrap()));
    let mut call = first.unwrap().clone();
    let external = call["args"]["External id"].clone();
    call["name"] = json!(TEMPLATE);
    call["args"] = json!({"External id": external, "kernel_backend": "triton"});
    let kernel = json!({"ph": "X", "cat": "kernel", "name": TEMPLATE, "pid": 0, "tid": 7, "ts": call["ts"], "dur": 10.0,
        "args": {"External id": external, "device": 0, "stream": 7, "correlation": 1}});
    let place = all
        .iter()
        .position(|event| event["args"]["External id"] == external && event["name"] == "aten::addmm");
    all[place.unwrap()] = call;
    all.push(kernel);
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("trace.json");
    std::fs::write(&path, trace.to_string()).unwrap();
    let report = Run::of_bytes("edited.log", &log.bytes())
        .args(["--profile"])
        .args([&path])
        .args(["--device", "A100"])
        .ok();
    let kernel = rows(&report, "kernels").iter().find(|kernel| kernel["name"] == TEMPLATE).unwrap();
    // addmm of (512, 256) and (256, 1024): two operations for each of the products.
    assert_eq!(kernel["flops"].as_f64(), Some(2.0 * 512.0 * 256.0 * 1024.0), "{kernel:#}");
    assert_eq!((&kernel["backend"], &kernel["compile_ids"]), (&json!("triton"), &json!(["0/0"])));
    assert_eq!(kernel["tflops"].as_f64().map(f64::round), Some(27.0), "268 MFLOP in 10 us");
}
