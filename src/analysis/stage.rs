//! The part of the compiler that writes an artifact.

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
    pub fn of(name: &str) -> Stage {
        let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
        if has(&["compilation_metrics"]) {
            Stage::Metrics
        } else if has(&["_cache_hit", "_cache_miss", "_cache_bypass", "code_state", "memoizer", "pgo"]) {
            Stage::Caches
        } else if name.starts_with("vllm_") || matches!(name, "torch_version" | "graph_execution") {
            Stage::Other
        } else if name.starts_with("aot_") || has(&["functorch", "partitioner", "saved_tensors"]) {
            Stage::AotAutograd
        } else if has(&["pre_grad", "post_grad", "joint_graph", "fx_graph_runnable", "fx_graph_transformed"])
        {
            Stage::InductorPasses
        } else if has(&["inductor", "triton", "cudagraph", "compile_worker", "autotune", "kernel"]) {
            Stage::CodeGeneration
        } else if has(&[
            "dynamo",
            "BYTECODE",
            "recompile",
            "compiled_autograd",
            "optimize_ddp",
            "symbolic",
            "guard",
            "graph_break",
        ]) {
            Stage::Dynamo
        } else {
            Stage::Other
        }
    }
}
