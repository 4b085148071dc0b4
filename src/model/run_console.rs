//! What the console of a run says beyond its log: what happened only while the model ran.

use super::TextFrame;
use crate::trace::CompileId;

/// What the console says of one process.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Console {
    /// Exceptions, in their order.
    pub exceptions: Vec<RaisedException>,
    /// CUDA graphs by compile; None for what no compile is named with.
    pub graphs: Vec<ConsoleGraphs>,
    /// What torch says about performance; each text once for each compile.
    pub hints: Vec<Hint>,
    /// Lines of other processes.
    pub of_others: u64,
}

/// An exception with its traceback.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct RaisedException {
    /// The class with its module: `torch.OutOfMemoryError`.
    pub error: String,
    pub message: String,
    /// Outermost frame first.
    pub stack: Vec<TextFrame>,
    /// Whether the program ran on behind it.
    pub went_on: bool,
}

/// What the console says of the CUDA graphs of a compile.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct ConsoleGraphs {
    pub compile: Option<CompileId>,
    /// Parts of its code that can be recorded, and parts that cannot.
    pub parts: u64,
    pub other_parts: u64,
    /// Recordings.
    pub recordings: u64,
    /// Distinct sizes for which they were made.
    pub sizes: Vec<String>,
    /// Operators that are not part of a CUDA graph.
    pub outside: Vec<SeenObstacle>,
    /// Why nothing was recorded.
    pub skipped: Vec<SeenObstacle>,
    /// Why something was recorded once more, where torch did not expect it.
    pub again: Vec<String>,
}

impl ConsoleGraphs {
    /// Adds what is said of the same compile.
    pub fn absorb(&mut self, other: ConsoleGraphs) {
        self.parts += other.parts;
        self.other_parts += other.other_parts;
        self.recordings += other.recordings;
        self.sizes.extend(other.sizes);
        self.outside.extend(other.outside);
        self.skipped.extend(other.skipped);
        self.again.extend(other.again);
    }

    /// Whether torch was to record CUDA graphs of it.
    pub fn were_asked_for(&self) -> bool {
        self.parts > 0 || self.recordings > 0 || !self.skipped.is_empty() || !self.outside.is_empty()
    }
}

/// What keeps an operator, or a whole compile, out of CUDA graphs.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct SeenObstacle {
    /// `aten.sum.default`; empty for a whole compile.
    pub operator: String,
    /// In torch's words.
    pub reason: String,
    /// The frames that led to it, outermost first.
    pub stack: Vec<TextFrame>,
    pub count: u64,
}

/// What torch says about performance.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Hint {
    pub compile: Option<CompileId>,
    pub text: String,
    pub count: u64,
}
