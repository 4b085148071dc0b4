//! What the search of a job finds: the names in the reports of its ranks, each once with the ranks that have it.

use crate::limits::{KEPT, SHOWN};
use crate::trace::OrderedMap;
use std::ops::RangeInclusive;

/// Bytes of all entries: a page with them opens in a second.
const MOST_BYTES: usize = 8 << 20;

/// What an entry is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SearchedKind {
    Finding,
    Function,
    GraphBreak,
    Kernel,
    Measured,
    File,
}

/// An entry, which several ranks may have.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Searched {
    pub kind: SearchedKind,
    pub name: String,
    /// Where its row is, relative to the report of the rank.
    pub href: String,
}

/// The ranks with an entry.
#[derive(Debug)]
pub struct Holders {
    /// What is known of it in the first of these ranks.
    pub detail: String,
    /// Whether another rank has another detail.
    pub differs: bool,
    /// Ascending; at most [`SHOWN`] ranges.
    pub ranks: Vec<RangeInclusive<u64>>,
}

/// The entries of all ranks, in the order in which they were found.
#[derive(Debug, Default)]
pub struct SearchedNames {
    pub entries: OrderedMap<Searched, Holders>,
    bytes: usize,
    /// How many times an entry, or a rank of it, had no room.
    pub left_out: usize,
}

impl SearchedNames {
    /// Adds an entry of a rank; ranks come in ascending order.
    pub fn add(&mut self, rank: u64, entry: Searched, detail: String) {
        if let Some(known) = self.entries.get_mut(&entry) {
            known.differs |= known.detail != detail;
            return self.left_out += usize::from(!known.add(rank));
        }
        let bytes = entry.name.len() + entry.href.len() + detail.len();
        if self.entries.len() >= KEPT || self.bytes + bytes > MOST_BYTES {
            return self.left_out += 1;
        }
        self.bytes += bytes;
        self.entries.insert(entry, Holders { detail, differs: false, ranks: vec![rank..=rank] });
    }
}

impl Holders {
    /// Adds a rank; false if there is no room.
    fn add(&mut self, rank: u64) -> bool {
        let has_room = self.ranks.len() < SHOWN;
        match self.ranks.last_mut() {
            Some(last) if *last.end() == rank => {}
            Some(last) if last.end().checked_add(1) == Some(rank) => *last = *last.start()..=rank,
            _ if has_room => self.ranks.push(rank..=rank),
            _ => return false,
        }
        true
    }
}
