//! A compiled version of a function, taken apart: the sizes of its inputs, and what its guards require.

use crate::analysis::guard_texts::GuardTexts;
use crate::analysis::recompiles::chain::Step;
use crate::limits::KEPT;
use crate::model::{CompileIndex, InputTensor, Model, Status};
use crate::read::expr::check;
use crate::read::guard_tree::{GuardLine, TensorCheck, read_guard_tree, tensor_check};
use crate::trace::TextMap;
use indexmap::IndexMap;
use std::collections::BTreeSet;

/// A compiled version.
#[derive(Debug)]
pub(super) struct Version<'m> {
    pub compile: CompileIndex,
    /// `0/1`
    pub label: String,
    /// Whether compiling it failed.
    pub failed: bool,
    /// Its input tensors by source: `L['x']`.
    pub inputs: TextMap<&'m str, &'m InputTensor>,
    /// The sizes and numbers that became symbols, if the log has no input tensors.
    hints: TextMap<&'m str, i64>,
    /// Why it was compiled, by the label of the older version whose guard failed.
    pub reasons: TextMap<&'m str, &'m str>,
    /// What its guards require of each tensor.
    pub tensors: IndexMap<&'m str, TensorCheck<'m>>,
    /// Conditions on sizes, and others that Python evaluates.
    pub relations: Vec<&'m str>,
    pub others: BTreeSet<OtherGuard<'m>>,
    /// Addresses of the objects that it checks, by source.
    pub objects: TextMap<&'m str, &'m str>,
}

/// A guard that is neither a tensor's nor a relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct OtherGuard<'m> {
    /// `EQUALS_MATCH`
    pub kind: &'m str,
    /// `L['mode'] == 'mean'`
    pub text: &'m str,
}

impl<'m> Version<'m> {
    /// Reads a step of a chain. None if it was never compiled to an end, so that nothing is known of it.
    pub fn at_step(model: &'m Model, texts: &'m GuardTexts, step: &Step<'m>) -> Option<Version<'m>> {
        let compile = model.compiles.get(step.compile)?;
        let tree = texts.tree(step.compile);
        // torch prints the guards of a compile when it has ended.
        let has_ended = compile.outcome().is_some() || model.log.console.is_some() && tree.is_some();
        if !has_ended {
            return None;
        }
        let inputs = compile.inputs.iter().take(KEPT);
        let mut version = Version {
            compile: step.compile,
            label: compile.label(),
            failed: compile.status == Status::Error || step.over_limit,
            inputs: inputs.map(|input| (&*input.source, input)).collect(),
            hints: TextMap::default(),
            reasons: TextMap::default(),
            tensors: IndexMap::new(),
            relations: Vec::new(),
            others: BTreeSet::new(),
            objects: TextMap::default(),
        };
        for reason in &step.reasons {
            if let Some(against) = &reason.against {
                version.reasons.insert(against, &reason.guard);
            }
        }
        version.read_guards(tree.unwrap_or_default());
        if version.inputs.is_empty() {
            let own = model.shapes.symbols.iter().filter(|one| one.at.compile == step.compile);
            let hints =
                own.filter_map(|one| Some((one.source.as_deref()?, one.hint.as_deref()?.parse().ok()?)));
            version.hints = hints.take(KEPT).collect();
        }
        Some(version)
    }

    fn read_guards(&mut self, tree: &'m str) {
        for node in read_guard_tree(tree) {
            let GuardLine::Guard { kind, text, .. } = node.content else { continue };
            match kind {
                _ if text.is_empty() => {}
                "TENSOR_MATCH" => {
                    if let Some(check) = tensor_check(text)
                        && self.tensors.len() < KEPT
                    {
                        self.tensors.insert(check.source, check);
                    }
                }
                "LAMBDA_GUARD" => self.relations.push(text),
                // Marks are not part of what is proven, and aliases follow from the places.
                _ if kind.starts_with("DIMENSION_DYNAMIC") || kind == "NO_TENSOR_ALIASING" => {}
                _ => {
                    self.note_object(kind, text);
                    self.others.insert(OtherGuard { kind, text });
                }
            }
        }
    }

    fn note_object(&mut self, kind: &str, text: &'m str) {
        if kind == "ID_MATCH"
            && let Some((_, arguments)) = check(text)
            && let [source, address] = arguments.as_slice()
        {
            self.objects.insert(source, address);
        }
    }

    /// Whether it has this tensor as an input.
    pub fn has_input(&self, source: &str) -> bool {
        self.inputs.contains_key(source) || self.inputs.is_empty() && self.tensors.contains_key(source)
    }

    /// The sizes of an input; None if it has none, or they are not numbers. In a log without input tensors, as of console
    /// output, guards have those that are fixed, and symbols the others.
    pub fn sizes(&self, source: &str) -> Option<Vec<i64>> {
        if !self.inputs.is_empty() {
            return numbers(&self.inputs.get(source)?.tensor.sizes);
        }
        let sizes = self.tensors.get(source)?.sizes.iter().enumerate();
        let known = |(dimension, size): (usize, &Option<i64>)| {
            size.or_else(|| self.hints.get(&*format!("{source}.size()[{dimension}]")).copied())
        };
        sizes.map(known).collect()
    }

    /// The strides of an input, as far as they are known.
    pub fn strides(&self, source: &str) -> Option<Vec<Option<i64>>> {
        if !self.inputs.is_empty() {
            let strides = numbers(self.inputs.get(source)?.tensor.strides.as_ref()?)?;
            return Some(strides.into_iter().map(Some).collect());
        }
        Some(self.tensors.get(source)?.strides.clone())
    }

    /// The dimensions that its guards leave open, without those of tensors that views share.
    pub fn open(&self) -> impl Iterator<Item = (&'m str, usize)> {
        let open = self.tensors.iter().filter(|(source, _)| !source.ends_with("._base"));
        open.flat_map(|(source, check)| {
            let open = check.sizes.iter().enumerate().filter(|(_, size)| size.is_none());
            open.map(move |(dimension, _)| (*source, dimension))
        })
    }
}

fn numbers(texts: &[String]) -> Option<Vec<i64>> {
    texts.iter().map(|text| text.parse().ok()).collect()
}
