//! The compile that a page is about.

use crate::analysis::findings::EntryKey;
use crate::analysis::{ByCompile, Chain, Finding, OwnFiles, Step};
use crate::model::{Compile, CompileIndex, Fields, Function};
use crate::report::kit::failure_reasons::Reason;
use crate::report::subject::Report;
use fxhash::FxHashMap;

/// The compile that a page is about, and what is known about it.
#[derive(Clone, Copy)]
pub(crate) struct ShownCompile<'a> {
    pub report: Report<'a>,
    /// Its place in the model.
    pub index: CompileIndex,
    pub compile: &'a Compile,
    pub of: &'a ByCompile<'a>,
    /// Which files are the reader's.
    pub own: &'a OwnFiles,
    /// The compiles of the same function, itself among them.
    pub chain: &'a [CompileIndex],
    /// The fields of its [main record](super::metrics::main_record), read once for the whole page.
    pub metrics: Option<&'a Fields<'a>>,
    /// The compiles that have a page, in the order of the log.
    pub order: &'a [CompileIndex],
    /// Why compiles of the log failed, and the number of the entry of each failure, by its record.
    pub reasons: &'a [Reason<'a>],
    pub failure_entries: &'a FxHashMap<u64, usize>,
    pub findings: &'a FxHashMap<EntryKey, &'a Finding>,
    /// Why it was compiled again; None for a first compile.
    pub step: Option<Recompiled<'a>>,
    /// The graph break after which its function resumes, by its place in the model.
    pub resumes: Option<usize>,
}

impl ShownCompile<'_> {
    /// How many conditions its guards have; torch's own count where the log has no guards.
    pub(super) fn guards(self) -> Option<u64> {
        self.compile.guard_conditions.or(self.compile.outcome()?.guard_count)
    }
}

/// A compile among those of its function.
#[derive(Clone, Copy)]
pub(crate) struct Recompiled<'a> {
    pub chain: &'a Chain<'a>,
    pub step: &'a Step<'a>,
}

/// The compiled function; falls back to the function of another compile of the same frame.
pub(crate) fn function<'a>(subject: ShownCompile<'a>) -> Option<&'a Function> {
    let compiles = &subject.report.model.compiles;
    let others = || subject.chain.iter().find_map(|index| compiles.get(*index)?.function.as_deref());
    subject.compile.function.as_deref().or_else(others)
}
