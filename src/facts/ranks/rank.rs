//! One rank of a job, as read from its report.json.

use super::fact::{FactValue, FunctionFact, Sequence, Step};
use super::ids::{GraphId, TextId};
use super::runtime::GraphRuntime;
use crate::facts::Aspect;
use crate::facts::{Interval, RankParity};
use crate::model::{CompilerPart, Parts, RankLog};
use std::sync::Arc;

/// Whether a rank's log could be read.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub enum RankState {
    /// All of it.
    Ok,
    /// Not all of it, or nothing; why.
    Damaged(String),
    /// It holds no record.
    #[default]
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

/// How many of each a rank has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RankCounts {
    /// Compiles that have an id.
    pub compiles: u64,
    /// Distinct graph breaks.
    pub graph_breaks: u64,
    pub recompiles: u64,
    pub failures: u64,
}

impl RankCounts {
    pub fn plus(self, other: RankCounts) -> RankCounts {
        RankCounts {
            compiles: self.compiles.saturating_add(other.compiles),
            graph_breaks: self.graph_breaks.saturating_add(other.graph_breaks),
            recompiles: self.recompiles.saturating_add(other.recompiles),
            failures: self.failures.saturating_add(other.failures),
        }
    }
}

/// One rank, or a further process of a rank, as read from its report.json.
#[derive(Default)]
pub struct RankSummary {
    /// Number of the rank, or process id of a further process.
    pub number: u64,
    pub state: RankState,
    /// Its log; None where no report could be read.
    pub log: Option<RankLog>,
    pub torch: Option<TextId>,
    /// How much there is in it, without its further processes.
    pub counts: RankCounts,
    pub compile_time_s: Option<f64>,
    /// Microseconds in each part of the compiler, in the order in which they are shown everywhere.
    pub parts_us: Parts,
    /// Facts by kind, ascending; a kind is missing if the log has no such facts. There may be a hundred thousand ranks, and a map
    /// takes twice as much.
    pub facts: Box<[(Aspect, Sequence)]>,
    /// Compiles for which a cache had a result, so that torch recorded neither a schedule nor sizes.
    pub cached: Arc<[GraphId]>,
    /// Ids of compiles of which the report says nothing more, ascending: they may have a row and no page.
    pub bare: Arc<[TextId]>,
    /// Compiles that a graph break split, so that a part of their function runs in eager mode.
    pub broken: Arc<[GraphId]>,
    pub slowest: Box<[SlowCompile]>,
    /// Work in its compiles that has nothing to do with what was compiled.
    pub one_offs: RankOneOffs,
    /// How many ranks there are, as its collectives say.
    pub world_size: Option<u64>,
    /// Where its log ends; None where it has no record.
    pub end: Option<RankEnd>,
    pub keys: Vec<KeyLookup>,
    /// Folders of Inductor's cache that it wrote code to.
    pub cache_folders: Arc<[TextId]>,
    /// When a phase that may wait for another process did nothing that the log records.
    pub pauses: Box<[Interval]>,
    /// The first page that shows which lines became which kernels, as a path in its report; before its folder is looked at, pages
    /// that may do so.
    pub provenance: Vec<String>,
    /// Scheduled collectives, one entry per graph.
    pub schedules: Vec<Schedule>,
    /// Estimated runtimes, one entry per graph; None where the log has none.
    pub runtime: Option<Vec<Arc<GraphRuntime>>>,
    /// Compiles with a schedule; None where the log has none.
    pub scheduled: Option<usize>,
    /// Those of them whose code does not call the collectives that were scheduled.
    pub parity: Vec<RankParity<'static>>,
    /// Findings about the log as a whole that a reader of the job should know.
    pub alarms: Vec<Alarm>,
    pub processes: Vec<RankSummary>,
}

impl RankSummary {
    /// A rank of which nothing but its number is known.
    pub fn unreadable(number: u64, reason: String) -> RankSummary {
        RankSummary { number, state: RankState::Damaged(reason), ..RankSummary::default() }
    }

    pub fn fact(&self, aspect: Aspect) -> Option<&Sequence> {
        let at = self.facts.binary_search_by_key(&aspect, |(aspect, _)| *aspect).ok()?;
        self.facts.get(at).map(|(_, steps)| steps)
    }

    /// The same as a list, which is empty where the log does not know.
    pub fn steps(&self, aspect: Aspect) -> &[Step] {
        self.fact(aspect).map_or(&[], |steps| steps)
    }

    /// A compile as all ranks know it, by its id on this one.
    pub fn graph(&self, compile: Option<TextId>) -> Option<GraphId> {
        let compile = Some(compile?);
        self.steps(Aspect::Functions).iter().find(|step| step.compile == compile)?.graph
    }

    /// What this rank calls a compile that all ranks know.
    pub fn compile(&self, graph: GraphId) -> Option<TextId> {
        self.steps(Aspect::Functions).iter().find(|step| step.graph == Some(graph))?.compile
    }

    /// The functions that it compiles, each with the compile.
    pub fn functions(&self) -> impl Iterator<Item = (Option<GraphId>, FunctionFact)> {
        self.steps(Aspect::Functions).iter().filter_map(|step| match step.value {
            Some(FactValue::Compiled { function, .. }) => Some((step.graph, function)),
            _ => None,
        })
    }

    /// Whether its log has records, so that it can be compared.
    pub fn is_comparable(&self) -> bool {
        self.log.as_ref().is_some_and(|log| log.records > 0)
    }

    /// Whether its log ends inside a compile, so that what would have followed is unknown.
    pub fn is_cut(&self) -> bool {
        self.end.as_ref().is_some_and(|end| end.inside)
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

/// The scheduled collectives of a graph.
#[derive(Debug, Clone)]
pub struct Schedule {
    /// The graph: folder of its compile.
    pub graph: TextId,
    pub operations: Arc<[TextId]>,
}

/// A finding about a whole log: a dead worker, graphs that torch found to differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Alarm {
    /// Its kind, as report.json names it.
    pub kind: TextId,
    pub title: TextId,
}

/// A compile that took long.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SlowCompile {
    pub graph: GraphId,
    pub seconds: f64,
    /// The part of the compiler that took most of them.
    pub part: Option<CompilerPart>,
    pub part_s: f64,
}

/// Seconds that fell into the compiles of a rank by chance.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RankOneOffs {
    /// Trying the C++ compiler and building its headers.
    pub toolchain_s: f64,
    /// Waiting for another process that builds into the same cache folder.
    pub waiting_s: f64,
}

/// Where the log of a rank ends.
#[derive(Debug, Clone)]
pub struct RankEnd {
    /// Time of the last record, microseconds since 1970; None if the log does not show the year.
    pub time_us: Option<i64>,
    /// The event of the last record; of an artifact the name.
    pub event: TextId,
    /// The compile in which it ends, or the one that the last record names.
    pub compile: Option<TextId>,
    /// Whether that compile had not ended.
    pub inside: bool,
    /// Phases that were open, the outermost first.
    pub phases: Arc<[TextId]>,
    /// The innermost of them of which a time is known.
    pub timed: Option<OpenPhase>,
}

/// A phase that was open when a log ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OpenPhase {
    pub name: TextId,
    pub at_least_s: f64,
}

/// A lookup in the cache of FX graphs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyLookup {
    /// The compile that made it, as all ranks know it.
    pub graph: Option<GraphId>,
    pub key: TextId,
    pub hit: bool,
    /// When, nanoseconds since 1970.
    pub asked_ns: Option<u64>,
    /// When the entry of a miss was compiled.
    pub stored_ns: Option<u64>,
}
