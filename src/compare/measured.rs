//! Kernels and operators that torch.profiler timed.

use super::matching::matched;
use super::noise::{Pair, Threshold};
use super::recording::{Launched, Measured};
use super::rows::{LogComparison, Match, MeasuredLine, Row, RowKind, TimeLine, Topic};
use super::runs::Runs;
use crate::trace::TextMap;

/// Kernels, and operators, that tables show and that get rows: those that differ most.
const MOST: usize = 100;

/// Smallest share of A's device time at which a kernel's difference counts.
const LEAST_SHARE: f64 = 0.01;

/// Adds the differences between the traces of both sides.
pub(super) fn measured_work(runs: &Runs<'_>, found: &mut LogComparison) {
    if runs.logs.iter().any(|log| log.measured.is_none()) {
        return;
    }
    found.busy_us = runs.times(|log| Some(runs.logs.get(log)?.measured.as_ref()?.busy_us));
    let busy = found.busy_us.a.map_or(0.0, |times| times.median);
    let limit = Threshold { share: runs.threshold.share, seconds: LEAST_SHARE * busy };
    if found.busy_us.differs(limit) {
        let mut row = row(found.busy_us, "Device time of the traced steps".to_owned());
        [row.a, row.b] = runs.pages("performance.html");
        found.rows.push(row);
    }
    found.kernels = lines(runs, limit, |measured| &measured.kernels);
    found.operators = lines(runs, limit, |measured| &measured.operators);
    // If an operator launches one kernel, the kernel has the operator's shapes.
    let key = |one: &MeasuredLine| {
        let bits = |side: Option<super::noise::Times>| side.map(|times| times.median.to_bits());
        (one.line.name.clone(), bits(one.line.times.a), bits(one.line.times.b))
    };
    let shapes: TextMap<_, &str> =
        found.operators.iter().map(|one| (key(one), one.shapes.as_str())).collect();
    let total = found.busy_us.difference();
    let rows: Vec<Row> = found
        .kernels
        .iter()
        .filter(|one| one.line.differs)
        .map(|one| {
            let mut row = row(one.line.times, format!("Kernel `{}`", one.line.name.replace('`', "")));
            row.detail = details(one, shapes.get(&key(one)).copied().unwrap_or_default(), total);
            row.matched = one.matched;
            [row.a, row.b] = runs.pages("performance.html");
            row
        })
        .collect();
    found.rows.extend(rows);
}

/// A row with microseconds as seconds.
fn row(us: Pair, subject: String) -> Row {
    let kind = match (us.a, us.b) {
        (None, _) => RowKind::New,
        (_, None) => RowKind::Gone,
        _ => RowKind::of_difference(us.difference()),
    };
    let mut row = Row::new(kind, Topic::Measured, subject);
    row.seconds = us.in_seconds();
    row
}

/// Shapes, launches, rates, and the share of `total`, the whole difference in microseconds.
fn details(one: &MeasuredLine, shapes: &str, total: f64) -> Option<String> {
    let mut parts = Vec::new();
    if !shapes.trim().is_empty() {
        parts.push(format!("`{}`", shapes.trim().replace('`', "")));
    }
    if let (Some(a), Some(b)) = one.counts
        && a != b
    {
        parts.push(format!("{a} → {b} launches"));
    }
    if let (Some(a), Some(b)) = one.gbps {
        parts.push(format!("{a:.1} → {b:.1} GB/s"));
    }
    if let (Some(a), Some(b)) = one.tflops {
        parts.push(format!("{a:.3} → {b:.3} TFLOP/s"));
    }
    let share = one.line.times.difference() / total;
    if share.is_finite() && share > 0.0 {
        parts.push(format!("{:.0} % of the difference of the device time", 100.0 * share));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// The kernels or the operators of all logs, largest difference first.
fn lines<'r>(
    runs: &Runs<'r>,
    limit: Threshold,
    of: impl Fn(&'r Measured) -> &'r Vec<Launched>,
) -> Vec<MeasuredLine> {
    let empty: &[Launched] = &[];
    let lists = runs.logs.iter().map(|log| log.measured.as_ref().map_or(empty, |measured| of(measured)));
    let lists: Vec<&[Launched]> = lists.collect();
    let rows = matched(
        &lists,
        &[
            &|_, one| Some(format!("{}\n{}", one.name, one.shapes)),
            // The same operator on inputs of another shape is matched by duration.
            &|_, one| Some(format!("{}\n{}", one.name, one.count)),
            &|_, one| Some(one.name.clone()),
        ],
    );
    let mut lines: Vec<MeasuredLine> = Vec::new();
    for row in &rows {
        let at = |log: usize| lists.get(log)?.get(row.at(log)?);
        let [a, b] = runs.first_things(&lists, row).map(|first| first.map(|(_, one)| one));
        let Some(shown) = b.or(a) else { continue };
        let times = runs.times(|log| at(log).map(|one| one.sum_us));
        // Several kernels of one name are matched by duration.
        let how = match row.key {
            _ if row.by_order => Match::Order,
            0 => Match::Exact,
            _ => Match::Name,
        };
        lines.push(MeasuredLine {
            matched: (a.is_some() && b.is_some()).then_some(how),
            line: TimeLine { name: shown.name.clone(), times, differs: times.differs(limit) },
            shapes: match (a, b) {
                (Some(a), Some(b)) if a.shapes != b.shapes => format!("{} → {}", a.shapes, b.shapes),
                _ => shown.shapes.clone(),
            },
            counts: (a.map(|one| one.count), b.map(|one| one.count)),
            tflops: (a.and_then(|one| one.tflops), b.and_then(|one| one.tflops)),
            gbps: (a.and_then(|one| one.gbps), b.and_then(|one| one.gbps)),
        });
    }
    let size = |one: &MeasuredLine| one.line.times.difference().abs();
    lines.sort_by(|x, y| size(y).total_cmp(&size(x)));
    lines.truncate(MOST);
    lines
}
