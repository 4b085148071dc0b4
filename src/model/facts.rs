//! Facts that are not tied to one compile's page: breaks, recompiles, failures, caches, what ranks compare.

use super::{ArtifactIndex, CompileIndex, MetricsKind, Outcome, Stack, TextFrame};
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
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct GraphBreak {
    /// What could not be traced.
    pub reason: String,
    /// The sentence around it: `Encountered graph break when ..`.
    pub context: Option<String>,
    pub explanation: Option<String>,
    /// torch's `Developer debug context`: which call with which arguments.
    pub debug_context: Option<String>,
    pub hints: Vec<String>,
    /// `gb0059`
    pub gb_id: Option<String>,
    pub url: Option<String>,
    pub file: Option<String>,
    pub line: Option<u64>,
    /// The compiles that hit it, each once, in order.
    pub compiles: Vec<Option<CompileId>>,
    /// Artifacts that report it.
    pub count: u64,
    /// The user's frames that led there, outermost first, of the first artifact.
    pub stack: Vec<TextFrame>,
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
    pub source: Option<ReasonSource>,
    pub hint: Option<String>,
    pub user_stack: Vec<TextFrame>,
}

/// The source line that made a guard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReasonSource {
    pub code: String,
    pub file: String,
    pub line: u64,
    pub function: String,
}

/// A metrics record with a `fail_type`.
#[derive(Debug, Clone, Default)]
pub struct Failure {
    /// Which compile.
    pub compile: Option<CompileId>,
    /// Kind of the metrics record.
    pub kind: MetricsKind,
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
    pub reason: String,
}

/// One cache lookup and its result.
#[derive(Debug, Clone)]
pub struct CacheLookup {
    pub compile: Option<CompileId>,
    pub attempt: u32,
    /// `fx_graph`, `aotautograd`, ..
    pub cache: String,
    pub outcome: Outcome,
    pub key: Option<String>,
    /// Why it missed or was bypassed.
    pub reason: Option<String>,
    /// Time saved, nanoseconds, on a hit.
    pub saved_ns: Option<f64>,
    /// When the lookup was, nanoseconds since 1970.
    pub asked_ns: Option<u64>,
    /// When the entry of a miss was compiled, in the same unit: it cannot have been stored before.
    pub stored_ns: Option<u64>,
    pub artifact: ArtifactIndex,
}

/// What a comparison of ranks needs; an empty list means that the log holds no such event.
#[derive(Debug, Default, Clone)]
pub struct CrossRank {
    /// Scheduled collectives.
    pub collectives: Vec<InGraph<String>>,
    /// What operations return: `op: dtype[shape]/[stride]`, one per operation and output.
    pub tensor_meta: Vec<InGraph<String>>,
    /// The compiles in the order in which graphs ran, None on a cache hit; None if the log does not say.
    pub execution: Option<Vec<Option<String>>>,
    pub runtime: Vec<InGraph<Op>>,
    /// Calls of collectives in generated code.
    pub in_code: Vec<InGraph<CodeCall>>,
    /// How many ranks the default process group has.
    pub world_size: Option<u64>,
    /// Folders of Inductor's cache that generated code was written to.
    pub cache_folders: indexmap::IndexSet<String>,
}

/// What a graph holds, in order.
#[derive(Debug, Clone)]
pub struct InGraph<T> {
    pub compile: CompileIndex,
    /// Folder of the compile.
    pub graph: String,
    pub ops: Vec<T>,
}

/// One call of a collective in generated code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeCall {
    pub operation: String,
    /// The name of its process group; None for a wait.
    pub group: Option<String>,
}

/// An operation with its estimated runtime.
#[derive(Debug, Clone)]
pub struct Op {
    pub name: String,
    /// `compute` or `collective`.
    pub kind: Option<String>,
    pub ns: Option<f64>,
}

/// Records that have the same framework stack in place of a compile id.
#[derive(Debug, Clone)]
pub struct Stackless {
    /// Event, with the artifact's name.
    pub event: String,
    pub stack: Stack,
    pub count: u64,
    pub line: u64,
}

/// Source of an `<eval_with_key>` module.
#[derive(Debug, Clone)]
pub struct DumpFile {
    pub name: String,
    /// What frames call it: `<eval_with_key>.7`.
    pub key: String,
    /// File stem in `dump_file/`.
    pub stem: String,
    pub at: PayloadRef,
    /// How many lines the text has; 0 for one of many megabytes.
    pub lines: u64,
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
    pub phase: Option<String>,
    pub elapsed_s: Option<f64>,
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
    pub kind: AdviceKind,
    pub title: String,
    pub text: String,
    /// Compile it belongs to; None where a parser gave it at the end of the log.
    pub compile: Option<CompileIndex>,
    pub line: u64,
}
