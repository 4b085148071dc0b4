//! What the report knows about one log: plain data, no HTML, no IO.
//!
//! The events of a log are folded into a [`Model`] in one pass. Texts that are long (payloads, metrics records)
//! are not in it: it holds their places in the log, and a page that needs one reads it there.

pub mod break_block;
mod compile;
mod compiler_part;
mod compiles;
mod export;
mod facts;
mod fields;
mod graph_sizes;
mod guards;
mod integrity;
mod job;
mod kernel_counts;
mod kernel_name;
mod news;
mod profile;
mod program_lines;
mod program_text;
pub mod rates;
mod run_console;
mod section;
pub mod sentence;
mod shapes;
mod span;
mod stable;
mod stack;
mod tensors;
#[cfg(test)]
mod text_tests;
mod traceback;
mod troubles;
mod vllm;
pub mod words;

pub use compile::{
    Artifact, Attempt, CONFIG_FIELDS, Compile, Content, DeviceSettings, Form, Function, Language, Metrics,
    MetricsKind, MetricsRecord, Outcome, Place, Readable, RepeatedLines, Status, TablesPage, TemplateChoice,
    TritonKernel, UserKernel,
};
pub use compiler_part::{CompilerPart, Parts};
pub use compiles::{ArtifactIndex, CompileIndex, Compiles};
pub use export::{Export, ExportKind, ExportProblem, ExportedProgram, MadeExpression, ProgramFacts};
pub use facts::{
    Advice, AdviceKind, BreakOccurrence, CacheLookup, CodeCall, CrossRank, DumpFile, ErrorTrace, Failure,
    GraphBreak, InGraph, InductorSettings, Op, Reason, ReasonSource, Recompile, Restart, Stackless, Torch,
    WorkerStall,
};
pub use fields::{BorrowedText, Fields, lenient};
pub use graph_sizes::GraphSizes;
pub use guards::{GuardFacts, GuardPrint, PlaceType, SideEffect};
pub use integrity::{Integrity, ProblemKind};
pub use job::{FailedRank, JobFacts, RankLog, Run, SkippedFile};
pub use kernel_counts::KernelCounts;
pub use kernel_name::{input_words, kernel_family, short_kernel};
pub use news::CompileNews;
pub use profile::{
    Correlation, DeviceKernel, DeviceRuns, DeviceWork, InputDims, Launch, Operator, OperatorCall, Profile,
    TritonLaunch,
};
pub use program_lines::{CapturedLine, ProgramLines};
pub use program_text::{read_program, source_comment};
pub use run_console::{Console, ConsoleGraphs, Hint, RaisedException, SeenObstacle};
pub use section::{Cell, Column, Section, UNKNOWN_EVENTS, Unit};
pub use sentence::{NameOf, Sentence, SentencePart, capital};
pub use shapes::{Recorded, Shapes, Specialization, Symbol, SymbolGuard};
pub use span::{PhaseName, TraceSpan};
pub use stable::{hash_stable, stable};
pub use stack::{Frame, Stack, TextFrame};
pub use tensors::{InputTensor, StorageSize, TensorDescription};
pub use traceback::{frame_of_line, traceback};
pub use troubles::{NativeCompile, Trouble, TroubleKind};
pub use vllm::{VllmEvent, VllmFact, VllmPart, VllmPass, VllmStart};

use crate::trace::{
    Clock, CompileId, Md5, OrderedMap, PayloadList, PayloadRef, Span, Stamp, StringTable, TextMap,
};
use fxhash::FxHashMap;
use indexmap::IndexMap;
use std::sync::Arc;

/// Everything that one log says, as facts.
#[derive(Default)]
pub struct Model {
    /// Whether the program may still run, so that the log has no end yet.
    pub still_runs: bool,
    /// The file, as report.json describes it.
    pub log: RankLog,
    /// What the console of the same run says; None if it was not given.
    pub console: Option<Console>,
    /// Which process named which rank; usually there is one.
    pub ranks: Vec<(u64, u64)>,
    /// When the first and the last record were written.
    pub first: Option<Stamp>,
    pub last: Option<Stamp>,
    /// What the last record is, the string table's left out.
    pub last_record: Option<LastRecord>,
    /// The torch that wrote it, if the log says so.
    pub torch: Option<Torch>,
    /// What could be read, and what could not.
    pub integrity: Integrity,
    /// One entry per id, by first appearance; one entry without an id may be among them.
    pub compiles: Compiles,
    /// The index of each id in `compiles`.
    pub by_id: TextMap<Option<CompileId>, CompileIndex>,
    /// Distinct graph breaks, first appearance first.
    pub graph_breaks: Vec<GraphBreak>,
    /// One entry per `recompile_reasons` artifact.
    pub recompiles: Vec<Recompile>,
    /// What each compile guards on, as far as versions of one function are compared.
    pub guards: FxHashMap<CompileIndex, GuardFacts>,
    /// What compiled code changes outside of itself, in log order.
    pub side_effects: Vec<SideEffect>,
    /// One entry per metrics record with a `fail_type`.
    pub failures: Vec<Failure>,
    /// One entry per restart reason.
    pub restarts: Vec<Restart>,
    /// One entry per cache artifact.
    pub caches: Vec<CacheLookup>,
    /// Lines of the program that graphs and guards name.
    pub program_lines: ProgramLines,
    pub shapes: Shapes,
    /// The first place of each distinct configuration text, by md5.
    pub configs: OrderedMap<Md5, ConfigRef>,
    /// Spans of compile phases, in the order in which they began.
    pub spans: Vec<TraceSpan>,
    /// Kernels that events of spans name, by the place of the span.
    pub span_kernels: FxHashMap<usize, Arc<str>>,
    /// The place of each chromium event's payload, in log order.
    pub chromium: PayloadList,
    pub cross_rank: CrossRank,
    /// Records that carry a framework stack in place of a compile id.
    pub stackless: Vec<Stackless>,
    /// Sources of `<eval_with_key>` frames.
    pub dump_files: Vec<DumpFile>,
    /// Notices for the landing page: dead workers, graphs of ranks that differ.
    pub advice: Vec<Advice>,
    /// What torch.export made, and the problems that it found.
    pub export: Export,
    /// The user's part of errors' tracebacks.
    pub error_traces: Vec<ErrorTrace>,
    /// Compile jobs that torch reports as slow.
    pub worker_stalls: Vec<WorkerStall>,
    /// What torch reports in records of its own about work that went wrong beside a compile, in log order.
    pub troubles: Vec<Trouble>,
    /// Kernels of operators that are written in a language within Python, in log order.
    pub native_compiles: Vec<NativeCompile>,
    pub vllm: Vec<VllmEvent>,
    /// `0_forward`: what generated code calls itself, by the number of its artifact.
    pub aot_ids: TextMap<u32, String>,
    /// The value of `TORCH_COMPILE_DYNAMIC_SOURCES` that torch recommends, by compile.
    pub dynamic_sources: Vec<(CompileIndex, String)>,
    /// The recompile limit: how many compiled versions of a function torch keeps, from `dynamo_config`.
    pub recompile_limit: Option<u64>,
    /// Settings of Inductor that explain what it did.
    pub inductor: InductorSettings,
    /// The name of the device that the programs which Inductor keeps for a rerun name: `NVIDIA H200`.
    pub gpu: Option<String>,
    /// Payloads that no artifact holds word for word, to be kept under their md5.
    pub payloads: OrderedMap<Md5, PayloadRef>,
    /// Every record but `str` and `chromium_event`, for raw.jsonl.
    pub raw: Vec<RawRecord>,
    /// Records of a second rank, counted by event.
    pub other_ranks: IndexMap<u64, OtherRank>,
    /// File names that stack frames refer to.
    pub strings: StringTable,
    /// Makes local times absolute.
    pub clock: Clock,
}

/// The last thing that a log says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastRecord {
    /// Its event; of an artifact the name.
    pub event: String,
    pub compile: Option<CompileId>,
    pub pid: u64,
}

/// A further process of the same program, which has its own report in a folder of this one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    pub dir: String,
    /// Its process id, if its log has a record.
    pub pid: Option<u64>,
    pub file: String,
    /// Whether it inherited the strings of this one.
    pub forked: bool,
}

impl Process {
    /// `process 7 (forked)`.
    pub fn words(&self) -> String {
        let pid =
            self.pid.map_or_else(|| "a process without records".to_owned(), |pid| format!("process {pid}"));
        if self.forked { format!("{pid} (forked)") } else { pid }
    }
}

/// The place of a configuration text: a field of a metrics record.
#[derive(Debug, Clone, Copy)]
pub struct ConfigRef {
    pub header: Span,
    pub field: &'static str,
    /// How many settings it has; None if it is not a list of settings.
    pub settings: Option<usize>,
}

/// One record as raw.jsonl shows it.
#[derive(Debug, Clone, Copy)]
pub struct RawRecord {
    pub header: Span,
    pub stamp: Stamp,
    /// The file that holds its payload.
    pub payload: Option<PayloadPlace>,
}

/// The file in which a record's payload ended up.
#[derive(Debug, Clone, Copy)]
pub enum PayloadPlace {
    /// An artifact of a compile.
    Artifact(ArtifactIndex),
    /// `payloads/<md5>.txt`: the place among [`Model::payloads`]. A hash would make a third of a record.
    Payloads(u32),
}

/// Records of another rank in this log.
#[derive(Debug, Clone, Default)]
pub struct OtherRank {
    /// How many by event key.
    pub events: OrderedMap<String, u64>,
    /// How many by compile id.
    pub compiles: OrderedMap<String, u64>,
    /// First and last line.
    pub lines: (u64, u64),
}

impl Model {
    /// Keeps a payload under its md5.
    pub fn keep_payload(&mut self, payload: PayloadRef) -> PayloadPlace {
        let entry = self.payloads.entry(payload.md5);
        let place = entry.index();
        entry.or_insert(payload);
        PayloadPlace::Payloads(u32::try_from(place).unwrap_or(u32::MAX))
    }

    /// The place of `id` among the compiles; a new entry where it was not seen yet.
    pub fn compile_index(&mut self, id: Option<&CompileId>) -> CompileIndex {
        if let Some(&index) = self.by_id.get(&id.cloned()) {
            return index;
        }
        let index = self.compiles.push(Compile { id: id.cloned(), ..Compile::default() });
        self.by_id.insert(id.cloned(), index);
        index
    }

    pub fn compile(&self, id: Option<&CompileId>) -> Option<&Compile> {
        self.by_id.get(&id.cloned()).and_then(|&index| self.compiles.get(index))
    }

    pub fn inputs(&self) -> impl Iterator<Item = (CompileIndex, &InputTensor)> {
        self.compiles
            .indexed()
            .flat_map(|(index, compile)| compile.inputs.iter().map(move |one| (index, one)))
    }

    pub fn identified(&self) -> impl Iterator<Item = &Compile> {
        self.compiles.iter().filter(|c| c.id.is_some())
    }

    /// Whether inputs are all that is known of what was traced: an export has no record of its start, its end or its failure.
    pub fn has_only_inputs(&self) -> bool {
        let is_version =
            |one: &Compile| one.artifacts.iter().all(|artifact| &*artifact.name == "torch_version");
        self.identified().next().is_some()
            && self.compiles.iter().all(|one| match one.id {
                Some(_) => !one.inputs.is_empty() && !one.is_recorded(),
                None => is_version(one),
            })
    }

    /// `2026-11-20T04:55:35.653000+01:00`, or without year and zone if the log does not show them.
    pub fn time(&self, stamp: Option<Stamp>) -> Option<String> {
        stamp.map(|s| self.clock.format(s))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_small_since_a_log_has_hundreds_of_thousands() {
        assert_eq!(size_of::<RawRecord>(), 48);
    }

    #[test]
    fn a_payload_is_kept_once_and_equal_ones_have_its_place() {
        let mut model = Model::default();
        let span = Span::default();
        let payload =
            |byte| PayloadRef { span, text_len: 0, md5: Md5([byte; 16]), strip_cr: false, intact: true };
        let places: Vec<PayloadPlace> = [7, 3, 7].map(|byte| model.keep_payload(payload(byte))).to_vec();
        assert!(matches!(
            places.as_slice(),
            [PayloadPlace::Payloads(0), PayloadPlace::Payloads(1), PayloadPlace::Payloads(0)]
        ));
        assert_eq!(model.payloads.keys().copied().collect::<Vec<_>>(), [Md5([7; 16]), Md5([3; 16])]);
    }
}
