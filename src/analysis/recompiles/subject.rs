//! The distinct things that changed between compiles of a function.

use super::change::Change;
use super::kind::ChangeKind;
use crate::trace::TextSet;

/// A thing that changed between compiles of a function.
#[derive(Debug)]
pub struct ChangedThing<'c> {
    /// Its kind; None if the log gives no reason.
    pub kind: Option<ChangeKind>,
    /// Its expression, if the guards name one.
    pub name: Option<String>,
    /// Its changes, in order.
    pub changes: Vec<&'c Change>,
    /// Whether each of its changes is expected.
    pub expected: bool,
}

impl ChangedThing<'_> {
    /// Its known values, first to last.
    pub fn values(&self) -> Vec<String> {
        let mut values: Vec<String> = Vec::new();
        let mut seen: TextSet<&String> = TextSet::default();
        for change in &self.changes {
            let old = change.old.as_ref().filter(|old| values.last() != Some(*old) && !seen.contains(*old));
            values.extend(old.cloned());
            let new = change.new.as_ref().filter(|new| values.last() != Some(*new));
            values.extend(new.cloned());
            seen.extend(old.into_iter().chain(new));
        }
        values
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
