//! Which builds made kernels, and which only checked the C++ compiler.

use super::parts::Owner;
use crate::model::{CompileIndex, Model, TraceSpan};
use crate::trace::TextMap;
use fxhash::FxHashMap;

/// The phase that runs the C++ compiler. Processes that share a cache folder build each kernel once: the others wait for the lock
/// on its file.
pub const CPP_BUILD: &str = "compile_file";

/// The phase that builds a Triton kernel in this process, as with one compile thread.
const TRITON_BUILD: &str = "async_compile.precompile";

/// Prefixes of phases that build kernels; a build elsewhere checks the compiler.
const LOADERS: [&str; 4] = ["PyCodeCache.", AHEAD_OF_TIME, "async_compile", "CppCodeCache"];

/// The phase that builds a whole model ahead of time: wrapper, kernels and library.
pub const AHEAD_OF_TIME: &str = "AotCodeCompiler.compile";

/// Part of the names of phases that precompile a header for the kernels.
const HEADER: &str = "precompile_header";

/// Parts of the names of phases that build candidates for autotuning.
const TUNING: [&str; 3] = ["autotun", "precompiling", "benchmark"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BuildPurpose {
    /// A kernel of a graph. Kernels with the same loader do not depend on each other.
    Kernel {
        /// The span of the phase that loads the graph's kernels.
        loader: usize,
    },
    /// A model that is built ahead of time: all of it, as torch does not time each step.
    AheadOfTime,
    /// A candidate of autotuning; its time counts as tuning.
    Candidate,
    /// A check of what the compiler and the processor can do, before the first kernel of the process.
    Trial,
}

/// A run of a compiler of kernels, or a phase that precompiles a header or builds a model ahead of time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Build<'m> {
    /// The place of its span.
    pub(super) place: usize,
    pub(super) span: &'m TraceSpan,
    /// The compile in which it ran; the compile without an id if no span around it has one.
    pub(super) compile: CompileIndex,
    pub(super) purpose: BuildPurpose,
}

impl Build<'_> {
    /// Whether the C++ compiler ran.
    pub(super) fn is_cpp(&self) -> bool {
        *self.span.name == *CPP_BUILD
    }
}

/// All builds of a log, in order. Builds inside a header, a Triton kernel or a model are part of it; C++ builds that overlap
/// look as if one was inside another.
pub(super) fn builds<'m>(model: &'m Model, owners: &[Owner]) -> Vec<Build<'m>> {
    let without_id = model.by_id.get(&None).copied();
    let mut around: Vec<Around> = Vec::with_capacity(model.spans.len());
    let mut phases: TextMap<&str, Phase> = TextMap::default();
    let mut found: Vec<Build<'_>> = Vec::new();
    for (index, (span, owner)) in model.spans.iter().zip(owners).enumerate() {
        let above = span.parent().and_then(|parent| around.get(parent).copied()).unwrap_or_default();
        let phase = *phases.entry(&*span.name).or_insert_with(|| Phase::named(&span.name));
        around.push(above.with(index, phase));
        let is_header = phase.builds_header;
        let is_build = phase.builds && !above.in_build;
        let Some(compile) = owner.compile.or(without_id).filter(|_| is_header || is_build) else { continue };
        let purpose = match above.loader {
            _ if is_header => BuildPurpose::Trial,
            _ if above.tunes => BuildPurpose::Candidate,
            _ if phase.ahead_of_time => BuildPurpose::AheadOfTime,
            Some(loader) => BuildPurpose::Kernel { loader },
            None if phase.loads => BuildPurpose::Kernel { loader: span.parent().unwrap_or(index) },
            None => BuildPurpose::Trial,
        };
        found.push(Build { place: index, span, compile, purpose });
    }
    late_trials_are_kernels(&mut found);
    found
}

/// The time from the first build of a phase that checks the compiler to the last.
pub(super) struct Trial {
    pub(super) compile: CompileIndex,
    pub(super) start_us: f64,
    pub(super) end_us: f64,
}

/// By the place of the span of that phase.
pub(super) type TrialsByPhase = FxHashMap<Option<usize>, Trial>;

/// Checks of the compiler.
pub(super) fn trials_by_phase(builds: &[Build<'_>]) -> TrialsByPhase {
    let mut trials = TrialsByPhase::default();
    for Build { span, compile, .. } in builds.iter().filter(|one| one.purpose == BuildPurpose::Trial) {
        let new = Trial { compile: *compile, start_us: span.start_us, end_us: span.end_us };
        let trial = trials.entry(span.parent()).or_insert(new);
        trial.start_us = trial.start_us.min(span.start_us);
        trial.end_us = trial.end_us.max(span.end_us);
    }
    trials
}

/// Once the process has built a C++ kernel, such builds outside of any loader are kernels as well: the checks are over.
fn late_trials_are_kernels(found: &mut [Build<'_>]) {
    let mut first_kernel: TextMap<u64, f64> = TextMap::default();
    for build in found.iter().filter(|build| build.is_cpp()) {
        let BuildPurpose::Kernel { .. } = build.purpose else { continue };
        let first = first_kernel.entry(build.span.pid).or_insert(f64::INFINITY);
        *first = first.min(build.span.start_us);
    }
    for build in found {
        let built = first_kernel.get(&build.span.pid).is_some_and(|first| build.span.start_us >= *first);
        if built && build.purpose == BuildPurpose::Trial && !build.span.name.contains(HEADER) {
            build.purpose = BuildPurpose::Kernel { loader: build.place };
        }
    }
}

/// The phases around a span, including itself.
#[derive(Debug, Default, Clone, Copy)]
struct Around {
    loader: Option<usize>,
    in_build: bool,
    tunes: bool,
}

impl Around {
    fn with(self, span: usize, phase: Phase) -> Around {
        Around {
            loader: self.loader.or(phase.loads.then_some(span)),
            in_build: self.in_build || phase.holds_builds,
            tunes: self.tunes || phase.tunes,
        }
    }
}

/// What the name of a phase says.
#[derive(Clone, Copy)]
struct Phase {
    builds: bool,
    loads: bool,
    ahead_of_time: bool,
    builds_header: bool,
    holds_builds: bool,
    tunes: bool,
}

impl Phase {
    fn named(name: &str) -> Phase {
        let ahead_of_time = name.starts_with(AHEAD_OF_TIME);
        let (is_triton, builds_header) = (name == TRITON_BUILD, name.contains(HEADER));
        Phase {
            builds: name == CPP_BUILD || is_triton || ahead_of_time,
            loads: LOADERS.iter().any(|loader| name.starts_with(loader)),
            ahead_of_time,
            builds_header,
            holds_builds: is_triton || ahead_of_time || builds_header,
            tunes: TUNING.iter().any(|word| name.contains(word)),
        }
    }
}
