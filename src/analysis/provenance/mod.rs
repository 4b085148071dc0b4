//! From a line of the program to its kernels and back: Inductor runs, their texts, and maps between the lines of these.

mod flow;
mod mapping;
mod maps;
mod owners;
mod run_texts;
mod runs;
mod source;
#[cfg(test)]
mod tests;

pub use crate::read::generated::{CodeKind, KernelBody};
pub use maps::{Coverage, KernelCall, LineMap, LineMaps, Linked, Provenance};
pub use owners::{LineOwners, RunText, line_owners};
pub use run_texts::{CodeOfKind, RunTexts};
pub use runs::{InductorRun, inductor_runs};
pub use source::{KernelStacks, SourceLine, kernel_stacks};
