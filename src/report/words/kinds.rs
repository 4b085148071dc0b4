//! Names and meanings of the kinds of findings, for readers outside of a report.

use crate::analysis::findings::kinds;
use crate::model::capital;

const KINDS: [(&str, &str); 53] = [
    (
        "autotuning",
        "Inductor measured several variants of kernels during compilation, which took noticeable time.",
    ),
    (
        "backward_variants",
        "The backward pass of a nested region was compiled for several layouts of the gradients that arrive.",
    ),
    (
        "cache_bypass",
        "A cache of compiled code could not be used for a compilation, so every run compiles it again.",
    ),
    ("cache_error", "A result could not be stored in a cache or loaded from it, so it is compiled again."),
    (
        "cache_miss",
        "A cache of compiled code had no entry for a compilation. A second run of the same program should \
        hit the cache.",
    ),
    ("compile_seconds", "Compilation took longer than the budget allows."),
    ("cuda_graph_sizes", "A CUDA graph was recorded for each of many sizes of a dynamic dimension."),
    (
        "cuda_graph_skipped",
        "CUDA graphs were requested, and the log shows why none was recorded: an input is written in place, or an operator cannot be part of one.",
    ),
    (
        "cuda_graph_split",
        "A CUDA graph holds only part of the compiled code, because an operator cannot be part of one.",
    ),
    ("cudagraph_skip", "CUDA graphs were requested, and torch could not record one for a compiled graph."),
    (
        "cudagraphs_on_cpu",
        "CUDA graphs were requested, but everything runs on the CPU, where they have no effect.",
    ),
    (
        "cut_off",
        "The log ends within a compilation: the program was stopped there, or the log was copied while it ran.",
    ),
    (
        "damaged_log",
        "Some records of the log could not be read, so their contents are missing from the \
        report.",
    ),
    ("damaged_trace", "The trace of torch.profiler could not be read completely."),
    ("diff_better", "B is faster than A, or a cache that missed in A hits in B."),
    ("diff_changed", "A and B differ, but neither is better: another shape, graph or setting."),
    (
        "diff_gone",
        "Only A has this: a graph break, a recompile, a failure or a function that B does not have.",
    ),
    ("diff_new", "Only B has this: a function or a setting that A does not have."),
    ("diff_worse", "B is slower than A by more than the noise, or a cache that hit in A misses in B."),
    (
        "export",
        "torch.export failed to produce a complete program, or its program is valid only for some inputs.",
    ),
    (
        "failure",
        "A compilation ended with an exception. The program failed, or the function runs in eager mode.",
    ),
    (
        "fallback_op",
        "Generated code calls an operator for which Inductor has no kernel, so nothing is fused with it.",
    ),
    (
        "first_run",
        "What the first run of a program on a machine has: an empty cache, the first C++ build, kernels to build.",
    ),
    ("float32_products", "float32 matrices are multiplied without TF32, although the device has it."),
    (
        "graph_break",
        "torch.compile stopped tracing at this line: the function is compiled in parts, nothing is fused \
        across the line, and each part has its own guards and wrapper.",
    ),
    (
        "host_operator",
        "An operator runs on the CPU in a program for a GPU: it needs a build in C++ and splits CUDA graphs.",
    ),
    ("implausible_kernel", "A measured kernel seems faster than its device can be: its figures are wrong."),
    ("launch_bound", "Kernels are so short that launching them takes longer than running them."),
    ("memory_estimate", "torch's estimate of memory, by which it orders kernels, is wrong for a graph."),
    (
        "missing_metrics",
        "Some compilations have no metrics: torch did not finish them, or the log was cut off.",
    ),
    (
        "missing_names",
        "The log refers to names that it does not define; the log of the parent process defines them.",
    ),
    (
        "native_compiles",
        "A kernel of a native operator was compiled again, because its cache did not keep it.",
    ),
    (
        "near_limit",
        "A function has nearly as many versions as torch keeps; beyond the limit it runs in eager mode.",
    ),
    ("notice", "torch wrote a notice to the log."),
    ("other_run", "A trace of torch.profiler is of another run than the log."),
    ("overlap_cycle", "Overlap scheduling made dependencies in a circle."),
    ("parity_differs", "Generated code does not call the scheduled collectives."),
    ("rank_stopped", "The log of a rank ends early: the rank stopped, crashed or hung."),
    (
        "recompilation",
        "A function was compiled again because a guard failed: the compiled versions require another size, \
        dtype, Python value or global setting.",
    ),
    (
        "recompile_limit",
        "A function was compiled as often as torch allows. From then on it runs in eager mode when no \
        version fits.",
    ),
    (
        "repeated_layers",
        "Equal layers of a model were compiled one by one; compiling one of them for all takes less time.",
    ),
    ("restart", "A compilation was restarted, and the work so far was discarded."),
    ("runtime_cost", "Compiled code does avoidable work in each call."),
    ("serial_builds", "Kernels were built one after the other although several processors are available."),
    ("slow_guards", "Checking the guards of compiled versions takes noticeable time in each call."),
    ("slow_kernel", "A measured kernel is far slower than its device allows."),
    ("slow_log", "Where the compile time went."),
    ("specialization", "A dimension marked as dynamic became constant, so another size compiles again."),
    ("spmd_mismatch", "Ranks that should run the same graph compiled different ones."),
    ("toolchain", "A part of the compile time was spent on checks of the C++ compiler."),
    ("worker_death", "A process that compiles kernels ended unexpectedly."),
    ("worker_stall", "A process that compiles kernels took unusually long."),
    ("wrong_counts", "Counts of operations or bytes of a measured kernel are probably wrong."),
];

/// The meaning of all other kinds, which are about jobs.
const OF_A_JOB: &str = "The ranks of a job do different things, or one of them differs from the others.";

/// The label of a kind; falls back to its word for kinds of other programs.
pub(crate) fn label(word: &str) -> String {
    let label = kinds().find(|kind| kind.word == word).map(|kind| kind.label.to_owned());
    label.unwrap_or_else(|| capital(&word.replace('_', " ")))
}

/// The meaning of a kind.
pub(crate) fn about(word: &str) -> &'static str {
    KINDS.iter().find(|(kind, _)| *kind == word).map_or(OF_A_JOB, |(_, about)| about)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_finding_about_a_log_is_explained_in_a_sentence() {
        for kind in kinds() {
            assert_ne!(about(kind.word), OF_A_JOB, "{}", kind.word);
        }
        assert!(KINDS.is_sorted_by_key(|(word, _)| *word));
        assert!(KINDS.iter().all(|(_, about)| about.ends_with('.') && !about.contains("  ")));
    }
}
