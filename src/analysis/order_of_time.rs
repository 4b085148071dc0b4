//! Compile time in its order: what the compiler did first, next and last, with the pauses between compiles left out.

use super::parts::{each_innermost, parts_of_spans};
use crate::model::{Model, TraceSpan};

/// Time spent on one thing without a break. A log has as many as phases, so it is kept small: 16 bytes. It begins where the
/// one before it ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stretch {
    /// Microseconds.
    pub us: f64,
    part: Option<u8>,
    /// Whether it is one run of the C++ compiler.
    pub build: Option<BuildKind>,
}

impl Stretch {
    /// A stretch of `us` microseconds.
    pub fn new(us: f64, part: Option<usize>, build: Option<BuildKind>) -> Self {
        Stretch { us, part: part.and_then(|part| u8::try_from(part).ok()), build }
    }

    /// Part of the compiler, an index into [`PARTS`](super::PARTS).
    pub fn part(&self) -> Option<usize> {
        self.part.map(usize::from)
    }
}

/// What a run of the C++ compiler is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuildKind {
    /// It builds a kernel.
    Kernel,
    /// It tries out what the compiler and the processor can do.
    Trial,
}

/// The phase that runs the C++ compiler.
const BUILD: &str = "compile_file";

/// The phase in which the compiler is tried out.
const TRIES_COMPILER: &str = "Scheduler.codegen";

/// All stretches of a log, in order; none where it has no spans. Builds are told apart, all else is one stretch as long
/// as the part stays the same.
pub fn order_of_time(model: &Model) -> Vec<Stretch> {
    let parts = parts_of_spans(&model.spans);
    let within_trials = within_trials(&model.spans);
    let mut stretches: Vec<Stretch> = Vec::new();
    let mut last_build = None;
    each_innermost(&model.spans, |innermost| {
        let us = innermost.end_us - innermost.start_us;
        if us <= 0.0 {
            return;
        }
        let is_build = model.spans.get(innermost.span).is_some_and(|span| *span.name == *BUILD);
        let is_trial = within_trials.get(innermost.span).is_some_and(|within| *within);
        let kind = is_build.then_some(if is_trial { BuildKind::Trial } else { BuildKind::Kernel });
        let part = parts.get(innermost.span).copied().flatten();
        let build = kind.map(|_| innermost.span);
        match stretches.last_mut() {
            Some(last) if last.part == part && last_build == build => last.us += us,
            _ => stretches.push(Stretch { us, part, build: kind }),
        }
        last_build = build;
    });
    stretches
}

/// Which spans lie within a phase that tries out the compiler. In one pass, since a span stands after its parent: spans of
/// thousands of compiles can lie within each other.
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
    fn builds_stand_apart_and_all_else_is_one_stretch_for_each_part() {
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
