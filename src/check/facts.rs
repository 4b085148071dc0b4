//! What a check reads of `report.json`: of a log's, and of a job's.
//!
//! Keys that another version of the program does not write are optional here: an older report can be checked, and what it
//! does not tell counts as nothing.

use serde::Deserialize;

/// The first keys: which kind of report it is.
#[derive(Deserialize)]
pub(super) struct Head {
    pub schema: u64,
    pub kind: String,
}

/// `report.json` of a log.
#[derive(Deserialize)]
pub(super) struct LogReport {
    pub log: Log,
    pub compiles: Vec<Compile>,
    pub graph_breaks: Vec<GraphBreak>,
    pub recompiles: Vec<Recompile>,
    pub failures: Vec<Failure>,
    pub caches: Vec<CacheLookup>,
    pub compile_time: CompileTime,
    pub findings: Vec<Finding>,
}

#[derive(Deserialize)]
pub(super) struct Log {
    pub file: String,
    pub rank: Option<u64>,
    pub records: u64,
}

#[derive(Deserialize)]
pub(super) struct Compile {
    pub id: Option<String>,
    pub function: Option<Function>,
    #[serde(default)]
    pub time: Option<CompileSeconds>,
    /// Kernels of the generated code by name, and how often it calls each.
    #[serde(default)]
    pub kernels: indexmap::IndexMap<String, u64>,
}

#[derive(Deserialize, Clone, PartialEq, Eq)]
pub(super) struct Function {
    pub name: Option<String>,
    pub file: Option<String>,
    pub line: Option<i64>,
}

#[derive(Deserialize)]
pub(super) struct CompileSeconds {
    pub seconds: Option<f64>,
}

#[derive(Deserialize)]
pub(super) struct GraphBreak {
    pub reason: String,
    pub file: Option<String>,
    pub line: Option<i64>,
    pub compile_ids: Vec<Option<String>>,
    #[serde(default)]
    pub user_stack: Vec<Frame>,
}

#[derive(Deserialize)]
pub(super) struct Frame {
    pub file: Option<String>,
    pub line: Option<i64>,
    pub name: Option<String>,
    pub loc: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Recompile {
    pub compile_id: Option<String>,
    pub reasons: Vec<Reason>,
}

#[derive(Deserialize)]
pub(super) struct Reason {
    pub text: String,
    pub guard: Option<String>,
    pub source: Option<ReasonSource>,
}

#[derive(Deserialize)]
pub(super) struct ReasonSource {
    pub code: String,
}

#[derive(Deserialize)]
pub(super) struct Failure {
    pub compile_id: Option<String>,
    #[serde(rename = "type")]
    pub error: String,
    pub reason: Option<String>,
    pub file: Option<String>,
    pub line: Option<i64>,
}

#[derive(Deserialize)]
pub(super) struct CacheLookup {
    pub compile_id: Option<String>,
    pub cache: String,
    pub outcome: String,
    pub reason: Option<String>,
    pub path: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct CompileTime {
    pub total_s: Option<f64>,
}

/// A finding as `report.json` and `--json` have it.
#[derive(Deserialize, Clone)]
pub(super) struct Finding {
    pub kind: String,
    pub severity: String,
    pub title: String,
    pub file: Option<String>,
    pub line: Option<i64>,
    pub compile_ids: Vec<Option<String>>,
    pub cost: Option<FindingCost>,
    pub hint: Option<String>,
    pub url: Option<String>,
}

#[derive(Deserialize, Clone)]
pub(super) struct FindingCost {
    pub seconds: f64,
    pub kind: String,
}

/// `report.json` of a job.
#[derive(Deserialize)]
pub(super) struct JobReport {
    pub ranks: Vec<Rank>,
    pub findings: Vec<Finding>,
}

#[derive(Deserialize)]
pub(super) struct Rank {
    pub rank: u64,
    #[serde(default)]
    pub processes: Vec<Process>,
}

#[derive(Deserialize)]
pub(super) struct Process {
    pub pid: u64,
}
