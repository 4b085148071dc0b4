//! The one split of compile time, which all sentences, bars, tables and comparisons tell.

use super::builds::Builds;
use super::parts::{Owner, parts_of_compile};
use super::spans::Spans;
use crate::model::CompilerPart::{CodeGeneration, KernelBuilds};
use crate::model::{CompileIndex, CompilerPart, Parts, TraceSpan};
use fxhash::FxHashMap;
use std::collections::BTreeSet;

/// Shorter pieces are what rounding left.
const LEAST_PIECE_US: f64 = 0.1;

/// The compile time of a log and of each compile, split into parts.
#[derive(Debug, Default)]
pub struct Split {
    /// Over the log.
    pub whole: Parts,
    /// Microseconds outside of all parts.
    pub apart_us: f64,
    /// Whether it is based on spans; otherwise on metrics, which do not time kernel builds.
    pub of_spans: bool,
    by_compile: FxHashMap<CompileIndex, Parts>,
}

/// A piece of the compile time, as sentences and tables tell it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimePiece {
    /// What is left of a part.
    Part(CompilerPart),
    /// Of the kernel builds: a library that is built ahead of time.
    Library,
    /// Of the kernel builds: trying the C++ compiler.
    Toolchain,
    /// Of the kernel builds: waiting for the processes that do them.
    WaitForWorkers,
    /// Of code generation: waiting for a process that builds into the same cache folder.
    WaitForProcess,
    /// Outside of all parts.
    Outside,
}

impl Split {
    /// The pieces of the whole, which add up to the time of the log, each with its microseconds.
    pub fn pieces(&self, builds: &Builds) -> Vec<(TimePiece, f64)> {
        let mut parts = self.whole;
        let within = [
            (TimePiece::Toolchain, KernelBuilds, builds.trials_us()),
            (TimePiece::WaitForWorkers, KernelBuilds, builds.worker_wait_us),
            (TimePiece::Library, KernelBuilds, builds.ahead_of_time_us()),
            (TimePiece::WaitForProcess, CodeGeneration, builds.process_wait_us),
        ];
        let within = within.map(|(piece, part, us)| {
            let us = us.min(parts.time_in(part));
            parts.add(part, -us);
            (piece, us)
        });
        let left = parts.iter().map(|(part, us)| (TimePiece::Part(part), us));
        let all = left.chain(within).chain([(TimePiece::Outside, self.apart_us)]);
        all.filter(|(_, us)| *us >= LEAST_PIECE_US).collect()
    }

    /// From the spans, or from the metrics if the log has no spans. Each instant counts once, so that the parts and
    /// `apart_us` add up to the time covered by at least one span.
    pub fn of(all: &Spans<'_>) -> Split {
        let model = all.model;
        let mut split = Split { of_spans: !model.spans.is_empty(), ..Split::default() };
        each_owned(all, |one, owner| {
            let own = one.end_us - one.start_us;
            let Some(part) = owner.part else {
                split.apart_us += own;
                return;
            };
            split.whole.add(part, own);
            if let Some(compile) = owner.compile {
                split.by_compile.entry(compile).or_default().add(part, own);
            }
        });
        for (index, compile) in model.compiles.indexed() {
            if split.by_compile.contains_key(&index) {
                continue;
            }
            let parts = parts_of_compile(compile);
            split.by_compile.insert(index, parts);
            if !split.of_spans {
                split.whole = split.whole.plus(parts);
            }
        }
        split
    }

    /// The parts of the whole that took time, then what is outside of all.
    pub fn listed(&self) -> impl Iterator<Item = (Option<CompilerPart>, f64)> + use<> {
        let parts = self.whole.timed().map(|(part, us)| (Some(part), us));
        parts.chain((self.apart_us > 0.0).then_some((None, self.apart_us)))
    }

    /// Microseconds of the whole, inside and outside of parts.
    pub fn total_us(&self) -> f64 {
        self.whole.total() + self.apart_us
    }

    pub fn at(&self, compile: CompileIndex) -> Parts {
        self.by_compile.get(&compile).copied().unwrap_or_default()
    }
}

/// Calls `visit` with all intervals that spans cover, in order, and what each belongs to. What a phase does between two
/// builds that try the C++ compiler is part of the trial.
pub(super) fn each_owned(all: &Spans<'_>, mut visit: impl FnMut(Innermost, Owner)) {
    each_innermost(&all.model.spans, |one| {
        let mut owner = all.owners.get(one.span).copied().unwrap_or_default();
        let trial = all.trials.get(&Some(one.span));
        if trial.is_some_and(|trial| trial.start_us <= one.start_us && one.end_us <= trial.end_us) {
            owner.part = Some(KernelBuilds);
        }
        visit(one, owner);
    });
}

/// An interval in which one span is the innermost: the open span that began last.
#[derive(Debug, Clone, Copy)]
pub(super) struct Innermost {
    /// Its place among the spans.
    pub(super) span: usize,
    /// Where the interval begins, microseconds.
    pub(super) start_us: f64,
    /// Where it ends.
    pub(super) end_us: f64,
}

/// Calls `visit` with all intervals that spans cover, in order.
fn each_innermost(spans: &[TraceSpan], mut visit: impl FnMut(Innermost)) {
    let key = |index: u32| spans.get(index as usize).map_or((0.0, 0.0), |span| (span.start_us, span.end_us));
    // Empty spans are never the innermost.
    let lasts = |index: &u32| {
        let (start, end) = key(*index);
        start.is_finite() && end.is_finite() && start < end
    };
    let mut order: Vec<u32> = (0..).take(spans.len()).filter(lasts).collect();
    // If two begin together, the longer one is around the other.
    order.sort_by(|&a, &b| {
        let ((a_start, a_end), (b_start, b_end)) = (key(a), key(b));
        a_start.total_cmp(&b_start).then(b_end.total_cmp(&a_end)).then(a.cmp(&b))
    });
    // Spans by their rank in that order, the order of their starts; then sorted again by their ends.
    let start = |rank: u32| order.get(rank as usize).map(|index| key(*index).0);
    let end = |rank: u32| order.get(rank as usize).map_or(0.0, |index| key(*index).1);
    let mut ends: Vec<u32> = (0..).take(order.len()).collect();
    ends.sort_by(|&a, &b| end(a).total_cmp(&end(b)).then(a.cmp(&b)));
    let mut ends = ends.into_iter().peekable();
    let (mut next, mut since) = (0, 0.0);
    let mut open: BTreeSet<u32> = BTreeSet::new();
    while let Some(&ending) = ends.peek() {
        // A span that ends when another begins ends first.
        let begins = start(next).filter(|start| *start < end(ending));
        let at = begins.unwrap_or_else(|| end(ending));
        if let Some(&span) = open.last().and_then(|rank| order.get(*rank as usize)) {
            visit(Innermost { span: span as usize, start_us: since, end_us: at });
        }
        since = at;
        if begins.is_some() {
            open.insert(next);
            next += 1;
        } else {
            open.remove(&ending);
            ends.next();
        }
    }
}
