//! One compile id and everything recorded under it.

use super::words::worded;
use super::{CapturedLine, GraphSizes, InputTensor, KernelCounts, Section, Stack, TextFrame};
use crate::rel_path::RelPath;
use crate::trace::{CompileId, Md5, PayloadRef, Span, Stamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// The compiled function.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Function {
    /// `co_name`.
    pub name: String,
    /// File that defines it.
    pub file: Option<String>,
    /// Line of its definition.
    pub line: Option<u64>,
}

worded! {
    /// How a compile ended: the first of these that applies.
    #[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Status.word {
        /// A metrics record has a `fail_type`.
        Error = "error",
        /// No `compilation_metrics` arrived.
        #[default]
        Missing = "missing",
        /// No operator was captured.
        Empty = "empty",
        /// It restarted, or its graph broke.
        Break = "break",
        Ok = "ok",
    }
}

/// An attempt of a compile that some record names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attempt {
    pub number: u32,
    /// Its place among all attempts of the log, by first appearance.
    pub order: u32,
}

/// Source lines that occur equally often in a captured graph: those of a layer that the model has several times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepeatedLines {
    /// How often each of them.
    pub times: usize,
    pub lines: usize,
    /// The first of them in the graph.
    pub first: TextFrame,
    /// Whether the operations of each line have the same shapes in all copies.
    pub alike: bool,
}

/// A Triton kernel after autotuning (`triton_kernel_info`).
#[derive(Debug, Default, Clone, PartialEq)]
pub struct TritonKernel {
    pub name: String,
    pub compile_us: Option<f64>,
    /// The result of the lookup in the autotuning cache.
    pub state: Option<String>,
    pub candidates: Option<f64>,
    /// The configuration that was chosen: `XBLOCK=64, num_warps=4`.
    pub chosen: Option<String>,
}

/// What autotuning measured and chose for an operation that templates can compute (`mm_template_autotuning`).
#[derive(Debug, Default, Clone, PartialEq)]
pub struct TemplateChoice {
    /// `mm`
    pub operator: String,
    /// Shapes of its inputs: `4096x4096, 4096x4096`
    pub shapes: String,
    /// Their dtypes: `torch.bfloat16, torch.bfloat16`
    pub dtypes: String,
    /// How many kernels were measured.
    pub choices: u64,
    /// The fastest: `triton_mm_17`, or `mm` of a library.
    pub best: String,
    pub best_us: f64,
    /// Its configuration, if it is a template's, or that of the fastest template.
    pub config: Option<String>,
    /// The fastest Triton kernel and its microseconds, where another one is faster.
    pub triton: Option<(String, f64)>,
    /// Candidates that could not be built.
    pub failed: usize,
    /// Those of them that need more shared memory than the device has.
    pub too_large: usize,
}

/// Settings of a compile on a GPU, from its cache key.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct DeviceSettings {
    /// Whether CUDA graphs were asked for, as `mode="reduce-overhead"` does.
    pub cudagraphs: bool,
    /// Whether products and convolutions are chosen by measuring, as `mode="max-autotune"` does; null if the log does not say.
    pub max_autotune: Option<bool>,
    /// Whether products of float32 matrices may use TF32; null if the log does not say.
    pub tf32: Option<bool>,
}

/// What the records of a compile say about how it runs on a device. The configuration of the log is the process's:
/// `mode="reduce-overhead"` applies to one graph, so cache keys and code have its settings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DeviceRecords {
    pub settings: DeviceSettings,
    /// Parts of the generated code that can each become a CUDA graph.
    pub parts: u32,
    /// The compute capability that Triton kernels were built for: 90.
    pub capability: Option<u32>,
}

/// A Triton kernel that the user wrote, as the generated code names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserKernel {
    pub name: String,
    pub file: String,
    /// Line of its first decorator.
    pub line: u64,
}

/// Everything recorded under one compile id.
#[derive(Debug, Default)]
pub struct Compile {
    /// None collects the records without an id.
    pub id: Option<CompileId>,
    /// Ascending.
    pub attempts: Vec<Attempt>,
    /// `dynamo_start` records of attempt 0, at least 1.
    pub occurrences: u64,
    pub status: Status,
    pub function: Option<Arc<Function>>,
    /// Of the first `dynamo_start`, outermost first, without the frames of torch's own convert_frame.
    pub stack: Option<Stack>,
    pub metrics: Vec<MetricsRecord>,
    pub artifacts: Vec<Artifact>,
    pub graph_breaks: u64,
    /// The place of the first of them among the log's distinct ones.
    pub first_break: Option<usize>,
    /// Tables that events added, for people. Code that needs their content uses the facts instead.
    pub sections: Vec<Section>,
    /// Sizes of the values of the captured graph: the rows of the section that is named after them.
    pub graph_sizes: GraphSizes,
    /// Input tensors of the last attempt that describes any: the rows of the section `input-tensors`.
    pub inputs: Vec<InputTensor>,
    /// Lines of the program that the captured graph names, in order.
    pub captured: Box<[CapturedLine]>,
    /// Hash of the captured graph's statements, by which ranks are compared.
    pub graph_print: Option<u64>,
    /// Lines that the captured graph repeats, as it does for each layer of a model.
    pub repeated: Option<Box<RepeatedLines>>,
    /// How many conditions the last guard tree has; None if no tree was recorded.
    pub guard_conditions: Option<u64>,
    pub triton_kernels: Vec<TritonKernel>,
    /// What autotuning chose among a library's kernels and templates.
    pub template_choices: Vec<TemplateChoice>,
    /// Kernels of the generated code by name: how often each is defined, or called where a library has it.
    pub kernels: KernelCounts,
    pub on_device: DeviceRecords,
    /// Triton kernels of the user that the generated code holds.
    pub user_kernels: Vec<UserKernel>,
    pub first: Option<Stamp>,
    /// How many records have this id, without `str`.
    pub records: u64,
    /// Whether a row says all that the log says about it: its id, when it began, its attempts, and a few events that no
    /// parser knows. It has no page of its own.
    pub is_bare: bool,
    /// Records that their parser could not use, with their line and what is wrong with them; the first 100.
    pub lost: Vec<(u64, String)>,
}

impl Compile {
    /// As torch writes it; `-` for the records without an id.
    pub fn label(&self) -> String {
        self.id.as_ref().map_or_else(|| "-".to_owned(), |id| id.to_string())
    }

    /// Whether the log has a record of its start, its end or any artifact.
    pub fn is_recorded(&self) -> bool {
        self.stack.is_some() || !self.metrics.is_empty() || !self.artifacts.is_empty()
    }

    /// Folder of an attempt in the report.
    pub fn folder(&self, attempt: u32) -> String {
        match &self.id {
            Some(id) => id.folder(attempt),
            None => crate::trace::folder_without_id().to_owned(),
        }
    }

    /// Appends the same to a path.
    pub fn push_folder(&self, attempt: u32, path: &mut String) {
        match &self.id {
            Some(id) => id.push_folder(attempt, path),
            None => path.push_str(crate::trace::folder_without_id()),
        }
    }

    /// As upstream writes it in `compile_directory.json`: `[0/0_1]`.
    pub fn bracketed(&self, attempt: u32) -> String {
        match &self.id {
            Some(id) => id.bracketed(attempt),
            None => crate::trace::bracketed_without_id().to_owned(),
        }
    }

    /// The last forward metrics record, which says how the compile ended.
    pub fn outcome(&self) -> Option<&Metrics> {
        self.metrics.iter().rev().find(|m| m.kind == MetricsKind::Forward).map(|m| &m.facts)
    }

    /// Microseconds of forward and backward compilation: the sum over all its metrics records but those of runtime.
    pub fn compile_us(&self) -> Option<f64> {
        let times = self.metrics.iter().filter(|m| !m.kind.is_runtime()).filter_map(|m| m.total_us());
        times.fold(None, |sum: Option<f64>, us| Some(sum.unwrap_or(0.0) + us))
    }
}

worded! {
    /// Which of torch's metrics events a record is.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum MetricsKind.word {
        /// `compilation_metrics`
        #[default]
        Forward = "forward",
        /// `bwd_compilation_metrics`
        Backward = "backward",
        /// `compilation_metrics_runtime`
        Runtime = "runtime",
        /// `bwd_compilation_metrics_runtime`
        BackwardRuntime = "backward_runtime",
        /// `aot_autograd_backward_compilation_metrics`, torch 2.4 and 2.5
        AotBackward = "aot_backward",
    }
}

impl MetricsKind {
    /// The key of its event in the log.
    pub fn key(self) -> &'static str {
        match self {
            MetricsKind::Forward => "compilation_metrics",
            MetricsKind::Backward => "bwd_compilation_metrics",
            MetricsKind::Runtime => "compilation_metrics_runtime",
            MetricsKind::BackwardRuntime => "bwd_compilation_metrics_runtime",
            MetricsKind::AotBackward => "aot_autograd_backward_compilation_metrics",
        }
    }

    /// The kind of that word.
    pub fn of_word(word: &str) -> Option<MetricsKind> {
        MetricsKind::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// The kind of the event with that key.
    pub fn of_key(key: &str) -> Option<MetricsKind> {
        MetricsKind::ALL.into_iter().find(|kind| kind.key() == key)
    }

    /// Whether it is about a backward graph.
    pub fn is_backward(self) -> bool {
        !matches!(self, MetricsKind::Forward | MetricsKind::Runtime)
    }

    /// Whether it reports work done while the model ran.
    pub fn is_runtime(self) -> bool {
        matches!(self, MetricsKind::Runtime | MetricsKind::BackwardRuntime)
    }
}

/// Fields of a metrics record that hold whole configurations. Equal ones are kept once.
pub const CONFIG_FIELDS: [&str; 5] =
    ["dynamo_config", "inductor_config", "functorch_config", "compiler_config", "inductor_provenance"];

/// One metrics record: its place in the log, and the numbers that lists need.
#[derive(Debug, Default)]
pub struct MetricsRecord {
    pub kind: MetricsKind,
    pub attempt: u32,
    pub line: u64,
    /// Header line, to read all fields again.
    pub header: Span,
    /// Configurations: field and md5. Records with the same ones share the list.
    pub configs: Arc<[(&'static str, Md5)]>,
    /// Byte ranges of their texts in the value of the event, quotes included; empty for one that is not a text.
    pub config_places: Box<[Range<u32>]>,
    pub facts: Metrics,
}

impl MetricsRecord {
    /// Microseconds of compile time that the record reports, its own kind's.
    pub fn total_us(&self) -> Option<f64> {
        self.facts.total_us(self.kind)
    }

    /// Microseconds of autotuning while the model ran.
    pub fn tuned_at_run_time_us(&self) -> Option<f64> {
        self.facts.runtime_tuning_us.filter(|_| self.kind.is_runtime())
    }

    /// Microseconds of work on CUDA graphs while the model ran.
    pub fn cudagraphs_at_run_time_us(&self) -> Option<f64> {
        self.facts.runtime_cudagraphs_us.filter(|_| self.kind.is_runtime())
    }
}

impl Metrics {
    /// Microseconds of compile time that a record of this kind reports.
    pub fn total_us(&self, kind: MetricsKind) -> Option<f64> {
        match kind {
            MetricsKind::Forward => self.dynamo_us.or(self.duration_us),
            MetricsKind::AotBackward => self.duration_us,
            _ => self.backward_us.or(self.duration_us).or(self.inductor_us),
        }
    }
}

/// The typed part of a metrics record. Times are microseconds, from the newer fields or from the legacy seconds.
#[derive(Debug, Default, Clone)]
pub struct Metrics {
    /// How many of its fields have a value.
    pub set_fields: usize,
    /// `co_name`, `co_filename` and `co_firstlineno`; None without the first.
    pub function: Option<Arc<Function>>,
    /// `fail_type`
    pub fail_type: Option<Box<str>>,
    /// How many restart reasons it has.
    pub restarts: usize,
    /// Dynamo, everything below included.
    pub dynamo_us: Option<f64>,
    /// AOTAutograd and below.
    pub aot_us: Option<f64>,
    /// Inductor and below.
    pub inductor_us: Option<f64>,
    /// Code generation and below.
    pub codegen_us: Option<f64>,
    /// The whole record.
    pub duration_us: Option<f64>,
    /// Compilation of a backward graph.
    pub backward_us: Option<f64>,
    /// Time of attempts that were thrown away.
    pub wasted_us: Option<f64>,
    /// Time that a cache hit saved.
    pub saved_us: Option<f64>,
    /// Autotuning while compiling: `compile_time_autotune_time_us`
    pub autotune_us: Option<f64>,
    /// Autotuning as the compiled code's own kernels ask for it: `runtime_triton_autotune_time_us`. In the record of a compile
    /// it lies within the compile.
    pub runtime_tuning_us: Option<f64>,
    /// Setting up and recording CUDA graphs: `runtime_cudagraphify_time_us`
    pub runtime_cudagraphs_us: Option<f64>,
    /// Absolute end, microseconds since 1970.
    pub end_us: Option<f64>,
    /// `graph_op_count`
    pub graph_op_count: Option<u64>,
    /// `graph_node_count`
    pub graph_node_count: Option<u64>,
    /// `graph_input_count`
    pub graph_input_count: Option<u64>,
    /// `guard_count`
    pub guard_count: Option<u64>,
    /// `guard_latency_us`
    pub guard_latency_us: Option<f64>,
    /// `cache_size`
    pub cache_size: Option<u64>,
    /// `accumulated_cache_size`
    pub accumulated_cache_size: Option<u64>,
    /// Whether Dynamo kept code for the frame.
    pub has_guarded_code: Option<bool>,
    /// Why no cudagraph was recorded.
    pub cudagraph_skip_reason: Option<Box<str>>,
}

worded! {
    /// The result of a cache lookup.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Outcome.word {
        Hit = "hit",
        Miss = "miss",
        /// There was no lookup, or it was not possible.
        Bypass = "bypass",
    }
}

/// One file of a compile.
#[derive(Debug)]
pub struct Artifact {
    /// Its name in the log, from which the report makes a file name; equal ones are shared.
    pub name: Arc<str>,
    /// Running number, unique in the log, in log order.
    pub number: u32,
    pub line: u64,
    /// Attempt; 0 if the record names none.
    pub attempt: u32,
    /// The subgraph that its record names: a region that torch compiles by itself.
    pub subgraph: Option<String>,
    /// Its path from the top of the report, if a library user's parser chose one.
    pub path: Option<RelPath>,
    /// The result of the lookup, if it is the artifact of a cache.
    pub cache: Option<Outcome>,
    pub content: Content,
    pub place: Place,
    /// A further page that shows the same for people (`_readable.html`).
    pub readable: Option<Readable>,
    /// Whether its text begins like a graph or a traced program.
    pub graph: bool,
    pub unknown: bool,
    /// Whether it says where kernels come from, and names at least one.
    pub names_kernels: bool,
}

#[derive(Debug)]
pub struct TablesPage {
    pub title: String,
    pub sections: Vec<Section>,
}

/// The folder of an artifact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In the folder of its compile and attempt.
    Compile,
    /// `payloads/<md5>.txt`
    Payloads,
}

/// What an artifact's file holds.
#[derive(Debug)]
pub enum Content {
    /// A payload of the log, in some form.
    Payload(PayloadRef, Form),
    /// Text that a parser made.
    Text(String, Form),
    /// The page of the metrics record with that index in the compile.
    Metrics(usize),
    /// The page of the export problem with that index in the model.
    Guard(usize),
    /// The record had no payload.
    Empty(Form),
    /// The page of the generated module with that index in the model's `dump_files`; it is in `dump_file/`.
    DumpFile(usize),
    /// Not a file, but a link in the log, with its URL.
    Link(String),
    /// A page of tables, made by a library user's parser.
    Tables(TablesPage),
}

/// How a text is written to its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// As it is, `.txt`.
    Text,
    /// JSON, indented, `.json`.
    Json,
    /// Code: a highlighted page, or `.txt` when plain text is asked for.
    Code(Language),
    /// A page that lists the guards of a `dynamo_guards` record.
    Guards,
}

/// What a `_readable.html` page makes of an artifact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readable {
    /// Stack traces by kernel.
    KernelStacks,
    /// Highlighted code.
    Code(Language),
}

/// Language of a code page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// Python, with C++ and Triton kernels in strings.
    Python,
    /// C++.
    Cpp,
}

impl Artifact {
    /// An empty artifact of that name.
    pub(crate) fn named(name: impl Into<Arc<str>>, number: u32) -> Artifact {
        Artifact {
            name: name.into(),
            number,
            line: 1,
            attempt: 0,
            subgraph: None,
            path: None,
            cache: None,
            content: Content::Empty(Form::Text),
            place: Place::Compile,
            readable: None,
            graph: false,
            unknown: false,
            names_kernels: false,
        }
    }
}
