//! Comparison of jobs: rank by rank, and whether the ranks agree.

use super::recording::{LogRun, Recording};
use super::rows::LogComparison;
use crate::facts::{DiffRow, RowKind, RowTopic};
use crate::limits::SHORT_LIST;
use crate::trace::TextMap;
use std::collections::BTreeSet;

/// Start of the detail of a row on several ranks.
const DIFFERS_MOST: &str = "times of the rank that differs most, rank ";

/// The ranks of a side; None stands for a single log, even if it has a rank.
pub(super) fn ranks_of(side: &[Recording]) -> BTreeSet<Option<u64>> {
    side.iter().flat_map(|recording| recording.logs.iter().map(|log| rank_of(recording, log))).collect()
}

pub(super) fn logs_of(side: &[Recording], rank: Option<u64>) -> Vec<&LogRun> {
    let logs = side.iter().flat_map(|recording| recording.logs.iter().map(move |log| (recording, log)));
    logs.filter(|(recording, log)| rank_of(recording, log) == rank).map(|(_, log)| log).collect()
}

fn rank_of(recording: &Recording, log: &LogRun) -> Option<u64> {
    recording.agreement.as_ref().and(log.rank)
}

/// Rows on ranks that only one side has, and on whether ranks agree.
pub(super) fn rows(
    [a, b]: [&[Recording]; 2],
    [ranks_a, ranks_b]: [&BTreeSet<Option<u64>>; 2],
    [name_a, name_b]: &[String; 2],
) -> Vec<DiffRow> {
    let mut rows = Vec::new();
    let only = |one: &BTreeSet<Option<u64>>, other: &BTreeSet<Option<u64>>| -> Vec<u64> {
        one.difference(other).copied().flatten().collect()
    };
    for (kind, ranks, side) in
        [(RowKind::Gone, only(ranks_a, ranks_b), name_a), (RowKind::New, only(ranks_b, ranks_a), name_b)]
    {
        if !ranks.is_empty() {
            let text = format!("Ranks that only {side} has: {}", ranks.len());
            rows.push(DiffRow { ranks, ..DiffRow::new(kind, RowTopic::Ranks, text) });
        }
    }
    let differing = |side: &[Recording]| -> BTreeSet<String> {
        let agreements = side.iter().filter_map(|recording| recording.agreement.as_ref());
        agreements.flat_map(|agreement| agreement.differing.iter().cloned()).collect()
    };
    let (old, new) = (differing(a), differing(b));
    let differ = format!("The ranks of {name_b} differ where those of {name_a} agree");
    let agree = format!("The ranks of {name_b} agree where those of {name_a} differ");
    for (kind, facts, side, text) in
        [(RowKind::New, new.difference(&old), b, differ), (RowKind::Gone, old.difference(&new), a, agree)]
    {
        let facts: Vec<&str> = facts.map(String::as_str).collect();
        if facts.is_empty() {
            continue;
        }
        let mut row = DiffRow::new(kind, RowTopic::Ranks, text);
        let finding = side.iter().find_map(|recording| recording.agreement.as_ref()?.first_finding.clone());
        let named: Vec<String> = facts.iter().take(SHORT_LIST).map(|fact| fact.replace('_', " ")).collect();
        let facts = format!("in {}", named.join(", "));
        row.detail = Some(finding.map_or(facts.clone(), |finding| format!("{finding}; {facts}")));
        rows.push(row);
    }
    rows
}

/// The rows of all ranks; equal rows are merged into one with the times of the rank that differs most.
pub(super) fn merged(logs: &mut [LogComparison]) -> Vec<DiffRow> {
    let mut rows: Vec<DiffRow> = Vec::new();
    let mut known: TextMap<String, usize> = TextMap::default();
    for log in logs {
        for mut row in log.rows.drain(..) {
            row.ranks.extend(log.rank);
            let key = format!(
                "{:?}\n{:?}\n{}\n{:?}\n{:?}\n{:?}\n{:?}",
                row.kind, row.topic, row.subject, row.file, row.line, row.a.value, row.b.value
            );
            let place = *known.entry(key).or_insert(rows.len());
            match rows.get_mut(place).filter(|_| log.rank.is_some()) {
                Some(same) => {
                    let size = |row: &DiffRow| row.difference_s.unwrap_or_default().abs();
                    let most = if size(&row) > size(same) { log.rank } else { same.ranks.first().copied() };
                    if size(&row) > size(same) {
                        for (same, side) in [(&mut same.a, &row.a), (&mut same.b, &row.b)] {
                            (same.seconds, same.spread_s) = (side.seconds, side.spread_s);
                        }
                        (same.difference_s, same.function) = (row.difference_s, row.function);
                    }
                    if let Some(most) = most.filter(|_| row.difference_s.is_some()) {
                        same.detail = Some(format!("{DIFFERS_MOST}{most}"));
                        // Compiles and pages of the first rank in the list are shown.
                        same.ranks.retain(|rank| *rank != most);
                        same.ranks.insert(0, most);
                    }
                    same.ranks.append(&mut row.ranks);
                }
                None => rows.push(row),
            }
        }
    }
    rows
}
