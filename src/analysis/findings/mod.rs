//! What went wrong in a log, what it cost and what to do: pure functions over the model, one file a family of kinds.
//!
//! A family's `of_log` reads the model and returns its findings in the order of the log. Here they are grouped where
//! many have one reason, and ranked. A finding holds words, places and indices of compiles; how they look is the
//! report's business.

mod breaks;
mod caches;
mod export;
mod failures;
mod group;
mod log;
mod prose;
mod recompiles;
mod runtime;
mod sizes;

pub(super) use sizes::place as user_line;

use crate::model::{Frame, Model, TextFrame};

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Something did not work.
    Error,
    /// It works, and costs more than it has to.
    Warning,
    /// Good to know.
    Info,
}

impl Severity {
    /// The word in report.json.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "info",
        }
    }
}

/// What kind of thing was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Records of the log are damaged or missing.
    DamagedLog,
    /// Names of files are missing from stacks.
    MissingNames,
    /// A compile failed.
    Failure,
    /// A function was compiled so often that torch gave up.
    RecompileLimit,
    /// A compile has no metrics.
    MissingMetrics,
    /// The process that runs compile workers died.
    WorkerDeath,
    /// A compile job took minutes.
    WorkerStall,
    /// The graphs of the ranks differ.
    SpmdMismatch,
    /// A producer of events wants something to be seen.
    Notice,
    /// Dynamo could not trace on.
    GraphBreak,
    /// A function was compiled again.
    Recompilation,
    /// A cache was not asked.
    CacheBypass,
    /// A cache did not have the result.
    CacheMiss,
    /// A size that could vary was fixed.
    Specialization,
    /// Export found something wanting.
    Export,
    /// Tracing began anew.
    Restart,
    /// No CUDA graph was recorded.
    CudagraphSkip,
    /// Work was done while the model ran.
    RuntimeCost,
    /// Checking whether compiled code fits takes long.
    SlowGuards,
}

impl Kind {
    /// The word in report.json, and what people read.
    pub fn words(self) -> (&'static str, &'static str) {
        match self {
            Kind::DamagedLog => ("damaged_log", "Damaged log"),
            Kind::MissingNames => ("missing_names", "Missing names"),
            Kind::Failure => ("failure", "Failure"),
            Kind::RecompileLimit => ("recompile_limit", "Limit reached"),
            Kind::MissingMetrics => ("missing_metrics", "No metrics"),
            Kind::WorkerDeath => ("worker_death", "Worker died"),
            Kind::WorkerStall => ("worker_stall", "Slow worker"),
            Kind::SpmdMismatch => ("spmd_mismatch", "Rank mismatch"),
            Kind::Notice => ("notice", "Notice"),
            Kind::GraphBreak => ("graph_break", "Graph break"),
            Kind::Recompilation => ("recompilation", "Recompile"),
            Kind::CacheBypass => ("cache_bypass", "Cache bypass"),
            Kind::CacheMiss => ("cache_miss", "Cache miss"),
            Kind::Specialization => ("specialization", "Specialised"),
            Kind::Export => ("export", "Export"),
            Kind::Restart => ("restart", "Restart"),
            Kind::CudagraphSkip => ("cudagraph_skip", "No CUDA graph"),
            Kind::RuntimeCost => ("runtime_cost", "Run-time cost"),
            Kind::SlowGuards => ("slow_guards", "Slow guards"),
        }
    }
}

/// One thing that the reader should know, with its cause, its cost and what to do.
#[derive(Debug, Clone)]
pub struct Finding {
    /// What kind of thing.
    pub kind: Kind,
    /// How much it matters.
    pub severity: Severity,
    /// One sentence in plain words, without a full stop; code stands between backquotes.
    pub title: String,
    /// What it means, or torch's explanation.
    pub detail: Option<String>,
    /// Where in the user's program.
    pub place: Place,
    /// Compiles that it concerns: indices into the model's, in order, distinct.
    pub compiles: Vec<usize>,
    /// How often it happened.
    pub count: u64,
    /// Microseconds lost; None where the log does not tell, or nothing is lost.
    pub cost_us: Option<f64>,
    /// What makes up the cost.
    pub costs: Vec<Cost>,
    /// What to do, most fitting first.
    pub hints: Vec<String>,
    /// Further facts in the order in which they are read.
    pub facts: Vec<Fact>,
    /// Frames that led there, outermost first.
    pub stack: Vec<TextFrame>,
    /// torch's page about it: a name and a link of the log.
    pub read_more: Option<(String, String)>,
    /// What has to be equal for findings to be one entry when there are many.
    pub reason: String,
    /// The single findings of a group, most important first.
    pub members: Vec<Finding>,
}

/// A place in the user's program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// File as the log has it.
    pub file: Option<String>,
    /// Line, from 1.
    pub line: Option<u64>,
    /// Text of that line, where the log has it.
    pub loc: Option<String>,
    /// The function.
    pub function: Option<String>,
}

/// A part of a cost.
#[derive(Debug, Clone)]
pub struct Cost {
    /// Microseconds.
    pub us: f64,
    /// What took it: `of tracing thrown away`.
    pub what: String,
    /// Compiles that took it.
    pub compiles: Vec<usize>,
}

/// A label with what it says.
#[derive(Debug, Clone)]
pub struct Fact {
    /// Label.
    pub label: &'static str,
    /// What it says.
    pub value: Value,
}

/// What a fact says.
#[derive(Debug, Clone)]
pub enum Value {
    /// Sentences.
    Prose(String),
    /// Lines of code.
    Code(Vec<String>),
    /// What came in turn, first to last.
    Steps(Vec<Step>),
}

/// One compile of a chain.
#[derive(Debug, Clone)]
pub struct Step {
    /// Index of the compile.
    pub compile: usize,
    /// The guard that failed, in torch's words; None for the first.
    pub guard: Option<String>,
    /// The older compile whose guard it is.
    pub against: Option<String>,
    /// Source line of the guard: code, file and line.
    pub source: Option<(String, String, u64)>,
}

impl Finding {
    /// A finding without a place, a cost or a word beyond its title.
    fn new(kind: Kind, severity: Severity, title: String) -> Finding {
        Finding {
            kind,
            severity,
            reason: title.clone(),
            title,
            detail: None,
            place: Place::default(),
            compiles: Vec::new(),
            count: 1,
            cost_us: None,
            costs: Vec::new(),
            hints: Vec::new(),
            facts: Vec::new(),
            stack: Vec::new(),
            read_more: None,
            members: Vec::new(),
        }
    }

    /// Seconds lost.
    pub fn cost_s(&self) -> Option<f64> {
        self.cost_us.map(|us| us.round() / 1e6)
    }

    /// Adds a part of the cost.
    fn costs(&mut self, us: f64, what: String, compiles: Vec<usize>) {
        if us > 0.0 && us.is_finite() {
            *self.cost_us.get_or_insert(0.0) += us;
            self.costs.push(Cost { us, what, compiles });
        }
    }

    fn fact(&mut self, label: &'static str, value: Value) {
        self.facts.push(Fact { label, value });
    }
}

/// All findings of a log: damage first, then errors, then warnings, then the rest; within these by seconds lost, then
/// by count, then in the order of the log.
pub fn of_log(model: &Model) -> Vec<Finding> {
    let mut all = log::of_log(model);
    all.extend(recompiles::of_log(model));
    all.extend(failures::of_log(model));
    all.extend(breaks::of_log(model));
    all.extend(sizes::of_log(model));
    all.extend(export::of_log(model));
    all.extend(caches::of_log(model));
    all.extend(runtime::of_log(model));
    let mut all = group::same_reasons(all);
    rank(&mut all);
    all
}

/// Sorts findings, most important first.
fn rank(findings: &mut [Finding]) {
    findings.sort_by(|a, b| {
        let first = |f: &Finding| (f.kind != Kind::DamagedLog, f.severity);
        first(a)
            .cmp(&first(b))
            .then(b.cost_us.unwrap_or(0.0).total_cmp(&a.cost_us.unwrap_or(0.0)))
            .then(b.count.cmp(&a.count))
    });
}

/// What a log without findings of weight was checked for, in one sentence.
pub const CHECKED: &str = "No failure, graph break, recompilation, specialised size, cache bypass, damaged record or \
                           missing metrics, no skipped CUDA graph, slow guards, stalled worker or mismatching rank.";

/// The function of a compile, for a sentence: `f`, or `f, resumed at line 9`.
fn function_of(model: &Model, compile: usize) -> Option<String> {
    let compile = model.compiles.get(compile)?;
    let name = compile.function.as_ref().map(|f| f.name.as_str())?;
    Some(match super::resumed(name) {
        Some((function, line)) => format!("`{function}`, resumed at line {line},"),
        None => format!("`{name}`"),
    })
}

/// Where the function of a compile is defined.
fn defined_at(model: &Model, compile: usize) -> Place {
    let function = model.compiles.get(compile).and_then(|c| c.function.as_ref());
    function.map_or_else(Place::default, |f| Place {
        file: f.file.clone(),
        line: f.line,
        loc: None,
        function: Some(f.name.clone()),
    })
}

/// The innermost frame that is the reader's own.
fn own_frame(frames: &[TextFrame]) -> Option<&TextFrame> {
    frames.iter().rev().find(|(file, ..)| !super::is_library(file))
}

/// A frame as a place.
fn place_of(frame: &TextFrame) -> Place {
    let (file, line, function, loc) = frame;
    Place { file: Some(file.clone()), line: Some(*line), loc: loc.clone(), function: Some(function.clone()) }
}

/// Frames of a record as they stand in a traceback.
fn frames(model: &Model, stack: &[Frame]) -> Vec<TextFrame> {
    let frame = |f: &Frame| {
        let file = model.strings.get(f.file).unwrap_or("unknown file").to_owned();
        (file, f.line.unwrap_or(0), f.name.to_string(), f.loc.as_ref().map(ToString::to_string))
    };
    stack.iter().map(frame).collect()
}

/// Microseconds that compiles took.
fn time_of(model: &Model, compiles: &[usize]) -> f64 {
    compiles.iter().filter_map(|&index| model.compiles.get(index)?.compile_us()).sum()
}

/// A number with its noun.
fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests;
