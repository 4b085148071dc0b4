//! From a line of the model to the kernel and back: Inductor runs, the texts of a run, and maps between their lines.

mod code;
mod graph;
mod maps;
mod runs;
mod source;

pub use maps::{Coverage, KernelCall, LineMap, LineMaps, Provenance, Texts, provenance};
pub use runs::{CodeKind, InductorRun, inductor_runs};
pub use source::{KernelStacks, SourceLine, kernel_stacks};
