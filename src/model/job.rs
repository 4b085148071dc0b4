//! What a job of several ranks tells: of each rank only what ranks are compared by.
//!
//! A job may have a thousand ranks, so a text stands once in [`Texts`] however many ranks say it, and a list of facts
//! that is equal on many ranks is shared by them.

use fxhash::{FxBuildHasher, FxHashMap, FxHashSet};
use indexmap::IndexSet;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;

/// A text of a job, by its place in [`Texts`]: equal texts have equal places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextId(NonZeroU32);

/// All texts that the ranks of a job say, each once, and the lists made of them.
#[derive(Default)]
pub struct Texts {
    texts: IndexSet<Box<str>, FxBuildHasher>,
    /// Bytes of all texts.
    bytes: usize,
    name_lists: FxHashSet<Arc<[TextId]>>,
    sequences: FxHashSet<Sequence>,
    graphs: FxHashSet<Arc<GraphRuntime>>,
}

/// Facts of one kind in their order; ranks with equal facts share it.
pub type Sequence = Arc<[Step]>;

/// One fact of a [`Sequence`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Step {
    /// Compile that it belongs to.
    pub compile: Option<TextId>,
    /// What ranks are compared by; None where the log cannot know it, which agrees with everything.
    pub value: Option<TextId>,
    /// What is shown beside it and not compared.
    pub note: Option<TextId>,
}

impl Texts {
    /// The place of a text. A job has fewer than 4 billion of them; beyond, all are the last.
    pub fn add(&mut self, text: &str) -> TextId {
        let index = match self.texts.get_index_of(text) {
            Some(index) => index,
            None => {
                self.bytes += text.len();
                self.texts.insert_full(text.into()).0
            }
        };
        Texts::id(index)
    }

    /// The place of a text that is known already.
    pub fn find(&self, text: &str) -> Option<TextId> {
        self.texts.get_index_of(text).map(Texts::id)
    }

    /// Bytes of all texts together.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    fn id(index: usize) -> TextId {
        let place = u32::try_from(index).unwrap_or(u32::MAX).saturating_add(1);
        TextId(NonZeroU32::new(place).unwrap_or(NonZeroU32::MAX))
    }

    /// The text of a place.
    pub fn get(&self, id: TextId) -> &str {
        self.texts.get_index(id.0.get() as usize - 1).map_or("", |text| text)
    }

    /// The text of a place that may not be there.
    pub fn maybe(&self, id: Option<TextId>) -> Option<&str> {
        id.map(|id| self.get(id))
    }

    /// The list that is shared by all who have an equal one.
    pub fn sequence(&mut self, steps: Vec<Step>) -> Sequence {
        if let Some(known) = self.sequences.get(steps.as_slice()) {
            return Arc::clone(known);
        }
        let steps: Sequence = steps.into();
        self.sequences.insert(Arc::clone(&steps));
        steps
    }

    /// The same for a list of names.
    pub fn names(&mut self, names: Vec<TextId>) -> Arc<[TextId]> {
        if let Some(known) = self.name_lists.get(names.as_slice()) {
            return Arc::clone(known);
        }
        let names: Arc<[TextId]> = names.into();
        self.name_lists.insert(Arc::clone(&names));
        names
    }

    /// The same for a graph's estimated runtimes.
    pub fn graph(&mut self, graph: GraphRuntime) -> Arc<GraphRuntime> {
        if let Some(known) = self.graphs.get(&graph) {
            return Arc::clone(known);
        }
        let graph = Arc::new(graph);
        self.graphs.insert(Arc::clone(&graph));
        graph
    }
}

/// What ranks are compared by, and what is shown beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fact {
    /// What was compiled: id, function, file, line.
    CompileIds,
    /// What caches answered.
    Cache,
    /// Scheduled collectives, by graph.
    Collectives,
    /// Shapes, strides and dtypes of what operations return, by graph.
    TensorMeta,
    /// The order in which graphs ran.
    ExecOrder,
    /// Graph breaks by user line.
    GraphBreaks,
    /// Recompilations with their reasons.
    Recompiles,
    /// Settings of the compiler.
    Config,
    /// How each compile ended.
    Status,
    /// Operations that each compile captured.
    Ops,
    /// What failed.
    Failures,
}

impl Fact {
    /// What report.json has a comparison of, in its order.
    pub const COMPARED: [Fact; 8] = [
        Fact::CompileIds,
        Fact::Cache,
        Fact::Collectives,
        Fact::TensorMeta,
        Fact::ExecOrder,
        Fact::GraphBreaks,
        Fact::Recompiles,
        Fact::Config,
    ];

    /// Its key in report.json, which is also its anchor in pages.
    pub fn key(self) -> &'static str {
        match self {
            Fact::CompileIds => "compile_ids",
            Fact::Cache => "cache",
            Fact::Collectives => "collectives",
            Fact::TensorMeta => "tensor_meta",
            Fact::ExecOrder => "exec_order",
            Fact::GraphBreaks => "graph_breaks",
            Fact::Recompiles => "recompiles",
            Fact::Config => "config",
            Fact::Status => "status",
            Fact::Ops => "ops",
            Fact::Failures => "failures",
        }
    }
}

/// Whether a rank's log could be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RankState {
    /// All of it.
    Ok,
    /// Not all of it, or nothing; why.
    Damaged(String),
    /// It holds no record.
    Empty,
}

impl RankState {
    /// The word in report.json.
    pub fn word(&self) -> &'static str {
        match self {
            RankState::Ok => "ok",
            RankState::Damaged(_) => "damaged",
            RankState::Empty => "empty",
        }
    }
}

/// Facts about a rank's file, as its report.json has them.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct RankLog {
    /// Base name.
    pub file: String,
    /// Uncompressed size.
    pub bytes: u64,
    /// Records read.
    pub records: u64,
    /// The rank that its records or its name give.
    pub rank: Option<u64>,
    /// Processes that wrote it.
    pub pids: Vec<u64>,
    /// Time of its first record.
    pub first_time: Option<String>,
    /// Time of its last record.
    pub last_time: Option<String>,
}

/// How many of each a rank has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RankCounts {
    /// Compiles that have an id.
    pub compiles: u64,
    /// Distinct graph breaks.
    pub graph_breaks: u64,
    /// Recompilations.
    pub recompiles: u64,
    /// Failures.
    pub failures: u64,
}

impl RankCounts {
    /// The sum of both.
    pub fn plus(self, other: RankCounts) -> RankCounts {
        RankCounts {
            compiles: self.compiles.saturating_add(other.compiles),
            graph_breaks: self.graph_breaks.saturating_add(other.graph_breaks),
            recompiles: self.recompiles.saturating_add(other.recompiles),
            failures: self.failures.saturating_add(other.failures),
        }
    }
}

/// One rank, or a further process of one: what its report.json tells a job.
#[derive(Debug, Clone)]
pub struct RankSummary {
    /// Number of the rank; of a further process its pid.
    pub number: u64,
    /// Whether its log could be read.
    pub state: RankState,
    /// Its log; None where no report could be read.
    pub log: Option<RankLog>,
    /// The torch that wrote it.
    pub torch: Option<TextId>,
    /// How much there is in it, without its further processes.
    pub counts: RankCounts,
    /// Seconds in which something was compiled.
    pub compile_time_s: Option<f64>,
    /// Microseconds in each part of the compiler, in the order in which they are shown everywhere.
    pub parts_us: [f64; 6],
    /// Facts by kind; what is missing here the log does not hold.
    pub facts: FxHashMap<Fact, Sequence>,
    /// Compiles of which a cache had a part, so that torch recorded neither schedule nor sizes.
    pub cached: Arc<[TextId]>,
    /// Scheduled collectives, a graph each: folder of its compile, and operations.
    pub schedules: Vec<(TextId, Sequence)>,
    /// Estimated runtimes, a graph each; None where the log has none.
    pub runtime: Option<Vec<Arc<GraphRuntime>>>,
    /// Collectives scheduled and made, a compile each; None where the log has no schedule.
    pub parity: Option<Vec<CollectiveCounts>>,
    /// Findings about the log as a whole that a reader of the job should know: kind and title.
    pub alarms: Vec<(TextId, TextId)>,
    /// Further processes of the rank.
    pub processes: Vec<RankSummary>,
}

impl RankSummary {
    /// A rank of which nothing but its number is known.
    pub fn unreadable(number: u64, reason: String) -> RankSummary {
        RankSummary {
            number,
            state: RankState::Damaged(reason),
            log: None,
            torch: None,
            counts: RankCounts::default(),
            compile_time_s: None,
            parts_us: [0.0; 6],
            facts: FxHashMap::default(),
            cached: Arc::default(),
            schedules: Vec::new(),
            runtime: None,
            parity: None,
            alarms: Vec::new(),
            processes: Vec::new(),
        }
    }

    /// The facts of one kind.
    pub fn fact(&self, fact: Fact) -> Option<&Sequence> {
        self.facts.get(&fact)
    }

    /// Whether its log has records, so that it can be compared.
    pub fn is_comparable(&self) -> bool {
        self.log.as_ref().is_some_and(|log| log.records > 0)
    }

    /// How much there is in it and in its further processes.
    pub fn all_counts(&self) -> RankCounts {
        self.processes.iter().fold(self.counts, |sum, process| sum.plus(process.counts))
    }

    /// Whether nothing of it and its further processes is damaged.
    pub fn is_intact(&self) -> bool {
        let fine = |state: &RankState| !matches!(state, RankState::Damaged(_));
        fine(&self.state) && self.processes.iter().all(|process| fine(&process.state))
    }

    /// Its state, which further processes may make worse.
    pub fn whole_state(&self) -> RankState {
        if matches!(self.state, RankState::Damaged(_)) {
            return self.state.clone();
        }
        let damaged = self.processes.iter().find(|process| matches!(process.state, RankState::Damaged(_)));
        match damaged.map(|process| (&process.state, process.number)) {
            Some((RankState::Damaged(why), pid)) => RankState::Damaged(format!("process {pid}: {why}")),
            _ if self.processes.iter().any(|process| process.state == RankState::Ok) => RankState::Ok,
            _ => self.state.clone(),
        }
    }
}

/// A graph's operations with their estimated runtimes.
#[derive(Debug, Clone)]
pub struct GraphRuntime {
    /// The graph: folder of its compile.
    pub graph: TextId,
    /// Operations in order. Ranks that run the same graph share the list, whatever it costs them.
    pub names: Arc<[TextId]>,
    /// Nanoseconds of each; no number where the log has none.
    pub ns: Box<[f64]>,
}

impl GraphRuntime {
    /// Operations with their nanoseconds, where the log has them.
    pub fn ops(&self) -> impl Iterator<Item = (TextId, Option<f64>)> {
        self.names.iter().copied().zip(self.ns.iter().map(|ns| (!ns.is_nan()).then_some(*ns)))
    }

    fn bits(&self) -> impl Iterator<Item = u64> {
        self.ns.iter().map(|ns| ns.to_bits())
    }
}

/// Equal where every bit is: this is how copies are found, not how numbers are compared.
impl PartialEq for GraphRuntime {
    fn eq(&self, other: &Self) -> bool {
        self.graph == other.graph && self.names == other.names && self.bits().eq(other.bits())
    }
}

impl Eq for GraphRuntime {}

impl std::hash::Hash for GraphRuntime {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (self.graph, &self.names).hash(state);
        self.bits().for_each(|bits| bits.hash(state));
    }
}

/// Collectives of one compile: planned, and in its code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollectiveCounts {
    /// The compile.
    pub compile: Option<TextId>,
    /// How many of each operation the schedules hold.
    pub scheduled: Vec<(TextId, u64)>,
    /// How many calls the code makes.
    pub in_code: Vec<(TextId, u64)>,
    /// Collectives in the code that it does not wait for.
    pub missing_waits: u64,
}

/// One time that the job ran: logs whose times overlap.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Run {
    /// The first record of all.
    pub first_time: Option<String>,
    /// The last record of all.
    pub last_time: Option<String>,
    /// Names of its logs, by rank.
    pub logs: Vec<String>,
}

/// A file beside the logs that was passed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedFile {
    /// Its name.
    pub name: String,
    /// Why.
    pub reason: &'static str,
}

/// What nobody can see in the folders of the ranks.
#[derive(Debug, Clone, Default)]
pub struct JobFacts {
    /// Other runs whose logs stand beside those of this one, oldest first.
    pub other_runs: Vec<Run>,
    /// Files beside the logs that were passed over.
    pub skipped_files: Vec<SkippedFile>,
    /// Ranks whose log could not be read, so that they have no folder: number and reason.
    pub failed: Vec<(u64, String)>,
}

/// Everything that the ranks of a job say, as facts.
#[derive(Default)]
pub struct Job {
    /// The ranks, ascending.
    pub ranks: Vec<RankSummary>,
    /// Their texts.
    pub texts: Texts,
    /// The run that is reported, then the others.
    pub runs: Vec<Run>,
    /// Files beside the logs that were passed over.
    pub skipped_files: Vec<SkippedFile>,
    /// Records by event, of all ranks.
    pub events: BTreeMap<String, u64>,
}

impl Job {
    /// What a step compares, in words; None where the log does not say.
    pub fn value(&self, step: &Step) -> Option<&str> {
        self.texts.maybe(step.value)
    }
}
