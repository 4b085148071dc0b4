//! What ranks differ in where a compile is known by hashes: the guard and the statement of the captured graph. Their texts are
//! read from the reports of two ranks, only where the hashes differ.

use super::groups::{Compared, Comparison, Group, comparison};
use super::names::RankCompile;
use crate::analysis::caches::{KeyChange, key_change};
use crate::analysis::compared_code::{
    CodeLine, CodeText, FindLines, LinePair, differing_calls, differing_guards, differing_operators,
    differing_statements, group, statement,
};
use crate::facts::ranks::{Aspect, FactValue, GraphId, Job, TextId};
use crate::read::fx_graph::{GraphText, Node, short_operation};
use crate::read::source_text::arguments;
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
    /// Whether the graphs have the same operators with the same dtypes, so that only sizes and numbers differ.
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
    /// Collectives that ranks call with another operation or source, one for each graph.
    pub settings: Vec<CodeDifference>,
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
    // A guard that only one side has may be on what a graph break keeps out of the other's code.
    let is_behind_break = |one: &CodeDifference| {
        let is_single = one.most.line.is_none() || one.other.line.is_none();
        is_single && breaks_on_one(job, one.graph, [&one.most.ranks, &one.other.ranks])
    };
    let guards = first(CodeText::Guards, differing_guards).filter(|one| !is_behind_break(one));
    let graph = first(CodeText::Graph, differing_parts);
    let key = if guards.is_none() && graph.is_none() { key(job, compared, read) } else { None };
    let calls = |find: FindLines| calls(job, compared, read, find);
    CodeDifferences { guards, graph, calls: calls(differing_calls), settings: calls(differing_settings), key }
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

/// Collectives that ranks call otherwise, one for each of the first graphs that differ and call any.
fn calls(job: &Job, compared: &[Compared], read: ReadText<'_>, find: FindLines) -> Vec<CodeDifference> {
    let Some(comparison) = comparison(compared, Aspect::Graphs) else { return Vec::new() };
    let scheduled = job.ranks.iter().flat_map(|rank| rank.steps(Aspect::Collectives));
    let scheduled: FxHashSet<GraphId> = scheduled.filter_map(|step| step.graph).collect();
    let sides = differing(comparison).filter(|sides| scheduled.contains(&sides.graph)).take(WITH_TEXTS);
    sides.filter_map(|sides| difference(job, read, CodeText::Graph, &sides, find)).collect()
}

/// The first statement in which two graphs differ; sizes that differ count as numbers do.
fn differing_parts(one: &str, other: &str) -> Option<LinePair> {
    let lines = differing_statements(one, other)?;
    let only_constants = lines.only_constants || differing_operators(one, other).is_none();
    Some(LinePair { only_constants, ..lines })
}

/// Whether a graph break splits a compile on one of two groups of ranks only.
pub(super) fn breaks_on_one(job: &Job, graph: GraphId, groups: [&[usize]; 2]) -> bool {
    let [most, other] = groups.map(|ranks| {
        let first = ranks.first().and_then(|rank| job.ranks.get(*rank));
        first.is_some_and(|rank| rank.broken.binary_search(&graph).is_ok())
    });
    most != other
}

/// The first collective that two graphs call, at the same place among all and in the same process group, with another
/// operation or source.
pub(super) fn differing_settings(one: &str, other: &str) -> Option<LinePair> {
    let (one, other) = (GraphText::read(one), GraphText::read(other));
    let is_collective = |node: &&Node<'_>| node.call().is_some_and(|(name, _)| name.contains(COLLECTIVES));
    let mut pairs =
        one.nodes.iter().filter(is_collective).zip(other.nodes.iter().filter(is_collective)).take_while(
            |(mine, theirs)| mine.call().map(|(name, _)| name) == theirs.call().map(|(name, _)| name),
        );
    let (mine, theirs) = pairs.find(|(mine, theirs)| {
        group(mine.value) == group(theirs.value) && settings(mine.value) != settings(theirs.value)
    })?;
    let lines = [statement(&one, mine), statement(&other, theirs)].map(Some);
    let [one, other] = lines;
    Some(LinePair { one, other, ..LinePair::default() })
}

/// What is in the name of an operator that is a collective.
const COLLECTIVES: &str = "c10d_functional";

/// The arguments of a collective that its ranks have to agree on, by the names of torch: `reduce_op='sum'`. Sizes of splits,
/// which are in lists, may differ.
pub(super) fn settings(call: &str) -> Vec<String> {
    let Some((name, behind)) = call.split_once('(') else { return Vec::new() };
    let number = if short_operation(name) == "broadcast" { "src" } else { "group_size" };
    let mut all = arguments(behind);
    // The last one is the process group.
    all.pop();
    let named = all.into_iter().filter_map(|argument| match argument.parse::<i64>() {
        Ok(_) => Some(format!("{number}={argument}")),
        Err(_) => argument.starts_with('\'').then(|| format!("reduce_op={argument}")),
    });
    named.collect()
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
        let steps = job.ranks.get(**rank).map_or(&[][..], |rank| rank.steps(aspect_of(text)));
        steps.iter().any(|step| step.value.is_some() && step.graph == Some(graph))
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
