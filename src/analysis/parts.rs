//! Compile time by part of the compiler, from spans or metrics.

use super::build_spans::trials_by_phase;
use super::builds::Builds;
use crate::model::{Compile, CompileIndex, Metrics, MetricsKind, Model, TraceSpan};
use crate::trace::TextMap;
use fxhash::FxHashMap;
use std::collections::BTreeSet;

/// The parts of the compiler, in the order of all pages. Each of the first four contains the next, and the fourth contains
/// building and tuning kernels.
pub const PARTS: [&str; 6] =
    ["Dynamo", "AOTAutograd", "Inductor", "Code generation", "Kernel builds", "Autotuning"];

/// Shorter pieces are what rounding left.
const LEAST_PIECE_US: f64 = 0.1;

/// Places in [`PARTS`].
const DYNAMO: usize = 0;
const AOT_AUTOGRAD: usize = 1;
const INDUCTOR: usize = 2;
pub const CODE_GENERATION: usize = 3;
pub const KERNEL_BUILDS: usize = 4;
pub(super) const AUTOTUNING: usize = 5;

/// Parts whose result for a graph is kept by a cache: all but Dynamo and the kernels.
pub(super) const GRAPH_PARTS: [usize; 3] = [AOT_AUTOGRAD, INDUCTOR, CODE_GENERATION];

/// Prefixes of the names of phases that open a part.
const BEGINNINGS: [(usize, &[&str]); 5] = [
    (AUTOTUNING, &["CachingAutotuner.", "benchmark_"]),
    (
        KERNEL_BUILDS,
        &[
            "compile_file",
            "async_compile",
            "CppCodeCache",
            "AotCodeCompiler",
            "aoti_precompile_header",
            "triton_compile",
        ],
    ),
    (CODE_GENERATION, &["code_gen", "GraphLowering.co", "PyCodeCache", "Scheduler.", "triton"]),
    (
        INDUCTOR,
        &[
            "inductor_",
            "fx_codegen",
            "compile_fx",
            "_recursive_",
            "FxGraphCache",
            "FXGraphCache",
            "fx_graph",
            "CacheBase.",
            "GraphLowering.run",
        ],
    ),
    (AOT_AUTOGRAD, &["backend_compile", "create_aot", "aot_", "AOTAutograd", "entire_backward", "backward"]),
];

/// Microseconds spent in each of [`PARTS`] itself.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub struct Parts(pub [f64; PARTS.len()]);

impl Parts {
    /// From the metrics records of a compile, without those of runtime. They do not time kernel builds.
    pub fn of_compile(compile: &Compile) -> Parts {
        compile
            .metrics
            .iter()
            .fold(Parts::default(), |sum, record| sum.plus(Parts::of_metrics(record.kind, &record.facts)))
    }

    /// From one record: the time of each part without the time of the part inside it. A backward graph is compiled outside
    /// of Dynamo, so that its outermost part is AOTAutograd.
    pub fn of_metrics(kind: MetricsKind, facts: &Metrics) -> Parts {
        let total = facts.total_us(kind);
        let outermost = match kind {
            MetricsKind::Runtime | MetricsKind::BackwardRuntime => return Parts::default(),
            MetricsKind::Forward => [total, facts.aot_us, facts.inductor_us, facts.codegen_us],
            MetricsKind::Backward => [None, total, facts.inductor_us, facts.codegen_us],
            MetricsKind::AotBackward => [None, total, None, None],
        };
        let mut parts = Parts::default();
        let mut below = 0.0;
        for (part, time) in parts.0.iter_mut().zip(outermost).rev() {
            // A part without a time has no time of its own: the part inside it belongs to the next one outside.
            let time = time.unwrap_or(below).max(below);
            *part = time - below;
            below = time;
        }
        parts.tuned(facts.autotune_us.unwrap_or_default())
    }

    /// The same with that much moved to autotuning: from code generation, otherwise from Inductor.
    fn tuned(mut self, autotune_us: f64) -> Parts {
        let mut left = if autotune_us.is_finite() { autotune_us.max(0.0) } else { 0.0 };
        for part in [CODE_GENERATION, INDUCTOR] {
            let moved = self.of(part).min(left);
            self.add(part, -moved);
            self.add(AUTOTUNING, moved);
            left -= moved;
        }
        self
    }

    /// Microseconds of one part.
    pub fn of(&self, part: usize) -> f64 {
        self.0.get(part).copied().unwrap_or_default()
    }

    fn add(&mut self, part: usize, us: f64) {
        if let Some(sum) = self.0.get_mut(part) {
            *sum += us;
        }
    }

    /// The sum, part by part.
    pub fn plus(mut self, other: Parts) -> Parts {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine += theirs;
        }
        self
    }

    /// Microseconds in all parts.
    pub fn total(&self) -> f64 {
        self.0.iter().sum()
    }

    /// What Inductor's cache of graphs saves; other caches keep kernels, by content.
    pub fn inductor_graph_us(&self) -> f64 {
        self.of(INDUCTOR) + self.of(CODE_GENERATION)
    }

    /// Kernels and the choices of tuning, which are cached by content.
    pub fn built_us(&self) -> f64 {
        self.of(KERNEL_BUILDS) + self.of(AUTOTUNING)
    }

    /// What AOTAutograd's cache saves beyond Inductor's.
    pub fn aot_graph_us(&self) -> f64 {
        self.of(AOT_AUTOGRAD)
    }
}

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
pub enum Piece {
    /// What is left of one of [`PARTS`].
    Part(usize),
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
    pub fn pieces(&self, builds: &Builds) -> Vec<(Piece, f64)> {
        let mut parts = self.whole;
        let within = [
            (Piece::Toolchain, KERNEL_BUILDS, builds.trials_us()),
            (Piece::WaitForWorkers, KERNEL_BUILDS, builds.worker_wait_us),
            (Piece::Library, KERNEL_BUILDS, builds.ahead_of_time_us()),
            (Piece::WaitForProcess, CODE_GENERATION, builds.process_wait_us),
        ];
        let within = within.map(|(piece, part, us)| {
            let us = us.min(parts.of(part));
            parts.add(part, -us);
            (piece, us)
        });
        let left = parts.0.into_iter().enumerate().map(|(part, us)| (Piece::Part(part), us));
        let all = left.chain(within).chain([(Piece::Outside, self.apart_us)]);
        all.filter(|(_, us)| *us >= LEAST_PIECE_US).collect()
    }

    /// From the spans, or from the metrics if the log has no spans. Each instant counts once, so that the parts and
    /// `apart_us` add up to the time covered by at least one span.
    pub fn of(model: &Model) -> Split {
        let mut split = Split { of_spans: !model.spans.is_empty(), ..Split::default() };
        each_owned(model, |one, owner| {
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
            let parts = Parts::of_compile(compile);
            split.by_compile.insert(index, parts);
            if !split.of_spans {
                split.whole = split.whole.plus(parts);
            }
        }
        split
    }

    /// How many compiles took any time.
    pub fn compiles(&self) -> usize {
        self.by_compile.values().filter(|parts| parts.total() > 0.0).count()
    }

    /// The parts of a compile.
    pub fn at(&self, compile: CompileIndex) -> Parts {
        self.by_compile.get(&compile).copied().unwrap_or_default()
    }
}

/// What the time of a span belongs to.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Owner {
    /// Part of the compiler: an index into [`PARTS`].
    pub(super) part: Option<usize>,
    /// Compile.
    pub(super) compile: Option<CompileIndex>,
}

/// The owner of each span; part and compile default to those of the span around it.
pub(super) fn owners(spans: &[TraceSpan]) -> Vec<Owner> {
    let mut parts: TextMap<&str, Option<usize>> = TextMap::default();
    let mut owners: Vec<Owner> = Vec::with_capacity(spans.len());
    for span in spans {
        let around = span.parent().and_then(|parent| owners.get(parent)).copied().unwrap_or_default();
        let part = *parts.entry(&*span.name).or_insert_with(|| part_of_phase(&span.name));
        owners.push(Owner { part: part.or(around.part), compile: span.compile.or(around.compile) });
    }
    owners
}

/// The part of the compiler that a phase of this name opens, an index into [`PARTS`]; None if it belongs to the part
/// around it.
pub fn part_of_phase(name: &str) -> Option<usize> {
    if name.contains("autotun") {
        return Some(AUTOTUNING);
    }
    if name.contains("precompiling") {
        return Some(KERNEL_BUILDS);
    }
    // Most differ in the first letter, which is cheap to compare.
    let may_begin = |word: &str| word.as_bytes().first() == name.as_bytes().first();
    let begins = |words: &&[&str]| words.iter().any(|word| may_begin(word) && name.starts_with(word));
    let dynamo = ["dynamo", "entire_frame", "compile_attempt", "bytecode_", "build_guards"];
    let found = BEGINNINGS.iter().find(|(_, words)| begins(words)).map(|(part, _)| *part);
    found.or_else(|| begins(&dynamo.as_slice()).then_some(DYNAMO))
}

/// Calls `visit` with all intervals that spans cover, in order, and what each belongs to. What a phase does between two
/// builds that try the C++ compiler is part of the trial.
pub(super) fn each_owned(model: &Model, mut visit: impl FnMut(Innermost, Owner)) {
    let owners = owners(&model.spans);
    let trials = trials_by_phase(model);
    each_innermost(&model.spans, |one| {
        let mut owner = owners.get(one.span).copied().unwrap_or_default();
        let trial = trials.get(&Some(one.span));
        if trial.is_some_and(|trial| trial.start_us <= one.start_us && one.end_us <= trial.end_us) {
            owner.part = Some(KERNEL_BUILDS);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::time::union;

    fn span(name: &str, start_us: f64, end_us: f64, parent: Option<usize>) -> TraceSpan {
        let mut span = TraceSpan::closed(name, start_us, end_us, parent);
        span.compile = Some(CompileIndex::new(0));
        span
    }

    #[test]
    fn an_empty_span_owns_no_time_and_what_is_between_two_trials_belongs_to_them() {
        let spans = vec![
            span("Scheduler.codegen", 0.0, 10.0, None),
            span("compile_file", 2.0, 4.0, Some(0)),
            span("compile_file", 5.0, 5.0, Some(0)),
            span("compile_file", 7.0, 8.0, Some(0)),
            span("Scheduler.codegen", 20.0, 30.0, None),
        ];
        let split = Split::of(&Model { spans, ..Model::default() });
        assert_eq!(split.whole.0, [0.0, 0.0, 0.0, 14.0, 6.0, 0.0]);
    }

    #[test]
    fn a_phase_belongs_to_the_part_that_its_name_opens() {
        for (name, part) in [
            ("entire_frame_compile", "Dynamo"),
            ("compile_attempt_1", "Dynamo"),
            ("create_aot_dispatcher_function", "AOTAutograd"),
            ("entire_backward_compile", "AOTAutograd"),
            ("inductor_compile", "Inductor"),
            ("_recursive_joint_graph_passes", "Inductor"),
            ("inductor_codecache_torch_key", "Inductor"),
            ("GraphLowering.run", "Inductor"),
            ("GraphLowering.compile_to_fn", "Code generation"),
            ("Scheduler.codegen", "Code generation"),
            ("PyCodeCache.load_by_key_path", "Code generation"),
            ("compile_file", "Kernel builds"),
            ("async_compile.wait", "Kernel builds"),
            ("mm_template_precompiling", "Kernel builds"),
            ("mm_template_autotuning", "Autotuning"),
            ("CachingAutotuner.benchmark_all_configs", "Autotuning"),
        ] {
            assert_eq!(part_of_phase(name).map(|part| PARTS[part]), Some(part), "{name}");
        }
        assert_eq!(part_of_phase("gc"), None);
    }

    #[test]
    fn the_parts_add_up_to_the_covered_time_even_if_spans_overlap() {
        let spans = vec![
            span("dynamo", 0.0, 10.0, None),
            span("inductor_compile", 2.0, 8.0, Some(0)),
            span("compile_file", 3.0, 5.0, Some(1)),
            span("entire_backward_compile", 7.0, 14.0, None),
            span("pgo.get", 20.0, 21.0, None),
        ];
        let mut model = Model { spans, ..Model::default() };
        model.compile_index(None);
        let split = Split::of(&model);
        assert_eq!(split.whole.0, [2.0, 7.0, 3.0, 0.0, 2.0, 0.0]);
        assert_eq!(split.apart_us, 1.0);
        let mut all: Vec<(f64, f64)> = model.spans.iter().map(|s| (s.start_us, s.end_us)).collect();
        assert_eq!(split.whole.total() + split.apart_us, union(&mut all));
        assert_eq!(split.at(CompileIndex::new(0)), split.whole);
    }

    #[test]
    fn the_pieces_add_up_to_the_time_of_the_log() {
        let spans = vec![
            span("compile_fx_aot", 0.0, 30e6, None),
            span("Scheduler.codegen", 1e6, 8e6, Some(0)),
            span("compile_file", 1e6, 3e6, Some(1)),
            span("compile_file", 4e6, 5e6, Some(1)),
            span("AotCodeCompiler.compile", 10e6, 28e6, Some(0)),
            span("compile_file", 11e6, 12e6, Some(4)),
            span("async_compile.wait", 28e6, 29e6, Some(0)),
        ];
        let mut model = Model { spans, ..Model::default() };
        model.compile_index(None);
        let builds = Builds::of(&model, &crate::analysis::one_offs::one_offs(&model));
        let pieces = Split::of(&model).pieces(&builds);
        assert_eq!(pieces.iter().map(|(_, us)| us).sum::<f64>(), builds.log_us);
        let of = |piece| pieces.iter().find(|(one, _)| *one == piece).map(|(_, us)| us / 1e6);
        assert_eq!((of(Piece::Library), builds.libraries()), (Some(18.0), 1));
        assert_eq!((of(Piece::Toolchain), of(Piece::WaitForWorkers)), (Some(4.0), Some(1.0)));
        assert_eq!(of(Piece::Part(KERNEL_BUILDS)), None, "what is inside the library is part of it");
    }

    #[test]
    fn metrics_give_nested_parts_and_autotuning() {
        let facts = Metrics {
            dynamo_us: Some(100.0),
            inductor_us: Some(60.0),
            codegen_us: Some(40.0),
            autotune_us: Some(45.0),
            ..Metrics::default()
        };
        let parts = Parts::of_metrics(MetricsKind::Forward, &facts);
        assert_eq!(parts.0, [40.0, 0.0, 15.0, 0.0, 0.0, 45.0]);
        assert_eq!(parts.total(), 100.0);
        assert_eq!(Parts::of_metrics(MetricsKind::Runtime, &facts), Parts::default());
    }
}
