//! The phases of the compiler.

use crate::analysis::{Stage, part_of_phase};
use crate::model::CompilerPart;
use crate::model::words::{fits_pattern, words_of};
use std::sync::LazyLock;

/// What the compiler does in a phase, by its name in torch's chromium events; empty if the phase is unknown and outside
/// of all parts of the compiler.
pub(crate) fn phase_meaning(name: &str) -> &'static str {
    let known = PHASES.iter().find(|(pattern, _)| fits_pattern(pattern, name)).map(|(_, meaning)| *meaning);
    let of_part = || part_of_phase(name).map(step_of);
    known.or_else(of_part).unwrap_or_default()
}

/// Whether it is the name of a phase of torch.
pub(crate) fn is_known_phase(name: &str) -> bool {
    let without_number = name.trim_end_matches(|digit: char| digit.is_ascii_digit());
    PHASES.iter().any(|(pattern, _)| *pattern == name && !pattern.contains('*'))
        || TORCH_PHASES.lines().any(|known| known == without_number)
}

/// Names of phases that have no description of their own.
const TORCH_PHASES: &str = include_str!("torch_phases.txt");

/// What a part of the compiler does.
pub(crate) fn part_meaning(part: CompilerPart) -> &'static str {
    match part {
        CompilerPart::Dynamo => {
            "Traces Python code into graphs and creates guards. Runs in every process, even with a warm cache."
        }
        CompilerPart::AotAutograd => {
            "Traces the graph down to ATen operators, forward and backward, and computes cache keys."
        }
        CompilerPart::Inductor => "Rewrites the graph with patterns, lowers it to loops and fuses them.",
        CompilerPart::CodeGeneration => {
            "Generates the code of the kernels and the Python or C++ wrapper that calls them, and loads it."
        }
        CompilerPart::KernelBuilds => "Compiles the generated kernels to binaries.",
        CompilerPart::Autotuning => {
            "Measures several configurations of a kernel, or several kernels for an operator, and picks the fastest."
        }
    }
}

/// What an unknown phase does, by its part of the compiler.
fn step_of(part: CompilerPart) -> &'static str {
    match part {
        CompilerPart::Dynamo => "a step of Dynamo, which traces Python into graphs",
        CompilerPart::AotAutograd => "a step of AOTAutograd, which lowers graphs to ATen",
        CompilerPart::Inductor => "a step of Inductor, which rewrites graphs and plans kernels",
        CompilerPart::CodeGeneration => "a step of code generation",
        CompilerPart::KernelBuilds => "a step of building kernels",
        CompilerPart::Autotuning => "a step of autotuning",
    }
}

/// Descriptions of phases; the first matching pattern counts.
static PHASES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| words_of(include_str!("phases.txt")));

/// Name and description of a phase, for the directory and the glossary.
pub(crate) fn stage_words(stage: Stage) -> (&'static str, &'static str) {
    match stage {
        Stage::Dynamo => ("Dynamo", "traces the Python bytecode into a graph"),
        Stage::AotAutograd => ("AOTAutograd", "splits forward and backward, lowers to ATen"),
        Stage::InductorPasses => ("Inductor passes", "rewrite the graph before code generation"),
        Stage::CodeGeneration => ("Code generation", "writes and builds the kernels"),
        Stage::Caches => ("Caches", "lookups and their results"),
        Stage::Metrics => ("Metrics", "times and counts"),
        Stage::Other => ("Other records", "outside of all phases"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_is_explained_by_its_name_else_by_its_part() {
        assert!(phase_meaning("compile_file").contains("C++ compiler"));
        assert!(phase_meaning("compile_attempt_3").contains("attempt"));
        assert!(phase_meaning("Scheduler.new_step").contains("code generation"));
        assert_eq!(phase_meaning("something.else"), "");
    }

    #[test]
    fn no_pattern_is_hidden_by_an_earlier_one() {
        for (at, (pattern, _)) in PHASES.iter().enumerate() {
            let name = pattern.replace('*', "x");
            let first = PHASES.iter().position(|(other, _)| fits_pattern(other, &name));
            assert_eq!(first, Some(at), "{pattern}");
        }
    }
}
