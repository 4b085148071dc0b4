//! Model to findings: pure functions, no HTML, no IO.

mod parity;
mod parts;
mod time;

pub use parity::Parity;
pub use parts::{PARTS, Parts};
pub use time::{CompileTime, Phase, PhaseNode};

use crate::model::Model;

/// All that follows from one log's facts.
pub struct Found {
    /// Where the time went.
    pub time: CompileTime,
    /// Collectives planned and made, one entry a compile with a schedule.
    pub parity: Vec<Parity>,
}

/// Draws the conclusions of one log.
pub fn of_log(model: &Model) -> Found {
    Found { time: time::of_log(model), parity: parity::of_log(model) }
}
