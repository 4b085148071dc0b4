//! Compares two runs of a program, or several runs per side: finished reports -> recordings -> matches -> rows.
//!
//! Of each side, `report.json` is read, and where their hashes differ, some guards, graphs and cache keys. Nothing is matched by
//! compile id: functions are matched by name, file and code, graph breaks by reason and source line. Each difference is a row.
//! Time that other rows count already is left out of a row, so that no second is counted twice in one split.

mod caches;
mod changed;
mod facts;
mod functions;
mod graphs;
pub(crate) mod items;
mod matching;
mod measured;
mod noise;
mod problems;
mod ranks;
mod read;
mod recording;
mod rows;
mod runs;
mod settings;
mod texts;
mod times;

pub(crate) use changed::{ChangedFunction, ChangedFunctions};
pub(crate) use noise::{Pair, Sides};
pub(crate) use read::{finished_report, name_of, read_recording};
pub(crate) use recording::{Recording, TextFile, TimePart};
pub(crate) use rows::{Comparison, FunctionLine, LogComparison, MeasuredLine, TimeLine};
pub(crate) use texts::{ComparedCompile, ComparedText, CompileRef, CompileTexts};

use crate::facts::{Aspect, DiffRow, RowKind, Threshold};
use recording::LogRun;
use runs::Runs;
use std::collections::BTreeSet;

/// Compares two sides of at least one run each; `names` are what sentences call them.
pub(crate) fn compare(
    a: Vec<Recording>,
    b: Vec<Recording>,
    threshold: Threshold,
    names: &[String; 2],
) -> Comparison {
    let ranks_a: BTreeSet<Option<u64>> = ranks::ranks_of(&a);
    let ranks_b: BTreeSet<Option<u64>> = ranks::ranks_of(&b);
    let mut logs: Vec<LogComparison> = Vec::new();
    for rank in ranks_a.intersection(&ranks_b) {
        let (of_a, of_b) = (ranks::logs_of(&a, *rank), ranks::logs_of(&b, *rank));
        logs.push(LogComparison { rank: *rank, ..logs_of_one_rank(&of_a, &of_b, threshold, names) });
    }
    logs.sort_by(|x, y| y.total.difference().abs().total_cmp(&x.total.difference().abs()));
    let mut rows = ranks::rows([&a, &b], [&ranks_a, &ranks_b], names);
    rows.extend(ranks::merged(&mut logs));
    rows.sort_by(|x, y| order(x).cmp(&order(y)).then_with(|| size(y).total_cmp(&size(x))));
    Comparison { names: names.clone(), a, b, threshold, rows, logs }
}

/// New or gone failures, breaks and recompiles first; then the device time, which every step costs; then rows with seconds;
/// then the rest by aspect.
fn order(row: &DiffRow) -> (u8, Option<Aspect>) {
    match (row.aspect, row.kind) {
        (Aspect::Failures | Aspect::Ends, _) => (0, None),
        (Aspect::Ranks, _) => (1, None),
        (Aspect::GraphBreaks | Aspect::Recompiles, RowKind::New) => (2, Some(row.aspect)),
        (Aspect::GraphBreaks | Aspect::Recompiles, RowKind::Gone) => (3, Some(row.aspect)),
        (Aspect::DeviceTime, _) => (4, None),
        _ if row.difference_s.is_some() => (5, None),
        (aspect, _) => (6, Some(aspect)),
    }
}

fn size(row: &DiffRow) -> f64 {
    row.difference_s.unwrap_or_default().abs()
}

fn logs_of_one_rank(
    a: &[&LogRun],
    b: &[&LogRun],
    threshold: Threshold,
    names: &[String; 2],
) -> LogComparison {
    let runs = Runs::new(a, b, threshold, names);
    let mut found = LogComparison::default();
    let mut problems = problems::problems(&runs);
    found.same.append(&mut problems.same);
    found.rows.append(&mut problems.rows);
    functions::functions(&runs, &problems, &mut found);
    caches::caches(&runs, &mut found);
    times::times(&runs, &mut found);
    measured::measured_work(&runs, &mut found);
    settings::settings(&runs, &mut found);
    let by_cache = |row: &DiffRow| row.aspect == Aspect::Cache && row.kind != RowKind::Changed;
    if found.rows.iter().any(by_cache) {
        // What a cache answered explains more than another machine does.
        found.one_factor = None;
    }
    found
}
