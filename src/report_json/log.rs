//! The keys of a log's `report.json` that a job, a comparison and a check need, borrowed from the text.
//!
//! A value of a type that this version does not write makes the whole file unreadable, and its reader says so: a
//! comparison that silently lacks a fact would be worse. Keys that an earlier 0.5 did not write may be missing.

use super::text::{Id, Text};
use crate::model::RankLog;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// `report.json` of a log.
#[derive(Deserialize)]
pub(crate) struct LogReport<'a> {
    #[serde(borrow)]
    pub torch: Option<Torch<'a>>,
    pub log: RankLog,
    pub integrity: Integrity,
    #[serde(borrow)]
    pub compiles: Vec<Compile<'a>>,
    #[serde(borrow)]
    pub configs: BTreeMap<Text<'a>, &'a RawValue>,
    #[serde(borrow)]
    pub graph_breaks: Vec<GraphBreak<'a>>,
    #[serde(borrow)]
    pub recompiles: Vec<Recompile<'a>>,
    #[serde(borrow)]
    pub failures: Vec<Failure<'a>>,
    #[serde(borrow)]
    pub caches: Vec<CacheLookup<'a>>,
    #[serde(borrow)]
    pub compile_time: CompileTime<'a>,
    #[serde(borrow)]
    pub cross_rank: CrossRank<'a>,
    #[serde(borrow)]
    pub findings: Vec<Finding<'a>>,
    #[serde(borrow)]
    pub performance: Option<Performance<'a>>,
}

#[derive(Deserialize)]
pub(crate) struct Torch<'a> {
    #[serde(borrow)]
    pub version: Option<Text<'a>>,
}

#[derive(Deserialize)]
pub(crate) struct Integrity {
    pub ok: bool,
    pub bad_prefix: u64,
    pub bad_json: u64,
    pub bad_payload_md5: u64,
    pub truncated: u64,
    pub other_rank: u64,
    pub parser_errors: u64,
    pub events: BTreeMap<String, u64>,
}

impl Integrity {
    /// What is damaged, in words.
    pub fn damage(&self) -> String {
        let kinds = [
            (self.bad_prefix, "no record at all"),
            (self.bad_json, "not JSON"),
            (self.bad_payload_md5, "with another payload than was written"),
            (self.truncated, "cut short"),
            (self.other_rank, "of another rank"),
            (self.parser_errors, "not as torch writes them"),
        ];
        let found = kinds.iter().filter(|(count, _)| *count > 0);
        let words: Vec<String> = found.map(|(count, what)| format!("{count} {what}")).collect();
        format!("damaged records: {}", words.join(", "))
    }
}

#[derive(Deserialize)]
pub(crate) struct Compile<'a> {
    #[serde(borrow)]
    pub id: Option<Id<'a>>,
    #[serde(borrow)]
    pub status: Text<'a>,
    #[serde(borrow)]
    pub function: Option<Function<'a>>,
    #[serde(borrow)]
    pub attempts: Vec<Attempt<'a>>,
    #[serde(borrow)]
    pub metrics: Vec<Metrics<'a>>,
    #[serde(borrow, default)]
    pub time: CompileSeconds<'a>,
    /// Kernels of the generated code by name, and how often it calls each.
    #[serde(borrow, default)]
    pub kernels: BTreeMap<Text<'a>, u64>,
    #[serde(borrow, default)]
    pub artifacts: Vec<Artifact<'a>>,
}

/// A file of a compile.
#[derive(Deserialize)]
pub(crate) struct Artifact<'a> {
    #[serde(borrow)]
    pub name: Text<'a>,
    /// Where the report says that it is; to be checked.
    #[serde(borrow)]
    pub path: Text<'a>,
    pub attempt: Option<u64>,
}

#[derive(Deserialize, Default)]
pub(crate) struct CompileSeconds<'a> {
    pub seconds: Option<f64>,
    #[serde(borrow)]
    pub parts: Vec<Part<'a>>,
}

#[derive(Deserialize)]
pub(crate) struct Function<'a> {
    #[serde(borrow)]
    pub name: Option<Text<'a>>,
    #[serde(borrow)]
    pub file: Option<Text<'a>>,
    pub line: Option<i64>,
}

#[derive(Deserialize)]
pub(crate) struct Attempt<'a> {
    pub attempt: u64,
    #[serde(borrow)]
    pub dir: Text<'a>,
}

#[derive(Deserialize)]
pub(crate) struct Metrics<'a> {
    #[serde(borrow)]
    pub kind: Text<'a>,
    #[serde(borrow)]
    pub fields: &'a RawValue,
}

#[derive(Deserialize)]
pub(crate) struct GraphBreak<'a> {
    #[serde(borrow)]
    pub reason: Text<'a>,
    #[serde(borrow)]
    pub file: Option<Text<'a>>,
    pub line: Option<i64>,
    #[serde(borrow)]
    pub compile_ids: Vec<Option<Id<'a>>>,
    pub count: u64,
    #[serde(borrow, default)]
    pub user_stack: Vec<BreakFrame<'a>>,
}

#[derive(Deserialize)]
pub(crate) struct BreakFrame<'a> {
    #[serde(borrow)]
    pub file: Option<Text<'a>>,
    pub line: Option<i64>,
    #[serde(borrow)]
    pub name: Option<Text<'a>>,
    #[serde(borrow)]
    pub loc: Option<Text<'a>>,
}

#[derive(Deserialize)]
pub(crate) struct Recompile<'a> {
    #[serde(borrow)]
    pub compile_id: Option<Id<'a>>,
    #[serde(borrow)]
    pub function: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub change: Option<Change<'a>>,
    #[serde(borrow)]
    pub reasons: Vec<Reason<'a>>,
}

/// What separates the call that was compiled again from the closest version.
#[derive(Deserialize)]
pub(crate) struct Change<'a> {
    #[serde(borrow)]
    pub kind: Text<'a>,
    #[serde(borrow)]
    pub subject: Option<Text<'a>>,
}

#[derive(Deserialize)]
pub(crate) struct Reason<'a> {
    #[serde(borrow)]
    pub text: Text<'a>,
    #[serde(borrow)]
    pub guard: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub source: Option<GuardSource<'a>>,
}

/// The code in torch that made a guard.
#[derive(Deserialize)]
pub(crate) struct GuardSource<'a> {
    #[serde(borrow)]
    pub code: Text<'a>,
}

#[derive(Deserialize)]
pub(crate) struct Failure<'a> {
    #[serde(borrow)]
    pub compile_id: Option<Id<'a>>,
    #[serde(borrow, rename = "type")]
    pub error: Text<'a>,
    #[serde(borrow)]
    pub reason: Option<Text<'a>>,
    #[serde(borrow)]
    pub file: Option<Text<'a>>,
    pub line: Option<i64>,
}

#[derive(Deserialize)]
pub(crate) struct CacheLookup<'a> {
    #[serde(borrow)]
    pub compile_id: Option<Id<'a>>,
    #[serde(borrow)]
    pub cache: Text<'a>,
    #[serde(borrow)]
    pub outcome: Text<'a>,
    #[serde(borrow)]
    pub reason: Option<Text<'a>>,
    #[serde(borrow)]
    pub path: Option<Text<'a>>,
}

#[derive(Deserialize)]
pub(crate) struct CompileTime<'a> {
    pub total_s: Option<f64>,
    #[serde(borrow)]
    pub parts: Vec<Part<'a>>,
    #[serde(borrow, default)]
    pub one_offs: Vec<OneOff<'a>>,
}

/// Work that is done once, such as the first C++ build.
#[derive(Deserialize)]
pub(crate) struct OneOff<'a> {
    #[serde(borrow)]
    pub kind: Text<'a>,
    #[serde(borrow)]
    pub compile_id: Option<Id<'a>>,
    pub seconds: f64,
    pub in_graph_s: f64,
}

#[derive(Deserialize)]
pub(crate) struct Part<'a> {
    #[serde(borrow)]
    pub name: Option<Text<'a>>,
    pub seconds: f64,
}

#[derive(Deserialize)]
pub(crate) struct CrossRank<'a> {
    #[serde(borrow)]
    pub compiles: Vec<CompileKey<'a>>,
    #[serde(borrow)]
    pub cache: Option<Vec<CacheKey<'a>>>,
    #[serde(borrow)]
    pub collectives: Option<Vec<Graph<'a, Text<'a>>>>,
    #[serde(borrow)]
    pub tensor_meta: Option<Vec<Graph<'a, Text<'a>>>>,
    #[serde(borrow)]
    pub execution: Option<Vec<Execution<'a>>>,
    #[serde(borrow)]
    pub runtime: Option<Vec<Graph<'a, Op<'a>>>>,
    #[serde(borrow)]
    pub parity: Option<Vec<Parity<'a>>>,
    #[serde(borrow)]
    pub configs: Option<BTreeMap<Text<'a>, Text<'a>>>,
    /// Reports that an earlier version wrote have none.
    #[serde(borrow, default)]
    pub names: Option<Vec<ReaderName<'a>>>,
    #[serde(borrow)]
    pub inputs: Option<Vec<Inputs<'a>>>,
    #[serde(borrow)]
    pub process_groups: Option<Vec<Calls<'a>>>,
    #[serde(borrow)]
    pub cache_keys: Option<Vec<KeyLookup<'a>>>,
    #[serde(borrow)]
    pub cache_folders: Option<Vec<Text<'a>>>,
    pub builds: Option<Vec<Stretch>>,
    pub pauses: Option<Vec<Stretch>>,
    #[serde(borrow)]
    pub end: Option<End<'a>>,
}

#[derive(Deserialize)]
pub(crate) struct Inputs<'a> {
    #[serde(borrow)]
    pub compile_id: Option<Id<'a>>,
    #[serde(borrow)]
    pub tensors: Vec<Input<'a>>,
}

/// An input tensor: a list of these four.
#[derive(Deserialize)]
pub(crate) struct Input<'a> {
    #[serde(borrow)]
    pub name: Text<'a>,
    #[serde(borrow)]
    pub dtype: Text<'a>,
    #[serde(borrow)]
    pub sizes: Text<'a>,
    #[serde(borrow)]
    pub strides: Option<Text<'a>>,
}

#[derive(Deserialize)]
pub(crate) struct Calls<'a> {
    #[serde(borrow)]
    pub graph: Text<'a>,
    #[serde(borrow)]
    pub calls: Vec<Call<'a>>,
}

/// A call of a collective: a list of these two.
#[derive(Deserialize)]
pub(crate) struct Call<'a> {
    #[serde(borrow)]
    pub operation: Text<'a>,
    #[serde(borrow)]
    pub group: Option<Text<'a>>,
}

/// A key that was looked up in a cache: a list of these four.
#[derive(Deserialize)]
pub(crate) struct KeyLookup<'a> {
    #[serde(borrow)]
    pub id: Option<Id<'a>>,
    #[serde(borrow)]
    pub cache: Text<'a>,
    #[serde(borrow)]
    pub key: Option<Text<'a>>,
    pub asked_ns: Option<u64>,
}

/// A stretch of time: a list of these two.
#[derive(Deserialize)]
pub(crate) struct Stretch {
    pub start_us: f64,
    pub end_us: f64,
}

#[derive(Deserialize)]
pub(crate) struct End<'a> {
    #[serde(borrow)]
    pub event: Text<'a>,
    #[serde(borrow)]
    pub compile_id: Option<Id<'a>>,
    pub inside: bool,
    #[serde(borrow)]
    pub phases: Vec<Text<'a>>,
    /// Reports that an earlier version wrote have none.
    #[serde(default)]
    pub open_s: Vec<f64>,
}

/// What was compiled: a list of these four.
#[derive(Deserialize)]
pub(crate) struct CompileKey<'a> {
    #[serde(borrow)]
    pub id: Id<'a>,
    #[serde(borrow)]
    pub function: Option<Text<'a>>,
    #[serde(borrow)]
    pub file: Option<Text<'a>>,
    pub line: Option<i64>,
}

/// What the reader calls a compiled function, and the line that leads there: a list of these four.
#[derive(Deserialize)]
pub(crate) struct ReaderName<'a> {
    #[serde(borrow)]
    pub id: Id<'a>,
    #[serde(borrow)]
    pub title: Text<'a>,
    #[serde(borrow)]
    pub file: Option<Text<'a>>,
    pub line: Option<i64>,
}

/// The result of a cache lookup: a list of these three.
#[derive(Deserialize)]
pub(crate) struct CacheKey<'a> {
    #[serde(borrow)]
    pub id: Option<Id<'a>>,
    #[serde(borrow)]
    pub cache: Text<'a>,
    #[serde(borrow)]
    pub outcome: Text<'a>,
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "T: Deserialize<'de>"))]
pub(crate) struct Graph<'a, T> {
    #[serde(borrow)]
    pub graph: Text<'a>,
    pub ops: Vec<T>,
}

#[derive(Deserialize)]
pub(crate) struct Execution<'a> {
    #[serde(borrow)]
    pub compile_id: Option<Id<'a>>,
    #[serde(borrow)]
    pub schedule: Option<Vec<Text<'a>>>,
    #[serde(borrow)]
    pub cache: Option<Text<'a>>,
}

#[derive(Deserialize)]
pub(crate) struct Op<'a> {
    #[serde(borrow)]
    pub name: Text<'a>,
    pub ns: Option<f64>,
}

#[derive(Deserialize)]
pub(crate) struct Parity<'a> {
    #[serde(borrow)]
    pub compile_id: Option<Id<'a>>,
    #[serde(borrow)]
    pub scheduled: BTreeMap<Text<'a>, u64>,
    #[serde(borrow)]
    pub in_code: BTreeMap<Text<'a>, u64>,
    pub missing_waits: u64,
}

#[derive(Deserialize)]
pub(crate) struct Finding<'a> {
    #[serde(borrow)]
    pub kind: Text<'a>,
    #[serde(borrow)]
    pub severity: Text<'a>,
    #[serde(borrow)]
    pub title: Text<'a>,
    #[serde(borrow)]
    pub detail: Option<Text<'a>>,
    #[serde(borrow)]
    pub file: Option<Text<'a>>,
    pub line: Option<i64>,
    #[serde(borrow)]
    pub compile_ids: Vec<Option<Id<'a>>>,
    #[serde(borrow)]
    pub cost: Option<FindingCost<'a>>,
    #[serde(borrow)]
    pub hint: Option<Text<'a>>,
    #[serde(borrow)]
    pub url: Option<Text<'a>>,
}

#[derive(Deserialize)]
pub(crate) struct FindingCost<'a> {
    pub seconds: f64,
    #[serde(borrow)]
    pub kind: Text<'a>,
    #[serde(borrow)]
    pub why: Text<'a>,
}

#[derive(Deserialize)]
pub(crate) struct Performance<'a> {
    pub time: MeasuredTime,
    #[serde(borrow)]
    pub kernels: Vec<Kernel<'a>>,
    #[serde(borrow)]
    pub ops: Vec<Operator<'a>>,
}

#[derive(Deserialize)]
pub(crate) struct MeasuredTime {
    pub busy_us: f64,
}

#[derive(Deserialize)]
pub(crate) struct Kernel<'a> {
    #[serde(borrow)]
    pub name: Text<'a>,
    pub count: u64,
    pub sum_us: f64,
    pub tflops: Option<f64>,
    pub gbps: Option<f64>,
}

#[derive(Deserialize)]
pub(crate) struct Operator<'a> {
    #[serde(borrow)]
    pub op: Text<'a>,
    #[serde(borrow)]
    pub input_dims: Vec<&'a RawValue>,
    #[serde(borrow)]
    pub input_types: Vec<Text<'a>>,
    pub count: u64,
    pub kernel_us_sum: f64,
    pub tflops: Option<f64>,
    pub tbps: Option<f64>,
}
