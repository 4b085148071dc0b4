//! The phases of the compiler.

use crate::analysis::Stage;

/// Name and meaning of a phase, as the directory and the glossary have them.
pub(crate) fn stage_words(stage: Stage) -> (&'static str, &'static str) {
    match stage {
        Stage::Dynamo => ("Dynamo", "traces the Python bytecode into a graph"),
        Stage::AotAutograd => ("AOTAutograd", "splits forward and backward, lowers to ATen"),
        Stage::InductorPasses => ("Inductor passes", "rewrite the graph before code is made"),
        Stage::CodeGeneration => ("Code generation", "writes and builds the kernels"),
        Stage::Caches => ("Caches", "what was looked up and found"),
        Stage::Metrics => ("Metrics", "times and counts"),
        Stage::Other => ("Other records", "of no phase of the compiler"),
    }
}
