//! Which runs of the C++ compiler built kernels, and which only tried the compiler out.

use super::parts::owners;
use crate::model::{CompileIndex, Model, TraceSpan};
use crate::trace::TextMap;
use fxhash::FxHashMap;

/// The phase that runs the C++ compiler.
const BUILD: &str = "compile_file";

/// How the names begin of phases within which kernels are built; a build elsewhere tries the compiler out.
const LOADERS: [&str; 4] = ["PyCodeCache.", AHEAD_OF_TIME, "async_compile", "CppCodeCache"];

/// How the name begins of the phase that builds a whole model ahead of time: wrapper, kernels and library, one step after
/// the other, however many threads there are.
const AHEAD_OF_TIME: &str = "AotCodeCompiler.";

/// Part of the names of phases that build a header ahead, which is none of the kernels that include it.
const HEADER: &str = "precompile_header";

/// Parts of the names of phases that build candidates to choose among.
const TUNING: [&str; 3] = ["autotun", "precompiling", "benchmark"];

/// What a build was for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BuildPurpose {
    /// A kernel of a graph. Kernels with one loader do not depend on each other.
    Kernel {
        /// The span of the phase that loads the graph's kernels.
        loader: usize,
    },
    /// A step of building a model ahead of time.
    AheadOfTime,
    /// A candidate of autotuning: its time is that of the tuning.
    Candidate,
    /// A program that shows what the compiler and the processor can do, before the first kernel of the process.
    Trial,
}

/// A run of the C++ compiler, or the phase that builds a header ahead.
#[derive(Debug, Clone, Copy)]
pub(super) struct Build<'m> {
    /// Its span.
    pub(super) span: &'m TraceSpan,
    /// The compile in which it ran; that without an id where no span around it names one.
    pub(super) compile: CompileIndex,
    /// What it was for.
    pub(super) purpose: BuildPurpose,
}

/// All builds of a log, in its order. What lies within the building of a header is part of that.
pub(super) fn builds(model: &Model) -> Vec<Build<'_>> {
    let without_id = model.by_id.get(&None).copied();
    let owners = owners(&model.spans);
    let mut around: Vec<Around> = Vec::with_capacity(model.spans.len());
    // Equal names are one text, so each is looked at once, and known again by where it stands.
    let mut phases: FxHashMap<usize, Phase> = FxHashMap::default();
    let mut found: Vec<(usize, Build<'_>)> = Vec::new();
    for (index, (span, owner)) in model.spans.iter().zip(&owners).enumerate() {
        let above = span.parent().and_then(|parent| around.get(parent).copied()).unwrap_or_default();
        let phase = *phases.entry(span.name.as_ptr().addr()).or_insert_with(|| Phase::of(&span.name));
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

/// What is built outside of any loading once the process has built a kernel tries nothing out any more.
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

/// Phases around a span, itself among them.
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

/// What the name of a phase says about it.
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
