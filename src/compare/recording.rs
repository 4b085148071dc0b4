//! The facts of a run that are compared, without anything that differs between two equal runs.

use super::items::Item;
use crate::analysis::CodeText;
use crate::analysis::UserPlace;
use crate::model::{CompilerPart, InputDims, RankLog};
use crate::rel_path::RelPath;
use crate::report_folder::ReportFolder;
use std::collections::{BTreeMap, BTreeSet};

/// One run of a program: a log, or the ranks of a job.
#[derive(Debug, Default, Clone)]
pub(crate) struct Recording {
    /// The file of the log, or the folder of the job.
    pub name: String,
    /// One log, or one per rank whose report can be read.
    pub logs: Vec<LogRun>,
    /// Ranks whose report cannot be read, each with the reason.
    pub unreadable: Vec<(u64, String)>,
    /// Errors and warnings of a job that its ranks do not have; None for a single log.
    pub of_job: Option<Vec<Item>>,
    /// Pages of its report that rows may link to, relative to it.
    pub pages: BTreeSet<String>,
    /// Path of its report, relative to the page of the comparison; None if there is no report to link to.
    pub report: Option<String>,
}

/// The facts of one log.
#[derive(Debug, Default, Clone)]
pub(crate) struct LogRun {
    pub log: RankLog,
    /// Folder of its report below the recording's: empty, or `rank_0/`.
    pub folder: String,
    pub report: ReportFolder,
    /// Version of torch.
    pub torch: Option<String>,
    /// Seconds of compile time.
    pub total_s: Option<f64>,
    /// Compile time by part.
    pub parts: Seconds,
    /// Compiled functions.
    pub functions: Vec<Function>,
    /// Graph breaks, recompiles, failures and findings.
    pub items: Vec<Item>,
    /// All values of each setting that compiles used.
    pub settings: BTreeMap<Setting, BTreeSet<String>>,
    /// Measurements of a torch.profiler trace.
    pub measured: Option<Measured>,
}

/// Shown if a log does not name its version of torch.
const UNKNOWN_VERSION: &str = "unknown";

impl LogRun {
    /// The version of torch, or [`UNKNOWN_VERSION`].
    pub fn torch_words(&self) -> &str {
        self.torch.as_deref().unwrap_or(UNKNOWN_VERSION)
    }
}

impl Recording {
    /// The first version of torch that a log names.
    pub fn torch_words(&self) -> &str {
        self.logs.iter().find_map(|log| log.torch.as_deref()).unwrap_or(UNKNOWN_VERSION)
    }
}

/// A part of the compile time that is compared by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TimePart {
    /// Of the kernel builds: trying the C++ compiler.
    Toolchain,
    /// All of a part of the compiler.
    Of(CompilerPart),
    /// What belongs to no part.
    Other,
}

impl TimePart {
    /// All of them, in display order.
    pub const ALL: [TimePart; 8] = [
        TimePart::Of(CompilerPart::KernelBuilds),
        TimePart::Toolchain,
        TimePart::Of(CompilerPart::Autotuning),
        TimePart::Of(CompilerPart::CodeGeneration),
        TimePart::Of(CompilerPart::Inductor),
        TimePart::Of(CompilerPart::AotAutograd),
        TimePart::Of(CompilerPart::Dynamo),
        TimePart::Other,
    ];

    pub fn name(self) -> &'static str {
        match self {
            TimePart::Toolchain => "Checks of the C++ compiler, once",
            TimePart::Of(part) => part.name(),
            TimePart::Other => "Other phases",
        }
    }

    /// The same within a sentence.
    pub fn in_a_sentence(self) -> &'static str {
        match self {
            TimePart::Toolchain => "trying the C++ compiler",
            TimePart::Of(part) => part.in_a_sentence(),
            TimePart::Other => "other phases",
        }
    }
}

/// Seconds in each part, in the order in which they are shown.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(crate) struct Seconds([f64; TimePart::ALL.len()]);

impl Seconds {
    /// Those of one part.
    pub fn time_in(&self, part: TimePart) -> f64 {
        let mut all = TimePart::ALL.into_iter().zip(self.0);
        all.find(|(one, _)| *one == part).map_or(0.0, |(_, seconds)| seconds)
    }

    /// Adds to those of one part.
    pub fn add(&mut self, part: TimePart, seconds: f64) {
        let own = TimePart::ALL.iter().zip(&mut self.0).filter(|(one, _)| **one == part);
        own.for_each(|(_, sum)| *sum += seconds);
    }

    /// Subtracts `other`, down to 0.
    pub fn without(&self, other: &Seconds) -> Seconds {
        let mut left = *self;
        left.0.iter_mut().zip(other.0).for_each(|(own, other)| *own = (*own - other).max(0.0));
        left
    }
}

/// A function with its compiles.
#[derive(Debug, Default, Clone)]
pub(crate) struct Function {
    /// `co_name`.
    pub name: String,
    pub file: Option<String>,
    /// Line of its definition.
    pub line: Option<u64>,
    /// What a reader calls it.
    pub told: Told,
    /// The class that has it, if the report knows it.
    pub class: Option<String>,
    /// In log order.
    pub compiles: Vec<Compile>,
}

/// The name and the place of a function as a reader knows them.
#[derive(Debug, Default, Clone)]
pub(crate) struct Told {
    pub name: String,
    /// Where it is defined, or where the user calls a function of a library.
    pub place: UserPlace,
}

/// Separates the sizes of an input from its strides.
pub(super) const STRIDES: &str = " strides ";

#[derive(Debug, Default, Clone)]
pub(crate) struct Compile {
    /// As torch writes it.
    pub id: String,
    /// Folder of its page.
    pub folder: String,
    /// `ok`, `break`, ..
    pub status: String,
    /// Whether a graph break ends its graph.
    pub is_broken: bool,
    pub seconds: Option<f64>,
    /// Compile time by part.
    pub parts: Seconds,
    /// Operators of its graph.
    pub operators: Option<u64>,
    pub guards: Option<u64>,
    /// How often each kernel is defined or called.
    pub kernels: BTreeMap<String, u64>,
    /// Input tensors by name; None if the log does not record them.
    pub inputs: Option<BTreeMap<String, String>>,
    /// Cache lookups, by cache.
    pub lookups: BTreeMap<String, Vec<Lookup>>,
    /// Files with its graphs, its code and its guards.
    pub texts: Vec<TextFile>,
    /// Hash of its guards, equal for equal texts, addresses aside; None if the log does not record them.
    pub guards_hash: Option<String>,
    /// The same of the graph that Dynamo captured.
    pub graph_hash: Option<String>,
}

impl Compile {
    /// The hash of a text, which is read again only where another run has another one.
    pub fn hash(&self, text: CodeText) -> Option<&str> {
        match text {
            CodeText::Guards => self.guards_hash.as_deref(),
            CodeText::Graph => self.graph_hash.as_deref(),
            _ => None,
        }
    }

    /// The first file with a text.
    pub fn file(&self, text: CodeText) -> Option<&RelPath> {
        self.texts.iter().find(|file| file.kind == text).map(|file| &file.path)
    }
}

/// A file with a text of a compile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextFile {
    pub kind: CodeText,
    /// Its path in the report of its log.
    pub path: RelPath,
}

/// A question to a cache and its answer.
#[derive(Debug, Clone)]
pub(crate) struct Lookup {
    /// `hit`, `miss` or `bypass`.
    pub outcome: String,
    pub key: Option<String>,
    /// The file with the components of the key, in the report of its log.
    pub file: Option<RelPath>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Setting {
    /// `dynamo`, `inductor`, ..
    pub config: String,
    pub name: String,
}

/// Measurements of a torch.profiler trace.
#[derive(Debug, Default, Clone)]
pub(crate) struct Measured {
    /// Microseconds in which the device was busy.
    pub busy_us: f64,
    /// Microseconds from the begin of the first kernel to the end of the last.
    pub wall_us: f64,
    /// Steps of the program that the trace covers, if known.
    pub steps: Option<u64>,
    /// Whether they are calls of compiled code, as nothing marks the steps of the program.
    pub steps_are_calls: bool,
    /// The device as the trace names it.
    pub device: Option<String>,
    /// Kernels by name.
    pub kernels: Vec<Launched>,
    /// Operators by name, shapes and dtypes.
    pub operators: Vec<Launched>,
}

/// A measured kernel or operator.
#[derive(Debug, Default, Clone)]
pub(crate) struct Launched {
    pub name: String,
    /// The operator that launched a kernel, if it was one.
    pub operator: Option<String>,
    /// Sizes of its inputs, if known.
    pub inputs: Vec<InputDims>,
    /// Their dtypes; empty for a kernel.
    pub types: String,
    pub count: u64,
    /// Microseconds of all launches.
    pub sum_us: f64,
    /// The shortest and the longest launch, if known.
    pub spread_us: Option<Spread>,
    /// TFLOP per second, if known.
    pub tflops: Option<f64>,
    /// GB per second, if known.
    pub gbps: Option<f64>,
    /// Share of the device's peak, if known.
    pub share_of_peak: Option<f64>,
    /// Share of its memory bandwidth, if known.
    pub share_of_bandwidth: Option<f64>,
    /// Graph, direction and line that a kernel computes, by which it is found again under another name.
    pub place: Option<String>,
    /// File and line of the program.
    pub line: Option<(String, u64)>,
}

/// The shortest and the longest of several times, microseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spread {
    /// The shortest.
    pub least: f64,
    /// The longest.
    pub most: f64,
}
