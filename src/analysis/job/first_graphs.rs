//! The graph in which ranks first differ: the same compile of the same function on two ranks.

use super::found::JobFound;
use crate::model::{Fact, GraphId, Job, RankSummary};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RankCompile<'j> {
    /// The rank: an index into the job's.
    pub rank: usize,
    /// The compile, as that rank names it.
    pub compile: &'j str,
}

/// The compile in which ranks first differ, on the largest group and on the one that parts from it; None where only one
/// of them compiles that function, or where the difference is not about graphs.
pub fn first_graphs<'j>(job: &'j Job, found: &JobFound) -> Option<[RankCompile<'j>; 2]> {
    let fact = found.cause()?.kind.fact?;
    let is_about_graphs = matches!(
        fact,
        Fact::GraphBreaks | Fact::Collectives | Fact::TensorMeta | Fact::Ops | Fact::Inputs | Fact::Failures
    );
    let comparison = found.comparison(fact).filter(|_| is_about_graphs)?;
    let first = comparison.first.as_ref()?;
    let graph = first.by_group.iter().flatten().find_map(|step| step.graph)?;
    let value = |at: usize| first.by_group.get(at).and_then(|step| step.and_then(|step| step.value));
    let other = (1..comparison.groups.len()).find(|at| value(*at) != value(0))?;
    let side = |at: usize| {
        let rank = *comparison.groups.get(at)?.ranks.first()?;
        Some(RankCompile { rank, compile: id_of(job, job.ranks.get(rank)?, graph)? })
    };
    Some([side(0)?, side(other)?])
}

/// What a rank calls a compile that all ranks know.
fn id_of<'j>(job: &'j Job, rank: &RankSummary, graph: GraphId) -> Option<&'j str> {
    let compiles = rank.fact(Fact::CompileIds)?;
    let step = compiles.iter().find(|step| step.graph == Some(graph))?;
    job.texts.maybe(step.compile)
}
