//! The facts in report.json that only the report of a job needs.

use crate::analysis::{builds, pauses, resumed};
use crate::model::{CollectiveCalls, CompileIndex, InputTensor, Model, Stretch};
use crate::report::subject::Report;
use indexmap::IndexMap;
use serde_json::{Map, Value, json};

/// Adds the facts; null where the log holds no such event.
pub(super) fn add(report: Report<'_>, facts: &mut Map<String, Value>) {
    let model = report.model;
    let calls = model.cross_rank.in_code.iter().map(calls).collect();
    let folders = model.cross_rank.cache_folders.iter().map(|folder| json!(folder)).collect();
    let keys = model.caches.iter().map(|lookup| {
        let id = lookup.compile.as_ref().map(ToString::to_string);
        json!([id, lookup.cache, lookup.key, lookup.asked_ns])
    });
    facts.insert("names".to_owned(), or_null(names(report)));
    facts.insert("inputs".to_owned(), or_null(inputs(model)));
    facts.insert("process_groups".to_owned(), or_null(calls));
    facts.insert("cache_keys".to_owned(), or_null(keys.collect()));
    facts.insert("cache_folders".to_owned(), or_null(folders));
    facts.insert("builds".to_owned(), stretches(&builds(model)));
    facts.insert("pauses".to_owned(), stretches(&pauses(model)));
    facts.insert("end".to_owned(), end(report));
}

fn or_null(values: Vec<Value>) -> Value {
    if values.is_empty() { Value::Null } else { Value::Array(values) }
}

/// What the reader calls functions that torch calls otherwise, or that a library defines: id, name, and the reader's line
/// that leads there. What a name says itself, such as that a function was resumed, is not repeated.
fn names(report: Report<'_>) -> Vec<Value> {
    let compiles = report.model.compiles.indexed();
    let names = compiles.filter_map(|(index, compile)| {
        let name = report.found.names.at(index)?;
        let torch = compile.function.as_ref().map(|function| function.name.as_str());
        let same = torch.is_some_and(|torch| resumed(torch).map_or(torch, |(base, _)| base) == name.title);
        if same && name.called.is_none() {
            return None;
        }
        let called = name.called.as_ref();
        let file = called.and_then(|place| place.file.as_deref());
        Some(json!([compile.id.as_ref()?.to_string(), name.title, file, called.and_then(|place| place.line)]))
    });
    names.collect()
}

/// The input tensors of each compile's last attempt: name, dtype, sizes, strides.
fn inputs(model: &Model) -> Vec<Value> {
    let mut by_compile: IndexMap<CompileIndex, Vec<Value>> = IndexMap::new();
    for input in &model.shapes.inputs {
        by_compile.entry(input.compile).or_default().push(tensor(input));
    }
    let id = |compile: CompileIndex| model.compiles.get(compile)?.id.as_ref().map(ToString::to_string);
    let entries = by_compile.into_iter();
    entries.map(|(compile, tensors)| json!({ "compile_id": id(compile), "tensors": tensors })).collect()
}

fn tensor(input: &InputTensor) -> Value {
    let list = |numbers: &[String]| format!("[{}]", numbers.join(","));
    let strides = input.strides.as_deref().map(list);
    json!([input.source, input.dtype, list(&input.sizes), strides])
}

fn calls(graph: &CollectiveCalls) -> Value {
    let calls: Vec<Value> = graph.calls.iter().map(|call| json!([call.operation, call.group])).collect();
    json!({ "graph": graph.graph, "calls": calls })
}

fn stretches(stretches: &[Stretch]) -> Value {
    or_null(stretches.iter().map(|one| json!([one.start_us, one.end_us])).collect())
}

fn end(report: Report<'_>) -> Value {
    let model = report.model;
    let Some(end) = &report.found.end else { return Value::Null };
    let compile = end.compile.and_then(|compile| model.compiles.get(compile));
    let id = compile.and_then(|compile| compile.id.as_ref()).map(ToString::to_string);
    let phases: Vec<&str> = end.phases.iter().map(|phase| &*phase.name).collect();
    let open_s: Vec<f64> = end.phases.iter().map(|phase| phase.at_least_s).collect();
    json!({ "event": end.event, "compile_id": id, "inside": end.inside, "phases": phases, "open_s": open_s })
}
