//! What the lists of the model say about each compile, looked up once for all pages.

use crate::model::{CacheLookup, Compile, Failure, GraphBreak, Model, Recompile, Restart};
use crate::trace::CompileId;
use fxhash::FxHashMap;

/// Entries of the model's lists by compile, so that a page does not search them.
pub(crate) struct Evidence<'m> {
    of: Vec<OfCompile<'m>>,
    /// Compiles of each frame, in order: a function with its recompiles.
    frames: FxHashMap<String, Vec<usize>>,
}

/// What the lists say about one compile, each in log order.
#[derive(Default)]
pub(crate) struct OfCompile<'m> {
    /// What caches answered.
    pub(crate) caches: Vec<&'m CacheLookup>,
    /// Why it is a recompile.
    pub(crate) recompiles: Vec<&'m Recompile>,
    /// Where its graph broke.
    pub(crate) breaks: Vec<&'m GraphBreak>,
    /// How it failed.
    pub(crate) failures: Vec<&'m Failure>,
    /// Why its tracing began anew.
    pub(crate) restarts: Vec<&'m Restart>,
    /// Its phases: indices into the model's spans, each after the span around it.
    pub(crate) spans: Vec<usize>,
}

impl<'m> Evidence<'m> {
    /// Reads the lists once.
    pub(crate) fn of(model: &'m Model) -> Self {
        let mut of: Vec<OfCompile<'m>> = Vec::new();
        of.resize_with(model.compiles.len(), OfCompile::default);
        let mut evidence = Evidence { of, frames: FxHashMap::default() };
        let at = |id: &Option<CompileId>| model.by_id.get(id).copied();
        for entry in &model.caches {
            evidence.add(Some(entry.artifact.0), |e| e.caches.push(entry));
        }
        for entry in &model.recompiles {
            evidence.add(at(&entry.compile), |e| e.recompiles.push(entry));
        }
        for entry in &model.graph_breaks {
            for id in &entry.compiles {
                evidence.add(at(id), |e| e.breaks.push(entry));
            }
        }
        for entry in &model.failures {
            evidence.add(at(&entry.compile), |e| e.failures.push(entry));
        }
        for entry in &model.restarts {
            evidence.add(at(&entry.compile), |e| e.restarts.push(entry));
        }
        // A span without a compile belongs to that of the span around it.
        let mut owners: Vec<Option<usize>> = Vec::with_capacity(model.spans.len());
        for (index, span) in model.spans.iter().enumerate() {
            let owner = span.compile.or_else(|| owners.get(span.parent?).copied().flatten());
            owners.push(owner);
            evidence.add(owner, |e| e.spans.push(index));
        }
        for (index, compile) in model.compiles.iter().enumerate() {
            if let Some(frame) = frame(compile) {
                evidence.frames.entry(frame).or_default().push(index);
            }
        }
        evidence
    }

    fn add(&mut self, compile: Option<usize>, take: impl FnOnce(&mut OfCompile<'m>)) {
        if let Some(entry) = compile.and_then(|index| self.of.get_mut(index)) {
            take(entry);
        }
    }

    /// What the lists say about the compile of that index.
    pub(crate) fn at(&self, index: usize) -> Option<&OfCompile<'m>> {
        self.of.get(index)
    }

    /// The compiles of the same frame, itself among them, in order.
    pub(crate) fn chain(&self, compile: &Compile) -> &[usize] {
        frame(compile).and_then(|frame| self.frames.get(&frame)).map_or(&[], Vec::as_slice)
    }
}

/// What the compiles of one function share: the id without its last part.
fn frame(compile: &Compile) -> Option<String> {
    let label = compile.id.as_ref()?.to_string();
    label.rsplit_once('/').map(|(frame, _)| frame.to_owned())
}
