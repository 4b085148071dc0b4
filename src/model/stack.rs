//! Stacks of Python frames.

use crate::trace::FileRef;
use std::sync::Arc;

/// A frame of a Python stack.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Frame {
    /// Its file: a slot of the log's string table.
    pub file: FileRef,
    /// Line in that file, from 1.
    pub line: Option<u64>,
    /// Function.
    pub name: Arc<str>,
    /// Source text of the line.
    pub loc: Option<Arc<str>>,
}

/// A stack, outermost frame first; equal stacks are shared.
pub type Stack = Arc<[Frame]>;
