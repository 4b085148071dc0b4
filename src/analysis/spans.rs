//! The spans of a log, with what is worked out of them once for all who tell of times.

use super::build_spans::{Build, TrialsByPhase, builds, trials_by_phase};
use super::by_compile::Grouped;
use super::parts::{Owner, owners};
use crate::model::{Model, TraceSpan};

/// The spans of a log, and what each belongs to.
pub struct Spans<'m> {
    pub(super) model: &'m Model,
    /// The owner of each span.
    pub(super) owners: Vec<Owner>,
    /// Microseconds of each span outside of its direct children.
    pub(super) self_us: Vec<f64>,
    /// Microseconds covered by at least one span.
    pub(super) covered_us: f64,
    /// The spans of each compile: indices into the model's spans, each after the span around it. A span without a compile
    /// belongs to the compile of the span around it.
    pub of_compile: Grouped<u32>,
    /// What was built, in order.
    pub(super) builds: Vec<Build<'m>>,
    /// Checks of the C++ compiler.
    pub(super) trials: TrialsByPhase,
}

impl<'m> Spans<'m> {
    /// Reads the spans of a log.
    pub fn of(model: &'m Model) -> Spans<'m> {
        let owners = owners(&model.spans);
        let builds = builds(model, &owners);
        let trials = trials_by_phase(&builds);
        let of_compile = Grouped::of(owners.iter().map(|owner| owner.compile).zip(0..));
        let mut intervals: Vec<_> = model.spans.iter().map(|span| (span.start_us, span.end_us)).collect();
        let covered_us = union(&mut intervals);
        Spans { model, owners, self_us: self_times(&model.spans), covered_us, of_compile, builds, trials }
    }

    /// Each span with its owner.
    pub(super) fn owned(&self) -> impl Iterator<Item = (&'m TraceSpan, Owner)> {
        self.model.spans.iter().zip(self.owners.iter().copied())
    }
}

/// Microseconds of each span outside of its direct children.
fn self_times(spans: &[TraceSpan]) -> Vec<f64> {
    let mut own: Vec<f64> = spans.iter().map(|span| (span.end_us - span.start_us).max(0.0)).collect();
    let mut children: Vec<(usize, &TraceSpan)> =
        spans.iter().filter_map(|span| Some((span.parent()?, span))).collect();
    children.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.start_us.total_cmp(&b.1.start_us)));
    for siblings in children.chunk_by(|a, b| a.0 == b.0) {
        let Some((parent, _)) = siblings.first() else { continue };
        let (Some(span), Some(own)) = (spans.get(*parent), own.get_mut(*parent)) else { continue };
        let mut covered = Covered::default();
        for (_, child) in siblings {
            covered.add(child.start_us.max(span.start_us), child.end_us.min(span.end_us));
        }
        *own = (span.end_us - span.start_us - covered.length).max(0.0);
    }
    own
}

/// Length of the union of intervals.
pub(super) fn union(intervals: &mut [(f64, f64)]) -> f64 {
    intervals.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut covered = Covered::default();
    intervals.iter().for_each(|(start, end)| covered.add(*start, *end));
    covered.length
}

/// The union of intervals that are added in the order of their starts. Empty intervals do not count.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Covered {
    pub(super) length: f64,
    /// Where it ends; None before the first interval.
    reach: Option<f64>,
}

impl Covered {
    pub(super) fn add(&mut self, start: f64, end: f64) {
        let from = self.reach.map_or(start, |reach| reach.max(start));
        if end > from {
            self.length += end - from;
            self.reach = Some(end);
        }
    }
}
