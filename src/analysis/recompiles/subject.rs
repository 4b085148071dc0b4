//! The distinct things that changed between compiles of a function.

use super::change::Change;
use super::kind::ChangeKind;
use crate::model::CompileIndex;
use crate::trace::TextSet;

/// A thing that changed between compiles of a function.
#[derive(Debug, Default)]
pub struct ChangedThing<'c> {
    /// Its kind; None if the log gives no reason.
    pub kind: Option<ChangeKind>,
    /// Its expression, if the guards name one.
    pub name: Option<String>,
    /// Its changes, in order.
    pub changes: Vec<&'c Change>,
    /// The values that its changes name.
    pub known: Vec<KnownValue<'c>>,
    /// Whether each of its changes is expected.
    pub expected: bool,
}

/// A value, and the version that was compiled for it.
#[derive(Debug, Clone, Copy)]
pub struct KnownValue<'c> {
    pub version: CompileIndex,
    pub value: &'c String,
}

impl ChangedThing<'_> {
    /// Its known values, in the order of the versions that were compiled for them.
    pub fn values(&self) -> Vec<String> {
        let mut known = self.known.clone();
        known.sort_by_key(|one| one.version);
        let mut values: Vec<String> = Vec::new();
        let mut seen: TextSet<(CompileIndex, &String)> = TextSet::default();
        for one in known {
            if values.last() != Some(one.value) && seen.insert((one.version, one.value)) {
                values.push(one.value.clone());
            }
        }
        values
    }

    /// Whether a change is one of it.
    pub(super) fn is_of(&self, change: &Change) -> bool {
        Some(change.kind) == self.kind && change.subject() == self.name
    }

    /// The tensor or value, without the property that changed.
    pub fn source(&self) -> Option<&str> {
        self.changes.first()?.source.as_deref()
    }

    /// Whether the last compile made it symbolic: further values do not recompile.
    pub fn became_dynamic(&self) -> bool {
        self.changes.last().is_some_and(|change| change.became_dynamic)
    }
}
