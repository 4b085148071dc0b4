//! Parts that several objects of `report.json` have.

use crate::facts::{Id, Map};
use crate::model::CompileIndex;
use crate::report::subject::Report;
use crate::trace::CompileId;

/// A compile id as torch writes it; None for records without one.
pub(super) fn id<'a>(id: &Option<CompileId>) -> Option<Id<'a>> {
    id.as_ref().map(|id| Id::new(id.to_string()))
}

pub(super) fn id_of<'a>(report: Report<'_>, index: CompileIndex) -> Option<Id<'a>> {
    id(&report.model.compiles.get(index)?.id)
}

/// Counts by name.
pub(super) fn counts<'a, N: AsRef<str> + 'a>(
    counts: impl Iterator<Item = (&'a N, &'a u64)> + Clone + Send + Sync + 'a,
) -> Map<'a, u64> {
    Map::made(move || counts.clone().map(|(name, count)| (name.as_ref().into(), *count)))
}

/// A line of a program.
pub(super) fn line(line: Option<u64>) -> Option<i64> {
    line.and_then(|line| i64::try_from(line).ok())
}
