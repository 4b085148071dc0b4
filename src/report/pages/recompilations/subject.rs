//! What the page tells of: a function with its compiles.

use crate::analysis::Chain;

/// A function of the page, with where it stands there and how often torch would compile it.
pub(crate) struct Subject<'m> {
    pub chain: &'m Chain<'m>,
    pub anchor: String,
    pub limit: u64,
}
