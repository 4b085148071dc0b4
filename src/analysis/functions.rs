//! Compiles by function.

use super::caches::Owner;
use super::split::Split;
use crate::model::{Compile, CompileIndex, Function, Model, Outcome, Parts};
use crate::trace::{CompileId, FrameId, TextMap};
use fxhash::FxHashMap;
use indexmap::IndexMap;

/// A function with all its compiles.
#[derive(Debug, Default)]
pub struct FunctionGroup {
    /// Its name and place; None if unknown.
    pub function: Option<Function>,
    /// Its compiles, in order of first appearance.
    pub compiles: Vec<CompileIndex>,
    /// Microseconds of compile time; None if unknown.
    pub us: Option<f64>,
    /// The same by part of the compiler.
    pub parts: Parts,
}

/// The functions of a log, in order of first appearance. A compile without a function has the function of its frame.
pub(super) fn of_log(model: &Model, split: &Split) -> Vec<FunctionGroup> {
    let mut groups: IndexMap<Owner<'_>, FunctionGroup> = IndexMap::new();
    // Beyond the recompile limit torch writes metrics without the function's name, but the frame has it.
    let frames: TextMap<FrameId, &Function> = model
        .identified()
        .filter_map(|compile| Some((compile.id.as_ref()?.frame(), compile.function.as_deref()?)))
        .collect();
    for (index, compile) in model.compiles.indexed() {
        let Some(frame) = compile.id.as_ref().map(CompileId::frame) else { continue };
        let function = compile.function.as_deref().or_else(|| frames.get(&frame).copied());
        let owner = function.map_or(Owner::Frame(frame), Owner::Function);
        let group = groups.entry(owner).or_default();
        if group.function.is_none() {
            group.function = function.cloned();
        }
        group.compiles.push(index);
        if let Some(us) = compile.compile_us() {
            *group.us.get_or_insert(0.0) += us;
        }
        group.parts = group.parts.plus(split.at(index));
    }
    groups.into_values().collect()
}

/// Whether a compile is the capture of a backward pass by compiled autograd: its id has no frame (`!0`), it has no metrics,
/// and the captured graph is compiled under an id of its own (`!0/1/0`).
pub fn is_capture(compile: &Compile) -> bool {
    compile.id.as_ref().is_some_and(|id| !id.has_frame())
}

/// The answer of the caches for each compile: a miss of any cache is a miss.
pub(super) fn cache_outcomes(model: &Model) -> FxHashMap<CompileIndex, Outcome> {
    let mut outcomes: FxHashMap<CompileIndex, Outcome> = FxHashMap::default();
    for lookup in &model.caches {
        let outcome = outcomes.entry(lookup.artifact.compile).or_insert(lookup.outcome);
        if rank(lookup.outcome) > rank(*outcome) {
            *outcome = lookup.outcome;
        }
    }
    outcomes
}

fn rank(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Hit => 0,
        Outcome::Bypass => 1,
        Outcome::Miss => 2,
    }
}

/// Number of compiles per status, in the order of the statuses.
pub fn by_status<'c>(compiles: impl IntoIterator<Item = &'c Compile>) -> Vec<(&'static str, usize)> {
    let mut counts: std::collections::BTreeMap<_, usize> = Default::default();
    for compile in compiles {
        *counts.entry(compile.status).or_default() += 1;
    }
    counts.into_iter().map(|(status, count)| (status.word(), count)).collect()
}
