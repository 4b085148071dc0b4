//! The part of the compiler that writes an artifact.

use crate::model::words::fits_pattern;

/// The compiler's phases, in the order in which they run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Traces the bytecode.
    Dynamo,
    /// Splits forward and backward.
    AotAutograd,
    /// Rewrites graphs.
    InductorPasses,
    /// Writes and builds kernels.
    CodeGeneration,
    /// Looks up results.
    Caches,
    /// Times and counts.
    Metrics,
    /// Anything else.
    Other,
}

impl Stage {
    /// All of them, in order.
    pub const ALL: [Stage; 7] = [
        Stage::Dynamo,
        Stage::AotAutograd,
        Stage::InductorPasses,
        Stage::CodeGeneration,
        Stage::Caches,
        Stage::Metrics,
        Stage::Other,
    ];

    /// The phase that writes artifacts of this name.
    pub fn named(name: &str) -> Stage {
        let fits = |(_, patterns): &&(Stage, &str)| patterns.split(' ').any(|one| fits_pattern(one, name));
        WRITES.iter().find(fits).map_or(Stage::Other, |(stage, _)| *stage)
    }
}

/// What each phase writes; of several that fit, the first is meant.
const WRITES: [(Stage, &str); 7] = [
    (Stage::Metrics, "*compilation_metrics*"),
    (Stage::Caches, "*_cache_hit* *_cache_miss* *_cache_bypass* *code_state* *memoizer* *pgo*"),
    (Stage::Other, "vllm_* torch_version graph_execution"),
    (Stage::AotAutograd, "aot_* *functorch* *partitioner* *saved_tensors*"),
    (
        Stage::InductorPasses,
        "*pre_grad* *post_grad* *joint_graph* *fx_graph_runnable* *fx_graph_transformed*",
    ),
    (Stage::CodeGeneration, "*inductor* *triton* *cudagraph* *compile_worker* *autotune* *kernel*"),
    (
        Stage::Dynamo,
        "*dynamo* *BYTECODE* *recompile* *compiled_autograd* *optimize_ddp* *symbolic* *guard* *graph_break*",
    ),
];
