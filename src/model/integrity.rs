//! Which parts of a log could be read, and what is damaged.

use super::words::worded;
use super::{Artifact, Content};
use crate::trace::OrderedMap;

worded! {
    /// Kinds of damage, each a counter of [`Integrity`] and a key of report.json.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum ProblemKind.name {
        /// A line is neither a record nor a payload.
        BadPrefix = "bad_prefix",
        /// A record's JSON is not an object.
        BadJson = "bad_json",
        /// A payload differs from its hash.
        BadPayloadMd5 = "bad_payload_md5",
        /// The log begins or ends in the middle of a record.
        Truncated = "truncated",
        /// Bytes that are not UTF-8.
        NonUtf8 = "non_utf8",
        /// A record of a second rank.
        OtherRank = "other_rank",
        /// A record that its parser could not understand.
        ParserErrors = "parser_errors",
        /// A stack names a string that no record defines.
        UnresolvedStrings = "unresolved_strings",
    }
}

impl ProblemKind {
    /// Whether `--strict` fails because of it.
    pub fn is_damage(self) -> bool {
        !matches!(self, ProblemKind::NonUtf8 | ProblemKind::UnresolvedStrings)
    }
}

/// One thing that is wrong with the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub line: u64,
    pub kind: ProblemKind,
    pub detail: String,
}

/// What is wrong with the text of an artifact: the log ends inside it, or it does not have the declared hash.
const CUT: &str = "damaged: cut short";
const OTHER_HASH: &str = "damaged: payload hash";

/// How many problems of one kind are listed; further ones are only counted.
const LISTED: u64 = 100;

/// Counts of what was read and what was not.
#[derive(Debug, Default, Clone)]
pub struct Integrity {
    counts: [u64; ProblemKind::ALL.len()],
    /// The first 100 of each kind, in log order.
    pub problems: Vec<Problem>,
    /// Records by event key.
    pub events: OrderedMap<String, u64>,
    pub artifacts: OrderedMap<String, u64>,
    pub unknown_events: OrderedMap<String, u64>,
    /// How many records have a stack in place of a compile id.
    pub stacks_without_id: u64,
}

impl Integrity {
    /// Counts a problem, and lists it while there are few of its kind.
    pub fn add(&mut self, kind: ProblemKind, line: u64, detail: impl Into<String>) {
        if let Some(count) = self.counts.get_mut(kind as usize) {
            *count += 1;
            if *count <= LISTED {
                self.problems.push(Problem { line, kind, detail: detail.into() });
            }
        }
    }

    /// What is wrong with the text of an artifact. A payload that has the declared hash is whole, also where the log was
    /// cut after it.
    pub fn damage_of(&self, artifact: &Artifact) -> Option<&'static str> {
        let has = |kind| self.problems.iter().any(|p| p.kind == kind && p.line == artifact.line);
        let damaged = match &artifact.content {
            Content::Payload(at, _) => !at.intact,
            // A payload that was declared and is missing.
            Content::Empty(_) => has(ProblemKind::BadPayloadMd5),
            _ => false,
        };
        let damage = || if has(ProblemKind::Truncated) { CUT } else { OTHER_HASH };
        damaged.then(damage)
    }

    pub fn count(&self, kind: ProblemKind) -> u64 {
        self.counts.get(kind as usize).copied().unwrap_or(0)
    }

    /// How many records are damaged in this way. A record that is cut short counts once, whatever else is wrong with it.
    pub fn records(&self, kind: ProblemKind) -> u64 {
        let cut = |problem: &Problem| problem.kind == ProblemKind::Truncated;
        let besides = self.problems.iter().enumerate().filter(|(at, one)| {
            let others = if cut(one) { self.problems.get(..*at) } else { Some(&*self.problems) };
            one.kind == kind && others.into_iter().flatten().any(|other| cut(other) && other.line == one.line)
        });
        self.count(kind) - besides.count() as u64
    }

    /// Whether no record of the log is damaged: what `--strict` checks.
    pub fn ok(&self) -> bool {
        ProblemKind::ALL.iter().all(|&kind| !kind.is_damage() || self.count(kind) == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Form;
    use crate::trace::{Md5, PayloadRef, Span};

    fn artifact(intact: bool) -> Artifact {
        let (span, md5) = (Span::default(), Md5::of(b""));
        let at = PayloadRef { span, text_len: 0, md5, strip_cr: false, intact };
        Artifact { content: Content::Payload(at, Form::Text), ..Artifact::named("graph", 0) }
    }

    #[test]
    fn a_payload_with_its_hash_is_whole_also_where_the_log_is_cut_after_it() {
        let mut integrity = Integrity::default();
        assert_eq!(integrity.damage_of(&artifact(false)), Some(OTHER_HASH));
        integrity.add(ProblemKind::Truncated, 1, "the archive is damaged");
        assert_eq!(integrity.damage_of(&artifact(true)), None);
        assert_eq!(integrity.damage_of(&artifact(false)), Some(CUT));
    }

    #[test]
    fn an_empty_file_is_damaged_where_a_payload_was_declared_and_is_missing() {
        let empty = Artifact::named("fx_graph_cache_hit", 0);
        let mut integrity = Integrity::default();
        integrity.add(ProblemKind::Truncated, 1, "the archive is damaged");
        assert_eq!(integrity.damage_of(&empty), None);
        integrity.add(ProblemKind::BadPayloadMd5, 1, "the payload is missing");
        assert_eq!(integrity.damage_of(&empty), Some(CUT));
    }
}
