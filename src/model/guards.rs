//! Facts about the guards of compiles: enough to find the compiled version that was closest to a call.

use super::{CompileIndex, TextFrame};

/// What is kept of the guards of one compile. Their texts stay in the log.
#[derive(Debug, Default, Clone)]
pub struct GuardFacts {
    /// Every guard, sorted: versions of a function are compared by them.
    pub prints: Vec<GuardPrint>,
    /// Hash of the guards that ranks are compared by: all but those on tensors, whose sizes may be a rank's own.
    pub of_process: u64,
    /// Whether the tree has its last line, which torch 2.7 and later write.
    pub has_end: bool,
    /// Hash of the guard on torch's global state, if its text describes that state (torch 2.15 and later).
    pub global_state: Option<u64>,
    /// Whether products of `float` may be made in tf32, as the guard on the global state says.
    pub allow_tf32: Option<bool>,
    /// Conditions on values, as torch writes them; only for compiles that torch calls recompiles.
    pub values: Vec<String>,
    /// Python types at the places that guards check; only for recompiles.
    pub types: Vec<PlaceType>,
    /// The object that the function works for: `L['self']` of a method, `L['fn']` of torch's wrapper around a module.
    pub receiver: Option<PlaceType>,
}

/// One guard, as hashes of its place and of its condition. Two compiles of one process that guard on the same value in the
/// same way have equal hashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct GuardPrint {
    pub place: u64,
    pub condition: u64,
}

/// The Python type of a value that guards check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceType {
    /// Where the value comes from, as torch writes it: `L['c']`.
    pub source: String,
    /// Its type: `enum 'Color'`, `class 'int'`.
    pub class: String,
}

/// Something that the compiled code changes outside of itself (`dynamo_side_effects`).
#[derive(Debug, Clone)]
pub struct SideEffect {
    pub compile: CompileIndex,
    /// The object, as torch writes it: `L['self'].config`.
    pub source: String,
    /// The innermost frames that led to the change, outermost first.
    pub frames: Vec<TextFrame>,
}
