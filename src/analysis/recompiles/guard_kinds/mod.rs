//! Reads a change from the text of a failed guard: one row per form of guard that torch writes.
//!
//! Failed guards come in two forms: checks in C++ write a message (`tensor 'x' size mismatch at index 0. expected 4,
//! actual 6`), all others are the condition that no longer holds (`k == 2`).

mod messages;
mod objects;
mod symbolic;
mod values;

use super::change::Change;
use super::kind::ChangeKind;
use crate::facts::Reason;
use crate::read::expr::{condition, split};

/// Reads one form of guard.
type GuardRule = fn(&str) -> Option<Change>;

/// Conditions in Python, most specific first.
const CONDITIONS: [GuardRule; 13] = [
    values::absent_key,
    values::marks,
    values::setting,
    objects::backend,
    symbolic::sizes,
    objects::type_check,
    objects::object_check,
    objects::alias,
    values::length,
    values::keys,
    values::member,
    values::attribute,
    values::value,
];

/// Reads a failed guard as torch wrote it, without the id of the older compile; a comment with the source line may follow
/// (`k == 2   # return x + k  # a.py:18 in f`). Total: an unknown text is [`ChangeKind::Other`].
pub fn classify(reason: &str) -> Change {
    let line = reason.lines().next().unwrap_or_default().trim();
    if let Some(change) = messages::read(line) {
        return change;
    }
    let text = condition(line);
    // Verbose reasons join several guards of one version; the first is enough.
    let first = split(text, ";").first().copied().unwrap_or(text);
    // Only object checks are followed by a class.
    let whole = split(line, ";").first().copied().unwrap_or(line);
    let change = CONDITIONS.iter().find_map(|row| row(first));
    let mut change = change.unwrap_or_else(|| Change::new(ChangeKind::Other, None).with_condition(first));
    objects::add_class(&mut change, whole);
    change
}

/// What changed, by the guard that failed.
pub fn change_of(reason: &Reason<'_>) -> Change {
    let guard = reason.guard.as_deref().filter(|guard| !guard.is_empty());
    classify(guard.unwrap_or(&reason.text))
}

#[cfg(test)]
mod tests;
