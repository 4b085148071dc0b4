//! Costs of graph breaks: discarded tracing, and compiles of resume functions.

use super::resumed;
use crate::model::{Compile, CompileIndex, Function, GraphBreak, Model, Status, TextFrame};
use crate::trace::TextMap;
use fxhash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// The cost of a break in one compile.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    pub compile: CompileIndex,
    /// Microseconds of discarded attempts, divided among the breaks of the compile.
    pub thrown_away_us: Option<f64>,
    /// Compiles of the functions that resume after the break.
    pub resumes: Vec<CompileIndex>,
}

impl Hit {
    /// Whether the compile has no graph, neither before the break nor after it.
    pub(super) fn is_all_eager(&self, model: &Model) -> bool {
        let compile = model.compiles.get(self.compile);
        self.resumes.is_empty() && compile.is_some_and(|compile| compile.status == Status::Empty)
    }
}

/// The costs of each break, in the model's order: one hit per compile, in log order. Each compile of a resume function
/// counts for one break: the last one before it that stopped where the function resumes.
pub(super) fn break_costs(model: &Model) -> Vec<Vec<Hit>> {
    let mut costs: Vec<Vec<Hit>> = model.graph_breaks.iter().map(hits).collect();
    let mut breaks_of: FxHashMap<CompileIndex, usize> = FxHashMap::default();
    for hit in costs.iter().flatten() {
        *breaks_of.entry(hit.compile).or_default() += 1;
    }
    for hit in costs.iter_mut().flatten() {
        let wasted = model.compiles.get(hit.compile).and_then(|c| c.outcome()?.wasted_us);
        let breaks = breaks_of.get(&hit.compile).copied().unwrap_or(1);
        hit.thrown_away_us = wasted.map(|us| us / breaks as f64);
    }
    let mut led: FxHashMap<Origin, Vec<CompileIndex>> = FxHashMap::default();
    for (resume, origin) in resumes(model) {
        led.entry(origin).or_default().push(resume);
    }
    for (found, hits) in costs.iter_mut().enumerate() {
        for hit in hits {
            hit.resumes = led.remove(&Origin { found, compile: hit.compile }).unwrap_or_default();
        }
    }
    costs
}

/// Microseconds of the compiles of resume functions.
pub fn resumed_us(model: &Model, hits: &[Hit]) -> f64 {
    let resumes = hits.iter().flat_map(|hit| &hit.resumes);
    resumes.filter_map(|index| model.compiles.get(*index)?.compile_us()).sum()
}

fn hits(one: &GraphBreak) -> Vec<Hit> {
    let mut seen = FxHashSet::default();
    let compiles = one.occurrences.iter().map(|occurrence| occurrence.artifact.compile);
    let first = compiles.filter(|compile| seen.insert(*compile));
    first.map(|compile| Hit { compile, thrown_away_us: None, resumes: Vec::new() }).collect()
}

/// The name of the whole function: `f` of `torch_dynamo_resume_in_f_at_9`.
fn whole(name: &str) -> &str {
    resumed(name).map_or(name, |(function, _)| function)
}

/// Where a break stopped.
#[derive(PartialEq, Eq, Hash)]
struct Stop<'m> {
    function: &'m str,
    line: u64,
    /// None matches any file: the log does not always name that of a resume function.
    file: Option<&'m str>,
}

/// The origin of a resume function: a break, by its place in the model, and the compile that hit it.
#[derive(PartialEq, Eq, PartialOrd, Ord, Hash, Clone, Copy)]
struct Origin {
    compile: CompileIndex,
    found: usize,
}

/// The breaks that stopped at a place, in the order of their compiles.
#[derive(Default)]
struct Causes {
    /// Those that stopped in the compiled function itself.
    own: BTreeSet<Origin>,
    /// Those that stopped in a function called by it.
    called: BTreeSet<Origin>,
}

/// The breaks by where they stopped.
type Stops<'m> = TextMap<Stop<'m>, Causes>;

/// Compiles of resume functions, each with its origin.
fn resumes(model: &Model) -> Vec<(CompileIndex, Origin)> {
    let mut stops: Stops<'_> = TextMap::default();
    for (index, one) in model.graph_breaks.iter().enumerate() {
        for occurrence in &one.occurrences {
            let compile = occurrence.artifact.compile;
            let function = model.compiles.get(compile).and_then(|c| c.function.as_ref());
            for frame in occurrence.stack.iter() {
                let own = function.is_some_and(|function| is_of(frame, function));
                for file in [Some(&*frame.file), None] {
                    let stop = Stop { function: whole(&frame.function), line: frame.line, file };
                    let causes = stops.entry(stop).or_default();
                    let causes = if own { &mut causes.own } else { &mut causes.called };
                    causes.insert(Origin { compile, found: index });
                }
            }
        }
    }
    let resumed = |(index, compile)| Some((index, origin(index, compile, &stops)?));
    model.compiles.indexed().filter_map(resumed).collect()
}

/// Whether a frame is in a compiled function or one of its resume functions.
fn is_of(frame: &TextFrame, function: &Function) -> bool {
    whole(&frame.function) == whole(&function.name)
        && function.file.as_deref().is_none_or(|file| file == frame.file)
}

/// The origin of a resume function: the last earlier break in the function itself, otherwise in a function called by it.
fn origin(index: CompileIndex, compile: &Compile, stops: &Stops<'_>) -> Option<Origin> {
    let function = compile.function.as_ref()?;
    let (name, line) = resumed(&function.name)?;
    let file = function.file.as_deref();
    let causes = stops.get(&Stop { function: name, line: line.parse().ok()?, file })?;
    let end = Origin { compile: index, found: 0 };
    let last = |causes: &BTreeSet<Origin>| causes.range(..end).next_back().copied();
    last(&causes.own).or_else(|| last(&causes.called))
}
