//! The account of a log's wall time: what compiled, what was wasted, what caches saved, and what is unexplained.

use super::spans::Spans;
use crate::model::{CompileIndex, CompilerPart, Model, PhaseName, Status, TraceSpan};
use crate::trace::TextMap;
use std::collections::BTreeMap;

/// Where the wall time of a log went, according to its spans and metrics.
#[derive(Debug, Default)]
pub struct Account {
    /// Microseconds from the first record or span to the last.
    pub wall_us: f64,
    /// Of these, microseconds in at least one span.
    pub covered_us: f64,
    /// Times without any span, longest first.
    pub gaps: Vec<Gap>,
    /// Self time of phases that only contain others: what torch does between the phases that it times.
    pub between_us: f64,
    /// The part with most of the self time of each phase, by the name of the phase.
    pub part_of: TextMap<PhaseName, CompilerPart>,
    /// Phases that fill the phase around them alone, each time, with the name of that one.
    pub wrapper_of: TextMap<PhaseName, PhaseName>,
    /// Discarded work, most first.
    pub lost: Vec<Lost>,
    /// Number of spans whose end is not in the log.
    pub open: usize,
}

/// A time without any span.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gap {
    /// From here, microseconds since 1970.
    pub start_us: f64,
    /// To here.
    pub end_us: f64,
    /// The span that ends before it, an index into the model's.
    pub before: Option<usize>,
    /// The span that begins after it.
    pub after: Option<usize>,
}

/// Compile time without a result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lost {
    pub compile: CompileIndex,
    /// Microseconds.
    pub us: f64,
    /// Whether the compile failed and all its time is lost; otherwise only its earlier attempts are.
    pub failed: bool,
}

/// The share of a span from which one that is alone in it fills it.
const WHOLE: f64 = 0.95;

/// The phases that only repeat the phase around them.
fn wrappers(spans: &[TraceSpan]) -> TextMap<PhaseName, PhaseName> {
    let mut children = vec![0_usize; spans.len()];
    for parent in spans.iter().filter_map(TraceSpan::parent) {
        children.get_mut(parent).into_iter().for_each(|count| *count += 1);
    }
    let length = |span: &TraceSpan| span.end_us - span.start_us;
    let filled = |span: &TraceSpan| {
        let parent = span.parent().filter(|parent| children.get(*parent) == Some(&1))?;
        let around = spans.get(parent)?;
        (length(span) >= WHOLE * length(around) && around.name != span.name).then(|| around.name.clone())
    };
    // One run that is elsewhere, or that leaves room for others, and both phases have something of their own.
    let mut found: TextMap<PhaseName, Option<PhaseName>> = TextMap::default();
    let mut runs: TextMap<&PhaseName, usize> = TextMap::default();
    for span in spans {
        *runs.entry(&span.name).or_default() += 1;
        let around = filled(span);
        let known = found.entry(span.name.clone()).or_insert_with(|| around.clone());
        if *known != around {
            *known = None;
        }
    }
    let is_only = |(inner, outer): (PhaseName, Option<PhaseName>)| {
        let outer = outer.filter(|outer| runs.get(outer) == runs.get(&inner))?;
        Some((inner, outer))
    };
    found.into_iter().filter_map(is_only).collect()
}

impl Account {
    /// The account of a log.
    pub fn of(all: &Spans<'_>) -> Account {
        let model = all.model;
        let open = model.spans.iter().filter(|s| s.is_open()).count();
        let wrapper_of = wrappers(&model.spans);
        let mut account = Account { open, covered_us: all.covered_us, wrapper_of, ..Account::default() };
        account.find_gaps(model);
        account.divide(all);
        for (compile, of) in model.compiles.indexed() {
            let positive = |us: Option<f64>| us.filter(|us| us.is_finite() && *us > 0.0);
            let sum = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, |sum, us| sum + us);
            let failed = of.id.is_some() && of.status == Status::Error;
            let us = match failed {
                true => positive(of.compile_us()).unwrap_or(0.0),
                false => sum(&mut of.metrics.iter().filter_map(|m| positive(m.facts.wasted_us))),
            };
            if us > 0.0 {
                account.lost.push(Lost { compile, us, failed });
            }
        }
        account.lost.sort_by(|a, b| b.us.total_cmp(&a.us));
        account
    }

    /// Wall time, and the times in it without any span.
    fn find_gaps(&mut self, model: &Model) {
        let mut order: Vec<(usize, &TraceSpan)> = model.spans.iter().enumerate().collect();
        order.sort_by(|(_, a), (_, b)| a.start_us.total_cmp(&b.start_us));
        let stamp = |stamp| model.clock.epoch_us(stamp).map(|us| us as f64);
        let Some(first) = order.first().map(|(_, span)| span.start_us) else { return };
        let begin = model.first.and_then(stamp).map_or(first, |us| us.min(first));
        let (mut reach, mut before) = (begin, None);
        for (index, span) in order {
            if span.start_us > reach {
                let after = Some(index);
                self.gaps.push(Gap { start_us: reach, end_us: span.start_us, before, after });
            }
            if span.end_us >= reach {
                (reach, before) = (span.end_us, Some(index));
            }
        }
        let end = model.last.and_then(stamp).map_or(reach, |us| us.max(reach));
        if end > reach {
            self.gaps.push(Gap { start_us: reach, end_us: end, before, after: None });
        }
        self.wall_us = end - begin;
        self.gaps.sort_by(|a, b| (b.end_us - b.start_us).total_cmp(&(a.end_us - a.start_us)));
    }

    /// Self time of phases that only contain others, and the part of each phase.
    fn divide(&mut self, all: &Spans<'_>) {
        let mut by_name: TextMap<PhaseName, BTreeMap<CompilerPart, f64>> = TextMap::default();
        for ((span, owner), own) in all.owned().zip(&all.self_us) {
            if only_contains_others(&span.name) {
                self.between_us += own;
            }
            if let Some(part) = owner.part {
                *by_name.entry(span.name.clone()).or_default().entry(part).or_default() += own;
            }
        }
        let most = |sums: BTreeMap<CompilerPart, f64>| {
            sums.into_iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0))).map(|(part, _)| part)
        };
        self.part_of = by_name.into_iter().filter_map(|(name, sums)| Some((name, most(sums)?))).collect();
    }

    /// Microseconds of the wall time in no span.
    pub fn uncovered_us(&self) -> f64 {
        (self.wall_us - self.covered_us).max(0.0)
    }
}

/// Whether torch opens this phase only around others.
fn only_contains_others(name: &str) -> bool {
    matches!(name, "dynamo" | "entire_frame_compile" | "backend_compile" | "entire_backward_compile")
        || name.starts_with("compile_attempt_")
        || name == "_compile.compile_inner"
}
