//! What vLLM compiled: modules, their pieces, and the files of each piece.

use super::Stage;
use crate::model::{
    Artifact, CompileIndex, Content, Model, Outcome, VllmEvent, VllmFact, VllmPass, VllmStart,
};
use crate::trace::{Stamp, TextMap};
use fxhash::FxHashMap;
use std::collections::BTreeMap;

/// Everything about vLLM in a log.
#[derive(Default)]
pub struct Vllm<'m> {
    /// One per call of vLLM's backend, in log order.
    pub modules: Vec<Module<'m>>,
    /// Events without a module, such as a cache hit without a compile.
    pub loose: Vec<&'m VllmEvent>,
}

/// A module compiled by vLLM's backend.
#[derive(Default)]
pub struct Module<'m> {
    pub compile: CompileIndex,
    /// Attempt of that compile.
    pub attempt: u32,
    /// Its configuration, if the log has it.
    pub config: Option<&'m VllmEvent>,
    /// Other events of the module itself: split graphs, patterns, outcomes, and unknown ones.
    pub events: Vec<&'m VllmEvent>,
    /// Compiles of subgraphs, in log order.
    pub pieces: Vec<VllmPiece<'m>>,
    /// Files of its compile outside the pieces: indices into the artifacts.
    pub outside: Vec<usize>,
}

/// A subgraph compiled for a range of sizes, or for one.
pub struct VllmPiece<'m> {
    /// The event that began it.
    pub event: &'m VllmEvent,
    /// The content of that event.
    pub start: &'m VllmStart,
    /// Its files, beginning with the event's own: indices into the artifacts.
    pub files: Vec<usize>,
    /// Graphs after passes of vLLM, in order: the pass and the file.
    pub passes: Vec<(&'m VllmPass, usize)>,
    /// From its start to its last file, microseconds.
    pub us: Option<f64>,
}

impl Vllm<'_> {
    /// Reads the events of a log.
    pub fn of(model: &Model) -> Vllm<'_> {
        let mut compiles: Vec<CompileIndex> = model.vllm.iter().map(|event| event.compile).collect();
        compiles.sort_unstable();
        compiles.dedup();
        let by_file: FxHashMap<(CompileIndex, usize), &VllmEvent> =
            model.vllm.iter().map(|event| ((event.compile, event.artifact), event)).collect();
        let mut all = Vllm::default();
        for index in compiles {
            let Some(compile) = model.compiles.get(index) else { continue };
            let mut attempts: BTreeMap<u32, Reading<'_>> = BTreeMap::new();
            for (at, artifact) in compile.artifacts.iter().enumerate() {
                let reading = attempts
                    .entry(artifact.attempt)
                    .or_insert_with(|| Reading { compile: index, ..Reading::default() });
                match by_file.get(&(index, at)) {
                    Some(event) => reading.event(event),
                    None => reading.file(at, artifact),
                }
            }
            attempts.into_values().for_each(|reading| reading.close(&mut all));
        }
        all.modules.sort_by_key(|module| {
            let line = line(model, module);
            (line.is_none(), line)
        });
        all.modules.iter_mut().for_each(|module| module.time(model));
        all
    }

    pub fn pieces(&self) -> impl Iterator<Item = &VllmPiece<'_>> {
        self.modules.iter().flat_map(|module| &module.pieces)
    }
}

/// The line of the log at which a module begins; None if it has no known record.
fn line(model: &Model, module: &Module<'_>) -> Option<u64> {
    let first = module.config.or(module.events.first().copied()).or(module.pieces.first().map(|p| p.event));
    let artifact = first.and_then(|event| model.compiles.get(event.compile)?.artifacts.get(event.artifact));
    artifact.map(|artifact| artifact.line)
}

/// Reads the files of one attempt of a compile, in log order.
#[derive(Default)]
struct Reading<'m> {
    compile: CompileIndex,
    modules: Vec<Module<'m>>,
    /// Outcomes that precede the configuration of their module.
    outcomes: Vec<&'m VllmEvent>,
    /// Files before the first module.
    before: Vec<usize>,
    /// The last piece of each name in the current module.
    named: TextMap<&'m str, usize>,
}

impl<'m> Reading<'m> {
    fn event(&mut self, event: &'m VllmEvent) {
        match &event.fact {
            VllmFact::Config(_) => self.config(event),
            VllmFact::Compiled(_) => self.outcome(event),
            VllmFact::Split(_) | VllmFact::Patterns => self.module(event.attempt).events.push(event),
            VllmFact::Start(start) => {
                let piece =
                    VllmPiece { event, start, files: vec![event.artifact], passes: Vec::new(), us: None };
                let module = self.module(event.attempt);
                module.pieces.push(piece);
                let at = module.pieces.len() - 1;
                if let Some(name) = &start.submodule {
                    self.named.insert(name, at);
                }
            }
            VllmFact::Graph(name) => {
                // It belongs to the piece with its name, otherwise to the last piece.
                let named = self.named.get(name.as_str()).copied();
                match self.modules.last_mut() {
                    Some(module) => module.keep(event.artifact, named),
                    None => self.module(event.attempt).events.push(event),
                }
            }
            VllmFact::Pass(pass) => {
                let module = self.module(event.attempt);
                module.keep(event.artifact, None);
                if let Some(piece) = module.pieces.last_mut() {
                    piece.passes.push((pass, event.artifact));
                }
            }
            VllmFact::Other => match self.modules.last_mut() {
                Some(module) => module.keep(event.artifact, None),
                None => self.outcomes.push(event),
            },
        }
    }

    /// A configuration begins a module, unless the current one has neither a configuration nor pieces.
    fn config(&mut self, event: &'m VllmEvent) {
        let open = self.modules.last().is_some_and(|m| m.config.is_none() && m.pieces.is_empty());
        if !open {
            self.begin(event.attempt);
        }
        let outcomes = std::mem::take(&mut self.outcomes);
        if let Some(module) = self.modules.last_mut() {
            module.config = Some(event);
            module.events.extend(outcomes);
        }
    }

    /// An outcome precedes the configuration of its module; after the pieces of a module it may belong to the next one.
    fn outcome(&mut self, event: &'m VllmEvent) {
        match self.modules.last_mut() {
            Some(module) if module.pieces.is_empty() && module.outcomes().next().is_none() => {
                module.events.push(event);
            }
            _ => self.outcomes.push(event),
        }
    }

    /// A file of torch: part of the current piece, unless it is Dynamo's or about the whole compile.
    fn file(&mut self, at: usize, artifact: &Artifact) {
        let whole = matches!(Stage::named(&artifact.name), Stage::Dynamo | Stage::Metrics)
            || artifact.name.contains("code_state")
            || matches!(artifact.content, Content::Link(_) | Content::DumpFile(_));
        // The second file of a configuration holds what the first one does.
        if &*artifact.name == "vllm_compilation_config" {
            return;
        }
        match self.modules.last_mut() {
            Some(module) if whole => module.outside.push(at),
            Some(module) => module.keep(at, None),
            None => self.before.push(at),
        }
    }

    fn begin(&mut self, attempt: u32) {
        self.named.clear();
        let outside = std::mem::take(&mut self.before);
        self.modules.push(Module { compile: self.compile, attempt, outside, ..Module::default() });
    }

    /// The current module; a new one without a configuration if there is none.
    fn module(&mut self, attempt: u32) -> &mut Module<'m> {
        if self.modules.is_empty() {
            self.begin(attempt);
        }
        let last = self.modules.len() - 1;
        &mut self.modules[last]
    }

    fn close(mut self, all: &mut Vllm<'m>) {
        match self.modules.last_mut() {
            Some(module) => module.events.append(&mut self.outcomes),
            None => all.loose.append(&mut self.outcomes),
        }
        all.modules.append(&mut self.modules);
    }
}

impl<'m> Module<'m> {
    /// Adds a file to that piece, otherwise to the last one, otherwise to the module.
    fn keep(&mut self, file: usize, piece: Option<usize>) {
        let last = self.pieces.len().checked_sub(1);
        match piece.or(last).and_then(|at| self.pieces.get_mut(at)) {
            Some(piece) => piece.files.push(file),
            None => self.outside.push(file),
        }
    }

    fn time(&mut self, model: &Model) {
        let Some(compile) = model.compiles.get(self.compile) else { return };
        for piece in &mut self.pieces {
            let stamps = piece.files.iter().filter_map(|at| stamp(model, compile.artifacts.get(*at)?));
            let last = stamps.filter_map(|stamp| model.clock.epoch_us(stamp)).max();
            let first = model.clock.epoch_us(piece.event.stamp);
            piece.us = first.zip(last).map(|(first, last)| (last - first) as f64).filter(|us| *us >= 0.0);
        }
    }

    /// A field of the configuration.
    pub fn field(&self, key: &str) -> Option<&'m str> {
        let VllmFact::Config(fields) = &self.config?.fact else { return None };
        fields.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// vLLM's name for the module: `backbone`, `eagle_head`, the path of an encoder; None if unknown.
    pub fn name(&self) -> Option<&'m str> {
        self.field("prefix").filter(|name| !name.is_empty())
    }

    /// Microseconds from its first event to the end of its last piece.
    pub fn us(&self, model: &Model) -> Option<f64> {
        let first = self.config.or(self.pieces.first().map(|piece| piece.event))?;
        let first = model.clock.epoch_us(first.stamp)? as f64;
        let ends =
            self.pieces.iter().filter_map(|p| Some(model.clock.epoch_us(p.event.stamp)? as f64 + p.us?));
        ends.reduce(f64::max).map(|end| end - first).filter(|us| *us >= 0.0)
    }

    pub fn outcomes(&self) -> impl Iterator<Item = &'m str> {
        self.events.iter().filter_map(|event| match &event.fact {
            VllmFact::Compiled(kind) => Some(kind.as_str()),
            _ => None,
        })
    }

    /// Distinct subgraphs among its pieces.
    pub fn subgraphs(&self) -> usize {
        let mut names: Vec<_> =
            self.pieces.iter().map(|piece| (piece.start.submodule.as_deref(), piece.start.index)).collect();
        names.sort_unstable();
        names.dedup();
        names.len()
    }

    /// Whether the pieces seem to have been compiled in parallel: one has the files of several, and another has none of
    /// torch's. Then the order does not say which file belongs to which piece.
    pub fn overlaps(&self, model: &Model) -> bool {
        let Some(compile) = model.compiles.get(self.compile) else { return false };
        let lowered = |piece: &VllmPiece<'_>| {
            let names = piece.files.iter().filter_map(|at| compile.artifacts.get(*at));
            names.filter(|a| matches!(&*a.name, "aot_inference_graph" | "aot_forward_graph")).count()
        };
        let counts: Vec<usize> = self.pieces.iter().map(lowered).collect();
        counts.contains(&0) && counts.iter().any(|count| *count > 1)
    }
}

impl VllmPiece<'_> {
    /// The sizes that it is compiled for: `1 to 8192` or `4`; None if unknown.
    pub fn sizes(&self) -> Option<Sizes> {
        match (self.start.from, self.start.to) {
            (Some(from), Some(to)) if from == to && self.start.single != Some(false) => {
                Some(Sizes::One(from))
            }
            (Some(from), _) if self.start.single == Some(true) => Some(Sizes::One(from)),
            (Some(from), Some(to)) => Some(Sizes::Range(from, to)),
            _ => None,
        }
    }

    /// The last answer of a cache for it; `cache` is the prefix of the artifact's name.
    pub fn answer(&self, model: &Model, cache: &str) -> Option<Outcome> {
        let compile = model.compiles.get(self.event.compile)?;
        let files = self.files.iter().rev().filter_map(|at| compile.artifacts.get(*at));
        files.filter(|artifact| artifact.name.starts_with(cache)).find_map(|artifact| artifact.cache)
    }

    /// Whether its code came from a cache of torch.
    pub fn found(&self, model: &Model) -> bool {
        self.answer(model, "fx_graph_") == Some(Outcome::Hit)
            || self.answer(model, "fx_graph_").is_none()
                && self.answer(model, "aotautograd_") == Some(Outcome::Hit)
    }
}

/// The sizes that a piece is compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sizes {
    /// From the first to the second, both included.
    Range(i64, i64),
    /// Only this.
    One(i64),
}

/// When the record of a file was written: its payload follows the record's header.
fn stamp(model: &Model, artifact: &Artifact) -> Option<Stamp> {
    let Content::Payload(at, _) = &artifact.content else { return None };
    let behind = model.raw.partition_point(|record| record.header.offset <= at.span.offset);
    model.raw.get(behind.checked_sub(1)?).map(|record| record.stamp)
}
