//! The keys of `report.json` that a comparison of two runs needs, borrowed from the text. Keys that earlier versions did not
//! write may be missing; a value of another type makes the whole file unreadable, which is said.

use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Which program wrote the file, and about what.
#[derive(Deserialize)]
pub(super) struct Head {
    pub schema: u64,
    pub kind: String,
}

/// A text that borrows from the file where it has no escapes.
#[derive(Deserialize, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Text<'a>(#[serde(borrow)] pub Cow<'a, str>);

impl Text<'_> {
    pub fn owned(&self) -> String {
        self.0.clone().into_owned()
    }
}

#[derive(Deserialize)]
pub(super) struct LogReport<'a> {
    #[serde(borrow)]
    pub torch: Option<Torch<'a>>,
    #[serde(borrow)]
    pub log: Log<'a>,
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
    pub caches: Vec<Lookup<'a>>,
    #[serde(borrow)]
    pub compile_time: CompileTime<'a>,
    #[serde(borrow)]
    pub cross_rank: CrossRank<'a>,
    #[serde(borrow)]
    pub performance: Option<Performance<'a>>,
}

#[derive(Deserialize)]
pub(super) struct Torch<'a> {
    #[serde(borrow)]
    pub version: Option<Text<'a>>,
}

#[derive(Deserialize)]
pub(super) struct Log<'a> {
    #[serde(borrow)]
    pub file: Text<'a>,
    pub records: u64,
    pub rank: Option<u64>,
    #[serde(borrow)]
    pub first_time: Option<Text<'a>>,
}

#[derive(Deserialize)]
pub(super) struct Compile<'a> {
    #[serde(borrow)]
    pub id: Option<Text<'a>>,
    #[serde(borrow)]
    pub status: Text<'a>,
    #[serde(borrow)]
    pub function: Option<Function<'a>>,
    #[serde(borrow)]
    pub attempts: Vec<Attempt<'a>>,
    #[serde(borrow)]
    pub metrics: Vec<Metrics<'a>>,
    #[serde(borrow, default)]
    pub time: Time<'a>,
    #[serde(borrow, default)]
    pub kernels: BTreeMap<Text<'a>, u64>,
}

#[derive(Deserialize)]
pub(super) struct Function<'a> {
    #[serde(borrow)]
    pub name: Text<'a>,
    #[serde(borrow)]
    pub file: Option<Text<'a>>,
    pub line: Option<u64>,
}

#[derive(Deserialize)]
pub(super) struct Attempt<'a> {
    pub attempt: u64,
    #[serde(borrow)]
    pub dir: Text<'a>,
}

#[derive(Deserialize)]
pub(super) struct Metrics<'a> {
    #[serde(borrow)]
    pub kind: Text<'a>,
    #[serde(borrow)]
    pub fields: &'a RawValue,
}

#[derive(Deserialize, Default)]
pub(super) struct Time<'a> {
    pub seconds: Option<f64>,
    #[serde(borrow)]
    pub parts: Vec<Part<'a>>,
}

#[derive(Deserialize)]
pub(super) struct Part<'a> {
    #[serde(borrow)]
    pub name: Option<Text<'a>>,
    pub seconds: f64,
}

#[derive(Deserialize)]
pub(super) struct GraphBreak<'a> {
    #[serde(borrow)]
    pub reason: Text<'a>,
    #[serde(borrow)]
    pub file: Option<Text<'a>>,
    pub line: Option<u64>,
    #[serde(borrow, default)]
    pub user_stack: Vec<BreakFrame<'a>>,
    #[serde(borrow)]
    pub compile_ids: Vec<Option<Text<'a>>>,
    pub count: u64,
}

#[derive(Deserialize)]
pub(super) struct BreakFrame<'a> {
    #[serde(borrow)]
    pub file: Option<Text<'a>>,
    pub line: Option<u64>,
    #[serde(borrow)]
    pub loc: Option<Text<'a>>,
}

#[derive(Deserialize)]
pub(super) struct Recompile<'a> {
    #[serde(borrow)]
    pub compile_id: Option<Text<'a>>,
    #[serde(borrow)]
    pub function: Option<Text<'a>>,
    #[serde(borrow)]
    pub reasons: Vec<Reason<'a>>,
}

#[derive(Deserialize)]
pub(super) struct Reason<'a> {
    #[serde(borrow)]
    pub text: Text<'a>,
    #[serde(borrow)]
    pub guard: Option<Text<'a>>,
}

#[derive(Deserialize)]
pub(super) struct Failure<'a> {
    #[serde(borrow)]
    pub compile_id: Option<Text<'a>>,
    #[serde(borrow, rename = "type")]
    pub error: Text<'a>,
    #[serde(borrow)]
    pub reason: Option<Text<'a>>,
    #[serde(borrow)]
    pub file: Option<Text<'a>>,
    pub line: Option<u64>,
}

#[derive(Deserialize)]
pub(super) struct Lookup<'a> {
    #[serde(borrow)]
    pub compile_id: Option<Text<'a>>,
    #[serde(borrow)]
    pub cache: Text<'a>,
    #[serde(borrow)]
    pub outcome: Text<'a>,
}

#[derive(Deserialize)]
pub(super) struct CompileTime<'a> {
    pub total_s: Option<f64>,
    #[serde(borrow)]
    pub parts: Vec<Part<'a>>,
    #[serde(borrow, default)]
    pub one_offs: Vec<OneOff<'a>>,
}

#[derive(Deserialize)]
pub(super) struct OneOff<'a> {
    #[serde(borrow)]
    pub kind: Text<'a>,
    #[serde(borrow)]
    pub compile_id: Option<Text<'a>>,
    pub seconds: f64,
    pub in_graph_s: f64,
}

#[derive(Deserialize)]
pub(super) struct CrossRank<'a> {
    #[serde(borrow)]
    pub inputs: Option<Vec<Inputs<'a>>>,
}

#[derive(Deserialize)]
pub(super) struct Inputs<'a> {
    #[serde(borrow)]
    pub compile_id: Option<Text<'a>>,
    #[serde(borrow)]
    pub tensors: Vec<Input<'a>>,
}

/// An input tensor: a list of these four.
#[derive(Deserialize)]
pub(super) struct Input<'a> {
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
pub(super) struct Performance<'a> {
    pub time: MeasuredTime,
    #[serde(borrow)]
    pub kernels: Vec<Kernel<'a>>,
    #[serde(borrow)]
    pub ops: Vec<Operator<'a>>,
}

#[derive(Deserialize)]
pub(super) struct MeasuredTime {
    pub busy_us: f64,
}

#[derive(Deserialize)]
pub(super) struct Kernel<'a> {
    #[serde(borrow)]
    pub name: Text<'a>,
    pub count: u64,
    pub sum_us: f64,
    pub tflops: Option<f64>,
    pub gbps: Option<f64>,
}

#[derive(Deserialize)]
pub(super) struct Operator<'a> {
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

/// The keys of the report of a job.
#[derive(Deserialize)]
pub(super) struct JobReport<'a> {
    #[serde(borrow)]
    pub ranks: Vec<Rank<'a>>,
    #[serde(borrow)]
    pub divergence: BTreeMap<Text<'a>, Option<Divergence>>,
    #[serde(borrow)]
    pub findings: Vec<Finding<'a>>,
}

#[derive(Deserialize)]
pub(super) struct Rank<'a> {
    pub rank: u64,
    #[serde(borrow)]
    pub state: Text<'a>,
}

#[derive(Deserialize)]
pub(super) struct Divergence {
    pub differs: bool,
}

#[derive(Deserialize)]
pub(super) struct Finding<'a> {
    #[serde(borrow)]
    pub severity: Text<'a>,
    #[serde(borrow)]
    pub title: Text<'a>,
}
