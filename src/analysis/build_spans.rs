//! Which runs of the C++ compiler built kernels, and which only checked the compiler.

use super::parts::owners;
use crate::model::{CompileIndex, Model, TraceSpan};
use crate::trace::TextMap;

/// The phase that runs the C++ compiler.
const BUILD: &str = "compile_file";

/// Prefixes of phases that build kernels; a build elsewhere checks the compiler.
const LOADERS: [&str; 4] = ["PyCodeCache.", AHEAD_OF_TIME, "async_compile", "CppCodeCache"];

/// Prefix of the phase that builds a whole model ahead of time: wrapper, kernels and library, one step after the other,
/// with any number of threads.
const AHEAD_OF_TIME: &str = "AotCodeCompiler.";

/// Part of the names of phases that precompile a header for the kernels.
const HEADER: &str = "precompile_header";

/// Parts of the names of phases that build candidates for autotuning.
const TUNING: [&str; 3] = ["autotun", "precompiling", "benchmark"];

/// The purpose of a build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BuildPurpose {
    /// A kernel of a graph. Kernels with the same loader do not depend on each other.
    Kernel {
        /// The span of the phase that loads the graph's kernels.
        loader: usize,
    },
    /// A step of building a model ahead of time.
    AheadOfTime,
    /// A candidate of autotuning; its time counts as tuning.
    Candidate,
    /// A check of what the compiler and the processor can do, before the first kernel of the process.
    Trial,
}

/// A run of the C++ compiler, or the phase that precompiles a header.
#[derive(Debug, Clone, Copy)]
pub(super) struct Build<'m> {
    /// Its span.
    pub(super) span: &'m TraceSpan,
    /// The compile in which it ran; the compile without an id if no span around it has one.
    pub(super) compile: CompileIndex,
    /// Its purpose.
    pub(super) purpose: BuildPurpose,
}

impl Build<'_> {
    /// Whether the C++ compiler ran.
    pub(super) fn is_cpp(&self) -> bool {
        *self.span.name == *BUILD
    }
}

/// All builds of a log, in order. Builds inside the precompilation of a header are part of it.
pub(super) fn builds(model: &Model) -> Vec<Build<'_>> {
    let without_id = model.by_id.get(&None).copied();
    let owners = owners(&model.spans);
    let mut around: Vec<Around> = Vec::with_capacity(model.spans.len());
    let mut phases: TextMap<&str, Phase> = TextMap::default();
    let mut found: Vec<(usize, Build<'_>)> = Vec::new();
    for (index, (span, owner)) in model.spans.iter().zip(&owners).enumerate() {
        let above = span.parent().and_then(|parent| around.get(parent).copied()).unwrap_or_default();
        let phase = *phases.entry(&*span.name).or_insert_with(|| Phase::of(&span.name));
        around.push(above.with(index, phase));
        let is_header = phase.builds_header;
        let is_build = phase.builds && !above.in_header;
        let Some(compile) = owner.compile.or(without_id).filter(|_| is_header || is_build) else { continue };
        let purpose = match above.loader {
            _ if is_header => BuildPurpose::Trial,
            _ if above.tunes => BuildPurpose::Candidate,
            Some(_) if above.ahead_of_time => BuildPurpose::AheadOfTime,
            Some(loader) => BuildPurpose::Kernel { loader },
            None => BuildPurpose::Trial,
        };
        found.push((index, Build { span, compile, purpose }));
    }
    late_trials_are_kernels(&mut found);
    found.into_iter().map(|(_, build)| build).collect()
}

/// Once the process has built a kernel, builds outside of any loader are kernels as well: the checks are over.
fn late_trials_are_kernels(found: &mut [(usize, Build<'_>)]) {
    let mut first_kernel: TextMap<u64, f64> = TextMap::default();
    for (_, build) in found.iter().filter(|(_, build)| matches!(build.purpose, BuildPurpose::Kernel { .. })) {
        let first = first_kernel.entry(build.span.pid).or_insert(f64::INFINITY);
        *first = first.min(build.span.start_us);
    }
    for (index, build) in found {
        let built = first_kernel.get(&build.span.pid).is_some_and(|first| build.span.start_us >= *first);
        if built && build.purpose == BuildPurpose::Trial && !build.span.name.contains(HEADER) {
            build.purpose = BuildPurpose::Kernel { loader: *index };
        }
    }
}

/// The phases around a span, including itself.
#[derive(Debug, Default, Clone, Copy)]
struct Around {
    loader: Option<usize>,
    ahead_of_time: bool,
    in_header: bool,
    tunes: bool,
}

impl Around {
    fn with(self, span: usize, phase: Phase) -> Around {
        Around {
            loader: self.loader.or(phase.loads.then_some(span)),
            ahead_of_time: self.ahead_of_time || phase.ahead_of_time,
            in_header: self.in_header || phase.builds_header,
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
    tunes: bool,
}

impl Phase {
    fn of(name: &str) -> Phase {
        Phase {
            builds: name == BUILD,
            loads: LOADERS.iter().any(|loader| name.starts_with(loader)),
            ahead_of_time: name.starts_with(AHEAD_OF_TIME),
            builds_header: name.contains(HEADER),
            tunes: TUNING.iter().any(|word| name.contains(word)),
        }
    }
}
