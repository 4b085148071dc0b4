//! Facts about each graph: its inputs, what its operations return, its collectives, its cache lookups.
//!
//! Ranks may compile the same functions under different ids and in a different order. So these lists are sorted by the order
//! in which the ranks of the job first compile each graph.

use super::places::Places;
use crate::facts::ranks::{FactValue, KeyLookup, Step, TensorFact, Texts};
use crate::facts::{Graph, LogReport};
use crate::model::stable;
use crate::trace::TextSet;

/// The cache whose keys are compared. Its keys depend only on what was compiled; those of other caches also on how.
const FX_CACHE: &str = "fx_graph";

/// Once the texts of a job have this many bytes, the operations of a graph that no earlier rank had are kept only as a hash.
/// Otherwise a thousand ranks with different sizes would fill the memory.
const MOST_TEXT: usize = 32 << 20;

/// The graphs whose operations are kept in full, by a hash of them.
#[derive(Default)]
pub(super) struct GraphsInFull(TextSet<[u8; 16]>);

/// A fact about a graph, by the id of its compile.
pub(super) fn step(texts: &mut Texts, places: &Places<'_>, id: Option<&str>, value: FactValue) -> Step {
    Step {
        compile: texts.add_maybe(id),
        graph: id.and_then(|id| places.graph(id)),
        value: Some(value),
        note: None,
    }
}

/// The list in the order of the job's graphs.
pub(super) fn in_order(mut steps: Vec<Step>) -> Vec<Step> {
    steps.sort_by_key(|step| step.graph);
    steps
}

/// The input tensors of each compile.
pub(super) fn inputs(texts: &mut Texts, places: &Places<'_>, report: &LogReport<'_>) -> Vec<Step> {
    let mut steps = Vec::new();
    for compile in report.cross_rank.inputs.iter().flatten() {
        let id = compile.compile_id.as_deref();
        let graph = id.and_then(|id| places.graph(id));
        for input in &compile.tensors {
            let tensor = TensorFact {
                dtype: texts.add(&input.dtype),
                sizes: Some(texts.add(&input.sizes)),
                strides: texts.add_maybe(input.strides.as_deref()),
            };
            let name = texts.add(&stable(&input.name));
            steps.push(step(texts, places, id, FactValue::Input { graph, name, tensor }));
        }
    }
    in_order(steps)
}

/// The process groups in which generated code calls collectives.
pub(super) fn process_groups(texts: &mut Texts, places: &Places<'_>, report: &LogReport<'_>) -> Vec<Step> {
    let mut steps = Vec::new();
    for code in report.cross_rank.process_groups.iter().flatten() {
        let id = places.compile_of(&code.graph);
        for call in &code.calls {
            let Some(group) = call.group.as_deref() else { continue };
            let value = FactValue::Call {
                graph: places.graph(id),
                operation: texts.add(&call.operation),
                group: texts.add(group),
            };
            steps.push(step(texts, places, Some(id), value));
        }
    }
    in_order(steps)
}

/// The keys that were looked up in the cache of FX graphs.
pub(super) fn cache_keys(texts: &mut Texts, places: &Places<'_>, report: &LogReport<'_>) -> Vec<Step> {
    let lookups = report.cross_rank.cache_keys.iter().flatten();
    let lookups = lookups.filter(|lookup| &*lookup.cache == FX_CACHE);
    let steps = lookups.filter_map(|lookup| {
        let id = lookup.id.as_deref();
        let value = FactValue::Key {
            graph: id.and_then(|id| places.graph(id)),
            cache: texts.add(&lookup.cache),
            key: texts.add(lookup.key.as_deref()?),
        };
        Some(step(texts, places, id, value))
    });
    in_order(steps.collect())
}

/// The same with results and times.
pub(super) fn key_lookups(texts: &mut Texts, places: &Places<'_>, report: &LogReport<'_>) -> Vec<KeyLookup> {
    let cross = &report.cross_rank;
    let answers = cross.cache.iter().flatten().zip(cross.cache_keys.iter().flatten());
    let lookups = answers.filter(|(_, asked)| &*asked.cache == FX_CACHE).filter_map(|(answer, asked)| {
        Some(KeyLookup {
            graph: asked.id.as_deref().and_then(|id| places.graph(id)),
            key: texts.add(asked.key.as_deref()?),
            hit: &*answer.outcome == "hit",
            asked_ns: asked.asked_ns,
        })
    });
    lookups.collect()
}

/// Scheduled collectives in the order in which their graphs were compiled. The note of each is its process group, as
/// the code of the graph has it.
pub(super) fn collectives(
    texts: &mut Texts,
    places: &Places<'_>,
    graphs: &[Graph<'_>],
    report: &LogReport<'_>,
) -> Vec<Step> {
    let mut steps = Vec::new();
    for graph in graphs {
        let id = places.compile_of(&graph.graph);
        let codes = report.cross_rank.process_groups.iter().flatten();
        let calls = codes.filter(|code| code.graph == graph.graph).flat_map(|code| &code.calls);
        let mut calls = calls.filter(|call| call.group.is_some()).peekable();
        for operation in &graph.ops {
            let value = FactValue::Collective(texts.add(operation));
            let group = calls.next_if(|call| call.operation == *operation);
            let note = group.and_then(|call| call.group.as_deref()).map(|group| texts.add(group));
            steps.push(Step { note, ..step(texts, places, Some(id), value) });
        }
    }
    steps
}

/// What the operations of graphs return.
pub(super) fn outputs(
    texts: &mut Texts,
    places: &Places<'_>,
    graphs: &[Graph<'_>],
    in_full: &mut GraphsInFull,
) -> Vec<Step> {
    let mut steps = Vec::new();
    for entry in graphs {
        let id = places.compile_of(&entry.graph);
        let graph = places.graph(id);
        let mut hash = md5::Context::new();
        entry.ops.iter().for_each(|operation| hash.consume(format!("{}\n", &**operation)));
        let md5 = hash.finalize();
        if texts.bytes() > MOST_TEXT && !in_full.0.contains(&md5.0) {
            let count = entry.ops.len() as u64;
            let value = FactValue::Hashed { graph, count, md5: texts.add(&format!("{md5:x}")) };
            steps.push(step(texts, places, Some(id), value));
            continue;
        }
        in_full.0.insert(md5.0);
        for operation in &entry.ops {
            let (name, outputs) = returned(texts, operation);
            let value =
                FactValue::Output { graph, operation: texts.add(name), outputs: texts.add_tensors(outputs) };
            steps.push(step(texts, places, Some(id), value));
        }
    }
    in_order(steps)
}

/// An operation and what it returns, as report.json describes tensors: `mm: float32[8,8]/[8,1], float32[8]/[1]`.
fn returned<'t>(texts: &mut Texts, operation: &'t str) -> (&'t str, Vec<TensorFact>) {
    // Names of operators may hold colons; descriptions of tensors have none.
    let (name, outputs) = operation.rsplit_once(": ").unwrap_or((operation, ""));
    let outputs = outputs.split(", ").filter(|output| !output.is_empty());
    (name, outputs.map(|output| tensor(texts, output)).collect())
}

/// `float32[8,16]/[16,1]`; a text of another form is kept whole.
fn tensor(texts: &mut Texts, text: &str) -> TensorFact {
    let parts = text.split_once("]/[").and_then(|(before, strides)| {
        let (dtype, sizes) = before.split_once('[')?;
        Some((dtype, format!("[{sizes}]"), format!("[{strides}")))
    });
    match parts {
        Some((dtype, sizes, strides)) => TensorFact {
            dtype: texts.add(dtype),
            sizes: Some(texts.add(&sizes)),
            strides: Some(texts.add(&strides)),
        },
        None => TensorFact { dtype: texts.add(text), sizes: None, strides: None },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_is_read_into_its_parts_and_shown_as_it_was() {
        let mut texts = Texts::default();
        for text in ["float32[8,16]/[16,1]", "?[]/[]", "float16[s0//2]/[1]", "something else"] {
            let tensor = tensor(&mut texts, text);
            assert_eq!(tensor.text(&texts), text);
        }
        let (name, outputs) = returned(&mut texts, "ns::mm: f: float32[s0//2,8]/[8,1], ?[]/[]");
        assert_eq!((name, outputs.len()), ("ns::mm: f", 2));
        assert_eq!(outputs[0].without_strides(&texts), "float32[s0//2,8]");
    }
}
