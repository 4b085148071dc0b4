//! What `tlparse diff --json` prints: `diff.schema.json`.

use super::log::Tool;
use schemars::JsonSchema;
use serde::Serialize;

/// What differs between two runs, or several runs per side.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Diff<'a> {
    /// Version of this format.
    #[schemars(extend("const" = 1))]
    pub schema: u64,
    /// What the file is about.
    #[schemars(extend("const" = "diff"))]
    pub kind: &'static str,
    /// What wrote it.
    pub tool: Tool<'a>,
    /// The runs of the baseline.
    #[schemars(length(min = 1))]
    pub a: Vec<DiffRun<'a>>,
    /// The other runs.
    #[schemars(length(min = 1))]
    pub b: Vec<DiffRun<'a>>,
    /// A difference of times is a row only if it reaches both: a share of the time of A, and seconds.
    pub threshold: DiffThreshold,
    /// Failures, breaks and recompiles first, then the device time of a step, then by seconds.
    pub rows: Vec<DiffRow<'a>>,
    /// Rows beyond the limit of the file.
    pub rows_left_out: u64,
}

/// One run.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct DiffRun<'a> {
    /// What the reader calls it.
    pub name: &'a str,
    /// Files of its logs, one per rank.
    pub logs: Vec<&'a str>,
    /// Version of torch.
    pub torch: Option<&'a str>,
    /// Its report, seen from the page; null if none was written.
    pub report: Option<&'a str>,
}

/// From which difference on a time is a row.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct DiffThreshold {
    /// Share of the time of A.
    #[schemars(range(min = 0))]
    pub share: f64,
    /// Seconds.
    #[schemars(range(min = 0))]
    pub seconds: f64,
}

/// One difference.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct DiffRow<'a> {
    /// new: in B only; gone: in A only; worse and better: slower and faster, or a cache that misses and hits; changed: neither
    /// is known to be better.
    #[schemars(extend("enum" = ["new", "gone", "worse", "better", "changed"]))]
    pub kind: &'static str,
    /// What differs.
    #[schemars(extend("enum" = ["failure", "ranks", "graph_break", "recompile", "function", "compiles", "cache", "inputs",
        "operators", "kernels", "compile_time", "part", "function_time", "measured", "torch", "setting"]))]
    pub topic: &'static str,
    /// One sentence; code is between backquotes.
    #[schemars(length(min = 1))]
    pub subject: &'a str,
    /// Further facts.
    pub detail: Option<&'a str>,
    /// File of the program.
    pub file: Option<&'a str>,
    /// Line of it.
    pub line: Option<u64>,
    /// Ranks that it holds for; empty for single logs.
    pub ranks: &'a [u64],
    /// How A and B were matched. exact: by place and code or reason; moved: by name and code, at another line; edited: by place,
    /// with other code or another reason; name, order: guesses by name alone, and by the order of several that look alike;
    /// line: another kernel for the same graph and line;
    /// null: only one side has it, or there is nothing to match.
    #[serde(rename = "match")]
    #[schemars(extend("enum" = ["exact", "moved", "edited", "name", "order", "operator", "shape", "line", null]))]
    pub matched: Option<&'static str>,
    /// In A.
    pub a: DiffSide<'a>,
    /// In B.
    pub b: DiffSide<'a>,
    /// Seconds of B minus those of A.
    pub difference_s: Option<f64>,
    /// What measured seconds are for: a step of the program, or as many launches as B has, if a trace does not say how many
    /// steps it covers.
    #[schemars(extend("enum" = ["step", "call", "launch", null]))]
    pub per: Option<&'static str>,
}

/// One side of a difference.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct DiffSide<'a> {
    /// Ids of that side; equal numbers on the two sides do not mean the same compile.
    pub compile_ids: &'a [String],
    /// What that side has.
    pub value: Option<&'a str>,
    /// The median of its runs.
    pub seconds: Option<f64>,
    /// The shortest and the longest of several runs.
    pub spread_s: Option<[f64; 2]>,
    /// The page of that side's report with the evidence, seen from that report.
    pub page: Option<&'a str>,
}
