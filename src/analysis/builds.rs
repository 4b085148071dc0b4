//! What was built outside of Python: kernels, and the programs that try the C++ compiler out.

use super::one_offs::{OneOffKind, one_offs};
use super::time::{self_times, union};
use crate::model::{CompileIndex, Model, TraceSpan};
use indexmap::IndexMap;

/// The phase that runs the C++ compiler.
const BUILD: &str = "compile_file";

/// The phase in which torch tries out what the machine's vector units and compiler can do.
const GENERATION: &str = "Scheduler.codegen";

/// How the names begin of phases that tune kernels.
const TUNING: [&str; 3] = ["CachingAutotuner.benchmark", "CachingAutotuner.coordinate_descent", "benchmark_"];

/// Builds of one compile.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BuildsOf {
    /// The compile.
    pub compile: CompileIndex,
    /// How many.
    pub count: usize,
    /// Microseconds of all of them.
    pub us: f64,
    /// Microseconds of the longest.
    pub longest_us: f64,
}

/// What was built in a log, from its spans; nothing where it has none.
#[derive(Debug, Default)]
pub struct Builds {
    /// Kernels, by compile, in the order of the log.
    pub kernels: Vec<BuildsOf>,
    /// Programs that try the compiler out, by compile.
    pub trials: Vec<BuildsOf>,
    /// Microseconds that tuning covers, by compile.
    pub tuning: Vec<BuildsOf>,
    /// Microseconds that at least one span covers.
    pub log_us: f64,
}

impl Builds {
    /// Reads the spans of a log.
    pub fn of(model: &Model) -> Builds {
        let mut kernels = IndexMap::new();
        let mut tuning = IndexMap::new();
        for span in &model.spans {
            let Some(compile) = compile_of(model, span) else { continue };
            let builds = *span.name == *BUILD;
            let kind = match () {
                // Those try the compiler out.
                () if builds && within(model, span, GENERATION) => continue,
                () if builds => &mut kernels,
                () if is_tuning(&span.name) => &mut tuning,
                () => continue,
            };
            add(kind, compile, span.end_us - span.start_us);
        }
        let mut trials = IndexMap::new();
        let toolchain = one_offs(model, &self_times(&model.spans)).into_iter();
        for one in toolchain.filter(|one| one.kind == OneOffKind::Toolchain) {
            add(&mut trials, one.compile, one.us);
        }
        let mut all: Vec<(f64, f64)> = model.spans.iter().map(|span| (span.start_us, span.end_us)).collect();
        let found = |kind: IndexMap<CompileIndex, BuildsOf>| kind.into_values().collect();
        Builds {
            kernels: found(kernels),
            trials: found(trials),
            tuning: found(tuning),
            log_us: union(&mut all),
        }
    }

    /// Microseconds of all builds of kernels.
    pub fn kernels_us(&self) -> f64 {
        self.kernels.iter().map(|one| one.us).sum()
    }

    /// Microseconds of trying the compiler out.
    pub fn trials_us(&self) -> f64 {
        self.trials.iter().map(|one| one.us).sum()
    }
}

fn is_tuning(name: &str) -> bool {
    TUNING.iter().any(|beginning| name.starts_with(beginning)) || name.ends_with("_template_autotuning")
}

fn add(kind: &mut IndexMap<CompileIndex, BuildsOf>, compile: CompileIndex, us: f64) {
    if !(us.is_finite() && us > 0.0) {
        return;
    }
    let of = kind.entry(compile).or_insert(BuildsOf { compile, count: 0, us: 0.0, longest_us: 0.0 });
    of.count += 1;
    of.us += us;
    of.longest_us = of.longest_us.max(us);
}

/// The spans around a span, nearest first. A span comes after its parent, so this ends.
fn around<'m>(model: &'m Model, span: &'m TraceSpan) -> impl Iterator<Item = &'m TraceSpan> {
    let next = |span: &&'m TraceSpan| {
        let parent = span.parent?;
        model.spans.get(parent)
    };
    std::iter::successors(next(&span), next)
}

fn within(model: &Model, span: &TraceSpan, name: &str) -> bool {
    around(model, span).any(|outer| *outer.name == *name)
}

fn compile_of(model: &Model, span: &TraceSpan) -> Option<CompileIndex> {
    span.compile.or_else(|| around(model, span).find_map(|outer| outer.compile))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::trace::CompileId;

    /// A log of 20 s: 4 s of trying the compiler out, four kernels of 2 s.
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

    /// A span of a test: name, parent, begin and end in seconds.
    pub(crate) fn span(name: &str, parent: Option<usize>, start_s: f64, end_s: f64) -> TraceSpan {
        TraceSpan {
            name: name.into(),
            start_us: start_s * 1e6,
            end_us: end_s * 1e6,
            parent,
            compile: parent.is_none().then_some(CompileIndex::new(0)),
            pid: 1,
            open: false,
        }
    }

    #[test]
    fn builds_within_code_generation_try_the_compiler_out_and_all_others_are_kernels() {
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
        let builds = Builds::of(&Model { spans, ..Model::default() });
        let compile = CompileIndex::new(0);
        assert_eq!(builds.trials, [BuildsOf { compile, count: 1, us: 6e6, longest_us: 6e6 }]);
        assert_eq!(builds.kernels, [BuildsOf { compile, count: 2, us: 10e6, longest_us: 6e6 }]);
        assert_eq!(builds.tuning, [BuildsOf { compile, count: 1, us: 2e6, longest_us: 2e6 }]);
        assert_eq!(builds.log_us, 30e6);
    }
}
