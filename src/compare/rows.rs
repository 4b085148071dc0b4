//! The result of a comparison: one row per difference.

use super::noise::{Pair, Sides};
use super::recording::{Recording, Spread, TimePart};
use super::texts::{ComparedCompile, CompileRef};
use crate::facts::{Aspect, DiffRow, Match, Per, RowKind, Threshold};
use std::collections::BTreeMap;

impl RowKind {
    /// Of something that has a time on each side that has it.
    pub fn of(times: Pair) -> RowKind {
        match (times.a, times.b) {
            (None, _) => RowKind::New,
            (_, None) => RowKind::Gone,
            _ => RowKind::of_difference(times.difference()),
        }
    }

    /// Worse for a positive difference.
    pub fn of_difference(difference: f64) -> RowKind {
        if difference > 0.0 { RowKind::Worse } else { RowKind::Better }
    }
}

impl Match {
    /// A warning, if the match may be wrong.
    pub fn guess(self) -> Option<&'static str> {
        match self {
            Match::Exact | Match::Moved | Match::Edited => None,
            Match::Name => Some("matched by name only, a guess"),
            Match::Order => Some("matched by name and order only, a guess"),
            Match::Operator => Some("another kernel for the same operator and sizes"),
            Match::Shape => Some("the same operator on other sizes"),
            Match::Line => Some("another kernel for the same graph and line"),
        }
    }
}

impl DiffRow {
    /// A row with only a kind, an aspect and a subject.
    pub fn new(kind: RowKind, aspect: Aspect, subject: String) -> DiffRow {
        DiffRow { kind, aspect, subject, ..DiffRow::default() }
    }

    /// Sets the seconds of both sides, and their difference if either is known.
    pub fn set_seconds(&mut self, of: Pair) {
        for (side, times) in [(&mut self.a, of.a), (&mut self.b, of.b)] {
            side.seconds = times.map(|times| times.median);
            side.spread_s = times.filter(|times| times.runs > 1).map(|times| [times.least, times.most]);
        }
        self.difference_s = (of.a.is_some() || of.b.is_some()).then(|| of.difference());
    }

    /// A warning, if the match may be wrong.
    pub fn guess(&self) -> Option<&'static str> {
        match (self.matched?, self.aspect) {
            (Match::Order, Aspect::GraphBreaks) => Some("matched by line and order only, a guess"),
            (Match::Order, Aspect::Recompiles | Aspect::Failures) => {
                Some("matched by function and order only, a guess")
            }
            (how, _) => how.guess(),
        }
    }
}

/// Something with its times, as a line of a table.
#[derive(Debug, Clone)]
pub(crate) struct TimeLine<Name = String> {
    pub name: Name,
    /// Its times in seconds.
    pub times: Pair,
    /// Whether the difference is more than noise.
    pub differs: bool,
}

/// A function in the table of functions.
#[derive(Debug, Clone)]
pub(crate) struct FunctionLine {
    /// Unique within the comparison of a log.
    pub id: usize,
    /// How A and B were matched; None if only one side has it.
    pub matched: Option<Match>,
    /// Its first matched compiles with their graphs and code.
    pub compared: Vec<ComparedCompile>,
    /// Name and times of the compiles that both sides have.
    pub line: TimeLine,
    pub file: Option<String>,
    /// Line of its definition in B, otherwise in A.
    pub place: Option<u64>,
    /// Compiles: id, status and folder of the page.
    pub a: Vec<CompileRef>,
    /// The same of B.
    pub b: Vec<CompileRef>,
    /// Seconds spent building kernels.
    pub builds: Pair,
    /// Numbers of operators, in words for both sides.
    pub operators: (String, String),
    /// Numbers of guards, in words for both sides.
    pub guards: (String, String),
}

/// A measured kernel or operator.
#[derive(Debug, Clone)]
pub(crate) struct MeasuredLine {
    /// Name and microseconds: of a step, or of as many launches as B has.
    pub line: TimeLine,
    /// How A and B were matched; None if only one side has it.
    pub matched: Option<Match>,
    /// The whole name, or those of both sides.
    pub full_name: String,
    /// The operator that launches a kernel, if it is one.
    pub operator: Option<String>,
    /// Sizes and dtypes of its inputs, on both sides if they differ; empty if unknown.
    pub shapes: String,
    /// Launches.
    pub counts: Sides<u64>,
    /// Microseconds of a launch.
    pub launch: Pair,
    /// Its shortest and longest launch.
    pub spread: Sides<Spread>,
    /// TFLOP/s.
    pub tflops: Sides<f64>,
    /// GB per second.
    pub gbps: Sides<f64>,
    /// Share of the peak of each side's device.
    pub share_of_peak: Sides<f64>,
    /// Share of its memory bandwidth.
    pub share_of_bandwidth: Sides<f64>,
    /// File and line of the program.
    pub place: Option<(String, u64)>,
    /// In how many runs of each side it is, if it is not in all of them.
    pub presence: Option<String>,
}

/// The comparison of one log with another, or of several runs with several.
#[derive(Debug, Clone, Default)]
pub(crate) struct LogComparison {
    pub rank: Option<u64>,
    /// All differences, unordered.
    pub rows: Vec<DiffRow>,
    /// Compile time.
    pub total: Pair,
    /// Whether the compile times differ by more than noise.
    pub total_differs: bool,
    /// Compile time by part.
    pub parts: Vec<TimeLine<TimePart>>,
    /// Compile time by function, largest difference first.
    pub functions: Vec<FunctionLine>,
    /// Measured kernels, largest difference first.
    pub kernels: Vec<MeasuredLine>,
    /// Measured operators by shape, largest difference first.
    pub operators: Vec<MeasuredLine>,
    /// Microseconds in which the device was busy: of a step, or for as many launches as B has.
    pub busy_us: Pair,
    /// The same with the idle time of the device, if that is most of it and changed it; else empty.
    pub wall_us: Pair,
    /// Whether that differs by more than noise.
    pub busy_differs: bool,
    /// What measured times are for.
    pub per: Option<Per>,
    /// Steps that the traces cover.
    pub steps: Sides<u64>,
    /// Devices that they name.
    pub devices: Sides<String>,
    /// Whether only some of the runs have a trace.
    pub lacks_a_trace: bool,
    /// How many things of each aspect both sides share.
    pub same: BTreeMap<Aspect, usize>,
    /// Lookups that missed on both sides under one key: A stored the result, and B did not find it.
    pub missed_again: usize,
    /// Set if nearly every function is slower or faster by about the same factor.
    pub one_factor: Option<OneFactor>,
}

/// The factor by which nearly every function is slower or faster.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct OneFactor {
    /// Median of how many times longer B takes.
    pub factor: f64,
    /// Functions that changed in the same direction.
    pub functions: usize,
    /// Functions that are timed on both sides.
    pub of: usize,
}

/// The comparison of two sides.
#[derive(Debug, Clone)]
pub(crate) struct Comparison {
    /// What the sides are called.
    pub names: [String; 2],
    /// The runs of A.
    pub a: Vec<Recording>,
    /// The runs of B.
    pub b: Vec<Recording>,
    /// Smaller differences are noise.
    pub threshold: Threshold,
    /// The differences: failures first, then by seconds.
    pub rows: Vec<DiffRow>,
    /// One entry, or one per rank that both sides have, largest difference of compile time first.
    pub logs: Vec<LogComparison>,
}

impl Comparison {
    /// The comparison whose tables are shown: for jobs, the rank that differs most.
    pub fn shown(&self) -> Option<&LogComparison> {
        self.logs.first()
    }
}
