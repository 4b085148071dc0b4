//! Compile time by part of the compiler, from spans or metrics.

use crate::model::CompilerPart::{AotAutograd, Autotuning, CodeGeneration, Inductor, KernelBuilds};
use crate::model::words::words_of;
use crate::model::{Compile, CompileIndex, CompilerPart, Metrics, MetricsKind, Parts, TraceSpan};
use crate::trace::TextMap;
use std::sync::LazyLock;

/// Parts whose result for a graph is kept by a cache: all but Dynamo and the kernels.
pub(super) const GRAPH_PARTS: [CompilerPart; 3] = [AotAutograd, Inductor, CodeGeneration];

/// Prefixes of the names of phases that open a part.
static BEGINNINGS: LazyLock<Vec<(CompilerPart, &str)>> = LazyLock::new(|| {
    let parts = words_of(include_str!("parts.txt")).into_iter();
    let parts = parts.filter_map(|(part, words)| Some((CompilerPart::named(Some(part))?, words)));
    parts.flat_map(|(part, words)| words.split(' ').map(move |word| (part, word))).collect()
});

/// Microseconds in each part from the metrics records of a compile, without those of runtime. They do not time kernel builds.
pub(super) fn parts_of_compile(compile: &Compile) -> Parts {
    let records = compile.metrics.iter().map(|record| parts_of_metrics(record.kind, &record.facts));
    records.fold(Parts::default(), Parts::plus)
}

/// The same from one record: the time of each part without the time of the part inside it. A backward graph is compiled
/// outside of Dynamo, so that its outermost part is AOTAutograd.
pub(super) fn parts_of_metrics(kind: MetricsKind, facts: &Metrics) -> Parts {
    let total = facts.total_us(kind);
    let outermost = match kind {
        MetricsKind::Runtime | MetricsKind::BackwardRuntime => return Parts::default(),
        MetricsKind::Forward => [total, facts.aot_us, facts.inductor_us, facts.codegen_us],
        MetricsKind::Backward => [None, total, facts.inductor_us, facts.codegen_us],
        MetricsKind::AotBackward => [None, total, None, None],
    };
    let mut parts = Parts::default();
    let mut below = 0.0;
    for (part, time) in CompilerPart::ALL.into_iter().zip(outermost).rev() {
        // A part without a time has no time of its own: the part inside it belongs to the next one outside.
        let time = time.unwrap_or(below).max(below);
        parts.add(part, time - below);
        below = time;
    }
    tuned(parts, facts.autotune_us.unwrap_or_default())
}

/// The same with that much moved to autotuning: from code generation, otherwise from Inductor.
fn tuned(mut parts: Parts, autotune_us: f64) -> Parts {
    let mut left = if autotune_us.is_finite() { autotune_us.max(0.0) } else { 0.0 };
    for part in [CodeGeneration, Inductor] {
        let moved = parts.time_in(part).min(left);
        parts.add(part, -moved);
        parts.add(Autotuning, moved);
        left -= moved;
    }
    parts
}

/// What Inductor's cache of graphs saves; other caches keep kernels, by content.
pub(super) fn inductor_graph_us(parts: &Parts) -> f64 {
    parts.time_in(Inductor) + parts.time_in(CodeGeneration)
}

/// Kernels and the choices of tuning, which are cached by content.
pub(super) fn built_us(parts: &Parts) -> f64 {
    parts.time_in(KernelBuilds) + parts.time_in(Autotuning)
}

/// What AOTAutograd's cache saves beyond Inductor's.
pub(super) fn aot_graph_us(parts: &Parts) -> f64 {
    parts.time_in(AotAutograd)
}

/// What the time of a span belongs to.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Owner {
    pub(super) part: Option<CompilerPart>,
    pub(super) compile: Option<CompileIndex>,
}

/// The owner of each span; part and compile default to those of the span around it.
pub(super) fn owners(spans: &[TraceSpan]) -> Vec<Owner> {
    let mut parts: TextMap<&str, Option<CompilerPart>> = TextMap::default();
    let mut owners: Vec<Owner> = Vec::with_capacity(spans.len());
    for span in spans {
        let around = span.parent().and_then(|parent| owners.get(parent)).copied().unwrap_or_default();
        let part = *parts.entry(&*span.name).or_insert_with(|| part_of_phase(&span.name));
        owners.push(Owner { part: part.or(around.part), compile: span.compile.or(around.compile) });
    }
    owners
}

/// The part of the compiler that a phase of this name opens; None if it belongs to the part around it.
pub fn part_of_phase(name: &str) -> Option<CompilerPart> {
    if name.contains("autotun") {
        return Some(Autotuning);
    }
    if name.contains("precompiling") {
        return Some(KernelBuilds);
    }
    BEGINNINGS.iter().find(|(_, word)| name.starts_with(word)).map(|(part, _)| *part)
}
