//! What was built outside of Python: kernels, and the programs that check the C++ compiler.

use super::build_spans::BuildPurpose;
use super::one_offs::{OneOff, OneOffKind};
use super::spans::{Spans, union};
use crate::model::{CompileIndex, CompilerPart, TraceSpan};
use indexmap::IndexMap;

/// The spans of one kind of work, by compile.
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

/// The spans of one kind of work in a compile.
#[derive(Default)]
struct Intervals(Vec<(f64, f64)>);

impl Intervals {
    fn add(&mut self, span: &TraceSpan) {
        self.0.push((span.start_us, span.end_us));
    }

    fn of(mut self, compile: CompileIndex) -> BuildsOf {
        let work_us = self.0.iter().map(|(start, end)| end - start).sum();
        BuildsOf { compile, count: self.0.len(), us: union(&mut self.0), work_us }
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

/// Kernels that one phase loads.
struct Batch {
    compile: CompileIndex,
    spans: Intervals,
    longest_us: f64,
}

impl Builds {
    /// Reads the spans of a log.
    pub fn of(all: &Spans<'_>, one_offs: &[OneOff]) -> Builds {
        let mut found = Builds::default();
        let mut batches: IndexMap<usize, Batch> = IndexMap::new();
        let (mut kernels, mut ahead_of_time) = (ByCompile::new(), ByCompile::new());
        let (mut trials, mut tuning) = (IndexMap::new(), ByCompile::new());
        for build in &all.builds {
            let us = build.span.end_us - build.span.start_us;
            match build.purpose {
                BuildPurpose::Kernel { loader } if add(&mut kernels, build.compile, build.span) => {
                    let new = Batch { compile: build.compile, spans: Intervals::default(), longest_us: 0.0 };
                    let batch = batches.entry(loader).or_insert(new);
                    batch.spans.add(build.span);
                    batch.longest_us = batch.longest_us.max(us);
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
            let all = batch.spans.of(batch.compile);
            let saved_us = all.us - batch.longest_us;
            add_time(&mut side_by_side, batch.compile, saved_us);
        }
        let intervals = all.model.spans.iter().map(|span| (span.start_us, span.end_us));
        let mut intervals: Vec<(f64, f64)> = intervals.collect();
        let of =
            |kind: ByCompile| kind.into_iter().map(|(compile, spans)| spans.of(compile)).collect::<Vec<_>>();
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
        kind.entry(compile).or_default().add(span);
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
    use crate::analysis::one_offs::one_offs;
    use crate::model::Model;
    use crate::trace::CompileId;

    fn of(model: &Model) -> Builds {
        let spans = Spans::of(model);
        Builds::of(&spans, &one_offs(&spans))
    }

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

    #[test]
    fn builds_during_code_generation_check_the_compiler_and_all_others_are_kernels() {
        let spans = vec![
            span("entire_frame_compile", None, 0.0, 30.0),
            span("Scheduler.codegen", Some(0), 1.0, 8.0),
            span("compile_file", Some(1), 1.0, 5.0),
            span("compile_file", Some(1), 5.0, 7.0),
            span("PyCodeCache.load_by_key_path", Some(0), 8.0, 20.0),
            span("compile_file", Some(4), 8.0, 14.0),
            span("compile_file", Some(4), 14.0, 18.0),
            span("mm_template_autotuning", Some(0), 20.0, 22.0),
        ];
        let builds = of(&Model { spans, ..Model::default() });
        let one = |count, us| BuildsOf { compile: CompileIndex::new(0), count, us, work_us: us };
        assert_eq!(builds.trials, [one(1, 6e6)]);
        assert_eq!(builds.kernels, [one(2, 10e6)]);
        assert_eq!(builds.side_by_side, [one(1, 4e6)], "the longest takes 6 s in any case");
        assert_eq!(builds.tuning, [one(1, 2e6)]);
        assert_eq!(builds.log_us, 30e6);
    }

    #[test]
    fn builds_side_by_side_count_as_the_time_they_cover_and_their_work_is_told_apart() {
        let spans = vec![
            span("entire_frame_compile", None, 0.0, 30.0),
            span("PyCodeCache.load_by_key_path", Some(0), 8.0, 20.0),
            span("compile_file", Some(1), 8.0, 14.0),
            span("compile_file", Some(1), 9.0, 15.0),
        ];
        let builds = of(&Model { spans, ..Model::default() });
        assert_eq!((builds.kernels_us(), builds.parallel_work_us()), (7e6, Some(12e6)));
        assert_eq!(of(&model()).parallel_work_us(), None, "one after the other");
    }

    #[test]
    fn threads_save_nothing_if_each_graph_has_one_kernel_or_all_is_built_ahead_of_time() {
        let loaded = |loader: &str, two: &str| {
            let spans = vec![
                span("entire_frame_compile", None, 0.0, 30.0),
                span(loader, Some(0), 8.0, 14.0),
                span("compile_file", Some(1), 8.0, 14.0),
                span(two, Some(0), 14.0, 20.0),
                span("compile_file", Some(3), 14.0, 20.0),
            ];
            of(&Model { spans, ..Model::default() })
        };
        let graphs = loaded("PyCodeCache.load_by_key_path", "PyCodeCache.load_by_key_path");
        assert_eq!((graphs.kernels_us(), graphs.side_by_side_us()), (12e6, 0.0));
        let ahead = loaded("AotCodeCompiler.compile", "AotCodeCompiler.compile");
        assert_eq!((ahead.kernels_us(), ahead.ahead_of_time_us()), (0.0, 12e6));
        assert_eq!(ahead.side_by_side_us(), 0.0);
    }

    #[test]
    fn candidates_of_autotuning_are_neither_kernels_nor_checks() {
        let spans = vec![
            span("entire_frame_compile", None, 0.0, 30.0),
            span("cpp_gemm_template_precompiling", Some(0), 1.0, 8.0),
            span("compile_file", Some(1), 1.0, 5.0),
        ];
        let builds = of(&Model { spans, ..Model::default() });
        assert_eq!((builds.kernels.len(), builds.trials.len()), (0, 0));
    }

    #[test]
    fn a_log_without_compile_ids_has_builds_too() {
        let mut model = Model::default();
        let without_id = model.compile_index(None);
        let mut outer = span("compile_fx_aot", None, 0.0, 30.0);
        outer.compile = None;
        let spans = [span("Scheduler.codegen", Some(0), 1.0, 8.0), span("compile_file", Some(1), 1.0, 5.0)];
        model.spans = std::iter::once(outer).chain(spans).collect();
        let builds = of(&model);
        assert_eq!(builds.trials, [BuildsOf { compile: without_id, count: 1, us: 4e6, work_us: 4e6 }]);
    }
}
