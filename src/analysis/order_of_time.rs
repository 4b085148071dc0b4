//! Compile time in order: what the compiler did first, next and last, without the pauses between compiles.

use super::build_spans::{Build, BuildPurpose, builds};
use super::parts::{Owner, each_owned};
use crate::model::{Model, TraceSpan};
use fxhash::FxHashMap;

/// An uninterrupted time spent on one thing. It begins where the one before it ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segment {
    /// Microseconds.
    pub us: f64,
    /// Part of the compiler, an index into [`PARTS`](super::PARTS).
    pub part: Option<usize>,
    /// What is built, if it is a build.
    pub build: Option<BuildKind>,
}

/// What is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuildKind {
    /// A kernel in C++, or a candidate of autotuning.
    Cpp,
    /// A Triton kernel, in this process.
    Triton,
    /// The library of a model, ahead of time.
    Library,
    /// A program that checks what the compiler and the processor can do.
    Trial,
}

/// All segments of a log, in order. Each build is a segment of its own; anything else continues while the part stays the
/// same. What a phase does between two trials continues the first.
pub fn order_of_time(model: &Model) -> Vec<Segment> {
    let builds = within_builds(model);
    let mut segments: Vec<Segment> = Vec::new();
    let mut last_build = None;
    each_owned(model, |innermost, Owner { part, .. }| {
        let us = innermost.end_us - innermost.start_us;
        if us <= 0.0 {
            return;
        }
        let within = builds.get(innermost.span).copied().flatten();
        let build = within.map(|(span, _)| span);
        match segments.last_mut() {
            Some(last) if last.part == part && last_build == build => last.us += us,
            Some(last) if last.build == Some(BuildKind::Trial) && last.part == part && build.is_none() => {
                last.us += us;
                return;
            }
            _ => segments.push(Segment { us, part, build: within.map(|(_, kind)| kind) }),
        }
        last_build = build;
    });
    segments
}

/// The build that each span is or is inside of, as the place of its span and its kind. One pass is enough, because a span
/// comes after its parent.
fn within_builds(model: &Model) -> Vec<Option<(usize, BuildKind)>> {
    let kind = |build: &Build<'_>| match build.purpose {
        BuildPurpose::Trial => BuildKind::Trial,
        BuildPurpose::AheadOfTime => BuildKind::Library,
        _ if build.is_cpp() => BuildKind::Cpp,
        _ => BuildKind::Triton,
    };
    let of = |build: Build<'_>| (std::ptr::from_ref(build.span), kind(&build));
    let kinds: FxHashMap<*const TraceSpan, BuildKind> = builds(model).into_iter().map(of).collect();
    let mut within: Vec<Option<(usize, BuildKind)>> = Vec::with_capacity(model.spans.len());
    for (index, span) in model.spans.iter().enumerate() {
        let above = span.parent().and_then(|parent| within.get(parent).copied().flatten());
        let own = kinds.get(&std::ptr::from_ref(span)).map(|kind| (index, *kind));
        within.push(own.or(above));
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
        let (trial, kernel) = (Some(BuildKind::Trial), Some(BuildKind::Cpp));
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
