//! Comparison of jobs: rank by rank, and whether the ranks agree.

use super::items::Item;
use super::recording::{LogRun, Recording};
use super::rows::LogComparison;
use crate::analysis::Severity;
use crate::analysis::findings::KindOfFinding;
use crate::facts::{Aspect, DiffRow, RowKind};
use crate::trace::TextMap;
use indexmap::IndexMap;
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
    recording.of_job.as_ref().and(log.log.rank)
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
            rows.push(DiffRow { ranks, ..DiffRow::new(kind, Aspect::Ranks, text) });
        }
    }
    let [old, new] = [a, b].map(|side| {
        let mut first: IndexMap<&str, &Item> = IndexMap::new();
        for item in side.iter().filter_map(|recording| recording.of_job.as_ref()).flatten() {
            first.entry(&item.kind).or_insert(item);
        }
        first
    });
    for (kind, own, other) in [(RowKind::New, &new, &old), (RowKind::Gone, &old, &new)] {
        // The ranks that have a log are compared above.
        let is_own = |kind: &str| !other.contains_key(kind) && kind != "missing_ranks";
        rows.extend(own.iter().filter(|(kind, _)| is_own(kind)).map(|(_, item)| {
            let row = DiffRow::new(kind, Aspect::Ranks, item.title.clone());
            let is_error = item.severity == Severity::Error;
            let is_divergence = KindOfFinding::differing(&item.kind).is_some_and(Aspect::is_of_program);
            DiffRow { file: item.file.clone(), line: item.line, is_error, is_divergence, ..row }
        }));
    }
    rows
}

/// The rows of all ranks; equal rows of several ranks are merged into one with the times of the rank that differs most.
pub(super) fn merged(logs: &mut [LogComparison]) -> Vec<DiffRow> {
    let mut rows: Vec<DiffRow> = Vec::new();
    let mut known: TextMap<(String, usize), usize> = TextMap::default();
    for log in logs {
        // A rank may have several equal rows: each is a row of its own, and names the rank once.
        let mut seen: TextMap<String, usize> = TextMap::default();
        for mut row in log.rows.drain(..) {
            row.ranks.extend(log.rank);
            let key = format!(
                "{:?}\n{:?}\n{}\n{:?}\n{:?}\n{:?}\n{:?}",
                row.kind, row.aspect, row.subject, row.file, row.line, row.a.value, row.b.value
            );
            let before = seen.entry(key.clone()).or_default();
            let place = *known.entry((key, *before)).or_insert(rows.len());
            *before += 1;
            match rows.get_mut(place).filter(|_| log.rank.is_some()) {
                Some(same) => same.merge(row),
                None => rows.push(row),
            }
        }
    }
    rows
}

impl DiffRow {
    /// Adds the equal row of another rank.
    fn merge(&mut self, mut other: DiffRow) {
        let size = |row: &DiffRow| row.difference_s.unwrap_or_default().abs();
        if size(&other) > size(self) {
            // Compiles and pages of the first rank in the list are shown.
            std::mem::swap(&mut self.ranks, &mut other.ranks);
            for (same, side) in [(&mut self.a, other.a), (&mut self.b, other.b)] {
                (same.seconds, same.spread_s) = (side.seconds, side.spread_s);
                (same.compile_ids, same.page) = (side.compile_ids, side.page);
            }
            (self.difference_s, self.function) = (other.difference_s, other.function);
        }
        self.ranks.append(&mut other.ranks);
        let most = self.ranks.first().filter(|_| self.difference_s.is_some());
        if let Some(most) = most {
            let own = self.detail.as_deref().and_then(|detail| detail.split(DIFFERS_MOST).next());
            let own = own.unwrap_or_default().to_owned();
            let between = if own.is_empty() || own.ends_with("; ") { "" } else { "; " };
            self.detail = Some(format!("{own}{between}{DIFFERS_MOST}{most}"));
        }
    }
}
