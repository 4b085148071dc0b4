//! What the page shows.

use crate::analysis::{Account, Phase, Timeline};

/// What the page shows.
#[derive(Clone, Copy)]
pub(crate) struct Times<'a> {
    pub account: &'a Account,
    pub timeline: &'a Timeline,
    /// Passes of Inductor, most self time first.
    pub passes: &'a [&'a Phase],
}
