//! Facts about each graph: its inputs, what its operations return, its collectives, its cache lookups.
//!
//! Ranks may compile the same functions under different ids and in a different order. So these lists are sorted by the order
//! in which the ranks of the job first compile each graph.

use super::facts::{FactReader, in_order};
use crate::facts::ranks::{FactValue, KeyLookup, Step, TensorFact, Texts};
use crate::facts::{CodeKey, Compile};
use crate::model::stable;
use crate::trace::TextSet;

/// The cache whose keys are compared. Its keys depend only on what was compiled; those of other caches also on how.
const FX_CACHE: &str = "fx_graph";

/// Once the texts of a job have this many bytes, the operations of a graph that no earlier rank had are kept only as a hash.
/// Otherwise a thousand ranks with different sizes would fill the memory.
const MOST_TEXT: usize = 32 << 20;

impl FactReader<'_, '_> {
    /// The input tensors of each compile.
    pub fn inputs(&mut self) -> Option<Vec<Step>> {
        let mut steps = Vec::new();
        for compile in self.report.cross_rank.inputs.as_ref()? {
            let id = compile.compile_id.as_deref();
            for input in &compile.tensors {
                let tensor = TensorFact {
                    dtype: self.texts.add(&input.dtype),
                    sizes: Some(self.texts.add(&input.sizes)),
                    strides: self.texts.add_maybe(input.strides.as_deref()),
                };
                let name = self.texts.add(&stable(&input.name));
                steps.push(self.step(id, FactValue::Input { name, tensor }));
            }
        }
        // Ranks may read the same inputs in another order.
        steps.sort_by_cached_key(|step| match step.value {
            Some(FactValue::Input { name, .. }) => self.texts.get(name).to_owned(),
            _ => String::new(),
        });
        Some(self.with_gaps(steps))
    }

    /// The texts of which the reports have a hash.
    pub fn texts_of(
        &mut self,
        hash: impl for<'c> Fn(&'c CodeKey<'_>) -> Option<&'c str>,
    ) -> Option<Vec<Step>> {
        let report = self.report;
        let steps = report.cross_rank.code.as_ref()?.iter().filter_map(|code| {
            let hash = self.texts.add(hash(code)?);
            Some(self.step(Some(&code.id), FactValue::Text(hash)))
        });
        let steps: Vec<Step> = steps.collect();
        (!steps.is_empty()).then(|| self.with_gaps(steps))
    }

    /// The process groups in which generated code calls collectives.
    pub fn process_groups(&mut self) -> Vec<Step> {
        let mut steps = Vec::new();
        for code in self.report.cross_rank.process_groups.iter().flatten() {
            let id = Some(self.places.compile_of(&code.graph));
            for call in &code.calls {
                let Some(group) = call.group.as_deref() else { continue };
                let (operation, group) = (self.texts.add(&call.operation), self.texts.add(group));
                steps.push(self.step(id, FactValue::Call { operation, group }));
            }
        }
        // Code that calls nothing of what was scheduled was cut off.
        let scheduled =
            self.report.cross_rank.collectives.iter().flatten().filter(|graph| !graph.ops.is_empty());
        let scheduled: TextSet<&str> = scheduled.map(|graph| self.places.compile_of(&graph.graph)).collect();
        steps.extend(self.gaps(&steps, |id, compile| {
            !scheduled.contains(id) && (has_code(compile) || !has_graph(compile))
        }));
        in_order(steps)
    }

    /// The keys that were looked up in the cache of FX graphs.
    pub fn cache_keys(&mut self) -> Option<Vec<Step>> {
        let lookups = self.report.cross_rank.cache_keys.as_ref()?;
        let steps = lookups.iter().filter(|lookup| &*lookup.cache == FX_CACHE).filter_map(|lookup| {
            let (cache, key) = (self.texts.add(&lookup.cache), self.texts.add(lookup.key.as_deref()?));
            Some(self.step(lookup.id.as_deref(), FactValue::Key { cache, key }))
        });
        let steps = steps.collect();
        Some(self.with_gaps(steps))
    }

    /// The same with results and times.
    pub fn key_lookups(&mut self) -> Vec<KeyLookup> {
        let cross = &self.report.cross_rank;
        let stored = cross.cache_stored_ns.iter().flatten().copied().chain(std::iter::repeat(None));
        let answers = cross.cache.iter().flatten().zip(cross.cache_keys.iter().flatten()).zip(stored);
        let lookups = answers.filter(|((_, asked), _)| &*asked.cache == FX_CACHE);
        let lookups = lookups.filter_map(|((answer, asked), stored_ns)| {
            Some(KeyLookup {
                graph: self.graph(asked.id.as_deref()),
                key: self.texts.add(asked.key.as_deref()?),
                hit: &*answer.outcome == "hit",
                asked_ns: asked.asked_ns,
                stored_ns,
            })
        });
        lookups.collect()
    }

    /// Scheduled collectives in the order in which their graphs were compiled. The note of each is its process group, as
    /// the code of the graph has it. A compile has none whose code calls none; a schedule that its code contradicts says nothing.
    pub fn collectives(&mut self) -> Vec<Step> {
        let cross = &self.report.cross_rank;
        let refuted = cross.parity.iter().flatten().filter(|one| one.is_refuted());
        let refuted: TextSet<&str> = refuted.filter_map(|one| one.compile_id.as_deref()).collect();
        let mut steps = Vec::new();
        for graph in cross.collectives.iter().flatten() {
            let id = self.places.compile_of(&graph.graph);
            let codes = cross.process_groups.iter().flatten();
            let calls = codes.filter(|code| code.graph == graph.graph).flat_map(|code| &code.calls);
            let mut calls = calls.filter(|call| call.group.is_some()).peekable();
            for operation in graph.ops.iter().filter(|_| !refuted.contains(id)) {
                let value = FactValue::Collective(self.texts.add(operation));
                let group = calls.next_if(|call| call.operation == *operation);
                let note = group.and_then(|call| call.group.as_deref()).map(|group| self.texts.add(group));
                steps.push(Step { note, ..self.step(Some(id), value) });
            }
        }
        let with_calls = cross.process_groups.iter().flatten().filter(|code| !code.calls.is_empty());
        let with_calls: TextSet<&str> = with_calls.map(|code| self.places.compile_of(&code.graph)).collect();
        steps.extend(self.gaps(&steps, |id, compile| {
            !with_calls.contains(id) && (has_code(compile) || !has_graph(compile))
        }));
        steps
    }

    /// What the operations of graphs return.
    pub fn outputs(&mut self) -> Option<Vec<Step>> {
        let mut steps = Vec::new();
        for entry in self.report.cross_rank.tensor_meta.as_ref()? {
            let id = Some(self.places.compile_of(&entry.graph));
            let mut hash = md5::Context::new();
            entry.ops.iter().for_each(|operation| hash.consume(format!("{}\n", &**operation)));
            let md5 = hash.finalize();
            if self.texts.bytes() > MOST_TEXT && !self.in_full.0.contains(&md5.0) {
                let count = entry.ops.len() as u64;
                let md5 = self.texts.add(&format!("{md5:x}"));
                steps.push(self.step(id, FactValue::Hashed { count, md5 }));
                continue;
            }
            self.in_full.0.insert(md5.0);
            for operation in &entry.ops {
                let (name, outputs) = returned(self.texts, operation);
                let (operation, outputs) = (self.texts.add(name), self.texts.add_tensors(outputs));
                steps.push(self.step(id, FactValue::Output { operation, outputs }));
            }
        }
        Some(self.with_gaps(steps))
    }
}

/// Whether Inductor wrote code for the compile.
fn has_code(compile: &Compile<'_>) -> bool {
    compile.artifacts.iter().any(|one| one.name.starts_with("inductor_output_code"))
}

/// Whether something was captured that code may be written for.
fn has_graph(compile: &Compile<'_>) -> bool {
    compile.artifacts.iter().any(|one| one.name.ends_with("_graph"))
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
