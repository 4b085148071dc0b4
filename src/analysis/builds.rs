//! What was built outside of Python: kernels, and the programs that check the C++ compiler.

use super::build_spans::BuildPurpose;
use super::one_offs::{OneOff, OneOffKind};
use super::spans::{Spans, union};
use crate::model::{CompileIndex, CompilerPart, TraceSpan};
use indexmap::IndexMap;

/// When the spans of one kind of work in a compile begin and end.
type Intervals = Vec<(f64, f64)>;

/// The same by compile.
type ByCompile = IndexMap<CompileIndex, Intervals>;

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
    fn of((compile, mut spans): (CompileIndex, Intervals)) -> BuildsOf {
        let work_us = spans.iter().map(|(start, end)| end - start).sum();
        BuildsOf { compile, count: spans.len(), us: union(&mut spans), work_us }
    }
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
    pub fn of(all: &Spans<'_>, one_offs: &[OneOff]) -> Builds {
        let mut found = Builds::default();
        // Kernels that one phase loads.
        let mut batches: IndexMap<usize, (CompileIndex, Intervals)> = IndexMap::new();
        let (mut kernels, mut ahead_of_time) = (ByCompile::new(), ByCompile::new());
        let (mut trials, mut tuning) = (IndexMap::new(), ByCompile::new());
        for build in &all.builds {
            match build.purpose {
                BuildPurpose::Kernel { loader } if add(&mut kernels, build.compile, build.span) => {
                    let (_, spans) = batches.entry(loader).or_insert((build.compile, Vec::new()));
                    spans.push((build.span.start_us, build.span.end_us));
                }
                BuildPurpose::AheadOfTime => _ = add(&mut ahead_of_time, build.compile, build.span),
                // Counted as one-off work and as autotuning.
                BuildPurpose::Kernel { .. } | BuildPurpose::Trial | BuildPurpose::Candidate => {}
            }
        }
        for (span, owner) in all.owned() {
            if let Some(compile) = owner.compile.filter(|_| is_tuning(&span.name)) {
                add(&mut tuning, compile, span);
            }
        }
        for one in one_offs {
            match one.kind {
                OneOffKind::Toolchain => add_time(&mut trials, one.compile, one.us),
                OneOffKind::WaitForWorkers => found.worker_wait_us += one.us,
                OneOffKind::WaitForProcess => found.process_wait_us += one.us,
                OneOffKind::FirstUse => {}
            }
        }
        let mut side_by_side = IndexMap::new();
        for batch in batches.into_values() {
            // At best, the kernels of a graph take as long as the longest one.
            let longest_us = batch.1.iter().map(|(start, end)| end - start).fold(0.0, f64::max);
            let all = BuildsOf::of(batch);
            add_time(&mut side_by_side, all.compile, all.us - longest_us);
        }
        let mut intervals: Intervals =
            all.model.spans.iter().map(|span| (span.start_us, span.end_us)).collect();
        let of = |kind: ByCompile| kind.into_iter().map(BuildsOf::of).collect();
        found.kernels = of(kernels);
        found.ahead_of_time = of(ahead_of_time);
        found.side_by_side = side_by_side.into_values().collect();
        found.trials = trials.into_values().collect();
        found.tuning = of(tuning);
        found.log_us = union(&mut intervals);
        found
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

/// Adds the span to the compile; false if its time is not positive.
fn add(kind: &mut ByCompile, compile: CompileIndex, span: &TraceSpan) -> bool {
    let us = span.end_us - span.start_us;
    let is_time = us.is_finite() && us > 0.0;
    if is_time {
        kind.entry(compile).or_default().push((span.start_us, span.end_us));
    }
    is_time
}

/// Adds a positive time that no span covers.
fn add_time(kind: &mut IndexMap<CompileIndex, BuildsOf>, compile: CompileIndex, us: f64) {
    if us.is_finite() && us > 0.0 {
        let of = kind.entry(compile).or_insert(BuildsOf { compile, count: 0, us: 0.0, work_us: 0.0 });
        of.count += 1;
        of.us += us;
        of.work_us += us;
    }
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
