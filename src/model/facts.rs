//! Facts that are not tied to one compile's page: breaks, recompiles, failures, caches, what ranks compare.

use super::{ArtifactIndex, CompileIndex, Outcome, Stack, TextFrame};
use crate::trace::{CompileId, PayloadRef};
use std::sync::Arc;

/// The torch that wrote the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Torch {
    /// `2.15.0+cu132`
    pub version: String,
    /// Commit, if the log names it.
    pub commit: Option<String>,
}

/// A distinct graph break: one reason at one place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GraphBreak {
    /// What could not be traced.
    pub reason: String,
    /// The sentence around it: `Encountered graph break when ..`.
    pub context: Option<String>,
    /// torch's explanation.
    pub explanation: Option<String>,
    /// torch's `Developer debug context`: which call with which arguments.
    pub debug_context: Option<String>,
    /// torch's hints.
    pub hints: Vec<String>,
    /// `gb0059`
    pub gb_id: Option<String>,
    /// Its page in torch's catalog.
    pub url: Option<String>,
    /// User's file.
    pub file: Option<String>,
    pub line: Option<u64>,
    /// The compiles that hit it, each once, in order.
    pub compiles: Vec<Option<CompileId>>,
    /// Artifacts that report it.
    pub count: u64,
    /// The user's frames that led there, outermost first, of the first artifact.
    pub stack: Vec<TextFrame>,
    /// Those artifacts, in log order.
    pub occurrences: Vec<BreakOccurrence>,
}

/// One time that a break was hit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BreakOccurrence {
    /// The artifact that reports it.
    pub artifact: ArtifactIndex,
    /// The user's frames that led there, outermost first; equal ones are kept once.
    pub stack: Arc<[TextFrame]>,
}

/// Why one compile is a recompile.
#[derive(Debug, Clone)]
pub struct Recompile {
    /// The new compile.
    pub compile: Option<CompileId>,
    /// Process that recorded it (a thread id up to torch 2.4).
    pub writer: u64,
    /// One per cache entry whose guards failed.
    pub reasons: Vec<Reason>,
}

/// Why one cache entry could not be used: the guard that failed.
#[derive(Debug, Clone, Default)]
pub struct Reason {
    /// The older compile whose guard failed.
    pub against: Option<String>,
    /// The reason as torch gives it, without that id and the user's stack.
    pub text: String,
    pub guard: String,
    /// Where the guard comes from.
    pub source: Option<ReasonSource>,
    /// A hint that torch gives.
    pub hint: Option<String>,
    /// Frames of the user's stack.
    pub user_stack: Vec<TextFrame>,
}

/// The source line that made a guard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReasonSource {
    /// The line's text.
    pub code: String,
    pub file: String,
    /// Its number.
    pub line: u64,
    pub function: String,
}

/// A metrics record with a `fail_type`.
#[derive(Debug, Clone, Default)]
pub struct Failure {
    /// Which compile.
    pub compile: Option<CompileId>,
    /// Kind of the metrics record.
    pub kind: &'static str,
    /// Exception class.
    pub error: String,
    /// Its text.
    pub reason: Option<String>,
    /// User frame.
    pub file: Option<String>,
    /// Line in it.
    pub line: Option<u64>,
    /// Line of the log.
    pub record: u64,
}

/// A restart of a compile.
#[derive(Debug, Clone)]
pub struct Restart {
    pub compile: Option<CompileId>,
    /// Why.
    pub reason: String,
}

/// One cache lookup and its result.
#[derive(Debug, Clone)]
pub struct CacheLookup {
    pub compile: Option<CompileId>,
    pub attempt: u32,
    /// `fx_graph`, `aotautograd`, ..
    pub cache: String,
    /// The result.
    pub outcome: Outcome,
    /// The key that was looked up.
    pub key: Option<String>,
    /// Why it missed or was bypassed.
    pub reason: Option<String>,
    /// Time saved, nanoseconds, on a hit.
    pub saved_ns: Option<f64>,
    /// When the lookup was, nanoseconds since 1970.
    pub asked_ns: Option<u64>,
    pub artifact: ArtifactIndex,
}

/// What a comparison of ranks needs; an empty list means that the log holds no such event.
#[derive(Debug, Default, Clone)]
pub struct CrossRank {
    /// Schedules of collectives.
    pub collectives: Vec<Collectives>,
    /// Shapes, strides and dtypes of each graph's operations.
    pub tensor_meta: Vec<TensorMeta>,
    /// The order in which graphs ran; None if the log does not say.
    pub execution: Option<Vec<Execution>>,
    /// Estimated runtimes.
    pub runtime: Vec<GraphOps>,
    /// Calls of collectives in generated code.
    pub in_code: Vec<CollectiveCalls>,
    /// Folders of Inductor's cache that generated code was written to.
    pub cache_folders: indexmap::IndexSet<String>,
}

/// Collectives that the generated code of a compile calls.
#[derive(Debug, Clone)]
pub struct CollectiveCalls {
    pub compile: CompileIndex,
    /// Folder of the compile.
    pub graph: String,
    /// In order.
    pub calls: Vec<CodeCall>,
}

/// One call of a collective in generated code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeCall {
    /// The operation, as torch names it.
    pub operation: String,
    /// The name of its process group; None for a wait.
    pub group: Option<String>,
}

/// A graph's scheduled collectives.
#[derive(Debug, Clone)]
pub struct Collectives {
    /// Folder of the compile.
    pub graph: String,
    pub compile: CompileIndex,
    /// Names, in order.
    pub ops: Vec<String>,
}

/// The operations of a graph and what they return.
#[derive(Debug, Clone)]
pub struct TensorMeta {
    /// Folder of the compile.
    pub graph: String,
    /// `op: dtype[shape]/[stride]`, one per operation and output.
    pub ops: Vec<String>,
}

/// A position of the execution order.
#[derive(Debug, Clone)]
pub struct Execution {
    /// Which compile ran; None on a cache hit.
    pub compile_id: Option<String>,
}

/// A graph's operations with estimated runtimes.
#[derive(Debug, Clone)]
pub struct GraphOps {
    /// Folder of the compile.
    pub graph: String,
    /// In order.
    pub ops: Vec<Op>,
}

/// An operation with its estimated runtime.
#[derive(Debug, Clone)]
pub struct Op {
    pub name: String,
    /// `compute` or `collective`.
    pub kind: Option<String>,
    /// Nanoseconds.
    pub ns: Option<f64>,
}

/// Records that have the same framework stack in place of a compile id.
#[derive(Debug, Clone)]
pub struct Stackless {
    /// Event, with the artifact's name.
    pub event: String,
    pub stack: Stack,
    /// How many records.
    pub count: u64,
    /// First line.
    pub line: u64,
}

/// Source of an `<eval_with_key>` module.
#[derive(Debug, Clone)]
pub struct DumpFile {
    /// Name in the log.
    pub name: String,
    /// What frames call it: `<eval_with_key>.7`.
    pub key: String,
    /// File stem in `dump_file/`.
    pub stem: String,
    /// Its text.
    pub at: PayloadRef,
    /// How many lines the text has; 0 for one of many megabytes.
    pub lines: u64,
    /// Line of the log.
    pub line: u64,
}

/// The user's part of an error's traceback.
#[derive(Debug, Clone)]
pub struct ErrorTrace {
    pub compile: CompileIndex,
    /// The frames below `from user code:`, outermost first: what was being traced.
    pub frames: Vec<TextFrame>,
    /// The tracebacks of the exception and of those that caused it, in the order of the text; each outermost frame first.
    pub raised: Vec<Vec<TextFrame>>,
}

/// Settings of Inductor that explain what it did; None if no configuration in the log has them.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct InductorSettings {
    /// `compile_threads`: how many kernels are built at a time.
    pub compile_threads: Option<u64>,
    /// `triton.cudagraphs`: whether CUDA graphs were asked for.
    pub cudagraphs: Option<bool>,
    /// `freezing`: whether parameters became constants.
    pub freezing: Option<bool>,
}

/// A compile job that torch reports as slow.
#[derive(Debug, Clone)]
pub struct WorkerStall {
    pub compile: CompileIndex,
    /// What the worker was doing.
    pub phase: Option<String>,
    /// Seconds since the job began.
    pub elapsed_s: Option<f64>,
    /// Number of the job.
    pub job: Option<String>,
}

/// The subject of a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AdviceKind {
    /// The process that runs compile workers died.
    WorkerDeath,
    /// The graphs of the ranks differ.
    SpmdMismatch,
    /// Anything else that a parser reports.
    Notice,
}

/// Something that the reader of the landing page should see at once.
#[derive(Debug, Clone)]
pub struct Advice {
    /// What it is about.
    pub kind: AdviceKind,
    /// Heading.
    pub title: String,
    /// Text of the log.
    pub text: String,
    /// Compile it belongs to; None where a parser gave it at the end of the log.
    pub compile: Option<CompileIndex>,
    /// Line of the log.
    pub line: u64,
}
