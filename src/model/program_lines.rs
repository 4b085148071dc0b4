//! What captured graphs and guards say about lines of the program.

use crate::trace::OrderedMap;

/// Lines of the program as torch names them. Graphs repeat them, so each text is kept once.
#[derive(Debug, Default)]
pub struct ProgramLines {
    /// Comments above the operators of captured graphs, by first appearance: `File: /app/m.py:6 in f, code: y = x + 1`.
    pub comments: OrderedMap<Box<str>, ()>,
    /// Where guards come from, by first appearance: `app/m.py:6 in f`. torch shortens these paths.
    pub origins: OrderedMap<Box<str>, GuardOrigin>,
}

/// A line that made guards.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct GuardOrigin {
    /// Its text, if the guard has it.
    pub code: Option<Box<str>>,
    /// Guards in all trees of the log.
    pub guards: u64,
}

/// A line of a captured graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CapturedLine {
    /// Its place in [`ProgramLines::comments`].
    pub comment: u32,
    /// Operators of the graph that came of it.
    pub operators: u32,
}
