//! What of a log could be read.

use indexmap::IndexMap;

/// Kinds of damage, each a counter of [`Integrity`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ProblemKind {
    /// A line is neither a record nor a payload.
    BadPrefix,
    /// A record's JSON is no object.
    BadJson,
    /// A payload differs from its hash.
    BadPayloadMd5,
    /// The log begins or ends in the middle of a record.
    Truncated,
    /// Bytes that are not UTF-8.
    NonUtf8,
    /// A record of a second rank.
    OtherRank,
    /// A record that its parser could not understand.
    ParserErrors,
    /// A stack names a string that no record defines.
    UnresolvedStrings,
}

impl ProblemKind {
    /// All kinds, in the order of report.json.
    pub const ALL: [ProblemKind; 8] = [
        ProblemKind::BadPrefix,
        ProblemKind::BadJson,
        ProblemKind::BadPayloadMd5,
        ProblemKind::Truncated,
        ProblemKind::NonUtf8,
        ProblemKind::OtherRank,
        ProblemKind::ParserErrors,
        ProblemKind::UnresolvedStrings,
    ];

    /// The counter's name in report.json.
    pub fn name(self) -> &'static str {
        match self {
            ProblemKind::BadPrefix => "bad_prefix",
            ProblemKind::BadJson => "bad_json",
            ProblemKind::BadPayloadMd5 => "bad_payload_md5",
            ProblemKind::Truncated => "truncated",
            ProblemKind::NonUtf8 => "non_utf8",
            ProblemKind::OtherRank => "other_rank",
            ProblemKind::ParserErrors => "parser_errors",
            ProblemKind::UnresolvedStrings => "unresolved_strings",
        }
    }

    /// Whether `--strict` fails on it.
    pub fn is_damage(self) -> bool {
        !matches!(self, ProblemKind::NonUtf8 | ProblemKind::UnresolvedStrings)
    }
}

/// One thing that is wrong with the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Line of the log, from 1.
    pub line: u64,
    /// What kind of thing.
    pub kind: ProblemKind,
    /// What was found, for people.
    pub detail: String,
}

/// Problems of one kind that are listed; the rest is counted. 100 is the contract's number.
const LISTED: u64 = 100;

/// Counts of what was read and what was not.
#[derive(Debug, Default, Clone)]
pub struct Integrity {
    counts: [u64; ProblemKind::ALL.len()],
    /// The first 100 of each kind, in log order.
    pub problems: Vec<Problem>,
    /// Records by event key.
    pub events: IndexMap<String, u64>,
    /// Artifact events by name.
    pub artifacts: IndexMap<String, u64>,
    /// Records whose event nobody knows, by key.
    pub unknown_events: IndexMap<String, u64>,
    /// Records that carry a stack in place of a compile id.
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

    /// How many problems of a kind there are.
    pub fn count(&self, kind: ProblemKind) -> u64 {
        self.counts.get(kind as usize).copied().unwrap_or(0)
    }

    /// Whether nothing of the log is damaged: what `--strict` asks.
    pub fn ok(&self) -> bool {
        ProblemKind::ALL.iter().all(|&kind| !kind.is_damage() || self.count(kind) == 0)
    }
}
