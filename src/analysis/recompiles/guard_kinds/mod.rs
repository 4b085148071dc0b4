//! What changed, read from the text of a failed guard: one row per form in which torch writes guards.
//!
//! torch words a failed guard in two ways: checks made in C++ speak (`tensor 'x' size mismatch at index 0. expected 4,
//! actual 6`), all others are the condition that used to hold (`k == 2`).

mod messages;
mod objects;
mod symbolic;
mod values;

use super::change::Change;
use super::expression::{condition, split};
use super::kind::ChangeKind;

/// A form of guards: reads its texts and no others.
type Row = fn(&str) -> Option<Change>;

/// Sentences of torch's C++ checks and of its own explanations.
const MESSAGES: [Row; 8] = [
    messages::race,
    messages::backend,
    messages::global_state,
    messages::tensor,
    messages::type_of_input,
    messages::duplicates,
    messages::marks,
    messages::unnamed,
];

/// Conditions in Python, the most particular first.
const CONDITIONS: [Row; 12] = [
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

/// Reads a reason, as torch wrote it but without the id of the older compile in front; a comment with the source line
/// may follow (`k == 2   # return x + k  # a.py:18 in f`). Total: a text that nobody knows is [`ChangeKind::Other`].
pub fn classify(reason: &str) -> Change {
    let line = reason.lines().next().unwrap_or_default().trim();
    if let Some(change) = MESSAGES.iter().find_map(|row| row(line)) {
        return change;
    }
    let text = condition(line);
    // With verbose reasons several guards of one entry are joined; the first says enough.
    let first = split(text, ";").first().copied().unwrap_or(text);
    // The class behind a check of an object is part of that row only.
    let whole = split(line, ";").first().copied().unwrap_or(line);
    let change = CONDITIONS.iter().find_map(|row| row(first));
    let mut change = change.unwrap_or_else(|| Change::new(ChangeKind::Other, None).with_condition(first));
    objects::add_class(&mut change, whole);
    change
}

#[cfg(test)]
mod tests;
