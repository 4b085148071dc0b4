//! The previous compile of a function: comparing graphs shows what the recompile changed.

use crate::analysis::GraphPair;
use crate::model::{Artifact, Compile, CompileIndex, Content, Form};
use crate::report::subject::Report;
use crate::trace::{FrameId, PayloadRef, TextMap};
use fxhash::FxHashMap;

/// Graphs that are compared between compiles: what Dynamo captured, and what code is generated from.
const COMPARED: [&str; 2] = ["dynamo_output_graph", "inductor_post_grad_graph"];

/// For each compile the previous compile of the same function that has graphs.
pub(crate) struct Earlier(FxHashMap<CompileIndex, CompileIndex>);

impl Earlier {
    /// Finds them for all compiles of a log.
    pub(crate) fn of(report: Report<'_>) -> Earlier {
        let mut frames: TextMap<FrameId, Vec<(u64, CompileIndex)>> = TextMap::default();
        for (index, compile) in report.model.compiles.indexed() {
            let Some(id) = compile.id.as_ref().filter(|id| id.has_frame()) else { continue };
            let Some(version) = id.version().filter(|_| !compared(compile).is_empty()) else { continue };
            frames.entry(id.frame()).or_default().push((version, index));
        }
        let mut before = FxHashMap::default();
        for mut compiles in frames.into_values() {
            compiles.sort_by_key(|(version, _)| *version);
            let following = compiles.iter().zip(compiles.iter().skip(1));
            before.extend(following.map(|((_, earlier), (_, later))| (*later, *earlier)));
        }
        Earlier(before)
    }

    /// The previous compile.
    pub(crate) fn before<'m>(&self, report: Report<'m>, index: CompileIndex) -> Option<&'m Compile> {
        report.model.compiles.get(*self.0.get(&index)?)
    }
}

/// The compared graphs of a compile's last attempt, with their indices.
fn compared(compile: &Compile) -> Vec<(usize, &Artifact)> {
    let is_compared = |artifact: &Artifact| {
        COMPARED.contains(&&*artifact.name) && matches!(artifact.content, Content::Payload(_, Form::Text))
    };
    let all = compile.artifacts.iter().enumerate();
    let mut found: Vec<(usize, &Artifact)> = all.filter(|(_, artifact)| is_compared(artifact)).collect();
    let last = found.iter().map(|(_, artifact)| artifact.attempt).max();
    found.retain(|(_, artifact)| Some(artifact.attempt) == last);
    found
}

/// The graphs of two compiles paired by name and order.
pub(crate) fn pairs(before: &Compile, after: &Compile) -> Vec<GraphPair> {
    let (old, new) = (compared(before), compared(after));
    let mut pairs = Vec::new();
    for name in COMPARED {
        let named = |(_, artifact): &&(usize, &Artifact)| *artifact.name == *name;
        let both = old.iter().filter(named).zip(new.iter().filter(named));
        pairs.extend(both.map(|((before, _), (after, _))| GraphPair {
            before: *before,
            after: *after,
            what: name.to_owned(),
        }));
    }
    pairs
}

/// The graph in the file with this index.
pub(crate) fn graph(compile: &Compile, index: usize) -> Option<(&Artifact, PayloadRef)> {
    let artifact = compile.artifacts.get(index)?;
    match artifact.content {
        Content::Payload(at, _) => Some((artifact, at)),
        _ => None,
    }
}
