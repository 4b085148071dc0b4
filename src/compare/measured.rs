//! Kernels and operators that torch.profiler timed, by what a step of the program or a launch costs: a trace of one step and
//! one of five steps do not differ by that.

use super::matching::{Key, Matched, matched_closest};
use super::noise::{Pair, Sides, Times};
use super::recording::{Launched, Measured, Spread};
use super::rows::{LogComparison, MeasuredLine, TimeLine};
use super::runs::Runs;
use crate::facts::{Aspect, DiffRow, Match, Per, RowKind, Threshold};
use crate::limits::{LABEL, SHORT_NAME};
use crate::model::rates::{byte_rate, flop_rate};
use crate::model::words::{duration, file_name};
use crate::model::{InputDims, input_words, short_kernel};
use crate::trace::TextSet;

/// Kernels, and operators, that tables show and that get rows: those that differ most.
const MOST: usize = 100;

/// Smallest share of A's device time at which a kernel's difference counts.
const LEAST_SHARE: f64 = 0.01;

/// Adds the differences between the traces of both sides.
pub(super) fn measured_work(runs: &Runs<'_>, found: &mut LogComparison) {
    let traces: Vec<&Measured> = runs.logs.iter().filter_map(|log| log.measured.as_ref()).collect();
    if traces.len() != runs.logs.len() {
        found.lacks_a_trace = !traces.is_empty();
        return;
    }
    let mut work = Work { runs, traces, scales: Vec::new() };
    let per = work.per();
    found.per = Some(per);
    found.steps = work.sides(|trace| trace.steps);
    found.devices = work.sides(|trace| trace.device.clone());
    let kernels = work.matched(|trace| &trace.kernels);
    work.scales = work.scales(&kernels);
    found.busy_us = work.busy(&kernels, per);
    let busy = found.busy_us.a.map_or(0.0, |times| times.median);
    let limit = Threshold { share: runs.threshold.share, seconds: LEAST_SHARE * busy };
    found.busy_differs = found.busy_us.differs(limit);
    found.wall_us = work.wall(found.busy_us);
    let busy = (found.busy_differs.then_some(found.busy_us), "Device time of the traced steps");
    let wall =
        (found.wall_us.a.map(|_| found.wall_us), "Time of the traced steps with the device's idle time");
    for (times, subject) in [wall, busy] {
        let Some(times) = times else { continue };
        let mut row = row(runs, Aspect::DeviceTime, times, subject.to_owned());
        row.per = Some(per);
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
    /// How many launches the last log has for one launch of each log, over the kernels that both have.
    scales: Vec<f64>,
}

impl<'r> Work<'r> {
    /// Steps, if all traces say how many they cover.
    fn per(&self) -> Per {
        match self.traces.iter().all(|trace| trace.steps.is_some()) {
            true if self.traces.iter().any(|trace| trace.steps_are_calls) => Per::Call,
            true => Per::Step,
            false => Per::Launch,
        }
    }

    /// The median over the kernels that a log and the last one have; 1 where there are none.
    fn scales(&self, kernels: &[Matched]) -> Vec<f64> {
        let lists: Vec<&[Launched]> = self.traces.iter().map(|trace| trace.kernels.as_slice()).collect();
        let last = lists.len().saturating_sub(1);
        let count = |row: &Matched, log: usize| Some(lists.get(log)?.get(row.at(log)?)?.count as f64);
        let scale = |log: usize| {
            let ratios = kernels.iter().filter_map(|row| Some(count(row, last)? / count(row, log)?.max(1.0)));
            Times::of(ratios.map(Some)).map_or(1.0, |ratios| ratios.median)
        };
        (0..lists.len()).map(scale).collect()
    }

    /// A fact of the first trace of each side.
    fn sides<T>(&self, of: impl Fn(&Measured) -> Option<T>) -> Sides<T> {
        let [a, b] = self.runs.sides().map(|mut logs| of(self.traces.get(logs.next()?)?));
        Sides { a, b }
    }

    fn matched(&self, of: impl Fn(&'r Measured) -> &'r Vec<Launched>) -> Vec<Matched> {
        let lists: Vec<&[Launched]> = self.traces.iter().map(|trace| of(trace).as_slice()).collect();
        let shared = self.shared_sizes(&lists);
        let key = |way: &'static Way| {
            let shared = &shared;
            move |_: usize, one: &Launched| one.key(way, shared)
        };
        let keys = WAYS.each_ref().map(key);
        let keys: Vec<Key<'_, Launched>> = keys.iter().map(|key| key as Key<'_, Launched>).collect();
        matched_closest(&lists, &keys, &Launched::equal_sizes)
    }

    /// Sizes of inputs that both sides have. What a size became on the other side is not known, but that it is another one is.
    fn shared_sizes(&self, lists: &[&[Launched]]) -> TextSet<i64> {
        let [a, b] = self.runs.sides().map(|logs| {
            let all = logs.filter_map(|log| lists.get(log)).copied().flatten();
            all.flat_map(|one| &one.inputs).flat_map(InputDims::sizes).copied().collect::<TextSet<i64>>()
        });
        a.intersection(&b).copied().collect()
    }

    /// Microseconds of a kernel in a log: of a step, or else of as many launches as the last log has.
    fn us(&self, row: &Matched, lists: &[&[Launched]], log: usize, per: Per) -> Option<f64> {
        let at = |log: usize| lists.get(log)?.get(row.at(log)?);
        let one = at(log)?;
        match per {
            Per::Step | Per::Call => Some(one.sum_us / self.traces.get(log)?.steps? as f64),
            Per::Launch => {
                // What the last log lacks is scaled as everything else.
                let of_last = at(lists.len().checked_sub(1)?).map(|last| last.count as f64);
                let launches = of_last.or_else(|| Some(one.count as f64 * self.scales.get(log)?))?;
                Some(one.mean_us() * launches)
            }
        }
    }

    /// Device time: of a step, or else of all kernels as launched in the last log.
    fn busy(&self, kernels: &[Matched], per: Per) -> Pair {
        let lists: Vec<&[Launched]> = self.traces.iter().map(|trace| trace.kernels.as_slice()).collect();
        self.runs.times(|log| {
            let trace = self.traces.get(log)?;
            match per {
                Per::Step | Per::Call => Some(trace.busy_us / trace.steps? as f64),
                Per::Launch => Some(kernels.iter().filter_map(|row| self.us(row, &lists, log, per)).sum()),
            }
        })
    }

    /// The time of a step, idle time of the device included. It is known only where the device is idle for most of the step
    /// on one side and the step changed by a larger factor than the busy time: at least two, as a profiler slows the host.
    fn wall(&self, busy: Pair) -> Pair {
        let wall = self.runs.times(|log| {
            let trace = self.traces.get(log).filter(|trace| trace.device.is_some())?;
            Some(trace.wall_us / trace.steps? as f64)
        });
        let is_idle = |(wall, busy): (Option<Times>, Option<Times>)| {
            wall.zip(busy).is_some_and(|(wall, busy)| busy.median < wall.median / 2.0)
        };
        let size = |pair: Pair| pair.factor().map_or(0.0, |factor| factor.ln().abs());
        // What lies between two steps is in the time of five of them and not in that of one.
        let mut steps = self.traces.windows(2);
        let are_as_many = steps.all(|pair| matches!(pair, [one, other] if one.steps == other.steps));
        let changed = are_as_many && size(wall) > size(busy).max(2_f64.ln());
        let idles = is_idle((wall.a, busy.a)) || is_idle((wall.b, busy.b));
        if changed && idles { wall } else { Pair::default() }
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
            let way = WAYS.get(row.key).map_or(Match::Name, |way| way.tells);
            // Several with the same key are matched by duration.
            let how = if row.by_order && way != Match::Line { Match::Order } else { way };
            let each = |log: usize| lists.get(log)?.get(row.at(log)?);
            let sides = |figure: fn(&Launched) -> Option<f64>| {
                let of_runs = self.runs.times(|log| figure(each(log)?));
                Sides { a: of_runs.a.map(|times| times.median), b: of_runs.b.map(|times| times.median) }
            };
            let spread =
                self.runs.sides().map(|logs| Spread::of(logs.filter_map(|log| each(log)?.spread_us)));
            let [spread_a, spread_b] = spread;
            let is_everywhere = row.places.iter().all(Option::is_some);
            lines.push(MeasuredLine {
                matched: (a.is_some() && b.is_some()).then_some(how),
                line: TimeLine { name: shown_name(a, b), times, differs: times.differs(limit) },
                full_name: both(a, b, |one| one.name.clone()),
                operator: shown.operator.clone(),
                shapes: both(a, b, Launched::shapes),
                counts: Sides { a: a.map(|one| one.count), b: b.map(|one| one.count) },
                launch,
                spread: Sides { a: spread_a, b: spread_b },
                presence: self.runs.presence_words(row).filter(|_| !is_everywhere),
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

    fn rows(&self, found: &LogComparison, per: Per) -> Vec<DiffRow> {
        let total = found.busy_us.difference();
        let differing = found.kernels.iter().filter(|one| one.line.differs);
        let rows = differing.map(|one| {
            let mut row = row(self.runs, Aspect::Measured, one.line.times, one.subject());
            row.per = Some(per);
            row.detail = details(one, found, total, self.runs.names);
            row.matched = one.matched;
            if let Some((file, line)) = one.place.clone() {
                (row.file, row.line) = (Some(file), Some(line));
            }
            row
        });
        rows.collect()
    }
}

/// `old → new`, or what both have.
fn both(a: Option<&Launched>, b: Option<&Launched>, of: fn(&Launched) -> String) -> String {
    match (a.map(of), b.map(of)) {
        (Some(a), Some(b)) if a != b => format!("{a} → {b}"),
        (a, b) => b.or(a).unwrap_or_default(),
    }
}

/// A name that fits into a line, or those of both sides.
fn shown_name(a: Option<&Launched>, b: Option<&Launched>) -> String {
    match (a, b) {
        (Some(a), Some(b)) if a.name != b.name => {
            format!("{} → {}", short_kernel(&a.name, LABEL), short_kernel(&b.name, LABEL))
        }
        _ => b.or(a).map(|one| short_kernel(&one.name, SHORT_NAME)).unwrap_or_default(),
    }
}

/// A row with microseconds as seconds.
fn row(runs: &Runs<'_>, aspect: Aspect, us: Pair, subject: String) -> DiffRow {
    let mut row = DiffRow::new(RowKind::of(us), aspect, subject);
    [row.a, row.b] = runs.pages("performance.html");
    row.set_seconds(us.in_seconds());
    row
}

/// Shapes, launches, rates, and the share of `total`, the whole difference in microseconds.
fn details(
    one: &MeasuredLine,
    found: &LogComparison,
    total: f64,
    [name_a, name_b]: &[String; 2],
) -> Option<String> {
    let mut parts = Vec::new();
    if !one.shapes.is_empty() {
        parts.push(format!("on {}", one.shapes));
    }
    // The subject has the operator in place of the kernel.
    if one.operator.is_some() {
        parts.push(format!("`{}`", one.line.name.replace('`', "")));
    }
    if let (Some(a), Some(b)) = (one.launch.a, one.launch.b) {
        parts.push(format!("{} → {} per launch", duration(a.median), duration(b.median)));
    }
    let Sides { a, b } = one.launches(found);
    if a.is_some() && b.is_some() && a != b {
        parts.push(format!("{} → {} launches", a.unwrap_or_default(), b.unwrap_or_default()));
    }
    parts.extend(one.overlap_words([name_a, name_b]));
    parts.extend(one.presence.clone());
    if let Sides { a: Some(a), b: Some(b) } = one.gbps {
        parts.push(format!("{} → {}", byte_rate(a), byte_rate(b)));
    }
    if let Sides { a: Some(a), b: Some(b) } = one.tflops {
        parts.push(format!("{} → {}", flop_rate(a), flop_rate(b)));
    }
    let share = one.line.times.difference() / total;
    if share.is_finite() && share > 0.0 {
        parts.push(format!("{:.0} % of the difference of the device time", 100.0 * share));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

impl MeasuredLine {
    /// What it is, for a row: ``Kernel `aten::mm` ``.
    fn subject(&self) -> String {
        let name = self.operator.as_deref().unwrap_or(&self.line.name).replace('`', "");
        format!("Kernel `{name}`")
    }

    /// How sure a difference is, by the launches of both sides under their names.
    pub fn overlap_words(&self, [name_a, name_b]: [&str; 2]) -> Option<String> {
        let (a, b) = (self.spread.a?, self.spread.b?);
        match () {
            () if a.most < b.least => {
                Some(format!("every launch of {name_b} is slower than every launch of {name_a}"))
            }
            () if b.most < a.least => {
                Some(format!("every launch of {name_b} is faster than every launch of {name_a}"))
            }
            () => self.line.differs.then(|| "the launches of both sides overlap".to_owned()),
        }
    }

    /// Launches in what the times are for, where that is known, or else in the whole trace.
    pub fn launches(&self, found: &LogComparison) -> Sides<String> {
        let words = |count: Option<u64>, steps: Option<u64>| {
            let steps = steps.filter(|_| found.per != Some(Per::Launch)).unwrap_or(1).max(1);
            let count = count?;
            Some(match count % steps {
                0 => (count / steps).to_string(),
                _ => format!("{:.1}", count as f64 / steps as f64),
            })
        };
        Sides { a: words(self.counts.a, found.steps.a), b: words(self.counts.b, found.steps.b) }
    }
}

impl Spread {
    /// The spread over the launches of several traces.
    fn of(spreads: impl Iterator<Item = Spread>) -> Option<Spread> {
        spreads.reduce(|all, one| Spread { least: all.least.min(one.least), most: all.most.max(one.most) })
    }
}

impl Launched {
    /// Microseconds of a launch.
    fn mean_us(&self) -> f64 {
        self.sum_us / self.count.max(1) as f64
    }

    /// The graph, its direction and the line of the program that a kernel belongs to, as text.
    pub(super) fn place_of(
        compile: Option<&str>,
        direction: Option<&str>,
        file: &str,
        line: u64,
    ) -> Option<String> {
        Some(format!("{} {}\n{}:{line}", compile?, direction.unwrap_or_default(), file_name(file)))
    }

    /// Sizes and dtypes of its inputs in words.
    fn shapes(&self) -> String {
        format!("{} {}", input_words(&self.inputs), self.types).trim().to_owned()
    }

    /// What has to be equal on both sides; None if that is not known of it.
    fn key(&self, way: &Way, shared: &TextSet<i64>) -> Option<String> {
        let mut key = String::new();
        for part in way.parts {
            let text = match part {
                KernelFact::Name => Some(self.name.clone()),
                KernelFact::Operator => self.operator.clone(),
                KernelFact::Sizes => Some(self.sizes(|_| true)),
                KernelFact::SharedSizes => Some(self.sizes(|size| shared.contains(&size))),
                KernelFact::Place => self.place.clone(),
                KernelFact::Count => Some(self.count.to_string()),
            };
            let is_missing =
                matches!(part, KernelFact::Sizes | KernelFact::SharedSizes) && self.inputs.is_empty();
            key.push_str(&text.filter(|_| !is_missing || way.tells == Match::Exact)?);
            key.push('\n');
        }
        Some(key)
    }

    /// How many sizes of the inputs of both are equal.
    fn equal_sizes(&self, other: &Launched) -> usize {
        let inputs = self.inputs.iter().zip(&other.inputs);
        inputs
            .flat_map(|(one, other)| one.sizes().zip(other.sizes()))
            .filter(|(one, other)| one == other)
            .count()
    }

    /// Sizes of its inputs, and `_` for those that do not count.
    fn sizes(&self, counts: impl Fn(i64) -> bool) -> String {
        let mut text = self.types.clone();
        for input in &self.inputs {
            text.push('[');
            for size in input.sizes() {
                match counts(*size) {
                    true => text.push_str(&size.to_string()),
                    false => text.push('_'),
                }
                text.push(',');
            }
            text.push(']');
        }
        text
    }
}

/// A way to find a kernel of one side on the other one.
struct Way {
    /// What has to be equal.
    parts: &'static [KernelFact],
    /// What that says.
    tells: Match,
}

/// What is known of a kernel.
enum KernelFact {
    Name,
    Operator,
    /// Sizes and dtypes of the inputs.
    Sizes,
    /// The same, without sizes that only one side has.
    SharedSizes,
    /// Graph, direction and line of the program.
    Place,
    /// Launches.
    Count,
}

/// The ways, the surest first.
static WAYS: [Way; 10] = [
    Way { parts: &[KernelFact::Name, KernelFact::Sizes, KernelFact::Place], tells: Match::Exact },
    Way { parts: &[KernelFact::Name, KernelFact::Sizes], tells: Match::Exact },
    Way { parts: &[KernelFact::Operator, KernelFact::Sizes, KernelFact::Place], tells: Match::Operator },
    Way { parts: &[KernelFact::Operator, KernelFact::Sizes], tells: Match::Operator },
    Way { parts: &[KernelFact::Name, KernelFact::SharedSizes, KernelFact::Place], tells: Match::Shape },
    Way { parts: &[KernelFact::Operator, KernelFact::SharedSizes, KernelFact::Place], tells: Match::Shape },
    Way { parts: &[KernelFact::Name, KernelFact::SharedSizes], tells: Match::Shape },
    Way { parts: &[KernelFact::Name, KernelFact::Count], tells: Match::Name },
    Way { parts: &[KernelFact::Name], tells: Match::Name },
    // What another shape or another fusion made of the same line of the same graph.
    Way { parts: &[KernelFact::Place], tells: Match::Line },
];
