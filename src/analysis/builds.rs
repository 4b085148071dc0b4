//! What was built outside of Python: kernels, and the programs that check the C++ compiler.

use super::build_spans::BuildPurpose;
use super::one_offs::{OneOff, OneOffKind};
use super::spans::{Spans, union};
use crate::model::{CompileIndex, CompilerPart, TraceSpan};
use fxhash::FxHashMap;
use indexmap::IndexMap;
use std::hash::Hash;

/// From this ratio of work to elapsed time, builds ran side by side: clocks of spans that touch may overlap a little.
const SIDE_BY_SIDE: f64 = 1.05;

/// Prefixes of phases that tune kernels.
const TUNING: [&str; 3] = ["CachingAutotuner.benchmark", "CachingAutotuner.coordinate_descent", "benchmark_"];

/// Work of one kind in one compile.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BuildsOf {
    pub compile: CompileIndex,
    /// Number of spans.
    pub count: usize,
    /// Microseconds during which at least one of them ran.
    pub us: f64,
    /// Microseconds of all of them; more than `us` where they ran side by side.
    pub work_us: f64,
}

impl BuildsOf {
    fn new(compile: CompileIndex, mut spans: Vec<(f64, f64)>) -> BuildsOf {
        let work_us = spans.iter().map(|(start, end)| end - start).sum();
        BuildsOf { compile, count: spans.len(), us: union(&mut spans), work_us }
    }
}

/// Spans of one kind of work that take time, by what they belong to.
fn grouped<'s, K: Hash + Eq>(
    spans: impl Iterator<Item = (K, &'s TraceSpan)>,
) -> IndexMap<K, Vec<(f64, f64)>> {
    let mut found: IndexMap<K, Vec<(f64, f64)>> = IndexMap::new();
    for (key, span) in spans {
        let us = span.end_us - span.start_us;
        if us.is_finite() && us > 0.0 {
            found.entry(key).or_default().push((span.start_us, span.end_us));
        }
    }
    found
}

/// The same, grouped by compile.
fn by_compile<'s>(spans: impl Iterator<Item = (CompileIndex, &'s TraceSpan)>) -> Vec<BuildsOf> {
    grouped(spans).into_iter().map(|(compile, spans)| BuildsOf::new(compile, spans)).collect()
}

/// Positive times that no span covers, by compile.
fn summed(times: impl Iterator<Item = (CompileIndex, f64)>) -> Vec<BuildsOf> {
    let mut found: IndexMap<CompileIndex, BuildsOf> = IndexMap::new();
    for (compile, us) in times.filter(|(_, us)| us.is_finite() && *us > 0.0) {
        let of = found.entry(compile).or_insert(BuildsOf { compile, count: 0, us: 0.0, work_us: 0.0 });
        of.count += 1;
        of.us += us;
        of.work_us += us;
    }
    found.into_values().collect()
}

/// What was built in a log, from its spans; empty without spans.
#[derive(Debug, Default)]
pub struct Builds {
    /// Kernels of graphs, by compile, in the order of the log.
    pub kernels: Vec<BuildsOf>,
    /// Models that are built ahead of time, each with wrapper, kernels and library, by compile.
    pub ahead_of_time: Vec<BuildsOf>,
    /// The most that building all kernels of a graph in parallel would save, by compile.
    pub side_by_side: Vec<BuildsOf>,
    /// Checks of the compiler, by compile.
    pub trials: Vec<BuildsOf>,
    /// Tuning, by compile.
    pub tuning: Vec<BuildsOf>,
    /// Microseconds of waiting for worker processes.
    pub worker_wait_us: f64,
    /// Microseconds of waiting for another process.
    pub process_wait_us: f64,
    /// Microseconds covered by at least one span.
    pub log_us: f64,
}

impl Builds {
    /// Reads the spans of a log.
    pub fn new(all: &Spans<'_>, one_offs: &[OneOff]) -> Builds {
        // Trials count as one-off work, candidates as autotuning.
        let kernels = all.builds.iter().filter_map(|build| match build.purpose {
            BuildPurpose::Kernel { loader } => Some((loader, build.compile, build.span)),
            _ => None,
        });
        let libraries = all.builds.iter().filter(|build| build.purpose == BuildPurpose::AheadOfTime);
        let tuning = all.owned().filter(|(span, _)| is_tuning(&span.name));
        let of_kind = |kind| one_offs.iter().filter(move |one| one.kind == kind);
        let waited = |kind| of_kind(kind).fold(0.0, |sum, one| sum + one.us);
        // Kernels that one phase loads: at best, they take as long as the longest one. Their compile is that of the first.
        let mut compiles: FxHashMap<usize, CompileIndex> = FxHashMap::default();
        kernels.clone().for_each(|(loader, compile, _)| _ = compiles.entry(loader).or_insert(compile));
        let batches = grouped(kernels.clone().map(|(loader, _, span)| (loader, span))).into_iter();
        let saved = batches.filter_map(|(loader, spans)| {
            let longest_us = spans.iter().map(|(start, end)| end - start).fold(0.0, f64::max);
            let compile = *compiles.get(&loader)?;
            Some((compile, BuildsOf::new(compile, spans).us - longest_us))
        });
        Builds {
            side_by_side: summed(saved),
            kernels: by_compile(kernels.clone().map(|(_, compile, span)| (compile, span))),
            ahead_of_time: by_compile(libraries.map(|build| (build.compile, build.span))),
            trials: summed(of_kind(OneOffKind::Toolchain).map(|one| (one.compile, one.us))),
            tuning: by_compile(tuning.filter_map(|(span, owner)| Some((owner.compile?, span)))),
            worker_wait_us: waited(OneOffKind::WaitForWorkers),
            process_wait_us: waited(OneOffKind::WaitForProcess),
            log_us: all.covered_us,
        }
    }

    /// Microseconds during which kernels of graphs were built.
    pub fn kernels_us(&self) -> f64 {
        sum(&self.kernels)
    }

    /// Microseconds of all builds of graphs' kernels, where they are clearly more than [`Builds::kernels_us`], as several ran
    /// side by side.
    pub fn parallel_work_us(&self) -> Option<f64> {
        let work_us: f64 = self.kernels.iter().map(|one| one.work_us).sum();
        Some(work_us).filter(|work_us| *work_us > SIDE_BY_SIDE * self.kernels_us())
    }

    /// Microseconds of all builds in a part of the compiler that took `part_us`, where several ran side by side.
    pub fn work_of_part_us(&self, part: Option<CompilerPart>, part_us: f64) -> Option<f64> {
        let work_us = self.parallel_work_us().filter(|_| part == Some(CompilerPart::KernelBuilds))?;
        Some((part_us - self.kernels_us()).max(0.0) + work_us)
    }

    /// Microseconds of building ahead of time.
    pub fn ahead_of_time_us(&self) -> f64 {
        sum(&self.ahead_of_time)
    }

    /// How many models were built ahead of time.
    pub fn libraries(&self) -> usize {
        self.ahead_of_time.iter().map(|one| one.count).sum()
    }

    /// Microseconds that threads would save at most.
    pub fn side_by_side_us(&self) -> f64 {
        sum(&self.side_by_side)
    }

    /// Of these, those in a compile.
    pub fn trial_us(&self, compile: CompileIndex) -> f64 {
        self.trials.iter().filter(|one| one.compile == compile).map(|one| one.us).sum()
    }

    /// Microseconds of checking the compiler.
    pub fn trials_us(&self) -> f64 {
        sum(&self.trials)
    }
}

fn sum(of: &[BuildsOf]) -> f64 {
    of.iter().map(|one| one.us).sum()
}

fn is_tuning(name: &str) -> bool {
    TUNING.iter().any(|beginning| name.starts_with(beginning)) || name.ends_with("_template_autotuning")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::model::Model;
    use crate::trace::CompileId;

    /// A log of 20 s: 4 s of checking the compiler, and four kernels of 2 s.
    pub(in crate::analysis) fn model() -> Model {
        let mut model = Model::default();
        model.compile_index(CompileId::parse("0/0").as_ref());
        model.spans = vec![
            span("entire_frame_compile", None, 0.0, 20.0),
            span("Scheduler.codegen", Some(0), 0.0, 6.0),
            span("compile_file", Some(1), 0.0, 4.0),
            span("PyCodeCache.load_by_key_path", Some(0), 6.0, 20.0),
        ];
        for kernel in 0..4 {
            let start = 6.0 + 2.0 * f64::from(kernel);
            model.spans.push(span("compile_file", Some(3), start, start + 2.0));
        }
        model.inductor.compile_threads = Some(1);
        model
    }

    /// A span: name, parent, begin and end in seconds.
    pub(crate) fn span(name: &str, parent: Option<usize>, start_s: f64, end_s: f64) -> TraceSpan {
        let mut span = TraceSpan::closed(name, start_s * 1e6, end_s * 1e6, parent);
        span.compile = parent.is_none().then_some(CompileIndex::new(0));
        span
    }
}
