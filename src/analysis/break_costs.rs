//! What graph breaks cost: tracing that was thrown away, and functions that were compiled to go on behind them.

use super::resumed;
use crate::model::{Compile, Function, GraphBreak, Model, TextFrame};
use fxhash::{FxHashMap, FxHashSet};

/// What one compile lost to a break.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Index of the compile.
    pub compile: usize,
    /// Microseconds of attempts that were thrown away; its share where the compile hit several breaks.
    pub thrown_away_us: Option<f64>,
    /// Compiles of the functions that go on behind the break.
    pub resumes: Vec<usize>,
}

/// What each break of the log cost, in the order of the model's: one hit a compile, in the order of the log. Every
/// compile of a resume function counts for one break: the last one before it that stopped where the function goes on.
pub fn break_costs(model: &Model) -> Vec<Vec<Hit>> {
    let mut costs: Vec<Vec<Hit>> = model.graph_breaks.iter().map(hits).collect();
    let mut breaks_of: FxHashMap<usize, usize> = FxHashMap::default();
    for hit in costs.iter().flatten() {
        *breaks_of.entry(hit.compile).or_default() += 1;
    }
    for hit in costs.iter_mut().flatten() {
        let wasted = model.compiles.get(hit.compile).and_then(|c| c.outcome()?.wasted_us);
        let breaks = breaks_of.get(&hit.compile).copied().unwrap_or(1);
        hit.thrown_away_us = wasted.map(|us| us / breaks as f64);
    }
    let mut led: FxHashMap<(usize, usize), Vec<usize>> = FxHashMap::default();
    for (resume, cause) in resumes(model) {
        led.entry(cause).or_default().push(resume);
    }
    for (found, hits) in costs.iter_mut().enumerate() {
        for hit in hits {
            hit.resumes = led.remove(&(found, hit.compile)).unwrap_or_default();
        }
    }
    costs
}

/// Microseconds of resume functions' compiles.
pub fn resumed_us(model: &Model, hits: &[Hit]) -> f64 {
    let resumes = hits.iter().flat_map(|hit| &hit.resumes);
    resumes.filter_map(|index| model.compiles.get(*index)?.compile_us()).sum()
}

fn hits(one: &GraphBreak) -> Vec<Hit> {
    let mut seen = FxHashSet::default();
    let compiles = one.occurrences.iter().map(|occurrence| occurrence.compile);
    let first = compiles.filter(|compile| seen.insert(*compile));
    first.map(|compile| Hit { compile, thrown_away_us: None, resumes: Vec::new() }).collect()
}

/// A function without what tells which part of it: of `torch_dynamo_resume_in_f_at_9` it is `f`.
fn whole(name: &str) -> &str {
    resumed(name).map_or(name, |(function, _)| function)
}

/// Where a break stopped: function and line.
type Stop<'m> = (&'m str, u64);

/// A break that stopped there.
struct Cause<'m> {
    file: &'m str,
    compile: usize,
    found: usize,
    /// Whether it stopped in the compiled function itself, not in what that called.
    own: bool,
}

/// Compiles of resume functions, each with the break and the compile that stopped where it goes on.
fn resumes(model: &Model) -> Vec<(usize, (usize, usize))> {
    let mut stops: FxHashMap<Stop<'_>, Vec<Cause<'_>>> = FxHashMap::default();
    for (index, one) in model.graph_breaks.iter().enumerate() {
        for occurrence in &one.occurrences {
            let function = model.compiles.get(occurrence.compile).and_then(|c| c.function.as_ref());
            for frame in occurrence.stack.iter() {
                let own = function.is_some_and(|function| is_of(frame, function));
                let (file, compile) = (frame.0.as_str(), occurrence.compile);
                let cause = Cause { file, compile, found: index, own };
                stops.entry((whole(&frame.2), frame.1)).or_default().push(cause);
            }
        }
    }
    let compiles = model.compiles.iter().enumerate();
    compiles.filter_map(|(index, compile)| Some((index, cause(index, compile, &stops)?))).collect()
}

/// Whether a frame is of a compiled function, be it its beginning or a later part.
fn is_of(frame: &TextFrame, function: &Function) -> bool {
    whole(&frame.2) == whole(&function.name) && function.file.as_deref().is_none_or(|file| file == frame.0)
}

/// The break that made a resume function: of those before it one in the function itself, else one in what it called;
/// of these the last.
fn cause(
    index: usize,
    compile: &Compile,
    stops: &FxHashMap<Stop<'_>, Vec<Cause<'_>>>,
) -> Option<(usize, usize)> {
    let function = compile.function.as_ref()?;
    let (name, line) = resumed(&function.name)?;
    let same_file = |cause: &&Cause<'_>| function.file.as_deref().is_none_or(|file| file == cause.file);
    let stopped = stops.get(&(name, line.parse().ok()?))?.iter();
    let before = stopped.filter(|cause| cause.compile < index).filter(same_file);
    before
        .max_by_key(|cause| (cause.own, cause.compile, cause.found))
        .map(|cause| (cause.found, cause.compile))
}
