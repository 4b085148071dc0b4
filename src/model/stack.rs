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

/// A frame that was read from a traceback's text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TextFrame {
    /// File as the traceback has it.
    pub file: String,
    /// Line in it, from 1; 0 where it is unknown.
    pub line: u64,
    pub function: String,
    pub loc: Option<String>,
}
