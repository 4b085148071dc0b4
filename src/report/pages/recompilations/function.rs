//! A function that was compiled again, as the page shows it.

use crate::analysis::Chain;
use crate::analysis::findings::Finding;

/// A function with its compiles.
pub(super) struct Recompiled<'m> {
    pub(super) chain: &'m Chain<'m>,
    /// Its anchor.
    pub(super) anchor: String,
    /// How many versions of it torch keeps.
    pub(super) limit: u64,
    pub(super) finding: Option<&'m Finding>,
}

/// Bytes of guards that may still be read.
pub(super) type Room = std::cell::Cell<u64>;
