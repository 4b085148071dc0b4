//! From a line of the program to its kernels and back: Inductor runs, their texts, and maps between the lines of these.

mod code;
mod flow;
mod mapping;
mod maps;
mod owners;
mod run_texts;
mod runs;
mod source;

pub(crate) use code::{kernel_bound, library_call};
pub use maps::{
    CodeOfKind, Coverage, KernelBody, KernelCall, LineMap, LineMaps, Linked, Provenance, Texts, provenance,
};
pub use owners::{LineOwners, Owners, line_owners};
pub use run_texts::RunTexts;
pub use runs::{CodeKind, InductorRun, inductor_runs};
pub use source::{KernelStacks, SourceLine, kernel_stacks};
