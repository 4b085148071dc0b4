//! Work that is in a compile by chance: once per process in whatever is compiled first, or waiting for others.

use super::build_spans::Trial;
use super::parts::GRAPH_PARTS;
use super::spans::Spans;
use crate::model::{CompileIndex, TraceSpan};
use crate::trace::OrderedMap;

/// Why work has nothing to do with its compile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OneOffKind {
    /// The C++ compiler was checked and its headers were built, before the first kernel.
    Toolchain,
    /// The first compile of the process loaded the backend and its patterns, and hashed the sources of torch.
    FirstUse,
    /// The compile waited for worker processes, which build its kernels.
    WaitForWorkers,
    /// The process waited for a lock of another process that was building.
    WaitForProcess,
}

impl OneOffKind {
    /// A description for pages.
    pub fn words(self) -> &'static str {
        match self {
            OneOffKind::Toolchain => {
                "trying the C++ compiler and building its headers, once per machine with a warm cache folder"
            }
            OneOffKind::FirstUse => "loading the backend and hashing its sources, once per process",
            OneOffKind::WaitForWorkers => "waiting for compile workers, which build its kernels",
            OneOffKind::WaitForProcess => {
                "waiting for another process, which builds into the same cache folder"
            }
        }
    }
}

/// Work of one kind in one compile.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OneOff {
    pub kind: OneOffKind,
    /// The compile that includes it.
    pub compile: CompileIndex,
    /// Microseconds.
    pub us: f64,
    /// Microseconds that the [parts](super::parts) count as work on the graph, which a cache keeps.
    pub in_graph_us: f64,
    /// Whether a graph that AOTAutograd's cache has is compiled without it.
    pub within_tracing: bool,
}

/// Phases that hash the sources of torch and triton, once per process.
const KEYS: [&str; 2] = ["CacheBase.get_system.triton_key", "inductor_codecache_torch_key"];

/// Phases that import or register something when they first run in a process.
const LAZY: [&str; 3] = ["entire_frame_compile", "backend_compile", JOINT_PASSES];

/// The passes over the joint graph, which the first of them loads.
const JOINT_PASSES: &str = "_recursive_joint_graph_passes";

/// The phase that checks the compiler.
const TRIES_COMPILER: &str = "Scheduler.codegen";

/// Microseconds of self time, beyond the usual, from which that phase was waiting for a lock.
const LEAST_WAIT_US: f64 = 1e6;

/// One-off work and waiting of a log, from its spans, in log order.
pub(super) fn one_offs(spans: &Spans<'_>) -> Vec<OneOff> {
    let mut found: Vec<OneOff> = spans.trials.values().map(toolchain).collect();
    found.extend(spans.first_uses());
    found.extend(spans.waiting());
    found.retain(|one| one.us > 0.0 && one.us.is_finite());
    found.sort_by_key(|one| (one.compile, one.kind));
    found
}

/// Checks of the compiler, including the time between the builds of one phase; all of it is building, as a part.
fn toolchain(trial: &Trial) -> OneOff {
    OneOff {
        kind: OneOffKind::Toolchain,
        compile: trial.compile,
        us: trial.end_us - trial.start_us,
        in_graph_us: 0.0,
        within_tracing: false,
    }
}

impl Spans<'_> {
    fn own(&self, index: usize) -> f64 {
        self.self_us.get(index).copied().unwrap_or_default()
    }

    /// One-off work of `us` in a span's self time.
    fn one_off(&self, kind: OneOffKind, index: usize, us: f64) -> Option<OneOff> {
        let owner = self.owners.get(index)?;
        let in_graph = owner.part.is_some_and(|part| GRAPH_PARTS.contains(&part));
        let in_graph_us = if in_graph { us } else { 0.0 };
        let within_tracing = self.model.spans.get(index).is_some_and(|span| &*span.name == JOINT_PASSES);
        Some(OneOff {
            kind,
            compile: owner.compile.or(self.model.by_id.get(&None).copied())?,
            us,
            in_graph_us,
            within_tracing,
        })
    }

    fn named(&self, names: &[&str]) -> impl Iterator<Item = usize> {
        let of = move |(_, span): &(usize, &TraceSpan)| names.contains(&&*span.name);
        self.model.spans.iter().enumerate().filter(of).map(|(index, _)| index)
    }

    /// Hashing of sources, and the extra time of phases that run for the first time.
    fn first_uses(&self) -> Vec<OneOff> {
        let kind = OneOffKind::FirstUse;
        let keys = self.named(&KEYS).filter_map(|index| self.one_off(kind, index, self.own(index)));
        let mut found: Vec<OneOff> = keys.collect();
        for name in LAZY {
            for first in self.first_of_processes(name) {
                found.extend(self.one_off(kind, first.span, self.own(first.span) - first.usual_us));
            }
        }
        found
    }

    /// The first span of that name in each process, with the median self time of the later ones.
    fn first_of_processes(&self, name: &str) -> Vec<FirstSpan> {
        let mut processes: OrderedMap<u64, (usize, Vec<f64>)> = OrderedMap::default();
        for index in self.named(&[name]) {
            let Some(span) = self.model.spans.get(index) else { continue };
            match processes.get_mut(&span.pid) {
                Some((_, later)) => later.push(self.own(index)),
                None => _ = processes.insert(span.pid, (index, Vec::new())),
            }
        }
        let first = processes.into_values().map(|(span, mut later)| {
            later.sort_by(f64::total_cmp);
            FirstSpan { span, usual_us: later.get(later.len() / 2).copied().unwrap_or_default() }
        });
        first.collect()
    }

    /// Waiting for workers; and, in the log of a rank, extra seconds in the phase that checks the compiler without a check:
    /// another rank held the lock and did it.
    fn waiting(&self) -> Vec<OneOff> {
        let workers = OneOffKind::WaitForWorkers;
        let waits = self.named(&["async_compile.wait"]);
        let mut found: Vec<OneOff> =
            waits.filter_map(|index| self.one_off(workers, index, self.own(index))).collect();
        if self.model.log.rank.is_some() {
            for first in self.first_of_processes(TRIES_COMPILER) {
                let us = self.own(first.span) - first.usual_us;
                if us >= LEAST_WAIT_US && !self.trials.contains_key(&Some(first.span)) {
                    found.extend(self.one_off(OneOffKind::WaitForProcess, first.span, us));
                }
            }
        }
        found
    }
}

/// The first span of a phase in its process.
struct FirstSpan {
    span: usize,
    /// Median self time of later spans, microseconds.
    usual_us: f64,
}
