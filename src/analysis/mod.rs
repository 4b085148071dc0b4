//! Model to findings: pure functions, no HTML, no IO.

mod account;
mod functions;
mod parity;
mod parts;
mod stage;
mod time;
mod timeline;
mod trie;

pub use account::{Account, Gap, Lost};
pub use functions::{FunctionGroup, by_status, is_capture};
pub use parity::Parity;
pub use parts::{PARTS, Parts, part_of_phase};
pub use stage::Stage;
pub use time::{CompileTime, Phase, PhaseNode};
pub use timeline::{LaidSpan, Timeline, Track, TrackKind};
pub use trie::{Trie, TrieNode};

use crate::model::{Model, Outcome};
use fxhash::FxHashMap;

/// All that follows from one log's facts.
pub struct Found {
    /// Where the time went.
    pub time: CompileTime,
    /// Collectives planned and made, one entry a compile with a schedule.
    pub parity: Vec<Parity>,
    /// What was compiled, by function.
    pub functions: Vec<FunctionGroup>,
    /// What the caches answered to each compile, by its index in the model.
    pub cache: FxHashMap<usize, Outcome>,
    /// Who called what was compiled.
    pub trie: Trie,
}

/// Draws the conclusions of one log.
pub fn of_log(model: &Model) -> Found {
    Found {
        time: time::of_log(model),
        parity: parity::of_log(model),
        functions: functions::of_log(model),
        cache: functions::cache_outcomes(model),
        trie: trie::of_log(model),
    }
}
