//! The redacted facts of a job.

use super::log::{findings, log};
use super::names::Names;
use super::words::{chosen, compile_id, list, number};
use serde_json::{Map, Value, json};

/// The facts by which ranks are compared.
const FACTS: [&str; 11] = [
    "compile_ids",
    "cache",
    "collectives",
    "tensor_meta",
    "exec_order",
    "graph_breaks",
    "recompiles",
    "config",
    "inputs",
    "process_groups",
    "cache_keys",
];

/// Counts of a rank.
const COUNTS: [&str; 5] = ["compiles", "graph_breaks", "recompiles", "failures", "compile_time_s"];

/// The facts of a job; `ranks` are the whole reports of its ranks.
pub fn facts(report: &Value, ranks: &[&Value], names: &mut Names) -> Value {
    let divergence: Map<String, Value> =
        FACTS.iter().map(|fact| ((*fact).to_owned(), comparison(&report["divergence"][*fact]))).collect();
    let runs = list(report, "runs").iter().map(|run| {
        let logs: Vec<&str> = list(run, "logs").iter().map(|_| "log").collect();
        json!({ "first_time": null, "last_time": null, "logs": logs })
    });
    json!({
        "schema": number(&report["schema"]),
        "kind": "job",
        "tool": { "name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION") },
        "ranks": list(report, "ranks").iter().map(rank).collect::<Vec<_>>(),
        "runs": runs.collect::<Vec<_>>(),
        "skipped_files": [],
        "divergence": divergence,
        "runtime": { "comparable": number(&report["runtime"]["comparable"]), "why_not": null, "graphs": [] },
        "parity": [],
        "findings": findings(report, ranks, names),
    })
}

fn rank(one: &Value) -> Value {
    let rank = one["rank"].as_u64().unwrap_or_default();
    let mut kept = json!({
        "rank": rank,
        "dir": format!("rank_{rank}"),
        "state": chosen(&one["state"]),
        "log": log(&one["log"]),
    });
    for key in COUNTS {
        kept[key] = number(&one[key]);
    }
    kept["processes"] = json!([]);
    kept
}

/// Whether ranks agree, and where they first differ; the values are texts of the logs.
fn comparison(one: &Value) -> Value {
    if !one.is_object() {
        return Value::Null;
    }
    let groups = list(one, "groups").iter().map(|group| {
        let ranks: Vec<Value> = list(group, "ranks").iter().map(number).collect();
        json!({ "ranks": ranks, "value": "" })
    });
    let first = &one["first"];
    let by_rank = first["by_rank"].as_object().into_iter().flatten();
    let by_rank: Map<String, Value> = by_rank
        .filter(|(rank, _)| rank.bytes().all(|byte| byte.is_ascii_digit()))
        .map(|(rank, _)| (rank.clone(), Value::Null))
        .collect();
    json!({
        "differs": number(&one["differs"]),
        "groups": groups.collect::<Vec<_>>(),
        "first": first.is_object().then(|| json!({
            "index": number(&first["index"]),
            "compile_id": compile_id(&first["compile_id"]),
            "by_rank": by_rank,
        })),
    })
}
