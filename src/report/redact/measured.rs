//! What a trace of torch.profiler tells: times, counts and shapes of kernels and operators, without names of others.

use super::names::Names;
use super::operators::dtype;
use super::words::{compile_id, list, number};
use serde_json::{Map, Value, json};

/// Numbers of the trace.
const TIMES: [&str; 8] = [
    "wall_us",
    "busy_us",
    "compiled_us",
    "eager_us",
    "communication_us",
    "exposed_communication_us",
    "copy_us",
    "idle_us",
];

/// Numbers of a kernel.
const OF_KERNEL: [&str; 18] = [
    "count",
    "sum_us",
    "mean_us",
    "median_us",
    "min_us",
    "max_us",
    "flops",
    "bytes",
    "tflops",
    "gbps",
    "share_of_peak",
    "share_of_bandwidth",
    "estimated_us",
    "ratio_to_estimate",
    "registers",
    "spills",
    "shared_memory",
    "occupancy",
];

/// Words of a kernel that this program chose.
const WORDS: [&str; 17] = [
    "cpp", "triton", "extern", "eager", "inputs", "trace", "code", "compute", "memory", "launch", "fp64",
    "fp32", "tf32", "bf16", "fp16", "fp8", "int8",
];

/// What a trace tells; null where the log has none.
pub fn performance(report: &Value, names: &mut Names) -> Value {
    let measured = &report["performance"];
    if !measured.is_object() {
        return Value::Null;
    }
    let trace = &measured["trace"];
    let lines = list(measured, "lines").iter().map(|one| {
        json!({
            "file": names.file(&one["file"]),
            "line": number(&one["line"]),
            "code": null,
            "us": number(&one["us"]),
            "kernels": kernels(one, "kernels", names),
        })
    });
    let lines: Vec<Value> = lines.collect();
    let unjoined = &measured["unjoined"];
    json!({
        "trace": {
            "file": "trace",
            "launches": number(&trace["launches"]),
            "first_us": null,
            "last_us": null,
            "rank": number(&trace["rank"]),
            "damaged": trace["damaged"].as_str().map(|_| "damaged"),
        },
        "device": { "name": null, "entry": null, "clock_mhz": null, "corrected": number(&measured["device"]["corrected"]) },
        "time": numbers(&measured["time"], &TIMES),
        "kernels": list(measured, "kernels").iter().map(|one| kernel(one, names)).collect::<Vec<_>>(),
        "ops": list(measured, "ops").iter().map(|one| operator(one, names)).collect::<Vec<_>>(),
        "regions": list(measured, "regions").iter().map(region).collect::<Vec<_>>(),
        "lines": lines,
        "unjoined": {
            "launches": number(&unjoined["launches"]),
            "us": number(&unjoined["us"]),
            "names": kernels(unjoined, "names", names),
        },
    })
}

fn numbers(of: &Value, keys: &[&str]) -> Map<String, Value> {
    keys.iter().map(|key| ((*key).to_owned(), number(&of[*key]))).collect()
}

fn kernels(of: &Value, key: &str, names: &mut Names) -> Vec<String> {
    list(of, key).iter().filter_map(Value::as_str).map(|name| names.kernel(name)).collect()
}

fn kernel(one: &Value, names: &mut Names) -> Value {
    let mut kept = Map::new();
    for (key, value) in one.as_object().into_iter().flatten() {
        let word = || value.as_str().filter(|word| WORDS.contains(word)).map_or(Value::Null, Value::from);
        let safe = match key.as_str() {
            "name" => names.kernel(value.as_str().unwrap_or_default()).into(),
            "compile_ids" => {
                list(one, key).iter().map(compile_id).filter(Value::is_string).collect::<Vec<_>>().into()
            }
            "lines" => {
                let place =
                    |at: &Value| json!({ "file": names.file(&at["file"]), "line": number(&at["line"]) });
                list(one, key).iter().map(place).collect::<Vec<_>>().into()
            }
            figure if OF_KERNEL.contains(&figure) => number(value),
            "backend" | "flops_from" | "bytes_from" | "computes_in" | "bound" => word(),
            "tuning" | "plausible" => Value::Null,
            _ => continue,
        };
        kept.insert(key.clone(), safe);
    }
    kept.into()
}

fn operator(one: &Value, names: &mut Names) -> Value {
    let types =
        list(one, "input_types").iter().filter_map(Value::as_str).map(|text| dtype(text).unwrap_or("other"));
    let mut kept = numbers(one, &["count", "flops", "bytes", "kernel_us_sum", "tflops", "tbps"]);
    kept.insert("op".to_owned(), names.kernel(one["op"].as_str().unwrap_or_default()).into());
    kept.insert(
        "input_dims".to_owned(),
        list(one, "input_dims").iter().map(|dims| shape(dims, 0)).collect::<Vec<_>>().into(),
    );
    kept.insert("input_types".to_owned(), types.collect::<Vec<_>>().into());
    kept.into()
}

/// Sizes, also those of a list of tensors; anything else is null.
fn shape(dims: &Value, depth: usize) -> Value {
    match dims {
        Value::Array(inner) if depth < 3 => {
            inner.iter().map(|one| shape(one, depth + 1)).collect::<Vec<_>>().into()
        }
        other => number(other),
    }
}

fn region(one: &Value) -> Value {
    let keys = [
        "calls",
        "sum_us",
        "first_us",
        "median_us",
        "later_median_us",
        "guards_us",
        "graphs_us",
        "wrapper_us",
    ];
    let mut kept = numbers(one, &keys);
    kept.insert("compile_id".to_owned(), compile_id(&one["compile_id"]).as_str().unwrap_or("-").into());
    kept.into()
}
