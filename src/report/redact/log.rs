//! The redacted facts of one log: the same keys as in `report.json`, each made of what is safe.

use super::measured::performance;
use super::names::Names;
use super::operators::{dtype, operator, sizes};
use super::titles::{Subject, title};
use super::words::{
    DAMAGE, METRICS, cache, cache_reason, catalog_number, chosen, compile_id, compile_ids, error,
    finding_kind, list, number, part, phase, torch_version,
};
use super::{catalog, guards};
use serde_json::{Map, Value, json};

/// What stands for the name of a log.
const LOG: &str = "log";

/// How much of a log is not in its redacted report.
#[derive(Default)]
pub struct LeftOut {
    /// Graphs, code and other texts that the log has.
    pub files: usize,
    /// Frames of stacks.
    pub frames: usize,
    /// Settings of torch.
    pub settings: usize,
}

/// The facts of a log.
pub fn facts(report: &Value, names: &mut Names) -> Value {
    let compiles: Vec<Value> = list(report, "compiles").iter().map(|one| compile(one, names)).collect();
    json!({
        "schema": number(&report["schema"]),
        "kind": "log",
        "tool": { "name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION") },
        "torch": report["torch"].as_object().map(|_| json!({ "version": torch_version(&report["torch"]["version"]), "commit": null })),
        "log": log(&report["log"]),
        "integrity": integrity(&report["integrity"]),
        "compiles": compiles,
        "configs": {},
        "graph_breaks": list(report, "graph_breaks").iter().map(|one| graph_break(one, names)).collect::<Vec<_>>(),
        "recompiles": list(report, "recompiles").iter().map(|one| recompile(one, names)).collect::<Vec<_>>(),
        "failures": list(report, "failures").iter().map(|one| failure(one, names)).collect::<Vec<_>>(),
        "restarts": list(report, "restarts").iter().map(restart).collect::<Vec<_>>(),
        "caches": list(report, "caches").iter().map(|one| lookup(one, names)).collect::<Vec<_>>(),
        "compile_time": compile_time(&report["compile_time"], names),
        "cross_rank": cross_rank(&report["cross_rank"], names),
        "findings": findings(report, &[report], names),
        "performance": performance(report, names),
    })
}

/// How much of a log is not in its redacted report.
pub fn left_out(report: &Value) -> LeftOut {
    let compiles = list(report, "compiles");
    let frames = |one: &Value, key: &str| list(one, key).len();
    let settings = report["configs"].as_object().into_iter().flatten();
    LeftOut {
        files: compiles.iter().map(|compile| list(compile, "artifacts").len()).sum(),
        frames: compiles.iter().map(|compile| frames(compile, "stack")).sum::<usize>()
            + list(report, "graph_breaks").iter().map(|one| frames(one, "user_stack")).sum::<usize>(),
        settings: settings.map(|(_, config)| config.as_object().map_or(0, Map::len)).sum(),
    }
}

/// The facts of the file, without its name and its times of day.
pub fn log(log: &Value) -> Value {
    if !log.is_object() {
        return Value::Null;
    }
    json!({
        "file": LOG,
        "bytes": number(&log["bytes"]),
        "records": number(&log["records"]),
        "rank": number(&log["rank"]),
        "pids": [],
        "first_time": null,
        "last_time": null,
    })
}

fn integrity(integrity: &Value) -> Value {
    let mut kept: Map<String, Value> =
        DAMAGE.iter().chain(&["ok"]).map(|key| ((*key).to_owned(), number(&integrity[*key]))).collect();
    let problems = list(integrity, "problems")
        .iter()
        .map(|one| json!({ "line": number(&one["line"]), "kind": chosen(&one["kind"]), "detail": "" }));
    kept.insert("events".to_owned(), json!({}));
    kept.insert("artifacts".to_owned(), json!({}));
    kept.insert("unknown_events".to_owned(), json!({}));
    kept.insert("problems".to_owned(), problems.collect::<Vec<_>>().into());
    kept.into()
}

fn compile(one: &Value, names: &mut Names) -> Value {
    let function = &one["function"];
    let function = function.is_object().then(|| {
        json!({
            "name": names.function(&function["name"]),
            "file": names.file(&function["file"]),
            "line": number(&function["line"]),
        })
    });
    // Folders of compiles are not written, so a name of one would lead nowhere.
    let attempts = list(one, "attempts")
        .iter()
        .map(|attempt| json!({ "attempt": number(&attempt["attempt"]), "dir": "-" }));
    let kernels = one["kernels"].as_object().into_iter().flatten();
    let kernels: Map<String, Value> =
        kernels.map(|(name, count)| (names.kernel(name), number(count))).collect();
    json!({
        "id": compile_id(&one["id"]),
        "status": chosen(&one["status"]),
        "function": function,
        "attempts": attempts.collect::<Vec<_>>(),
        "occurrences": number(&one["occurrences"]),
        "graph_breaks": number(&one["graph_breaks"]),
        "stack": [],
        "metrics": metrics(one),
        "artifacts": [],
        "time": { "seconds": number(&one["time"]["seconds"]), "parts": parts(&one["time"]) },
        "kernels": kernels,
    })
}

fn parts(time: &Value) -> Value {
    let parts = list(time, "parts").iter();
    parts
        .map(|one| json!({ "name": part(&one["name"]), "seconds": number(&one["seconds"]) }))
        .collect::<Vec<_>>()
        .into()
}

/// Counts and durations of the compiler.
fn metrics(compile: &Value) -> Value {
    let one = |one: &Value| {
        let fields = METRICS.iter().filter(|name| one["fields"][**name].is_number());
        let fields: Map<String, Value> =
            fields.map(|name| ((*name).to_owned(), number(&one["fields"][*name]))).collect();
        json!({
            "kind": chosen(&one["kind"]),
            "attempt": number(&one["attempt"]),
            "line": number(&one["line"]),
            "fields": fields,
        })
    };
    list(compile, "metrics").iter().map(one).collect::<Vec<_>>().into()
}

fn graph_break(one: &Value, names: &mut Names) -> Value {
    let gb_id = catalog_number(&one["gb_id"]);
    json!({
        "reason": catalog::entry(gb_id),
        "context": null,
        "explanation": null,
        "debug_context": null,
        "hints": [],
        "gb_id": gb_id,
        "url": gb_id.map(catalog::address),
        "file": names.file(&one["file"]),
        "line": number(&one["line"]),
        "compile_ids": compile_ids(one, "compile_ids"),
        "count": number(&one["count"]),
        "user_stack": [],
    })
}

fn recompile(one: &Value, names: &mut Names) -> Value {
    let reasons: Vec<Value> = list(one, "reasons")
        .iter()
        .map(|reason| {
            let (source, words) = (&reason["source"], guards::words(reason));
            json!({
                "against": compile_id(&reason["against"]),
                "text": &words,
                "guard": &words,
                "source": source.is_object().then(|| json!({
                    "code": "",
                    "file": names.file(&source["file"]),
                    "line": number(&source["line"]),
                    "function": names.function(&source["function"]),
                })),
                "hint": null,
                "user_stack": [],
            })
        })
        .collect();
    json!({
        "compile_id": compile_id(&one["compile_id"]),
        "function": names.function(&one["function"]),
        "reasons": reasons,
    })
}

fn failure(one: &Value, names: &mut Names) -> Value {
    json!({
        "compile_id": compile_id(&one["compile_id"]),
        "kind": chosen(&one["kind"]),
        "type": error(&one["type"]).unwrap_or("another error"),
        "reason": entry_in(&one["reason"]),
        "file": names.file(&one["file"]),
        "line": number(&one["line"]),
    })
}

/// The entry of torch's catalog whose number a text has.
fn entry_in(text: &Value) -> Option<String> {
    text.as_str().and_then(catalog::number_in).map(|id| catalog::entry(Some(&id)))
}

fn restart(one: &Value) -> Value {
    let reason = entry_in(&one["reason"]).unwrap_or_else(|| "restart".to_owned());
    json!({ "compile_id": compile_id(&one["compile_id"]), "reason": reason })
}

fn lookup(one: &Value, names: &mut Names) -> Value {
    let name = one["cache"].as_str().unwrap_or_default();
    json!({
        "compile_id": compile_id(&one["compile_id"]),
        "attempt": number(&one["attempt"]),
        "cache": cache(&one["cache"]).map_or_else(|| names.other(name), str::to_owned),
        "outcome": chosen(&one["outcome"]),
        "key": null,
        "reason": cache_reason(&one["reason"]),
        "path": "index.html",
    })
}

fn compile_time(time: &Value, names: &mut Names) -> Value {
    let one_off = |one: &Value| {
        json!({
            "kind": chosen(&one["kind"]),
            "compile_id": compile_id(&one["compile_id"]),
            "seconds": number(&one["seconds"]),
            "in_graph_s": number(&one["in_graph_s"]),
        })
    };
    let phases: Vec<Value> = list(time, "phases")
        .iter()
        .map(|one| {
            let name = one["name"].as_str().unwrap_or_default();
            json!({
                "name": phase(&one["name"]).map_or_else(|| names.other(name), str::to_owned),
                "self_s": number(&one["self_s"]),
                "total_s": number(&one["total_s"]),
                "count": number(&one["count"]),
            })
        })
        .collect();
    json!({
        "total_s": number(&time["total_s"]),
        "parts": parts(time),
        "one_offs": list(time, "one_offs").iter().map(one_off).collect::<Vec<_>>(),
        "phases": phases,
    })
}

/// What ranks are compared by, as far as it is made of numbers, shapes and torch's operators. The report of a job says what
/// the other facts came to.
fn cross_rank(facts: &Value, names: &mut Names) -> Value {
    let compiles: Vec<Value> = list(facts, "compiles")
        .iter()
        .map(|one| {
            let id = compile_id(&one[0]);
            json!([id.as_str().unwrap_or("-"), names.function(&one[1]), names.file(&one[2]), number(&one[3])])
        })
        .collect();
    json!({
        "compiles": compiles,
        "cache": null,
        "collectives": known(&facts["collectives"], collectives),
        "tensor_meta": null,
        "execution": null,
        "runtime": known(&facts["runtime"], |one| estimates(one, names)),
        "parity": null,
        "configs": null,
        "names": null,
        "inputs": known(&facts["inputs"], |one| inputs(one, names)),
        "process_groups": null,
        "cache_keys": null,
        "cache_folders": null,
        "builds": null,
        "pauses": null,
        "end": null,
    })
}

/// The entries of a list, or null where the log has none.
fn known(list: &Value, entry: impl FnMut(&Value) -> Value) -> Value {
    list.as_array().map_or(Value::Null, |list| list.iter().map(entry).collect::<Vec<_>>().into())
}

/// The id of a graph, of which a folder is called: `-_0_0_0`.
fn graph_id(graph: &Value) -> Value {
    compile_id(graph).as_str().unwrap_or("-").into()
}

fn collectives(one: &Value) -> Value {
    let calls = list(one, "ops").iter().filter_map(Value::as_str);
    let calls: Vec<String> = calls.map(|call| operator(call).unwrap_or_else(|| "other".to_owned())).collect();
    json!({ "graph": graph_id(&one["graph"]), "ops": calls })
}

fn estimates(one: &Value, names: &mut Names) -> Value {
    let estimate = |of: &Value| {
        let name = names.kernel(of["name"].as_str().unwrap_or_default());
        json!({ "name": name, "type": chosen(&of["type"]), "ns": number(&of["ns"]) })
    };
    json!({ "graph": graph_id(&one["graph"]), "ops": list(one, "ops").iter().map(estimate).collect::<Vec<_>>() })
}

fn inputs(one: &Value, names: &mut Names) -> Value {
    let tensors = list(one, "tensors").iter().map(|tensor| {
        let text = |at: usize| tensor[at].as_str().unwrap_or_default();
        json!([
            names.other(text(0)),
            dtype(text(1)).unwrap_or("other"),
            sizes(text(2)).unwrap_or("other"),
            sizes(text(3)),
        ])
    });
    json!({ "compile_id": compile_id(&one["compile_id"]), "tensors": tensors.collect::<Vec<_>>() })
}

/// The findings. Their titles are made of what `logs` say of their compiles: the log itself, or those of a job's ranks.
pub fn findings(report: &Value, logs: &[&Value], names: &mut Names) -> Value {
    let findings = list(report, "findings").iter().zip(1..);
    findings
        .map(|(finding, number)| one_finding(number, &Subject { finding, logs }, names))
        .collect::<Vec<_>>()
        .into()
}

fn one_finding(place: usize, subject: &Subject<'_>, names: &mut Names) -> Value {
    let one = subject.finding;
    let kind = finding_kind(&one["kind"]);
    let cost = &one["cost"];
    json!({
        "kind": kind,
        "severity": chosen(&one["severity"]),
        "title": title(kind, subject, names),
        "detail": null,
        "file": names.file(&one["file"]),
        "line": number(&one["line"]),
        "compile_ids": compile_ids(one, "compile_ids"),
        "cost": cost.is_object().then(|| json!({
            "seconds": number(&cost["seconds"]),
            "kind": chosen(&cost["kind"]),
            "why": "left out",
        })),
        "hint": null,
        "url": format!("index.html#finding-{place}"),
    })
}
