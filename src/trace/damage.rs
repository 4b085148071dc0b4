//! What does not fit the grammar of a log.

use crate::hidden::is_hidden;
use crate::limits::{LONG_LINE, QUOTE};

/// Something in the log that does not fit the grammar.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Damage {
    /// The line it was found on, from 1; for a record, its header line.
    pub line: u64,
    pub kind: DamageKind,
    /// What was found, one short sentence for people; holds text of the log.
    pub detail: String,
}

/// The kinds of damage; each is counted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum DamageKind {
    /// A line without a glog prefix.
    BadPrefix,
    /// A line whose prefix is not followed by one JSON object.
    BadJson,
    /// A payload that does not have the declared hash, or is missing.
    BadPayloadMd5,
    /// The log begins or ends inside a record.
    Truncated,
    /// Bytes that are not UTF-8.
    NonUtf8,
}

impl Damage {
    /// The log ends too early.
    pub(super) fn truncated(line: u64) -> Damage {
        Damage { line, kind: DamageKind::Truncated, detail: "the log ends inside this record".to_owned() }
    }
}

/// The beginning of a line in quotes, hidden characters spelled out.
pub(super) fn quoted(line: &[u8]) -> String {
    let shown = line.get(..QUOTE);
    let text = String::from_utf8_lossy(shown.unwrap_or(line));
    let mut out = String::from("\"");
    for c in text.chars() {
        if is_hidden(c) { out.extend(c.escape_default()) } else { out.push(c) }
    }
    out.push_str(if shown.is_some_and(|shown| shown.len() < line.len()) { "..\"" } else { "\"" });
    out
}

/// A detail, cut to the length of a row of a table.
pub(super) fn bounded(detail: String) -> String {
    match detail.char_indices().nth(LONG_LINE) {
        Some((at, _)) => detail.get(..at).unwrap_or_default().to_owned(),
        None => detail,
    }
}
