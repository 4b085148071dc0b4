//! Kernels and operators that torch.profiler timed, by what a step of the program or a launch costs: a trace of one step and
//! one of five steps do not differ by that.

use super::matching::{Matched, matched};
use super::noise::{Pair, Threshold, Times};
use super::recording::{Launched, Measured};
use super::rows::{LogComparison, Match, MeasuredLine, Per, Row, RowKind, Sides, TimeLine, Topic};
use super::runs::Runs;
use crate::model::words::{duration, file_name};
use crate::trace::TextMap;

/// Kernels, and operators, that tables show and that get rows: those that differ most.
const MOST: usize = 100;

/// Smallest share of A's device time at which a kernel's difference counts.
const LEAST_SHARE: f64 = 0.01;

/// Adds the differences between the traces of both sides.
pub(super) fn measured_work(runs: &Runs<'_>, found: &mut LogComparison) {
    let traces: Vec<&Measured> = runs.logs.iter().filter_map(|log| log.measured.as_ref()).collect();
    if traces.len() != runs.logs.len() {
        return;
    }
    let work = Work { runs, traces };
    let per = work.per();
    found.per = Some(per);
    found.steps = work.sides(|trace| trace.steps);
    let kernels = work.matched(|trace| &trace.kernels);
    found.busy_us = work.busy(&kernels, per);
    let busy = found.busy_us.a.map_or(0.0, |times| times.median);
    let limit = Threshold { share: runs.threshold.share, seconds: LEAST_SHARE * busy };
    found.busy_differs = found.busy_us.differs(limit);
    if found.busy_differs {
        let mut row = row(found.busy_us, "Device time of the traced steps".to_owned());
        row.per = Some(per);
        [row.a, row.b] = runs.pages("performance.html");
        found.rows.push(row);
    }
    found.kernels = work.lines(&kernels, (per, limit), |trace| &trace.kernels);
    let operators = work.matched(|trace| &trace.operators);
    found.operators = work.lines(&operators, (per, limit), |trace| &trace.operators);
    let rows = work.rows(found, per);
    found.rows.extend(rows);
}

/// The traces of both sides.
struct Work<'r> {
    runs: &'r Runs<'r>,
    /// One per log.
    traces: Vec<&'r Measured>,
}

impl<'r> Work<'r> {
    /// Steps, if all traces say how many they cover.
    fn per(&self) -> Per {
        match self.traces.iter().all(|trace| trace.steps.is_some()) {
            true => Per::Step,
            false => Per::Launch,
        }
    }

    /// A fact of the first trace of each side.
    fn sides<T>(&self, of: impl Fn(&Measured) -> Option<T>) -> Sides<T> {
        let [a, b] = self.runs.sides().map(|mut logs| of(self.traces.get(logs.next()?)?));
        Sides { a, b }
    }

    fn matched(&self, of: impl Fn(&'r Measured) -> &'r Vec<Launched>) -> Vec<Matched> {
        let lists: Vec<&[Launched]> = self.traces.iter().map(|trace| of(trace).as_slice()).collect();
        matched(
            &lists,
            &[
                &|_, one| Some(format!("{}\n{}", one.name, one.shapes)),
                // The same operator on inputs of another shape is matched by duration.
                &|_, one| Some(format!("{}\n{}", one.name, one.count)),
                &|_, one| Some(one.name.clone()),
                // What another shape or another fusion made of the same line of the same graph.
                &|_, one| one.place.clone(),
            ],
        )
    }

    /// Microseconds of a kernel in a log: of a step, or else of as many launches as the last log has.
    fn us(&self, row: &Matched, lists: &[&[Launched]], log: usize, per: Per) -> Option<f64> {
        let at = |log: usize| lists.get(log)?.get(row.at(log)?);
        let one = at(log)?;
        match per {
            Per::Step => Some(one.sum_us / self.traces.get(log)?.steps? as f64),
            Per::Launch => {
                let launches = (0..lists.len()).rev().find_map(at).map_or(one.count, |last| last.count);
                Some(one.mean_us() * launches as f64)
            }
        }
    }

    /// Device time: of a step, or else of all kernels as launched in the last log.
    fn busy(&self, kernels: &[Matched], per: Per) -> Pair {
        let lists: Vec<&[Launched]> = self.traces.iter().map(|trace| trace.kernels.as_slice()).collect();
        self.runs.times(|log| {
            let trace = self.traces.get(log)?;
            match per {
                Per::Step => Some(trace.busy_us / trace.steps? as f64),
                Per::Launch => Some(kernels.iter().filter_map(|row| self.us(row, &lists, log, per)).sum()),
            }
        })
    }

    /// The kernels or the operators of all logs, largest difference first.
    fn lines(
        &self,
        rows: &[Matched],
        (per, limit): (Per, Threshold),
        of: impl Fn(&'r Measured) -> &'r Vec<Launched>,
    ) -> Vec<MeasuredLine> {
        let lists: Vec<&[Launched]> = self.traces.iter().map(|trace| of(trace).as_slice()).collect();
        let mut lines: Vec<MeasuredLine> = Vec::new();
        for row in rows {
            let [a, b] = self.runs.first_things(&lists, row).map(|first| first.map(|(_, one)| one));
            let Some(shown) = b.or(a) else { continue };
            let times = self.runs.times(|log| self.us(row, &lists, log, per));
            let launch = self.runs.times(|log| Some(lists.get(log)?.get(row.at(log)?)?.mean_us()));
            // Several kernels of one name are matched by duration.
            let how = match row.key {
                3 => Match::Line,
                _ if row.by_order => Match::Order,
                0 => Match::Exact,
                _ => Match::Name,
            };
            let sides =
                |figure: fn(&Launched) -> Option<f64>| Sides { a: a.and_then(figure), b: b.and_then(figure) };
            lines.push(MeasuredLine {
                matched: (a.is_some() && b.is_some()).then_some(how),
                line: TimeLine { name: both(a, b, |one| &one.name), times, differs: times.differs(limit) },
                shapes: both(a, b, |one| &one.shapes),
                counts: Sides { a: a.map(|one| one.count), b: b.map(|one| one.count) },
                launch,
                spread: Sides { a: a.and_then(|one| one.spread_us), b: b.and_then(|one| one.spread_us) },
                tflops: sides(|one| one.tflops),
                gbps: sides(|one| one.gbps),
                share_of_peak: sides(|one| one.share_of_peak),
                share_of_bandwidth: sides(|one| one.share_of_bandwidth),
                place: shown.line.clone(),
            });
        }
        let size = |one: &MeasuredLine| one.line.times.difference().abs();
        lines.sort_by(|x, y| size(y).total_cmp(&size(x)));
        lines.truncate(MOST);
        lines
    }

    fn rows(&self, found: &LogComparison, per: Per) -> Vec<Row> {
        let total = found.busy_us.difference();
        // If an operator launches one kernel, the kernel has the operator's shapes.
        let key = |one: &MeasuredLine| {
            let bits = |side: Option<Times>| side.map(|times| times.median.to_bits());
            (one.line.name.clone(), bits(one.line.times.a), bits(one.line.times.b))
        };
        let shapes: TextMap<_, &str> =
            found.operators.iter().map(|one| (key(one), one.shapes.as_str())).collect();
        let differing = found.kernels.iter().filter(|one| one.line.differs);
        let rows = differing.map(|one| {
            let mut row = row(one.line.times, format!("Kernel `{}`", one.line.name.replace('`', "")));
            row.per = Some(per);
            row.detail = details(one, shapes.get(&key(one)).copied().unwrap_or_default(), total);
            row.matched = one.matched;
            if let Some((file, line)) = one.place.clone() {
                (row.file, row.line) = (Some(file), Some(line));
            }
            [row.a, row.b] = self.runs.pages("performance.html");
            row
        });
        rows.collect()
    }
}

/// `old → new`, or what both have.
fn both(a: Option<&Launched>, b: Option<&Launched>, of: fn(&Launched) -> &String) -> String {
    match (a.map(of), b.map(of)) {
        (Some(a), Some(b)) if a != b => format!("{a} → {b}"),
        (a, b) => b.or(a).cloned().unwrap_or_default(),
    }
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
    if let (Some(a), Some(b)) = (one.launch.a, one.launch.b) {
        parts.push(format!("{} → {} per launch", duration(a.median), duration(b.median)));
    }
    if let Sides { a: Some(a), b: Some(b) } = one.counts
        && a != b
    {
        parts.push(format!("{a} → {b} launches"));
    }
    parts.extend(one.overlap().map(str::to_owned));
    if let Sides { a: Some(a), b: Some(b) } = one.gbps {
        parts.push(format!("{a:.1} → {b:.1} GB/s"));
    }
    if let Sides { a: Some(a), b: Some(b) } = one.tflops {
        parts.push(format!("{a:.3} → {b:.3} TFLOP/s"));
    }
    let share = one.line.times.difference() / total;
    if share.is_finite() && share > 0.0 {
        parts.push(format!("{:.0} % of the difference of the device time", 100.0 * share));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

impl MeasuredLine {
    /// How sure a difference is, by the launches of both sides.
    pub fn overlap(&self) -> Option<&'static str> {
        let (a, b) = (self.spread.a?, self.spread.b?);
        match a.most < b.least || b.most < a.least {
            true => Some("no launch of one side is as fast as those of the other"),
            false => self.line.differs.then_some("the launches of both sides overlap"),
        }
    }
}

impl Launched {
    /// Microseconds of a launch.
    fn mean_us(&self) -> f64 {
        self.sum_us / self.count.max(1) as f64
    }

    /// The line of the program and the graph that a kernel belongs to, as text.
    pub(super) fn place_of(compile: Option<&str>, file: &str, line: u64) -> Option<String> {
        Some(format!("{}\n{}:{line}", compile?, file_name(file)))
    }
}
