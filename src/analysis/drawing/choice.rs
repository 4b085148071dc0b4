//! Which graphs of a log are drawn.

use crate::analysis::provenance::{InductorRun, inductor_runs};
use crate::limits::LARGEST_ARTIFACT;
use crate::model::{Artifact, Compile, CompileIndex, Content, Form, Model};
use crate::trace::{PayloadRef, TextMap};
use fxhash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Compiles with a drawing, those that took longest. A drawing has 60 to 300 KB, and nobody looks at hundreds: forty are 1.3 %
/// of the report of a log of 72 MB with 368 compiles, and cannot become more with a longer log.
pub const MOST_DRAWINGS: usize = 40;

/// Bytes of the text of a graph with about eight operators; a smaller one is read faster than a drawing of it.
const LEAST_BYTES: u64 = 2_200;

/// The names of the graph that code is generated from, and of the one that Dynamo captured.
const FINAL: &str = "inductor_post_grad_graph";
const CAPTURED: &str = "dynamo_output_graph";

/// The graph of a compile that is drawn. All numbers are places in its artifacts.
#[derive(Debug, Clone)]
pub struct DrawnGraph {
    pub graph: usize,
    /// The graph that Dynamo captured, if it is another.
    pub captured: Option<usize>,
}

/// Why a compile has no drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotDrawn {
    NoGraph,
    /// Its graph has only a few operators.
    Small,
    /// Its graph is too large to be read.
    Large,
    /// Others took longer.
    Cheaper,
    /// Another compile has the same graph.
    SameAs(CompileIndex),
}

/// The graphs of a log that are drawn.
#[derive(Debug, Default)]
pub struct DrawnGraphs {
    drawn: BTreeMap<CompileIndex, DrawnGraph>,
    same: FxHashMap<CompileIndex, CompileIndex>,
}

impl DrawnGraphs {
    /// Chooses them.
    pub fn of(model: &Model) -> DrawnGraphs {
        let mut graphs: Vec<(CompileIndex, &Compile, PayloadRef)> = Vec::new();
        for (index, compile) in model.compiles.indexed() {
            if let Some((_, at)) = candidates(compile).max_by_key(|(_, at)| at.text_len)
                && (LEAST_BYTES..=LARGEST_ARTIFACT).contains(&at.text_len)
            {
                graphs.push((index, compile, at));
            }
        }
        let cost = |compile: &Compile| compile.compile_us().unwrap_or_default().max(0.0) as u64;
        graphs.sort_by_key(|(index, compile, at)| (Reverse(cost(compile)), Reverse(at.text_len), *index));
        let mut found = DrawnGraphs::default();
        // By the hash of the text. Texts that collide would have to be chosen for it, and their drawings would be shared.
        let mut of_text: TextMap<[u8; 16], CompileIndex> = TextMap::default();
        for (index, compile, at) in graphs {
            if let Some(first) = of_text.get(&at.md5.0) {
                found.same.insert(index, *first);
            } else if found.drawn.len() < MOST_DRAWINGS
                && let Some(graph) = chosen(model, compile)
            {
                of_text.insert(at.md5.0, index);
                found.drawn.insert(index, graph);
            }
        }
        found
    }

    /// The graphs, by compile.
    pub fn all(&self) -> impl Iterator<Item = (CompileIndex, &DrawnGraph)> {
        self.drawn.iter().map(|(index, graph)| (*index, graph))
    }

    /// The compile whose drawing shows the graph of this one: itself, or one with the same graph.
    pub fn shown_for(&self, index: CompileIndex) -> Option<CompileIndex> {
        let own = self.drawn.contains_key(&index).then_some(index);
        own.or_else(|| self.same.get(&index).copied())
    }

    /// Why a compile has no drawing; None if it has one.
    pub fn why_not(&self, index: CompileIndex, compile: &Compile) -> Option<NotDrawn> {
        if self.drawn.contains_key(&index) {
            return None;
        }
        if let Some(first) = self.same.get(&index) {
            return Some(NotDrawn::SameAs(*first));
        }
        let largest = candidates(compile).map(|(_, at)| at.text_len).max();
        Some(match largest {
            None => NotDrawn::NoGraph,
            Some(bytes) if bytes < LEAST_BYTES => NotDrawn::Small,
            Some(bytes) if bytes > LARGEST_ARTIFACT => NotDrawn::Large,
            Some(_) => NotDrawn::Cheaper,
        })
    }
}

/// The graphs of the last attempt that can be drawn: those that code is generated from, else the captured one.
fn candidates(compile: &Compile) -> impl Iterator<Item = (usize, PayloadRef)> {
    let last = compile.artifacts.iter().rev().find(|artifact| text(artifact).is_some());
    let last = last.map(|artifact| artifact.attempt);
    let of_last = move |artifact: &&Artifact| Some(artifact.attempt) == last;
    let has_final = compile
        .artifacts
        .iter()
        .filter(of_last)
        .any(|artifact| &*artifact.name == FINAL && text(artifact).is_some());
    let name = if has_final { FINAL } else { CAPTURED };
    let all = compile.artifacts.iter().enumerate().filter(move |(_, artifact)| of_last(artifact));
    all.filter(move |(_, artifact)| &*artifact.name == name)
        .filter_map(|(at, artifact)| Some((at, text(artifact)?)))
}

/// The text of a graph.
fn text(artifact: &Artifact) -> Option<PayloadRef> {
    match artifact.content {
        Content::Payload(at, Form::Text) if matches!(&*artifact.name, FINAL | CAPTURED) => Some(at),
        _ => None,
    }
}

/// The graph of a compile that is drawn: the largest of its forward or inference runs.
fn chosen(model: &Model, compile: &Compile) -> Option<DrawnGraph> {
    let runs = inductor_runs(model, compile);
    let run_of = |graph: usize| runs.iter().find(|run| run.post == Some(graph));
    let order = |(graph, at): &(usize, PayloadRef)| {
        let backward = run_of(*graph).and_then(InductorRun::direction) == Some("backward");
        (!backward, at.text_len, Reverse(*graph))
    };
    let (graph, _) = candidates(compile).max_by_key(order)?;
    let before = compile.artifacts.get(..graph)?;
    let captured =
        before.iter().rposition(|artifact| &*artifact.name == CAPTURED && text(artifact).is_some());
    Some(DrawnGraph { graph, captured })
}
