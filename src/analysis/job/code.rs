//! What ranks differ in where a compile is known by hashes: the guard and the statement of the captured graph. Their texts are
//! read from the reports of two ranks, only where the hashes differ.

use super::groups::{Compared, Comparison, Group, comparison};
use crate::analysis::compared_code::{
    CodeLine, CodeText, FindLines, differing_calls, differing_guards, differing_statements,
};
use crate::facts::ranks::{Fact, FactValue, GraphId, Job, TextId};
use fxhash::{FxHashMap, FxHashSet};

/// Reads a text of a compile from the report of a rank, an index into the job's: the compile by its id there.
pub type ReadText<'f> = &'f dyn Fn(usize, &str, CodeText) -> Option<String>;

fn fact_of(text: CodeText) -> Fact {
    match text {
        CodeText::Graph => Fact::Graphs,
        CodeText::Guards => Fact::Guards,
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
}

impl CodeDifferences {
    /// The difference in a kind of fact.
    pub fn of(&self, fact: Fact) -> Option<&CodeDifference> {
        match fact {
            Fact::Guards => self.guards.as_ref(),
            Fact::Graphs => self.graph.as_ref(),
            _ => None,
        }
    }
}

/// Reads the texts of the first compile in which two groups of ranks differ.
pub(super) fn of_job(job: &Job, compared: &[Compared], read: ReadText<'_>) -> CodeDifferences {
    let first = |text: CodeText, find: FindLines| {
        let sides = differing(comparison(compared, fact_of(text))?).min_by_key(|sides| sides.graph)?;
        difference(job, read, text, &sides, find)
    };
    CodeDifferences {
        guards: first(CodeText::Guards, differing_guards),
        graph: first(CodeText::Graph, differing_statements),
        calls: calls(job, compared, read),
    }
}

/// Graphs whose collectives are read: each reads the reports of two ranks.
const WITH_TEXTS: usize = 4;

/// Collectives that ranks call with other tensors, one for each of the first graphs that differ and call any.
fn calls(job: &Job, compared: &[Compared], read: ReadText<'_>) -> Vec<CodeDifference> {
    let Some(comparison) = comparison(compared, Fact::Graphs) else { return Vec::new() };
    let scheduled = job.ranks.iter().filter_map(|rank| rank.fact(Fact::Collectives));
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

fn difference(
    job: &Job,
    read: ReadText<'_>,
    text: CodeText,
    sides: &Sides<'_>,
    find: FindLines,
) -> Option<CodeDifference> {
    let side = |group: &Group| {
        let step = group.steps.iter().find(|step| step.graph == Some(sides.graph));
        CodeSide { ranks: group.ranks.clone(), compile: step.and_then(|step| step.compile), line: None }
    };
    let (mut most, mut other) = (side(sides.most), side(sides.other));
    let has_text = |rank: &&usize| {
        let steps = job.ranks.get(**rank).and_then(|rank| rank.fact(fact_of(text)));
        let known = steps.into_iter().flat_map(|steps| steps.iter()).filter(|step| step.value.is_some());
        known.into_iter().any(|step| step.graph == Some(sides.graph))
    };
    let read =
        |side: &CodeSide| read(*side.ranks.iter().find(has_text)?, job.texts.maybe(side.compile)?, text);
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
