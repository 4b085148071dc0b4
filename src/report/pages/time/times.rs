//! The data of the page.

use crate::analysis::{Account, Timeline};
use crate::facts::Phase;

/// The data of the page.
#[derive(Clone, Copy)]
pub(crate) struct Times<'a> {
    pub account: &'a Account,
    pub timeline: &'a Timeline,
    /// Passes of Inductor, most self time first.
    pub passes: &'a [&'a Phase<'a>],
}
