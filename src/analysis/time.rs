//! Where the time went: phases with self and total time, over the log and for each compile.

use crate::model::{CompileIndex, MetricsKind, Model, TraceSpan};
use crate::trace::TextMap;
use fxhash::FxHashMap;
use std::sync::Arc;

/// Compile time of a log.
#[derive(Debug, Default)]
pub struct CompileTime {
    /// Seconds that at least one span covers.
    pub total_s: f64,
    /// All phases, most self time first.
    pub phases: Vec<Phase>,
    /// Phases of each compile, by its index in the model; trees in the order of first appearance.
    pub by_compile: FxHashMap<CompileIndex, Vec<PhaseNode>>,
}

/// One phase over all its spans.
#[derive(Debug, Clone, PartialEq)]
pub struct Phase {
    /// As torch names it.
    pub name: Arc<str>,
    /// Seconds in its spans and in none of their children.
    pub self_s: f64,
    /// Seconds that its spans cover.
    pub total_s: f64,
    /// Spans.
    pub count: u64,
}

/// A phase within its parent, for one compile: spans of one name under one parent are one node.
#[derive(Debug, Clone)]
pub struct PhaseNode {
    /// As torch names it.
    pub name: Arc<str>,
    /// Depth in the tree, outermost 0.
    pub depth: usize,
    /// Seconds without children.
    pub self_s: f64,
    /// Seconds, the sum of its spans.
    pub total_s: f64,
    /// Spans.
    pub count: u64,
}

/// Sums up the spans; a log without chromium events is summed up from its metrics.
pub(super) fn of_log(model: &Model) -> CompileTime {
    if model.spans.is_empty() {
        return from_metrics(model);
    }
    let selfs = self_times(&model.spans);
    let mut self_us: TextMap<&Arc<str>, f64> = TextMap::default();
    let mut covered: TextMap<&Arc<str>, Vec<(f64, f64)>> = TextMap::default();
    for (span, own) in model.spans.iter().zip(&selfs) {
        *self_us.entry(&span.name).or_default() += own;
        covered.entry(&span.name).or_default().push((span.start_us, span.end_us));
    }
    let phase = |(name, mut spans): (&Arc<str>, Vec<(f64, f64)>)| Phase {
        name: name.clone(),
        self_s: seconds(self_us.get(name).copied().unwrap_or_default()),
        total_s: seconds(union(&mut spans)),
        count: spans.len() as u64,
    };
    let mut phases: Vec<Phase> = covered.into_iter().map(phase).collect();
    sort(&mut phases);
    let mut all: Vec<_> = model.spans.iter().map(|s| (s.start_us, s.end_us)).collect();
    CompileTime { total_s: seconds(union(&mut all)), phases, by_compile: trees(&model.spans, &selfs) }
}

fn sort(phases: &mut [Phase]) {
    phases.sort_by(|a, b| b.self_s.total_cmp(&a.self_s).then_with(|| a.name.cmp(&b.name)));
}

/// Microseconds as seconds, six decimals.
fn seconds(us: f64) -> f64 {
    us.round() / 1e6
}

/// Microseconds of each span that none of its direct children covers.
pub(super) fn self_times(spans: &[TraceSpan]) -> Vec<f64> {
    let mut children: FxHashMap<usize, Vec<(f64, f64)>> = FxHashMap::default();
    for span in spans {
        let parent = span.parent.and_then(|p| Some((p, spans.get(p)?)));
        if let Some((index, parent)) = parent {
            let clipped = (span.start_us.max(parent.start_us), span.end_us.min(parent.end_us));
            if clipped.0 < clipped.1 {
                children.entry(index).or_default().push(clipped);
            }
        }
    }
    let own = spans.iter().enumerate().map(|(index, span)| {
        let covered = children.get_mut(&index).map_or(0.0, |intervals| union(intervals));
        (span.end_us - span.start_us - covered).max(0.0)
    });
    own.collect()
}

/// Length of the union of intervals.
pub(super) fn union(intervals: &mut [(f64, f64)]) -> f64 {
    intervals.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut length = 0.0;
    let mut reach = f64::NEG_INFINITY;
    for &(start, end) in intervals.iter() {
        if end > reach {
            length += end - start.max(reach);
            reach = end;
        }
    }
    length
}

/// The phases of each compile, as trees flattened in depth-first order. A span belongs to the compile of its outermost
/// ancestor that has one, so that work done for a compile under another name stays with it.
fn trees(spans: &[TraceSpan], selfs: &[f64]) -> FxHashMap<CompileIndex, Vec<PhaseNode>> {
    let mut forest = Forest::default();
    // Node of each span: spans come after their parents.
    let mut node_of: Vec<Option<(CompileIndex, usize)>> = Vec::with_capacity(spans.len());
    for (span, self_us) in spans.iter().zip(selfs) {
        let above = span.parent.and_then(|p| node_of.get(p).copied().flatten());
        let compile = span.compile.or(above.map(|(compile, _)| compile));
        let parent = above.filter(|(of, _)| Some(*of) == compile).map(|(_, node)| node);
        node_of.push(compile.map(|c| (c, forest.add(c, parent, span, *self_us))));
    }
    forest.flatten()
}

#[derive(Default)]
struct Forest {
    nodes: Vec<(PhaseNode, Vec<usize>)>,
    roots: FxHashMap<CompileIndex, Vec<usize>>,
    known: TextMap<(CompileIndex, Option<usize>, Arc<str>), usize>,
}

impl Forest {
    fn add(&mut self, compile: CompileIndex, parent: Option<usize>, span: &TraceSpan, self_us: f64) -> usize {
        let key = (compile, parent, span.name.clone());
        let next = self.nodes.len();
        let index = *self.known.entry(key).or_insert(next);
        if index == next {
            let depth = parent.and_then(|p| self.nodes.get(p)).map_or(0, |(node, _)| node.depth + 1);
            let node = PhaseNode { name: span.name.clone(), depth, self_s: 0.0, total_s: 0.0, count: 0 };
            self.nodes.push((node, Vec::new()));
            match parent.and_then(|p| self.nodes.get_mut(p)) {
                Some((_, children)) => children.push(index),
                None => self.roots.entry(compile).or_default().push(index),
            }
        }
        if let Some((node, _)) = self.nodes.get_mut(index) {
            node.self_s += self_us / 1e6;
            node.total_s += (span.end_us - span.start_us) / 1e6;
            node.count += 1;
        }
        index
    }

    fn flatten(mut self) -> FxHashMap<CompileIndex, Vec<PhaseNode>> {
        let roots = std::mem::take(&mut self.roots);
        roots
            .into_iter()
            .map(|(compile, roots)| {
                let mut order = Vec::new();
                let mut stack: Vec<usize> = roots.into_iter().rev().collect();
                while let Some(index) = stack.pop() {
                    let Some((node, children)) = self.nodes.get(index) else { continue };
                    order.push(node.clone());
                    stack.extend(children.iter().rev());
                }
                (compile, order)
            })
            .collect()
    }
}

/// Without chromium events: the sums of the metrics' times, under the names of the phases they time.
fn from_metrics(model: &Model) -> CompileTime {
    let records = || model.compiles.iter().flat_map(|c| &c.metrics);
    let forward = || records().filter(|m| m.kind == MetricsKind::Forward).map(|m| &m.facts);
    let sum = |values: &mut dyn Iterator<Item = f64>| values.fold((0.0, 0), |(sum, n), v| (sum + v, n + 1));
    let nested = [
        ("entire_frame_compile", sum(&mut forward().filter_map(|f| f.dynamo_us))),
        ("backend_compile", sum(&mut forward().filter_map(|f| f.aot_us))),
        ("inductor_compile", sum(&mut forward().filter_map(|f| f.inductor_us))),
        ("code_gen", sum(&mut forward().filter_map(|f| f.codegen_us))),
    ];
    let below = nested.iter().skip(1).map(|(_, (us, _))| *us).chain([0.0]);
    let mut phases: Vec<Phase> = nested
        .iter()
        .zip(below)
        .map(|((name, (us, count)), inner)| (*name, *us, (us - inner).max(0.0), *count))
        .chain({
            let other = records().filter(|m| !matches!(m.kind, MetricsKind::Forward) && !m.kind.is_runtime());
            let (us, count) = sum(&mut other.filter_map(|m| m.total_us()));
            [("entire_backward_compile", us, us, count)]
        })
        .filter(|(_, _, _, count)| *count > 0)
        .map(|(name, us, own, count)| Phase {
            name: name.into(),
            self_s: seconds(own),
            total_s: seconds(us),
            count,
        })
        .collect();
    sort(&mut phases);
    let outer = |p: &&Phase| matches!(&*p.name, "entire_frame_compile" | "entire_backward_compile");
    let total_s = phases.iter().filter(outer).fold(0.0, |sum, p| sum + p.total_s);
    CompileTime { total_s, phases, by_compile: FxHashMap::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_intervals_count_once() {
        assert_eq!(union(&mut [(0.0, 2.0), (1.0, 3.0), (5.0, 6.0), (5.5, 5.7)]), 4.0);
        assert_eq!(union(&mut []), 0.0);
    }
}
