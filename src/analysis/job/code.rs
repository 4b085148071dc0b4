//! What ranks differ in where a compile is known by hashes: the guard and the statement of the captured graph. Their texts are
//! read from the reports of two ranks, only where the hashes differ.

use super::groups::{Compared, Comparison, Group, comparison};
use super::names::RankCompile;
use crate::analysis::caches::{KeyChange, key_change};
use crate::analysis::compared_code::{
    CodeLine, CodeText, FindLines, differing_calls, differing_guards, differing_statements,
};
use crate::facts::ranks::{Aspect, FactValue, GraphId, Job, TextId};
use fxhash::{FxHashMap, FxHashSet};

/// Reads a text of a compile from the report of its rank.
pub type ReadText<'f> = &'f dyn Fn(RankCompile<'_>, CodeText) -> Option<String>;

fn aspect_of(text: CodeText) -> Aspect {
    match text {
        CodeText::Guards => Aspect::Guards,
        CodeText::Key => Aspect::CacheKeys,
        _ => Aspect::Graphs,
    }
}

/// A compile in which ranks differ, with the line of each side.
#[derive(Debug, Clone)]
pub struct CodeDifference {
    pub graph: GraphId,
    /// Most ranks.
    pub most: CodeSide,
    /// The ranks that differ from them.
    pub other: CodeSide,
    /// Whether the graphs have the same operators with the same shapes, so that only numbers differ.
    pub only_constants: bool,
    /// Whether a guard is on torch's state, or on whether a tensor needs a gradient.
    pub of_state: bool,
}

/// What a side has where its text first differs from the other's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CodeSide {
    /// Indices into the job's ranks.
    pub ranks: Vec<usize>,
    /// The compile, as the first of them names it.
    pub compile: Option<TextId>,
    pub line: Option<CodeLine>,
}

/// Where the captured graphs and the guards of ranks first differ, each if they do.
#[derive(Debug, Default)]
pub struct CodeDifferences {
    pub guards: Option<CodeDifference>,
    pub graph: Option<CodeDifference>,
    /// Collectives that ranks call with other tensors, one for each graph.
    pub calls: Vec<CodeDifference>,
    /// How the keys of the first graph differ, where guards and captured graphs do not: on most ranks and on others.
    pub key: Option<KeyChange>,
}

impl CodeDifferences {
    /// The difference in a kind of fact.
    pub fn of(&self, aspect: Aspect) -> Option<&CodeDifference> {
        match aspect {
            Aspect::Guards => self.guards.as_ref(),
            Aspect::Graphs => self.graph.as_ref(),
            _ => None,
        }
    }
}

/// Reads the texts of the first compile in which two groups of ranks differ.
pub(super) fn of_job(job: &Job, compared: &[Compared], read: ReadText<'_>) -> CodeDifferences {
    let first = |text: CodeText, find: FindLines| {
        let sides = differing(comparison(compared, aspect_of(text))?).min_by_key(|sides| sides.graph)?;
        difference(job, read, text, &sides, find)
    };
    let guards = first(CodeText::Guards, differing_guards);
    let graph = first(CodeText::Graph, differing_statements);
    let key = if guards.is_none() && graph.is_none() { key(job, compared, read) } else { None };
    CodeDifferences { guards, graph, calls: calls(job, compared, read), key }
}

fn key(job: &Job, compared: &[Compared], read: ReadText<'_>) -> Option<KeyChange> {
    let comparison = comparison(compared, Aspect::CacheKeys)?;
    let sides = differing(comparison).min_by_key(|sides| sides.graph)?;
    let texts = [sides.most, sides.other]
        .map(|group| text_of(job, read, CodeText::Key, sides.graph, &side(&sides, group)));
    let [most, other] = texts;
    key_change([&most?, &other?])
}

/// Graphs whose collectives are read: each reads the reports of two ranks.
const WITH_TEXTS: usize = 4;

/// Collectives that ranks call with other tensors, one for each of the first graphs that differ and call any.
fn calls(job: &Job, compared: &[Compared], read: ReadText<'_>) -> Vec<CodeDifference> {
    let Some(comparison) = comparison(compared, Aspect::Graphs) else { return Vec::new() };
    let scheduled = job.ranks.iter().filter_map(|rank| rank.fact(Aspect::Collectives));
    let scheduled: FxHashSet<GraphId> =
        scheduled.flat_map(|steps| steps.iter()).filter_map(|step| step.graph).collect();
    let sides = differing(comparison).filter(|sides| scheduled.contains(&sides.graph)).take(WITH_TEXTS);
    sides.filter_map(|sides| difference(job, read, CodeText::Graph, &sides, differing_calls)).collect()
}

/// A compile of which two groups of ranks have other texts.
struct Sides<'j> {
    graph: GraphId,
    most: &'j Group,
    other: &'j Group,
}

/// The compiles that a group has with another text than the largest group.
fn differing(comparison: &Comparison) -> impl Iterator<Item = Sides<'_>> {
    let of_most = comparison.groups.first().into_iter().flat_map(|most| most.steps.iter());
    let values: FxHashMap<GraphId, Option<FactValue>> =
        of_most.filter_map(|step| Some((step.graph?, step.value))).collect();
    let others = comparison.groups.iter().skip(1);
    others.flat_map(move |other| {
        let differ = other.steps.iter().filter(|step| {
            let theirs = step.graph.and_then(|graph| values.get(&graph)).copied().flatten();
            theirs.zip(step.value).is_some_and(|(most, own)| most != own)
        });
        let graphs: Vec<GraphId> = differ.filter_map(|step| step.graph).collect();
        let most = comparison.groups.first();
        graphs.into_iter().filter_map(move |graph| Some(Sides { graph, most: most?, other }))
    })
}

/// A group as a side of the difference in a compile.
fn side(sides: &Sides<'_>, group: &Group) -> CodeSide {
    let step = group.steps.iter().find(|step| step.graph == Some(sides.graph));
    CodeSide { ranks: group.ranks.clone(), compile: step.and_then(|step| step.compile), line: None }
}

/// A text of a compile, from the first rank of a side that has it.
fn text_of(job: &Job, read: ReadText<'_>, text: CodeText, graph: GraphId, side: &CodeSide) -> Option<String> {
    let has_text = |rank: &&usize| {
        let steps = job.ranks.get(**rank).and_then(|rank| rank.fact(aspect_of(text)));
        let known = steps.into_iter().flat_map(|steps| steps.iter()).filter(|step| step.value.is_some());
        known.into_iter().any(|step| step.graph == Some(graph))
    };
    let rank = *side.ranks.iter().find(has_text)?;
    read(RankCompile { rank, compile: job.texts.maybe(side.compile)? }, text)
}

fn difference(
    job: &Job,
    read: ReadText<'_>,
    text: CodeText,
    sides: &Sides<'_>,
    find: FindLines,
) -> Option<CodeDifference> {
    let (mut most, mut other) = (side(sides, sides.most), side(sides, sides.other));
    let read = |side: &CodeSide| text_of(job, read, text, sides.graph, side);
    let lines = find(&read(&most)?, &read(&other)?)?;
    (most.line, other.line) = (lines.one, lines.other);
    Some(CodeDifference {
        graph: sides.graph,
        most,
        other,
        only_constants: lines.only_constants,
        of_state: lines.of_state,
    })
}
