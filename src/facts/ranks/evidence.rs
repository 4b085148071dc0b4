//! What the reports of a few ranks show beside what ranks are compared by: when they compiled, and their graphs.

use crate::facts::Interval;
use crate::model::CompilerPart;

/// When a rank compiled.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RankTimeline {
    /// Intervals in which one part of the compiler was at work, in order of time.
    pub parts: Vec<PartInterval>,
    /// Each compile from its first phase to its last, in order of time.
    pub compiles: Vec<CompileInterval>,
}

/// An interval in which one part of the compiler was at work.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PartInterval {
    pub part: CompilerPart,
    pub interval: Interval,
}

/// When a compile ran.
#[derive(Debug, Clone, PartialEq)]
pub struct CompileInterval {
    pub id: String,
    /// From its first phase to its last.
    pub interval: Interval,
}

/// A graph of one rank in which ranks differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RankGraph {
    /// The rank: an index into the job's.
    pub rank: usize,
    /// The compile, as the rank names it.
    pub compile: String,
    pub file: String,
    pub text: String,
}

/// What the reports of a few ranks show.
#[derive(Debug, Default)]
pub struct JobEvidence {
    /// When ranks compiled: the rank (an index into the job's) with its timeline, in order of the ranks.
    pub timelines: Vec<(usize, RankTimeline)>,
    /// The graph in which ranks first differ, as the largest group and as another has it.
    pub graphs: Option<[RankGraph; 2]>,
}

impl JobEvidence {
    /// When a rank compiled, where that was read.
    pub fn timeline(&self, rank: usize) -> Option<&RankTimeline> {
        let at = self.timelines.binary_search_by_key(&rank, |(rank, _)| *rank).ok()?;
        self.timelines.get(at).map(|(_, timeline)| timeline)
    }
}
