//! What torch reports in records of its own about work that went wrong beside a compile, or that was done more than once.

use super::CompileIndex;

/// What such a record is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TroubleKind {
    /// The backward pass of a nested region was compiled once more, for other gradients.
    BackwardVariant,
    /// AOTAutograd's cache could not store a result.
    NotStored,
    /// A stored compile could not be loaded.
    NotLoaded,
    /// torch's check of its estimate of memory failed.
    MemoryEstimate,
    /// Overlap scheduling found dependencies in a circle.
    OverlapCycle,
}

/// One such record.
#[derive(Debug, Clone)]
pub struct Trouble {
    pub kind: TroubleKind,
    pub compile: CompileIndex,
    /// What it names: a region, a field, a key.
    pub subject: Option<String>,
    pub text: String,
}

/// A kernel that a language within Python compiled, or found in its cache (`native_dsl_compile`).
#[derive(Debug, Clone, PartialEq)]
pub struct NativeCompile {
    /// The compile during which it happened; the compile without an id while the model runs.
    pub compile: CompileIndex,
    pub op: String,
    /// The language: `cutedsl`, `triton`.
    pub dsl: String,
    /// Whether it was compiled, not found.
    pub compiled: bool,
    pub key: String,
    pub us: f64,
}
