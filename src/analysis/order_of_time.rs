//! Compile time in order: what the compiler did first, next and last, without the pauses between compiles.

use super::build_spans::{Build, BuildPurpose};
use super::parts::Owner;
use super::spans::Spans;
use super::split::each_owned;
use crate::model::CompilerPart;

/// An uninterrupted time spent on one thing. It begins where the one before it ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segment {
    /// Microseconds.
    pub us: f64,
    pub part: Option<CompilerPart>,
    /// What is built, if it is a build.
    pub build: Option<BuildKind>,
}

/// What is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuildKind {
    Kernel,
    /// A program that checks what the C++ compiler and the processor can do.
    Trial,
}

/// All segments of a log, in order. Each build is a segment of its own; anything else continues while the part stays the
/// same. What a phase does between two trials continues the first.
pub fn order_of_time(all: &Spans<'_>) -> Vec<Segment> {
    let builds = within_builds(all);
    let mut segments: Vec<Segment> = Vec::new();
    let mut last_build = None;
    each_owned(all, |innermost, Owner { part, .. }| {
        let us = innermost.end_us - innermost.start_us;
        if us <= 0.0 {
            return;
        }
        let build = builds.get(innermost.span).copied().flatten();
        match segments.last_mut().filter(|last| last.part == part) {
            Some(last) if last_build == build => last.us += us,
            Some(last) if last.build == Some(BuildKind::Trial) && build.is_none() => last.us += us,
            _ => {
                segments.push(Segment { us, part, build: build.map(|(_, kind)| kind) });
                last_build = build;
            }
        }
    });
    segments
}

/// The build that each span is or is inside of. One pass is enough, because a span comes after its parent.
fn within_builds(all: &Spans<'_>) -> Vec<Option<(usize, BuildKind)>> {
    let spans = &all.model.spans;
    let mut within: Vec<Option<(usize, BuildKind)>> = vec![None; spans.len()];
    for &Build { place, purpose, .. } in &all.builds {
        let kind = if purpose == BuildPurpose::Trial { BuildKind::Trial } else { BuildKind::Kernel };
        if let Some(own) = within.get_mut(place) {
            *own = Some((place, kind));
        }
    }
    for (index, span) in spans.iter().enumerate() {
        let above = span.parent().and_then(|parent| within.get(parent).copied().flatten());
        if let Some(own) = within.get_mut(index) {
            *own = own.or(above);
        }
    }
    within
}
