//! All that follows from the facts of a job, and what pages ask of it.

use super::alike::{AlikeRanks, RankStanding};
use super::code::CodeDifferences;
use super::groups::{Compared, Comparison, comparison};
use super::names::RankCompile;
use super::ranks::Fleet;
use super::schedules::Schedules;
use crate::analysis::findings::Finding;
use crate::facts::RuntimeComparison;
use crate::facts::ranks::{Aspect, Job, Step};

/// All that follows from the facts of a job.
pub struct JobFound {
    /// One comparison per kind of fact, then those that are only shown.
    pub compared: Vec<Compared>,
    /// Estimated runtimes; None where no log has any.
    pub runtime: Option<RuntimeComparison<'static>>,
    /// Compiles that have a schedule, on all ranks.
    pub scheduled: usize,
    /// How the collectives of functions differ between ranks.
    pub schedules: Schedules,
    /// Where guards and captured graphs first differ.
    pub code: CodeDifferences,
    /// Which ranks there are, and which stand out.
    pub fleet: Fleet,
    /// How each rank compares to the others, by its index.
    pub standings: Vec<RankStanding>,
    /// Ranks grouped by what is said about them, the worst first.
    pub alike: Vec<AlikeRanks>,
    /// What a reader should know, most important first.
    pub findings: Vec<Finding>,
}

impl JobFound {
    /// The comparison of one kind of fact, where there is one.
    pub fn comparison(&self, aspect: Aspect) -> Option<&Comparison> {
        comparison(&self.compared, aspect)
    }

    /// Kinds of facts in which ranks differ, of those that report.json compares.
    pub fn differing(&self) -> impl Iterator<Item = &Comparison> {
        let compared = self.compared.iter().filter(|compared| compared.aspect.is_compared());
        compared.filter_map(|compared| compared.outcome.as_ref().ok()).filter(|compared| compared.differs())
    }

    /// The facts of one kind where all ranks have the same.
    pub fn alike(&self, aspect: Aspect) -> Option<&[Step]> {
        let comparison = self.comparison(aspect).filter(|comparison| !comparison.differs())?;
        Some(&comparison.groups.first()?.steps)
    }

    /// Whether there are two sides to show of what a finding is about.
    pub fn has_sides(&self, finding: &Finding) -> bool {
        finding
            .kind
            .facts()
            .aspect
            .and_then(|aspect| self.comparison(aspect))
            .is_some_and(|one| one.first.is_some())
    }

    /// Whether all ranks are known to call the same collectives in each function.
    pub fn call_the_same(&self) -> bool {
        self.schedules.are_known && self.schedules.differences.is_empty()
    }

    /// The difference that may be the cause of all others.
    pub fn cause(&self) -> Option<&Finding> {
        self.findings.iter().find(|finding| finding.kind.facts().aspect.is_some())
    }
}

/// The compile in which ranks first differ, on the largest group and on the one that parts from it; None where only one
/// of them compiles that function, or where the difference is not about graphs.
pub fn first_graphs<'j>(job: &'j Job, found: &JobFound) -> Option<[RankCompile<'j>; 2]> {
    let aspect = found.cause()?.kind.facts().aspect?;
    let is_about_graphs = matches!(
        aspect,
        Aspect::GraphBreaks
            | Aspect::Collectives
            | Aspect::TensorMeta
            | Aspect::Ops
            | Aspect::Inputs
            | Aspect::Guards
            | Aspect::Graphs
            | Aspect::Failures
    );
    let comparison = found.comparison(aspect).filter(|_| is_about_graphs)?;
    let first = comparison.first.as_ref()?;
    let graph = first.by_group.iter().flatten().find_map(|step| step.graph)?;
    let known =
        |step: &Option<Step>| step.map(|step| step.compared(aspect)).filter(|one| one.value.is_some());
    let value = |at: usize| first.by_group.get(at).and_then(known);
    let other = (1..comparison.groups.len()).find(|at| value(*at) != value(0))?;
    let side = |at: usize| {
        let rank = *comparison.groups.get(at)?.ranks.first()?;
        Some(RankCompile { rank, compile: job.texts.maybe(job.ranks.get(rank)?.compile(graph))? })
    };
    Some([side(0)?, side(other)?])
}

/// Rows of a timeline: what a screen or two can show.
pub const MOST_ROWS: usize = 64;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TimelineRow {
    /// Equal ranks; the first one is drawn.
    Ranks(Vec<usize>),
    /// Numbers of ranks without a log.
    Missing(Vec<u64>),
}

/// The rows of a timeline, in order of their first rank: one per rank where they are few, else one for ranks that are
/// alike, and of those the worst.
pub fn timeline_rows(job: &Job, found: &JobFound) -> Vec<TimelineRow> {
    let missing = &found.fleet.missing;
    let mut rows: Vec<TimelineRow> = if job.ranks.len() + missing.len() <= MOST_ROWS {
        let ranks = (0..job.ranks.len()).map(|index| TimelineRow::Ranks(vec![index]));
        ranks.chain(missing.iter().map(|number| TimelineRow::Missing(vec![*number]))).collect()
    } else {
        let gaps = (!missing.is_empty()).then(|| TimelineRow::Missing(missing.clone()));
        let most = MOST_ROWS - usize::from(gaps.is_some());
        let alike = found.alike.iter().take(most).map(|one| TimelineRow::Ranks(one.ranks.clone()));
        alike.chain(gaps).collect()
    };
    rows.sort_by_key(|row| match row {
        TimelineRow::Ranks(ranks) => {
            ranks.first().and_then(|index| job.ranks.get(*index)).map(|rank| rank.number)
        }
        TimelineRow::Missing(numbers) => numbers.first().copied(),
    });
    rows
}
