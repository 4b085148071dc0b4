//! The findings in the reports of ranks, collected so that a finding of many ranks is shown once.

use crate::facts::{self as log, Finding, LogReport};
use crate::facts::{line_number, owned};
use crate::model::{FindingCost, LogFinding, SharedFinding, stable};
use indexmap::IndexMap;

/// How many findings of a job are kept; a log has a few dozen at most.
const MOST: usize = 1_000;

/// Distinguishes findings of ranks: everything but their numbers, which differ between ranks that do the same.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    kind: String,
    file: Option<String>,
    line: Option<u64>,
    title: String,
}

/// Findings of ranks, equal ones together.
#[derive(Default)]
pub(super) struct Findings(IndexMap<Key, SharedFinding>);

impl Findings {
    /// Adds those of a rank.
    pub fn add(&mut self, rank: u64, report: &LogReport<'_>) {
        for finding in &report.findings {
            let key = Key {
                kind: finding.kind.to_string(),
                file: owned(&finding.file),
                line: line_number(finding.line),
                title: without_numbers(&stable(&finding.title)),
            };
            if let Some(known) = self.0.get_mut(&key) {
                if known.ranks.last() != Some(&rank) {
                    known.ranks.push(rank);
                }
                // Words and cost are those of one rank: the one that lost most.
                let seconds = |cost: &Option<FindingCost>| cost.as_ref().map_or(0.0, |cost| cost.seconds);
                if seconds(&cost(finding)) > seconds(&known.finding.cost) {
                    known.finding = read(finding);
                }
            } else if self.0.len() < MOST {
                self.0.insert(key, SharedFinding { finding: read(finding), ranks: vec![rank] });
            }
        }
    }

    /// All of them, in the order of the first rank that has each.
    pub fn into_shared(self) -> Vec<SharedFinding> {
        self.0.into_values().collect()
    }
}

fn read(finding: &Finding<'_>) -> LogFinding {
    let compiles = finding.compile_ids.iter().flatten();
    LogFinding {
        kind: finding.kind.to_string(),
        severity: finding.severity.to_string(),
        title: finding.title.to_string(),
        detail: owned(&finding.detail),
        hint: owned(&finding.hint),
        file: owned(&finding.file),
        line: line_number(finding.line),
        compiles: compiles.map(|id| id.to_string()).collect(),
        cost: cost(finding),
        url: owned(&finding.url),
    }
}

/// What a finding costs, where a log's report could say so: the job's report says it again.
fn cost(finding: &Finding<'_>) -> Option<FindingCost> {
    let known = ["wasted", "avoidable", "expected"];
    let is_known = |cost: &&log::FindingCost<'_>| {
        cost.seconds >= 0.0 && known.contains(&&*cost.kind) && !cost.why.is_empty()
    };
    let cost = finding.cost.as_ref().filter(is_known)?;
    Some(FindingCost { seconds: cost.seconds, kind: cost.kind.to_string(), why: cost.why.to_string() })
}

/// The text with every number made `#`.
fn without_numbers(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    for c in text.chars() {
        match c.is_ascii_digit() {
            true if kept.ends_with('#') => {}
            true => kept.push('#'),
            false => kept.push(c),
        }
    }
    kept.replace("#.#", "#")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_do_not_tell_findings_of_ranks_apart() {
        assert_eq!(without_numbers("2 restarts, 1.25 s in 10/0"), "# restarts, # s in #/#");
    }
}
