//! The compile that a page is about.

use crate::analysis::{OfCompile, OwnFiles};
use crate::model::{Compile, CompileIndex, Function};
use crate::report::subject::Report;

/// The compile that a page is about, and what is known of it.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'a> {
    pub report: Report<'a>,
    /// Its place in the model.
    pub index: CompileIndex,
    pub compile: &'a Compile,
    pub of: &'a OfCompile<'a>,
    /// Which files are the reader's.
    pub own: &'a OwnFiles,
    /// The compiles of the same function, itself among them.
    pub chain: &'a [CompileIndex],
}

/// The compiled function; where nothing names it, that of another compile of the same frame.
pub(crate) fn function<'a>(subject: Subject<'a>) -> Option<&'a Function> {
    let compiles = &subject.report.model.compiles;
    let others = || subject.chain.iter().find_map(|index| compiles.get(*index)?.function.as_ref());
    subject.compile.function.as_ref().or_else(others)
}
