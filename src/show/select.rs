//! The part of a `report.json` that a subject selects.

use super::subject::Subject;
use serde_json::{Map, Value, json};

/// Lists whose entries belong to compiles.
const OF_COMPILES: [&str; 6] = ["findings", "graph_breaks", "recompiles", "failures", "restarts", "caches"];

/// The part of a log's report, by the keys of the JSON.
pub fn facts(subject: &Subject, report: &Value) -> Map<String, Value> {
    let mut facts = Map::new();
    let mut keep = |keys: &[&str]| {
        for key in keys {
            facts.insert((*key).to_owned(), report[*key].clone());
        }
    };
    match subject {
        Subject::Overview | Subject::Rank(_) => {
            keep(&["torch", "log", "findings"]);
            facts.insert("counts".to_owned(), counts(report));
        }
        Subject::Breaks => keep(&["graph_breaks"]),
        Subject::Recompiles => keep(&["recompiles"]),
        Subject::Failures => keep(&["failures", "restarts"]),
        Subject::Caches => keep(&["caches"]),
        Subject::Time => keep(&["compile_time"]),
        Subject::Kernels => {
            facts.insert("kernels".to_owned(), kernels(report));
            facts.insert("measured_kernels".to_owned(), report["performance"]["kernels"].clone());
        }
        Subject::Compile(id) => of_compiles(&mut facts, report, |compile| compile["id"] == id.as_str()),
        Subject::Function(name) => {
            let is_called = |compile: &Value| compile["function"]["name"] == name.as_str();
            if list(report, "compiles").iter().any(is_called) {
                of_compiles(&mut facts, report, is_called);
            } else {
                let holds = |compile: &Value| {
                    compile["function"]["name"].as_str().is_some_and(|own| own.contains(name.as_str()))
                };
                of_compiles(&mut facts, report, holds);
            }
        }
    }
    facts
}

/// Whether the named subject exists: it needs a compile.
pub fn has_named(facts: &Map<String, Value>) -> bool {
    facts.get("compiles").and_then(Value::as_array).is_none_or(|compiles| !compiles.is_empty())
}

/// Adds some compiles, and the entries of all lists that belong to them.
fn of_compiles(facts: &mut Map<String, Value>, report: &Value, wanted: impl Fn(&Value) -> bool) {
    let compiles: Vec<Value> = list(report, "compiles").iter().filter(|one| wanted(one)).cloned().collect();
    let ids: Vec<&str> = compiles.iter().filter_map(|compile| compile["id"].as_str()).collect();
    let is_of = |id: &Value| id.as_str().is_some_and(|id| ids.contains(&id));
    for key in OF_COMPILES {
        let belongs =
            |entry: &&Value| is_of(&entry["compile_id"]) || list(entry, "compile_ids").iter().any(is_of);
        let entries: Vec<Value> = list(report, key).iter().filter(belongs).cloned().collect();
        facts.insert(key.to_owned(), entries.into());
    }
    facts.insert("compiles".to_owned(), compiles.into());
}

/// The entries of a list.
pub fn list<'v>(of: &'v Value, key: &str) -> &'v [Value] {
    of[key].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// The length of each list.
fn counts(report: &Value) -> Value {
    let mut counts = Map::new();
    for key in ["compiles", "graph_breaks", "recompiles", "failures", "restarts", "caches"] {
        counts.insert(key.to_owned(), list(report, key).len().into());
    }
    // The entry for records without a compile id does not count.
    let compiles = list(report, "compiles").iter().filter(|one| one["id"].is_string()).count();
    counts.insert("compiles".to_owned(), compiles.into());
    counts.insert("compile_seconds".to_owned(), report["compile_time"]["total_s"].clone());
    counts.into()
}

/// The kernels of all compiles.
fn kernels(report: &Value) -> Value {
    let of_compile = |compile: &Value| -> Vec<Value> {
        let kernels = compile["kernels"].as_object().into_iter().flatten();
        kernels
            .map(|(name, count)| json!({ "compile_id": compile["id"], "name": name, "count": count }))
            .collect()
    };
    list(report, "compiles").iter().flat_map(of_compile).collect::<Vec<_>>().into()
}
