//! Model to findings: pure functions, no HTML, no IO.

mod parts;
mod time;

pub use parts::{PARTS, Parts};
pub use time::{CompileTime, Phase, PhaseNode};

use crate::model::Model;

/// All that follows from one log's facts.
pub struct Found {
    /// Where the time went.
    pub time: CompileTime,
}

/// Draws the conclusions of one log.
pub fn of_log(model: &Model) -> Found {
    Found { time: time::of_log(model) }
}
