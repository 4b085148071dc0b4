//! Compile time in order: what the compiler did first, next and last, without the pauses between compiles.

use super::build_spans::{BuildPurpose, builds};
use super::parts::{each_innermost, owners};
use crate::model::{Model, TraceSpan};
use fxhash::FxHashSet;

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

/// All segments of a log, in order. Each build is a segment of its own; anything else continues while the part stays the
/// same.
pub fn order_of_time(model: &Model) -> Vec<Segment> {
    let owners = owners(&model.spans);
    let within_trials = within_trials(model);
    let mut segments: Vec<Segment> = Vec::new();
    let mut last_build = None;
    each_innermost(&model.spans, |innermost| {
        let us = innermost.end_us - innermost.start_us;
        if us <= 0.0 {
            return;
        }
        let is_build = model.spans.get(innermost.span).is_some_and(|span| *span.name == *BUILD);
        let is_trial = within_trials.get(innermost.span).is_some_and(|within| *within);
        let kind = match (is_trial, is_build) {
            (true, _) => Some(BuildKind::Trial),
            (false, true) => Some(BuildKind::Kernel),
            (false, false) => None,
        };
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

/// Which spans check the compiler or are inside one that does. One pass is enough, because a span comes after its parent.
fn within_trials(model: &Model) -> Vec<bool> {
    let trials = builds(model).into_iter().filter(|build| build.purpose == BuildPurpose::Trial);
    let trials: FxHashSet<*const TraceSpan> = trials.map(|build| std::ptr::from_ref(build.span)).collect();
    let mut within: Vec<bool> = Vec::with_capacity(model.spans.len());
    for span in &model.spans {
        let above = span.parent().and_then(|parent| within.get(parent)).is_some_and(|within| *within);
        within.push(above || trials.contains(&std::ptr::from_ref(span)));
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
