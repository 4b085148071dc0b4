//! What a comparison says: one row for each difference.

use super::noise::{Pair, Threshold};
use super::recording::Recording;
use super::texts::ComparedCompile;

/// What became of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RowKind {
    /// Only B has it.
    New,
    /// Only A has it.
    Gone,
    /// B takes longer, or misses what A found.
    Worse,
    /// B is faster, or finds what A missed.
    Better,
    /// It is another, and nothing says which one is better.
    Changed,
}

impl RowKind {
    /// Its word in the JSON.
    pub fn word(self) -> &'static str {
        match self {
            RowKind::New => "new",
            RowKind::Gone => "gone",
            RowKind::Worse => "worse",
            RowKind::Better => "better",
            RowKind::Changed => "changed",
        }
    }

    /// Worse for a positive difference.
    pub fn of_difference(difference: f64) -> RowKind {
        if difference > 0.0 { RowKind::Worse } else { RowKind::Better }
    }
}

/// What a row is about, in the order in which rows without seconds are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Topic {
    /// A compile that failed.
    Failure,
    /// Whether the ranks of a job agree.
    Ranks,
    /// A graph break.
    GraphBreak,
    /// A recompile.
    Recompile,
    /// A function that only one side compiles.
    Function,
    /// How often a function is compiled.
    Compiles,
    /// Results of cache lookups.
    Cache,
    /// Input tensors.
    Inputs,
    /// How many operators a graph has.
    Operators,
    /// Kernels of the generated code.
    Kernels,
    /// The compile time as a whole.
    CompileTime,
    /// The compile time of a part of the compiler.
    Part,
    /// The compile time of a function.
    FunctionTime,
    /// A kernel or operator that a profiler timed.
    Measured,
    /// Version of torch.
    Torch,
    /// A setting.
    Setting,
}

impl Topic {
    /// Its word in the JSON.
    pub fn word(self) -> &'static str {
        match self {
            Topic::Failure => "failure",
            Topic::Ranks => "ranks",
            Topic::GraphBreak => "graph_break",
            Topic::Recompile => "recompile",
            Topic::Function => "function",
            Topic::Compiles => "compiles",
            Topic::Cache => "cache",
            Topic::Inputs => "inputs",
            Topic::Operators => "operators",
            Topic::Kernels => "kernels",
            Topic::CompileTime => "compile_time",
            Topic::Part => "part",
            Topic::FunctionTime => "function_time",
            Topic::Measured => "measured",
            Topic::Torch => "torch",
            Topic::Setting => "setting",
        }
    }
}

/// How the two things of a row were found to be the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Match {
    /// By place and code, or by place and reason.
    Exact,
    /// By name and code, at another line.
    Moved,
    /// By place; the code or the reason is another.
    Edited,
    /// By name alone: a guess.
    Name,
    /// By the order of several that look alike: a guess.
    Order,
}

impl Match {
    /// Its word in the JSON.
    pub fn word(self) -> &'static str {
        match self {
            Match::Exact => "exact",
            Match::Moved => "moved",
            Match::Edited => "edited",
            Match::Name => "name",
            Match::Order => "order",
        }
    }

    /// What a reader is told of a match that may be wrong.
    pub fn guess(self) -> Option<&'static str> {
        match self {
            Match::Exact | Match::Moved | Match::Edited => None,
            Match::Name => Some("matched by name only, a guess"),
            Match::Order => Some("matched by name and order only, a guess"),
        }
    }
}

/// One side of a row.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct RowSide {
    /// Compiles that it is about, by the ids of that side.
    pub compiles: Vec<String>,
    /// The value, where it has one.
    pub value: Option<String>,
    /// The page of that side's report with the evidence, relative to the report.
    pub page: Option<String>,
}

/// A difference.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    /// What became of it.
    pub kind: RowKind,
    /// What it is about.
    pub topic: Topic,
    /// One sentence without a full stop; code stands between backquotes.
    pub subject: String,
    /// What else is known.
    pub detail: Option<String>,
    /// File.
    pub file: Option<String>,
    /// Line in it.
    pub line: Option<u64>,
    /// A.
    pub a: RowSide,
    /// B.
    pub b: RowSide,
    /// Seconds on both sides; both None where it has none.
    pub seconds: Pair,
    /// Ranks on which it is so; empty for single logs.
    pub ranks: Vec<u64>,
    /// How A and B were matched; None where only one side has it, or where there is nothing to match.
    pub matched: Option<Match>,
    /// The function that it is about, by its [`FunctionLine::id`] in the comparison of the first rank.
    pub function: Option<usize>,
}

impl Row {
    /// A row of which no more is known yet.
    pub fn new(kind: RowKind, topic: Topic, subject: String) -> Row {
        Row {
            kind,
            topic,
            subject,
            detail: None,
            file: None,
            line: None,
            a: RowSide::default(),
            b: RowSide::default(),
            seconds: Pair::default(),
            ranks: Vec::new(),
            matched: None,
            function: None,
        }
    }

    /// What a reader is told of a match that may be wrong.
    pub fn guess(&self) -> Option<&'static str> {
        match (self.matched?, self.topic) {
            (Match::Order, Topic::GraphBreak) => Some("matched by line and order only, a guess"),
            (Match::Order, Topic::Recompile | Topic::Failure) => {
                Some("matched by function and order only, a guess")
            }
            (how, _) => how.guess(),
        }
    }

    /// B without A in seconds, where either is known.
    pub fn difference(&self) -> Option<f64> {
        (self.seconds.a.is_some() || self.seconds.b.is_some()).then(|| self.seconds.difference())
    }
}

/// A line of a table: something with its times.
#[derive(Debug, Clone)]
pub(crate) struct TimeLine {
    /// What it is called.
    pub name: String,
    /// Its times in seconds.
    pub times: Pair,
    /// Whether the difference is more than noise.
    pub differs: bool,
}

/// A function in the table of functions.
#[derive(Debug, Clone)]
pub(crate) struct FunctionLine {
    /// Tells it from the others of its log's comparison.
    pub id: usize,
    /// How A and B were matched; None where only one side has it.
    pub matched: Option<Match>,
    /// Its first compiles with their graphs and code, as they were matched.
    pub compared: Vec<ComparedCompile>,
    /// Name and times of the compiles that both sides have.
    pub line: TimeLine,
    /// File.
    pub file: Option<String>,
    /// Line of its definition in B, else in A.
    pub place: Option<u64>,
    /// Compiles: id, status and folder of the page.
    pub a: Vec<CompileRef>,
    /// The same of B.
    pub b: Vec<CompileRef>,
    /// Seconds in builds of kernels.
    pub builds: Pair,
    /// Operators, guards and kernels: as words for both sides.
    pub operators: (String, String),
    /// Guards.
    pub guards: (String, String),
}

/// A compile that a table leads to.
#[derive(Debug, Clone)]
pub(crate) struct CompileRef {
    /// Its id.
    pub id: String,
    /// `ok`, `break`, ..
    pub status: String,
    /// Folder of its page, below the recording's report; empty where it has none.
    pub folder: String,
}

/// A measured kernel or operator.
#[derive(Debug, Clone)]
pub(crate) struct MeasuredLine {
    /// Name and microseconds.
    pub line: TimeLine,
    /// How A and B were matched; None where only one side has it.
    pub matched: Option<Match>,
    /// Shapes and dtypes; empty for a kernel.
    pub shapes: String,
    /// Launches.
    pub counts: (Option<u64>, Option<u64>),
    /// TFLOP/s.
    pub tflops: (Option<f64>, Option<f64>),
    /// GB per second.
    pub gbps: (Option<f64>, Option<f64>),
}

/// What both sides have, by the number of things.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Same {
    /// Functions.
    pub functions: usize,
    /// Graph breaks.
    pub breaks: usize,
    /// Recompiles.
    pub recompiles: usize,
    /// Failures.
    pub failures: usize,
    /// Cache lookups.
    pub lookups: usize,
    /// Kernels of the generated code.
    pub kernels: usize,
    /// Settings.
    pub settings: usize,
}

/// Differences of times that are set apart.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Noise {
    /// Functions.
    pub functions: usize,
    /// Sum of their differences in seconds.
    pub functions_s: f64,
}

/// The comparison of one log with another, or of several runs with several.
#[derive(Debug, Clone, Default)]
pub(crate) struct LogComparison {
    /// Rank.
    pub rank: Option<u64>,
    /// All differences, in no order.
    pub rows: Vec<Row>,
    /// Compile time.
    pub total: Pair,
    /// Whether its difference is more than noise.
    pub total_differs: bool,
    /// The same by part.
    pub parts: Vec<TimeLine>,
    /// The same by function, largest difference first.
    pub functions: Vec<FunctionLine>,
    /// Measured kernels, then operators by shape, each largest difference first.
    pub kernels: Vec<MeasuredLine>,
    /// Operators by shape.
    pub operators: Vec<MeasuredLine>,
    /// Microseconds in which the device worked.
    pub busy_us: Pair,
    /// What is the same.
    pub same: Same,
    /// What is set apart.
    pub noise: Noise,
    /// How many times slower nearly every function is, and how many functions that are of how many.
    pub one_factor: Option<OneFactor>,
    /// Settings that only one side has, because its torch is another: of A, of B.
    pub one_sided_settings: (Vec<String>, Vec<String>),
}

/// Every function is slower, or faster, by about the same.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct OneFactor {
    /// How many times longer B takes, in the median.
    pub factor: f64,
    /// Functions that are.
    pub functions: usize,
    /// Functions that both sides have with a time.
    pub of: usize,
}

/// The comparison of two sides.
#[derive(Debug, Clone)]
pub(crate) struct Comparison {
    /// The runs of A.
    pub a: Vec<Recording>,
    /// The runs of B.
    pub b: Vec<Recording>,
    /// What counts as noise.
    pub threshold: Threshold,
    /// The differences: failures first, then by seconds.
    pub rows: Vec<Row>,
    /// Log by log: one entry, or one for each rank that both sides have. The largest difference of compile time is first.
    pub logs: Vec<LogComparison>,
}

impl Comparison {
    /// The comparison whose tables are shown: that of the logs, or of the ranks that differ most.
    pub fn shown(&self) -> Option<&LogComparison> {
        self.logs.first()
    }
}
