//! What changed between a compiled version and the call that did not match it.

use crate::analysis::{Change, ChangeKind};
use crate::limits::SHORT_NAME;
use crate::report::doc::{Cell, log};
use crate::report::kit::formats::clipped;

/// A value, in full on hover if it is cut; `class` is `old` or `new`.
pub(crate) fn marked<'c>(class: &'static str, value: &'c str) -> Cell<'c> {
    let (shown, cut) = clipped(value, SHORT_NAME);
    match cut {
        true => Cell::Titled(value.into(), Box::new(log(format!("{shown}…")).class(class))),
        false => log(shown).class(class),
    }
}

/// The value that a guard requires and the one that arrived: `4 → 6, then dynamic`.
pub(crate) fn change_of(change: &Change) -> Cell<'_> {
    let soft = |words: &'static str| Cell::from(words).class("soft");
    let new = || change.new.as_deref().map_or_else(|| soft("not recorded"), |new| marked("new", new));
    let mut pieces = match &change.old {
        Some(old) => vec![marked("old", old), " → ".into(), new()],
        // For a mode that is on or off, the old value follows from the new one.
        None if change.new.is_none() && change.kind == ChangeKind::GradMode => vec![soft("flipped")],
        None => vec![new()],
    };
    pieces.extend(change.became_dynamic.then(|| soft(", then dynamic")));
    Cell::Beside(pieces, "")
}
