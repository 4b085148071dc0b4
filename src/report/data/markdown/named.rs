//! The compiles of a table, of which a log may have a hundred thousand.

use crate::facts::{Compile, ReaderName, named_compiles};
use crate::model::CompileIndex;
use crate::report::data;
use crate::report::lists::{self, OfCompiles};
use crate::report::subject::Report;

/// Compiles that are listed, with the names that the log's reader has for their functions.
pub(super) struct NamedHere<'m> {
    pub compiles: Vec<Compile<'m>>,
    names: Vec<ReaderName<'m>>,
}

impl<'m> NamedHere<'m> {
    pub fn of(report: Report<'m>, compiles: impl Iterator<Item = CompileIndex> + Clone) -> NamedHere<'m> {
        NamedHere {
            compiles: compiles.clone().map(|index| data::compile(report, index)).collect(),
            names: compiles.filter_map(|index| data::name(report, index)).collect(),
        }
    }

    /// What lists say of them.
    pub fn known(&self) -> OfCompiles<'_> {
        lists::of_compiles(named_compiles(&self.compiles, &self.names))
    }
}
