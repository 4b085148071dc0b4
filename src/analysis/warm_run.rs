//! What a second run of the same program with the same cache folder would save.

use super::one_offs::{OneOff, OneOffKind};
use super::parts;
use super::split::Split;
use crate::model::{CompileIndex, Model, Outcome};
use fxhash::FxHashSet;

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

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::analysis::Spans;
    use crate::analysis::builds::tests::span;
    use crate::analysis::one_offs::one_offs;
    use crate::model::{ArtifactIndex, CacheLookup};

    /// A lookup without a compile id.
    pub fn lookup(cache: &str, outcome: Outcome) -> CacheLookup {
        CacheLookup {
            compile: None,
            attempt: 0,
            cache: cache.to_owned(),
            outcome,
            key: None,
            reason: None,
            saved_ns: None,
            asked_ns: None,
            artifact: ArtifactIndex::new(CompileIndex::new(0), 0),
        }
    }

    /// 3 s of Dynamo, 2 s of AOTAutograd, 4 s of Inductor of which 1 s hashes torch's sources, 6 s of builds.
    fn model(caches: Vec<CacheLookup>) -> Model {
        let mut model = Model { caches, ..Model::default() };
        model.compile_index(None);
        model.spans = vec![
            span("dynamo", None, 0.0, 15.0),
            span("create_aot_dispatcher_function", Some(0), 3.0, 15.0),
            span("inductor_compile", Some(1), 5.0, 15.0),
            span("inductor_codecache_torch_key", Some(2), 5.0, 6.0),
            span("PyCodeCache.load_by_key_path", Some(2), 9.0, 15.0),
            span("compile_file", Some(4), 9.0, 15.0),
        ];
        model
    }

    #[test]
    fn a_warm_run_saves_only_what_missing_caches_keep() {
        let saved_s = |caches: &[(&str, Outcome)]| {
            let model = model(caches.iter().map(|(cache, outcome)| lookup(cache, *outcome)).collect());
            let spans = Spans::of(&model);
            saved_us(&model, &Split::of(&spans), &one_offs(&spans)) / 1e6
        };
        let both = [("fx_graph", Outcome::Miss), ("aotautograd", Outcome::Miss)];
        assert_eq!(saved_s(&both), 11.0, "all but Dynamo and the hashing of sources");
        assert_eq!(saved_s(&both[..1]), 9.0, "AOTAutograd was not asked for its own");
        assert_eq!(saved_s(&[("fx_graph", Outcome::Bypass)]), 6.0, "binaries are kept by their content");
        assert_eq!(saved_s(&[]), 0.0, "without caches every run is alike");
    }

    #[test]
    fn a_hit_spares_the_first_use_of_passes_and_tuning_that_belongs_to_no_compile() {
        let mut model = model(vec![lookup("aotautograd", Outcome::Miss)]);
        model.spans.push(span("_recursive_joint_graph_passes", Some(1), 3.0, 4.0));
        let mut tuning = span("CachingAutotuner.benchmark_all_configs", None, 20.0, 21.0);
        tuning.compile = None;
        model.spans.push(tuning);
        let spans = Spans::of(&model);
        assert_eq!(saved_us(&model, &Split::of(&spans), &one_offs(&spans)) / 1e6, 12.0);
    }
}
