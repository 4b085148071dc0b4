//! Compile time by part of the compiler, from spans or metrics.

use crate::model::{Compile, CompileIndex, Metrics, MetricsKind, PARTS, TraceSpan};
use crate::trace::TextMap;

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

    pub(super) fn add(&mut self, part: usize, us: f64) {
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

#[cfg(test)]
mod tests {
    use super::*;

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
