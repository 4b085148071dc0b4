//! Compile time: phases with self and total time, for the log and for each compile.

use super::spans::{Covered, Spans};
use crate::facts::Phase;
use crate::model::{CompileIndex, MetricsKind, Model, PhaseName, TraceSpan};
use crate::trace::TextMap;

/// Compile time of a log.
pub struct CompileTime {
    /// Seconds covered by at least one span.
    pub total_s: f64,
    /// All phases, most self time first.
    pub phases: Vec<Phase<'static>>,
}

impl Spans<'_> {
    /// The phases of a compile: trees in order of first appearance, flattened depth first. They are built on demand, because
    /// the phases of all compiles together would take more memory than the rest of the model.
    pub fn phases_of(&self, compile: CompileIndex) -> Vec<PhaseNode> {
        let spans = self.of_compile.at(compile);
        let mut forest = Forest::default();
        let mut node_of: Vec<usize> = Vec::with_capacity(spans.len());
        for &index in spans {
            let Some(span) = self.model.spans.get(index as usize) else { continue };
            // A span comes after the one around it.
            let around = span.parent().and_then(|parent| u32::try_from(parent).ok());
            let around = around.and_then(|parent| spans.binary_search(&parent).ok());
            let parent = around.and_then(|place| node_of.get(place).copied());
            let self_us = self.self_us.get(index as usize).copied().unwrap_or_default();
            node_of.push(forest.add(parent, span, self_us));
        }
        forest.flatten()
    }
}

/// A phase of one compile, below its parent: spans with the same name and parent are one node.
#[derive(Debug, Clone)]
pub struct PhaseNode {
    /// As torch names it.
    pub name: PhaseName,
    /// Depth in the tree, outermost 0.
    pub depth: usize,
    /// Seconds without children.
    pub self_s: f64,
    /// Seconds, the sum of its spans.
    pub total_s: f64,
    /// Number of spans.
    pub count: u64,
}

/// Sums up the spans; without chromium events, the times of the metrics.
pub(super) fn of_log(all: &Spans<'_>) -> CompileTime {
    let model = all.model;
    if model.spans.is_empty() {
        return from_metrics(model);
    }
    let mut self_us: TextMap<&PhaseName, f64> = TextMap::default();
    for (span, own) in model.spans.iter().zip(&all.self_us) {
        *self_us.entry(&span.name).or_default() += own;
    }
    let mut order: Vec<&TraceSpan> = model.spans.iter().collect();
    order.sort_by(|a, b| a.start_us.total_cmp(&b.start_us));
    let mut of_name = TextMap::<&PhaseName, (Covered, u64)>::default();
    for span in order {
        let (covered, count) = of_name.entry(&span.name).or_default();
        covered.add(span.start_us, span.end_us);
        *count += 1;
    }
    let phase = |(name, (covered, count)): (&PhaseName, (Covered, u64))| {
        let total_s = seconds(covered.length);
        let own_s = seconds(self_us.get(name).copied().unwrap_or_default());
        // Spans that ran side by side took no longer than the time they cover.
        Phase { name: name.to_string().into(), self_s: own_s.min(total_s), total_s, count }
    };
    let mut phases: Vec<Phase<'static>> = of_name.into_iter().map(phase).collect();
    sort(&mut phases);
    CompileTime { total_s: seconds(all.covered_us), phases }
}

fn sort(phases: &mut [Phase<'_>]) {
    phases.sort_by(|a, b| b.self_s.total_cmp(&a.self_s).then_with(|| a.name.cmp(&b.name)));
}

/// Microseconds as seconds with six decimals, so that sums do not show how floats are added.
pub fn seconds(us: f64) -> f64 {
    us.round() / 1e6
}

/// The phases of one compile.
#[derive(Default)]
struct Forest<'m> {
    nodes: Vec<(PhaseNode, Vec<usize>)>,
    roots: Vec<usize>,
    known: TextMap<(Option<usize>, &'m PhaseName), usize>,
}

impl<'m> Forest<'m> {
    fn add(&mut self, parent: Option<usize>, span: &'m TraceSpan, self_us: f64) -> usize {
        let next = self.nodes.len();
        let index = *self.known.entry((parent, &span.name)).or_insert(next);
        if index == next {
            let depth = parent.and_then(|p| self.nodes.get(p)).map_or(0, |(node, _)| node.depth + 1);
            let node = PhaseNode { name: span.name.clone(), depth, self_s: 0.0, total_s: 0.0, count: 0 };
            self.nodes.push((node, Vec::new()));
            match parent.and_then(|p| self.nodes.get_mut(p)) {
                Some((_, children)) => children.push(index),
                None => self.roots.push(index),
            }
        }
        if let Some((node, _)) = self.nodes.get_mut(index) {
            node.self_s += self_us / 1e6;
            node.total_s += (span.end_us - span.start_us) / 1e6;
            node.count += 1;
        }
        index
    }

    fn flatten(self) -> Vec<PhaseNode> {
        let mut order = Vec::with_capacity(self.nodes.len());
        let mut stack: Vec<usize> = self.roots.into_iter().rev().collect();
        while let Some(index) = stack.pop() {
            let Some((node, children)) = self.nodes.get(index) else { continue };
            order.push(node.clone());
            stack.extend(children.iter().rev());
        }
        order
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
    let mut phases: Vec<Phase<'static>> = nested
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
    let outer = |p: &&Phase<'_>| matches!(&*p.name, "entire_frame_compile" | "entire_backward_compile");
    let total_s = phases.iter().filter(outer).fold(0.0, |sum, p| sum + p.total_s);
    CompileTime { total_s, phases }
}
