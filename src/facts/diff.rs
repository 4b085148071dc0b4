//! What `tlparse diff --json` prints: `diff.schema.json`.

use super::aspect::Aspect;
use super::log::Tool;
use super::text::{List, or_null};
use crate::model::words::worded;
use indexmap::IndexSet;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

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
    pub threshold: Threshold,
    /// Failures, breaks and recompiles first, then the device time of a step, then by seconds.
    pub rows: List<'a, DiffRow>,
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
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "DiffThreshold", deny_unknown_fields)]
pub struct Threshold {
    /// Share of the time of A.
    #[schemars(range(min = 0))]
    pub share: f64,
    /// Seconds.
    #[schemars(range(min = 0))]
    pub seconds: f64,
}

/// Writes seconds with nine decimals, as kernels may take less than a microsecond.
fn nine_decimals<S: Serializer>(seconds: &Option<f64>, to: S) -> Result<S::Ok, S::Error> {
    seconds.map(rounded).serialize(to)
}

fn both_with_nine<S: Serializer>(seconds: &Option<[f64; 2]>, to: S) -> Result<S::Ok, S::Error> {
    seconds.map(|both| both.map(rounded)).serialize(to)
}

fn rounded(seconds: f64) -> f64 {
    (seconds * 1e9).round() / 1e9
}

/// One difference.
#[derive(Debug, Default, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct DiffRow {
    /// new: in B only; gone: in A only; worse and better: slower and faster, or a cache that misses and hits; changed: neither
    /// is known to be better.
    #[schemars(with = "String", extend("enum" = RowKind::ALL.map(RowKind::word)))]
    pub kind: RowKind,
    /// What differs.
    #[serde(rename = "topic")]
    #[schemars(with = "String", extend("enum" = Aspect::topics().collect::<IndexSet<_>>()))]
    pub aspect: Aspect,
    /// One sentence; code is between backquotes.
    #[schemars(length(min = 1))]
    pub subject: String,
    /// Further facts.
    pub detail: Option<String>,
    /// File of the program.
    pub file: Option<String>,
    /// Line of it.
    pub line: Option<u64>,
    /// Ranks that it holds for; empty for single logs.
    pub ranks: Vec<u64>,
    /// How A and B were matched. exact: by place and code or reason; moved: by name and code, at another line; edited: by place,
    /// with other code or another reason; name, order: guesses by name alone, and by the order of several that look alike;
    /// line: another kernel for the same graph and line;
    /// null: only one side has it, or there is nothing to match.
    #[serde(rename = "match")]
    #[schemars(with = "Option<String>", extend("enum" = or_null(Match::ALL.map(Match::word))))]
    pub matched: Option<Match>,
    /// In A.
    pub a: DiffSide,
    /// In B.
    pub b: DiffSide,
    /// Seconds of B minus those of A.
    #[serde(serialize_with = "nine_decimals")]
    pub difference_s: Option<f64>,
    /// What measured seconds are for: a step of the program, or as many launches as B has, if a trace does not say how many
    /// steps it covers.
    #[schemars(with = "Option<String>", extend("enum" = or_null(Per::ALL.map(Per::word))))]
    pub per: Option<Per>,
    /// The id of its function in the comparison of the first rank.
    #[serde(skip)]
    pub function: Option<usize>,
    /// Whether it is an error of a job.
    #[serde(skip)]
    pub is_error: bool,
    /// Whether ranks of a job take different ways there.
    #[serde(skip)]
    pub is_divergence: bool,
}

/// One side of a difference.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct DiffSide {
    /// Ids of that side; equal numbers on the two sides do not mean the same compile.
    pub compile_ids: Vec<String>,
    /// What that side has.
    pub value: Option<String>,
    /// The median of its runs.
    #[serde(serialize_with = "nine_decimals")]
    pub seconds: Option<f64>,
    /// The shortest and the longest of several runs.
    #[serde(serialize_with = "both_with_nine")]
    pub spread_s: Option<[f64; 2]>,
    /// The page of that side's report with the evidence, seen from that report.
    pub page: Option<String>,
}

worded! {
    /// How something changed.
    #[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum RowKind.word {
        /// Only B has it.
        New = "new",
        /// Only A has it.
        Gone = "gone",
        /// B takes longer, or misses a cache that A hit.
        Worse = "worse",
        /// B is faster, or hits a cache that A missed.
        Better = "better",
        /// It differs, and neither side is better.
        #[default]
        Changed = "changed",
    }
}

worded! {
    /// How the two sides of a row were matched.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Match.word {
        /// By place and code, or by place and reason.
        Exact = "exact",
        /// By name and code, at another line.
        Moved = "moved",
        /// By place; the code or the reason differs.
        Edited = "edited",
        /// By name alone: a guess.
        Name = "name",
        /// By the order of several that look alike: a guess.
        Order = "order",
        /// By operator and sizes: another kernel that does the same work.
        Operator = "operator",
        /// By operator and place, on other sizes.
        Shape = "shape",
        /// By graph and line of the program, under another name: a kernel that replaced another one.
        Line = "line",
    }
}

worded! {
    /// What the times of a trace are for, so that traces of different length compare.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Per.word {
        /// A step of the program.
        Step = "step",
        /// A call of compiled code, as nothing marks the steps of the program.
        Call = "call",
        /// As many launches as B has, as a trace does not say how many steps it covers.
        Launch = "launch",
    }
}
