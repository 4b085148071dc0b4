//! Compile time in order: what the compiler did first, next and last, without the pauses between compiles.

use super::parts::{each_innermost, owners};
use crate::model::{Model, TraceSpan};

/// An uninterrupted time spent on one thing. It begins where the one before it ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segment {
    /// Microseconds.
    pub us: f64,
    /// Part of the compiler, an index into [`PARTS`](super::PARTS).
    pub part: Option<usize>,
    /// The purpose, if it is a run of the C++ compiler.
    pub build: Option<BuildKind>,
}

/// The purpose of a run of the C++ compiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuildKind {
    /// It builds a kernel.
    Kernel,
    /// It checks what the compiler and the processor can do.
    Trial,
}

/// The phase that runs the C++ compiler.
const BUILD: &str = "compile_file";

/// The phase that checks the compiler.
const TRIES_COMPILER: &str = "Scheduler.codegen";

/// All segments of a log, in order. Each build is a segment of its own; anything else continues while the part stays the
/// same.
pub fn order_of_time(model: &Model) -> Vec<Segment> {
    let owners = owners(&model.spans);
    let within_trials = within_trials(&model.spans);
    let mut segments: Vec<Segment> = Vec::new();
    let mut last_build = None;
    each_innermost(&model.spans, |innermost| {
        let us = innermost.end_us - innermost.start_us;
        if us <= 0.0 {
            return;
        }
        let is_build = model.spans.get(innermost.span).is_some_and(|span| *span.name == *BUILD);
        let is_trial = within_trials.get(innermost.span).is_some_and(|within| *within);
        let kind = is_build.then_some(if is_trial { BuildKind::Trial } else { BuildKind::Kernel });
        let part = owners.get(innermost.span).and_then(|owner| owner.part);
        let build = kind.map(|_| innermost.span);
        match segments.last_mut() {
            Some(last) if last.part == part && last_build == build => last.us += us,
            _ => segments.push(Segment { us, part, build: kind }),
        }
        last_build = build;
    });
    segments
}

/// Which spans are inside a phase that checks the compiler. One pass is enough, because a span comes after its parent.
fn within_trials(spans: &[TraceSpan]) -> Vec<bool> {
    let mut within: Vec<bool> = Vec::with_capacity(spans.len());
    for span in spans {
        let parent = span.parent().and_then(|parent| Some((spans.get(parent)?, *within.get(parent)?)));
        within.push(parent.is_some_and(|(parent, is_within)| is_within || *parent.name == *TRIES_COMPILER));
    }
    within
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::builds::tests::{model, span};

    #[test]
    fn each_build_is_a_stretch_and_all_else_is_one_per_part() {
        let order = order_of_time(&model());
        let builds: Vec<Option<BuildKind>> = order.iter().map(|one| one.build).collect();
        let (trial, kernel) = (Some(BuildKind::Trial), Some(BuildKind::Kernel));
        assert_eq!(builds, [trial, None, kernel, kernel, kernel, kernel, None]);
        assert_eq!(order.iter().map(|one| one.us).sum::<f64>(), 20e6);
        assert_eq!(order[2].us, 2e6);
        assert_eq!(order[0].us + order[1].us, 6e6);
    }

    #[test]
    fn pauses_are_left_out() {
        let spans = vec![
            span("entire_frame_compile", None, 0.0, 1.0),
            span("entire_frame_compile", None, 50.0, 52.0),
        ];
        let order = order_of_time(&Model { spans, ..Model::default() });
        assert_eq!(order.iter().map(|one| one.us).collect::<Vec<_>>(), [3e6]);
    }
}
