//! What a log knows of each line of the program: compiles that begin there, breaks, recompiles, failures, operators.
//!
//! Each compile, break, recompile and failure counts at one line, so that the lines of a log add up to its totals. Paths that
//! torch shortens are matched by their end.

mod collect;
mod facts;
mod listed;

pub use collect::lines_of_log;
pub use facts::{Counts, LineFacts, LineState, Lines, LinesOfFile};
