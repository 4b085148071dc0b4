//! A function on the page, with its compiles.

use crate::analysis::Chain;

/// A function, with its anchor on the page and the limit of compiled versions.
pub(crate) struct ShownChain<'m> {
    pub chain: &'m Chain<'m>,
    pub anchor: String,
    pub limit: u64,
}
