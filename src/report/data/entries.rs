//! What report.json is made of: ids, and lists that are never in memory as a whole, since a log may have a hundred thousand
//! compiles.

use crate::trace::CompileId;
use serde::{Serialize, Serializer};

/// A compile id as torch writes it; None for records without one.
pub(super) fn id_text(id: &Option<CompileId>) -> Option<String> {
    id.as_ref().map(CompileId::to_string)
}

/// A list whose entries are made while they are written.
pub(super) struct Each<F>(pub F);

impl<T: Serialize, I: Iterator<Item = T>, F: Fn() -> I> Serialize for Each<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

/// The same; null if there is no entry.
pub(super) struct EachOrNull<F>(pub F);

impl<T: Serialize, I: Iterator<Item = T>, F: Fn() -> I> Serialize for EachOrNull<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut entries = (self.0)().peekable();
        match entries.peek() {
            Some(_) => serializer.collect_seq(entries),
            None => serializer.serialize_none(),
        }
    }
}
