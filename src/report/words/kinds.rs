//! What a finding of each kind is called and means, for readers who see it outside of a report.

use crate::analysis::findings::kinds;

/// What each kind of finding means, by its word.
const KINDS: [(&str, &str); 40] = [
    (
        "autotuning",
        "Inductor measured several variants of kernels while it compiled, and that took noticeable time.",
    ),
    (
        "cache_bypass",
        "A cache of compiled code could not be used for a compilation, so every run compiles it again.",
    ),
    (
        "cache_miss",
        "A cache of compiled code had no entry for a compilation. A second run of the same program should hit.",
    ),
    ("compile_seconds", "Compilation took longer than the budget allows."),
    ("cudagraph_skip", "CUDA graphs were requested, and torch could not record one for a compiled graph."),
    (
        "cudagraphs_on_cpu",
        "CUDA graphs were requested where everything runs on the CPU: they change nothing there.",
    ),
    ("damaged_log", "Records of the log could not be read, so the report lacks what they say."),
    ("damaged_trace", "The trace of torch.profiler could not be read completely."),
    ("diff_better", "B is faster than A here, or a cache hits that missed in A."),
    (
        "diff_changed",
        "A and B differ here, and nothing says which one is better: another shape, another graph, another setting.",
    ),
    (
        "diff_gone",
        "Only A has this: a graph break, a recompile, a failure or a function that B does not have.",
    ),
    ("diff_new", "Only B has this: a function or a setting that A does not have."),
    ("diff_worse", "B is slower than A here by more than the noise, or a cache misses that hit in A."),
    (
        "export",
        "torch.export could not make a complete program, or made one that holds for some inputs only.",
    ),
    (
        "failure",
        "A compilation ended with an exception. The program failed, or the function runs in eager mode.",
    ),
    (
        "fallback_op",
        "Generated code calls an operator of torch that Inductor has no kernel for: nothing is fused with it.",
    ),
    (
        "graph_break",
        "torch.compile could not go on tracing at this line: the function is compiled in parts, nothing is fused across \
         the line, and each part has guards and a wrapper of its own.",
    ),
    ("implausible_kernel", "A measured kernel seems faster than its device can be: its figures are wrong."),
    ("launch_bound", "Kernels are so short that launching them takes longer than running them."),
    (
        "missing_metrics",
        "Compilations have no record of metrics: torch did not finish them, or the log was cut.",
    ),
    (
        "missing_names",
        "The log refers to names that it does not define; the log of the parent process has them.",
    ),
    (
        "near_limit",
        "A function has nearly as many versions as torch keeps; beyond the limit it runs in eager mode.",
    ),
    ("notice", "torch wrote a notice into the log."),
    ("parity_differs", "Generated code does not make the collectives that were scheduled."),
    ("rank_stopped", "The log of a rank ends early: the rank stopped, crashed or hangs."),
    (
        "recompilation",
        "A function was compiled again because a guard failed: a size, a dtype, a Python value or a global setting was \
         not what the compiled versions were made for.",
    ),
    (
        "recompile_limit",
        "A function was compiled as often as torch allows. From then on it runs in eager mode when no version fits.",
    ),
    (
        "repeated_layers",
        "Equal layers of a model were compiled one by one; compiling one of them for all takes less time.",
    ),
    ("restart", "A compilation was restarted, and the work so far was discarded."),
    ("runtime_cost", "Compiled code does work in each call that could be avoided."),
    ("serial_builds", "Kernels were built one after the other although several processors are there."),
    ("slow_guards", "Checking whether a compiled version fits takes noticeable time in each call."),
    ("slow_kernel", "A measured kernel is far slower than its device allows."),
    ("slow_log", "Where the compile time went."),
    ("specialization", "A dimension that was to be dynamic became a constant: another size compiles again."),
    ("spmd_mismatch", "Ranks that should run the same graph compiled different ones."),
    ("toolchain", "Probing the C++ compiler took part of the time of a compilation."),
    ("worker_death", "A process that compiles kernels ended unexpectedly."),
    ("worker_stall", "A process that compiles kernels took unusually long."),
    ("wrong_counts", "Counts of operations or bytes of a measured kernel are probably wrong."),
];

/// What is said of all other kinds: those about a job.
const OF_A_JOB: &str = "The ranks of a job do not do the same, or one of them is unlike the others.";

/// The name that people read of a kind; its word where another program made it up.
pub(crate) fn label(word: &str) -> String {
    let label = kinds().find(|kind| kind.word == word).map(|kind| kind.label.to_owned());
    label.unwrap_or_else(|| {
        let words = word.replace('_', " ");
        let mut letters = words.chars();
        letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
    })
}

/// What a finding of that kind means.
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
