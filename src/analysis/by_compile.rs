//! What the model's lists say about each compile: an index of breaks, failures, cache lookups and so on.

use crate::model::{CacheLookup, Compile, CompileIndex, Failure, GraphBreak, Model, Recompile, Restart};
use crate::trace::{CompileId, FrameId, TextMap};
use fxhash::FxHashMap;

/// Entries of the model's lists by compile, so that nobody has to search the lists for each compile.
pub struct ByCompile<'m> {
    of: FxHashMap<CompileIndex, OfCompile<'m>>,
    /// Compiles of each frame, in order: a function with its recompiles.
    frames: TextMap<FrameId, Vec<CompileIndex>>,
}

/// What the lists say about one compile, each in log order.
#[derive(Default)]
pub struct OfCompile<'m> {
    /// What caches answered.
    pub caches: Vec<&'m CacheLookup>,
    /// Why it is a recompile.
    pub recompiles: Vec<&'m Recompile>,
    /// Where its graph broke.
    pub breaks: Vec<&'m GraphBreak>,
    /// How it failed.
    pub failures: Vec<&'m Failure>,
    /// Why its tracing began anew.
    pub restarts: Vec<&'m Restart>,
    /// Its phases: indices into the model's spans, each after the span around it.
    pub spans: Vec<usize>,
}

impl<'m> ByCompile<'m> {
    /// Reads the lists once.
    pub fn of(model: &'m Model) -> Self {
        let of = model.compiles.indices().map(|index| (index, OfCompile::default())).collect();
        let mut found = ByCompile { of, frames: TextMap::default() };
        let at = |id: &Option<CompileId>| model.by_id.get(id).copied();
        for entry in &model.caches {
            found.add(Some(entry.artifact.compile), |e| e.caches.push(entry));
        }
        for entry in &model.recompiles {
            found.add(at(&entry.compile), |e| e.recompiles.push(entry));
        }
        for entry in &model.graph_breaks {
            for id in &entry.compiles {
                found.add(at(id), |e| e.breaks.push(entry));
            }
        }
        for entry in &model.failures {
            found.add(at(&entry.compile), |e| e.failures.push(entry));
        }
        for entry in &model.restarts {
            found.add(at(&entry.compile), |e| e.restarts.push(entry));
        }
        // A span without a compile belongs to that of the span around it.
        let mut owners: Vec<Option<CompileIndex>> = Vec::with_capacity(model.spans.len());
        for (index, span) in model.spans.iter().enumerate() {
            let owner = span.compile.or_else(|| owners.get(span.parent?).copied().flatten());
            owners.push(owner);
            found.add(owner, |e| e.spans.push(index));
        }
        for (index, compile) in model.compiles.indexed() {
            if let Some(frame) = frame(compile) {
                found.frames.entry(frame).or_default().push(index);
            }
        }
        found
    }

    fn add(&mut self, compile: Option<CompileIndex>, take: impl FnOnce(&mut OfCompile<'m>)) {
        if let Some(entry) = compile.and_then(|index| self.of.get_mut(&index)) {
            take(entry);
        }
    }

    /// What the lists say about a compile.
    pub fn at(&self, index: CompileIndex) -> Option<&OfCompile<'m>> {
        self.of.get(&index)
    }

    /// The compiles of the same frame, itself among them, in order.
    pub fn of_frame(&self, compile: &Compile) -> &[CompileIndex] {
        frame(compile).and_then(|frame| self.frames.get(&frame)).map_or(&[], Vec::as_slice)
    }
}

/// The frame of a compile; a capture of compiled autograd has none.
fn frame(compile: &Compile) -> Option<FrameId> {
    compile.id.as_ref().filter(|id| id.has_frame()).map(CompileId::frame)
}
