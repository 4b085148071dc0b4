//! What a finding costs: seconds of one kind, and the work of the compiler that it claims them for.
//!
//! A family of findings claims work; it adds up no seconds. The [ledger](crate::analysis::ledger) then charges each
//! piece of work to one finding only.

use crate::model::CompileIndex;
use crate::model::words::worded;
use serde::Deserialize;

worded! {
    /// The kind of a finding's seconds, with its word in report.json.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum CostKind.word {
        /// The log shows that the work was thrown away.
        Wasted = "wasted",
        /// An upper bound: what would not have been spent without the cause.
        Avoidable = "avoidable",
        /// Work that was needed, though it looks like a problem.
        Expected = "expected",
    }
}

impl CostKind {
    /// Whether it counts as lost: expected work does not.
    pub fn is_loss(self) -> bool {
        self != CostKind::Expected
    }
}

/// What a finding costs.
#[derive(Debug, Clone, PartialEq)]
pub struct Cost {
    /// Microseconds.
    pub us: f64,
    pub kind: CostKind,
    /// Why it costs that, in a few words.
    pub why: String,
}

impl Cost {
    /// Seconds, six decimals.
    pub fn seconds(&self) -> f64 {
        self.us.round() / 1e6
    }
}

#[derive(Debug, Clone)]
pub struct CostPart {
    /// Microseconds.
    pub us: f64,
    pub kind: CostKind,
    /// What took it: `of tracing thrown away`.
    pub what: String,
    /// Compiles that took it.
    pub compiles: Vec<CompileIndex>,
}

/// Which work of a compile a claim is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Attempts that were thrown away before the last one.
    Discarded,
    /// All that would not have been done without the compile: not the one-off work of the process that fell into it by
    /// chance, and not waiting.
    Compile,
    /// What a cache of Inductor's graphs keeps: not kernels, whose binaries are kept by content.
    InductorGraph,
    /// What AOTAutograd's cache keeps in addition.
    AotGraph,
    /// One-off work of the process that fell into the compile by chance.
    OneOff,
    /// All of it, including one-off work and waiting: the compile produced nothing.
    Whole,
    /// Autotuning and recording of CUDA graphs at run time, which is not compile time.
    AtRunTime,
}

/// Work of some compiles that a finding claims to be the cause of.
#[derive(Debug, Clone)]
pub struct Claim {
    /// What its seconds are.
    pub kind: CostKind,
    pub work: Work,
    pub compiles: Vec<CompileIndex>,
    /// What took the time: `of tracing thrown away`.
    pub what: String,
    /// Microseconds of each compile at most.
    pub most_us: Option<f64>,
    /// Whether the page lists the compiles with the part of the cost.
    pub lists_compiles: bool,
}

impl Claim {
    /// Work that was thrown away.
    pub fn wasted(work: Work, compiles: Vec<CompileIndex>, what: impl Into<String>) -> Claim {
        Claim::new(CostKind::Wasted, work, compiles, what.into())
    }

    /// Work that would not have been done without the cause.
    pub fn avoidable(work: Work, compiles: Vec<CompileIndex>, what: impl Into<String>) -> Claim {
        Claim::new(CostKind::Avoidable, work, compiles, what.into())
    }

    /// Work that was needed.
    pub fn expected(work: Work, compiles: Vec<CompileIndex>, what: impl Into<String>) -> Claim {
        Claim::new(CostKind::Expected, work, compiles, what.into())
    }

    fn new(kind: CostKind, work: Work, compiles: Vec<CompileIndex>, what: String) -> Claim {
        Claim { kind, work, compiles, what, most_us: None, lists_compiles: false }
    }

    /// The same, of each compile at most that many microseconds.
    pub fn at_most(self, us: f64) -> Claim {
        Claim { most_us: Some(us), ..self }
    }

    /// The same, and the page lists its compiles.
    pub fn listed(self) -> Claim {
        Claim { lists_compiles: true, ..self }
    }
}

/// Which finding is charged first where several claim the work of one attempt: the one that says most directly why
/// the work was lost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub enum ChargeOrder {
    /// The compile failed.
    Failure,
    /// A function reached the limit of compiled versions.
    RecompileLimit,
    /// The graph broke.
    GraphBreak,
    /// Tracing was restarted for another reason.
    Restart,
    /// A guard failed.
    Recompilation,
    /// A size was fixed.
    Specialization,
    /// A cache was bypassed.
    Cache,
    /// Anything else.
    #[default]
    Other,
}
