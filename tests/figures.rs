//! Figures of measured kernels: how they are computed, from odd traces too, and what is said where they are not known.

use crate::performance::{events, of_cpu, performance, rows, trace, trace_path};
use crate::support::log::Log;
use crate::support::{Report, Run, source};
use serde_json::{Value, json};

/// The log of a stored run of a compiled model on a CPU.
fn log_of_cpu() -> Log {
    let folder = source("tests/profiles/24_profile");
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let log = paths.into_iter().find(|path| path.to_string_lossy().ends_with(".log.zst")).unwrap();
    Log::parse(&zstd::decode_all(std::fs::read(log).unwrap().as_slice()).unwrap())
}

/// The report of a changed log with its trace.
fn report_of_log(log: &Log) -> Report {
    let trace = trace_path("24_profile/profile.json.gz");
    Run::of_bytes("edited.log", &log.bytes()).args(["--profile"]).args([trace]).ok()
}

#[test]
fn calls_of_compiled_code_tell_guards_graphs_and_wrapper_apart() {
    let report = of_cpu("24_profile");
    let region = &rows(&report, "regions")[0];
    let us = |name: &str| region[name].as_f64().unwrap();
    assert_eq!((region["compile_id"].as_str(), region["calls"].as_u64()), (Some("0/0"), Some(5)));
    // Taken from the trace by hand: the five lookups before the calls, and the five graphs within them.
    assert!((us("guards_us") - 645.939).abs() < 0.01, "{region}");
    assert!((us("graphs_us") - 170_045.917).abs() < 0.01, "{region}");
    assert!((us("wrapper_us") + us("graphs_us") - us("sum_us")).abs() < 0.01, "{region}");
    assert!(us("first_us") > 1.5 * us("later_median_us"), "the first call is the slowest: {region}");
}

#[test]
fn tuning_and_estimates_of_the_log_stand_beside_the_measured_kernel() {
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
fn the_trace_tells_which_configuration_ran_and_what_the_device_did_with_it() {
    let mut trace = trace("triton_example.json.gz");
    let call = events(&mut trace, "cpu_op").into_iter().find(|call| call["args"]["kernel_file"].is_string());
    let args = &mut call.unwrap()["args"];
    args["num_warps"] = json!(4);
    args["num_stages"] = json!(1);
    args["kernel_kwargs"] = json!("XBLOCK=128");
    events(&mut trace, "kernel")[0]["args"]["n_spills"] = json!(12);
    let report = crate::performance::report_of(&trace);
    let kernel = &rows(&report, "kernels")[0];
    assert_eq!(kernel["tuning"]["ran"], json!(["XBLOCK=128, num_warps=4, num_stages=1"]));
    assert_eq!((kernel["registers"].as_u64(), kernel["shared_memory"].as_u64()), (Some(16), Some(0)));
    assert_eq!((kernel["spills"].as_u64(), kernel["occupancy"].as_f64()), (Some(12), Some(0.0)));
    assert_eq!(performance(&report)["trace"]["launches"], 1);
}
