//! The findings in the reports of ranks, collected so that a finding of many ranks is shown once.

use crate::analysis::findings::{CostKind, KindOfFinding};
use crate::facts::ranks::{SharedFinding, SharedVariant};
use crate::facts::{Finding, FindingCost, Id, LogReport, Text, line_number, owned};
use crate::limits::{LISTED, SAME_NAME};
use crate::model::stable;
use indexmap::IndexMap;

/// What measures, and does not count.
const UNITS: [&str; 7] = ["s", "ms", "us", "µs", "ns", "min", "%"];

/// Distinguishes findings of ranks: everything but their numbers, which differ between ranks that do the same.
#[derive(PartialEq, Eq, Hash)]
struct FindingKey {
    kind: String,
    file: Option<String>,
    line: Option<u64>,
    title: Option<String>,
}

/// Findings of ranks, equal ones together.
#[derive(Default)]
pub(super) struct Findings(IndexMap<FindingKey, SharedFinding>);

impl Findings {
    /// Adds those of a rank.
    pub fn add(&mut self, rank: u64, report: &LogReport<'_>) {
        for finding in &report.findings {
            // Each rank has other parts of a first run: one builds what the others wait for.
            let is_first_run = *finding.kind == *KindOfFinding::FirstRun.word();
            let title = (!is_first_run).then(|| without_numbers(&stable(&finding.title)));
            let key = FindingKey {
                kind: finding.kind.to_string(),
                file: owned(&finding.file),
                line: line_number(finding.line),
                title,
            };
            if let Some(known) = self.0.get_mut(&key) {
                if known.ranks.last() != Some(&rank) {
                    known.ranks.push(rank);
                    add_variant(&mut known.variants, &finding.title, rank);
                }
                // Words and cost are those of one rank: the one that lost most.
                let seconds = |cost: &Option<FindingCost<'_>>| cost.as_ref().map_or(0.0, |cost| cost.seconds);
                if seconds(&cost(finding)) > seconds(&known.finding.cost) {
                    // Links lead into the report of the first rank.
                    known.finding = Finding { url: known.finding.url.take(), ..read(finding) };
                }
            } else if self.0.len() < LISTED {
                let first = SharedVariant { title: finding.title.to_string(), ranks: vec![rank] };
                let shared =
                    SharedFinding { finding: read(finding), ranks: vec![rank], variants: vec![first] };
                self.0.insert(key, shared);
            }
        }
    }

    /// All of them, in the order of the first rank that has each.
    pub fn into_shared(self) -> Vec<SharedFinding> {
        self.0.into_values().collect()
    }
}

/// Adds a rank to those with the same counts.
fn add_variant(variants: &mut Vec<SharedVariant>, title: &str, rank: u64) {
    let own = counts(title);
    if let Some(variant) = variants.iter_mut().find(|variant| counts(&variant.title) == own) {
        variant.ranks.push(rank);
    } else if variants.len() < SAME_NAME {
        variants.push(SharedVariant { title: title.to_owned(), ranks: vec![rank] });
    }
}

/// The whole numbers of a title that count something or are sizes: not seconds, and no ids.
fn counts(title: &str) -> Vec<&str> {
    let words: Vec<&str> = title.split_whitespace().collect();
    let is_count = |(at, word): (usize, &&str)| {
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit() || b",[].".contains(&byte));
        let is_number = is_number && !word.trim_end_matches('.').contains('.');
        let unit = words.get(at + 1).map(|unit| unit.trim_end_matches(|c: char| !c.is_alphanumeric()));
        is_number && !unit.is_some_and(|unit| UNITS.contains(&unit))
    };
    words.iter().enumerate().filter(|(at, word)| is_count((*at, word))).map(|(_, word)| *word).collect()
}

/// What is kept of a finding.
fn read(finding: &Finding<'_>) -> Finding<'static> {
    let compiles = finding.compile_ids.iter().flatten();
    let kept = |text: &Option<Text<'_>>| owned(text).map(Text::from);
    Finding {
        kind: finding.kind.owned().into(),
        severity: finding.severity.owned().into(),
        title: finding.title.owned().into(),
        detail: kept(&finding.detail),
        hint: kept(&finding.hint),
        file: kept(&finding.file),
        line: finding.line,
        compile_ids: compiles.map(|id| Some(Id::new(id.to_string()))).collect(),
        cost: cost(finding),
        url: kept(&finding.url),
        ..Finding::default()
    }
}

/// What a finding costs, where a log's report could say so: the job's report says it again.
fn cost(finding: &Finding<'_>) -> Option<FindingCost<'static>> {
    let known = CostKind::ALL.map(CostKind::word);
    let is_known =
        |cost: &&FindingCost<'_>| cost.seconds >= 0.0 && known.contains(&&*cost.kind) && !cost.why.is_empty();
    finding.cost.as_ref().filter(is_known).map(FindingCost::owned)
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
    fn seconds_and_ids_are_no_counts() {
        assert_eq!(counts("Cold cache: 6 misses, 1.2 s in 0/1, 40 ms"), ["6"]);
        assert_eq!(counts("got [4, 16] X [32, 4]."), ["[4,", "16]", "[32,", "4]."]);
    }

    #[test]
    fn numbers_do_not_tell_findings_of_ranks_apart() {
        assert_eq!(without_numbers("2 restarts, 1.25 s in 10/0"), "# restarts, # s in #/#");
    }
}
