//! A function on the page, with its compiles.

use crate::analysis::Chain;
use crate::model::CompileIndex;

/// A function, with its anchor on the page and the limit of compiled versions.
pub(crate) struct Subject<'m> {
    pub chain: &'m Chain<'m>,
    pub anchor: String,
    pub limit: u64,
}

impl Subject<'_> {
    /// Its compiles, in the order of the log.
    pub fn compiles(&self) -> Vec<CompileIndex> {
        self.chain.steps.iter().map(|step| step.compile).collect()
    }
}
