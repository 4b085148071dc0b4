//! `cross_rank` of report.json: the facts that only the report of a job needs.

use crate::analysis::{Parity, builds, pauses, resumed};
use crate::model::{CollectiveCalls, Compile, GraphOps, InputTensor, Model, Stretch};
use crate::report::data::entries::{Each, EachOrNull, id_text};
use crate::report::data::execution::execution;
use crate::report::subject::Report;
use crate::trace::{Md5, OrderedMap};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

/// What a comparison of ranks needs; null where the log holds no such event.
pub(super) struct CrossRank<'m>(pub Report<'m>);

impl Serialize for CrossRank<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let report = self.0;
        let model = report.model;
        let facts = &model.cross_rank;
        let outcomes =
            || model.caches.iter().map(|c| json!([id_text(&c.compile), c.cache, c.outcome.word()]));
        let keys = || model.caches.iter().map(|c| json!([id_text(&c.compile), c.cache, c.key, c.asked_ns]));
        let collectives = || facts.collectives.iter().map(|c| json!({ "graph": c.graph, "ops": c.ops }));
        let tensor_meta = || facts.tensor_meta.iter().map(|t| json!({ "graph": t.graph, "ops": t.ops }));
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("compiles", &Each(|| model.identified().map(compile)))?;
        map.serialize_entry("cache", &EachOrNull(outcomes))?;
        map.serialize_entry("collectives", &EachOrNull(collectives))?;
        map.serialize_entry("tensor_meta", &EachOrNull(tensor_meta))?;
        map.serialize_entry("execution", &execution(report))?;
        map.serialize_entry("runtime", &EachOrNull(|| facts.runtime.iter().map(runtime)))?;
        map.serialize_entry("parity", &EachOrNull(|| report.found.parity.iter().map(parity)))?;
        map.serialize_entry("configs", &last_configs(model))?;
        map.serialize_entry("names", &EachOrNull(|| names(report)))?;
        map.serialize_entry("inputs", &Inputs(model))?;
        map.serialize_entry("process_groups", &EachOrNull(|| facts.in_code.iter().map(calls)))?;
        map.serialize_entry("cache_keys", &EachOrNull(keys))?;
        map.serialize_entry("cache_folders", &EachOrNull(|| facts.cache_folders.iter()))?;
        map.serialize_entry("builds", &stretches(&builds(model)))?;
        map.serialize_entry("pauses", &stretches(&pauses(model)))?;
        map.serialize_entry("end", &end(report))?;
        map.end()
    }
}

fn compile(compile: &Compile) -> Value {
    let function = compile.function.as_ref();
    json!([
        id_text(&compile.id),
        function.map(|f| &f.name),
        function.and_then(|f| f.file.as_ref()),
        function.and_then(|f| f.line),
    ])
}

fn runtime(graph: &GraphOps) -> Value {
    let ops = graph.ops.iter().map(|op| json!({ "name": op.name, "type": op.kind, "ns": op.ns }));
    json!({ "graph": graph.graph, "ops": ops.collect::<Vec<_>>() })
}

/// Scheduled collectives of a graph beside those of its code.
fn parity(graph: &Parity) -> Value {
    json!({
        "compile_id": graph.compile_id,
        "scheduled": graph.scheduled,
        "in_code": graph.in_code,
        "missing_waits": graph.missing_waits,
    })
}

/// The last configuration of each name.
fn last_configs(model: &Model) -> Value {
    let records = model.compiles.iter().flat_map(|c| &c.metrics);
    let mut last: OrderedMap<&str, (u64, Md5)> = OrderedMap::default();
    for record in records {
        for (name, md5) in record.configs.iter().filter(|(name, _)| *name != "inductor_provenance") {
            let known = last.entry(name).or_insert((record.line, *md5));
            if record.line >= known.0 {
                *known = (record.line, *md5);
            }
        }
    }
    if last.is_empty() {
        return Value::Null;
    }
    last.into_iter().map(|(name, (_, md5))| (name.to_owned(), json!(md5.to_string()))).collect()
}

/// What the reader calls functions that torch calls otherwise, or that a library defines: id, name, and the reader's line
/// that leads there. What a name says itself, such as that a function was resumed, is not repeated.
fn names(report: Report<'_>) -> impl Iterator<Item = Value> {
    report.model.compiles.indexed().filter_map(move |(index, compile)| {
        let name = report.found.names.at(index)?;
        let torch = compile.function.as_ref().map(|function| function.name.as_str());
        let same = torch.is_some_and(|torch| resumed(torch).map_or(torch, |(base, _)| base) == name.title);
        if same && name.called.is_none() {
            return None;
        }
        let called = name.called.as_ref();
        let file = called.and_then(|place| place.file.as_deref());
        Some(json!([compile.id.as_ref()?.to_string(), name.title, file, called.and_then(|place| place.line)]))
    })
}

/// The input tensors of each compile's last attempt: name, dtype, sizes, strides.
struct Inputs<'m>(&'m Model);

impl Serialize for Inputs<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Inputs(model) = self;
        let entry = |compile: &Compile| {
            let tensors: Vec<Value> = compile.inputs.iter().map(tensor).collect();
            json!({ "compile_id": id_text(&compile.id), "tensors": tensors })
        };
        let compiles = || model.compiles.iter().filter(|compile| !compile.inputs.is_empty());
        EachOrNull(|| compiles().map(entry)).serialize(serializer)
    }
}

fn tensor(input: &InputTensor) -> Value {
    let list = |numbers: &[String]| format!("[{}]", numbers.join(","));
    let strides = input.tensor.strides.as_deref().map(list);
    json!([&*input.source, input.tensor.dtype, list(&input.tensor.sizes), strides])
}

fn calls(graph: &CollectiveCalls) -> Value {
    let calls: Vec<Value> = graph.calls.iter().map(|call| json!([call.operation, call.group])).collect();
    json!({ "graph": graph.graph, "calls": calls })
}

fn stretches(stretches: &[Stretch]) -> impl Serialize + '_ {
    EachOrNull(|| stretches.iter().map(|one| json!([one.start_us, one.end_us])))
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
