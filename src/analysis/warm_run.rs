//! What a second run of the same program with the same cache folder would save.

use super::one_offs::{OneOff, OneOffKind};
use super::parts;
use super::split::Split;
use crate::model::{CompileIndex, Model, Outcome};
use fxhash::FxHashSet;

/// Smaller savings, as a share of the time, are not worth a word.
const LEAST_SHARE: f64 = 0.05;

/// What is saved, if that is worth a word: not where this run already found everything, or used no cache.
pub(super) fn worth_us(model: &Model, split: &Split, one_offs: &[OneOff]) -> Option<f64> {
    let us = saved_us(model, split, one_offs);
    Some(us).filter(|us| *us > 0.0 && *us >= LEAST_SHARE * split.total_us())
}

/// The caches that keep graphs.
const INDUCTOR_CACHE: &str = "fx_graph";
const AOT_CACHE: &str = "aotautograd";

/// Upper bound in microseconds: all kernels and tuning, which are kept by their content, and the work on graphs of compiles
/// that missed in a cache, which now has their results. Tracing, guards, and what a process does before its first lookup
/// take the same time in every run; so do the passes that AOTAutograd's cache spares, where it does not have the graph.
pub(super) fn saved_us(model: &Model, split: &Split, one_offs: &[OneOff]) -> f64 {
    if model.caches.is_empty() {
        return 0.0;
    }
    let first_uses: Vec<&OneOff> = one_offs.iter().filter(|one| one.kind == OneOffKind::FirstUse).collect();
    let missed = |cache: &str| -> FxHashSet<CompileIndex> {
        let of = model.caches.iter().filter(|one| one.cache == cache && one.outcome == Outcome::Miss);
        of.map(|one| one.artifact.compile).collect()
    };
    let (inductor, aot) = (missed(INDUCTOR_CACHE), missed(AOT_CACHE));
    let saved = |compile: CompileIndex| {
        let of = split.at(compile);
        let traced = aot.contains(&compile);
        // An entry of AOTAutograd's cache includes the result of Inductor.
        let lowered = traced || inductor.contains(&compile);
        let graph_us = if lowered { parts::inductor_graph_us(&of) } else { 0.0 }
            + if traced { parts::aot_graph_us(&of) } else { 0.0 };
        let again = first_uses.iter().filter(|one| one.compile == compile && !(traced && one.within_tracing));
        (graph_us - again.map(|one| one.in_graph_us).sum::<f64>()).max(0.0)
    };
    parts::built_us(&split.whole) + model.compiles.indices().map(saved).sum::<f64>()
}
