//! How a compile's time divides among the parts of the compiler, each without what it calls.

use crate::model::{Compile, Metrics, MetricsKind};

/// The parts of the compiler that the metrics time, outermost first; the order in which they are shown everywhere.
pub const PARTS: [&str; 4] = ["Dynamo", "AOTAutograd", "Inductor", "Code generation"];

/// Microseconds spent in each of [`PARTS`] itself.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub struct Parts(pub [f64; PARTS.len()]);

impl Parts {
    /// Over all metrics records of a compile but those of runtime.
    pub fn of(compile: &Compile) -> Parts {
        compile
            .metrics
            .iter()
            .fold(Parts::default(), |sum, record| sum.plus(Parts::of_metrics(record.kind, &record.facts)))
    }

    /// A record's parts: what one reports without what the next below it reports. A backward graph is compiled outside
    /// Dynamo, so there the outermost is AOTAutograd.
    pub fn of_metrics(kind: MetricsKind, facts: &Metrics) -> Parts {
        let total = facts.total_us(kind);
        let outermost = match kind {
            MetricsKind::Runtime | MetricsKind::BackwardRuntime => return Parts::default(),
            MetricsKind::Forward => [total, facts.aot_us, facts.inductor_us, facts.codegen_us],
            MetricsKind::Backward => [None, total, facts.inductor_us, facts.codegen_us],
            MetricsKind::AotBackward => [None, total, None, None],
        };
        let mut parts = [0.0; PARTS.len()];
        let mut below = 0.0;
        for (part, time) in parts.iter_mut().zip(outermost).rev() {
            // A part that is not timed has nothing of its own: what is below it belongs to the next above.
            let time = time.unwrap_or(below).max(below);
            *part = time - below;
            below = time;
        }
        Parts(parts)
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
}

/// The part of the compiler that a phase of this name opens, an index into [`PARTS`]; none: it belongs to the part
/// around it.
pub fn part_of_phase(name: &str) -> Option<usize> {
    let starts = |words: &[&str]| words.iter().any(|word| name.starts_with(word));
    if starts(&[
        "code_gen",
        "GraphLowering.co",
        "PyCodeCache",
        "async_compile",
        "CppCodeCache",
        "compile_file",
        "triton",
    ]) {
        Some(3)
    } else if starts(&[
        "inductor_",
        "fx_codegen",
        "compile_fx",
        "_recursive_",
        "FxGraphCache",
        "FXGraphCache",
        "fx_graph",
    ]) {
        Some(2)
    } else if starts(&["backend_compile", "create_aot", "aot_", "AOTAutograd", "entire_backward", "backward"])
    {
        Some(1)
    } else if starts(&["dynamo", "entire_frame", "compile_attempt", "bytecode_", "build_guards"]) {
        Some(0)
    } else {
        None
    }
}
