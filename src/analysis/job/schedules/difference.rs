//! How ranks differ in the collectives of a function.

use super::ways::{Call, RankCalls};
use crate::facts::ranks::{FunctionFact, GraphId, Job, TextId};
use fxhash::FxHashSet;

/// The name of the process group of all ranks.
pub(super) const WORLD: &str = "0";

/// A line of the user's program that a captured graph leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallLine {
    pub file: String,
    pub line: u64,
    /// Whether the call is in this line; else it is in a later one.
    pub is_exact: bool,
}

/// How sure it is that ranks wait in different collectives, the surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sureness {
    /// Code that both sides run calls others, in a process group that both are in.
    Hang,
    /// A version that only one side compiled calls others than all of the other side.
    OtherVersion,
    /// Only one side compiles the function.
    OneSided,
    /// The sides call in process groups of their own.
    OtherGroups,
}

/// A function of which ranks call different collectives.
#[derive(Debug, Clone)]
pub struct ScheduleDifference {
    /// How sure that leads to a hang.
    pub sureness: Sureness,
    pub function: FunctionFact,
    /// Its compile.
    pub graph: GraphId,
    /// Which collective of the function it is, from 0.
    pub nth: usize,
    /// Most ranks.
    pub most: ScheduleSide,
    /// The ranks that differ from them.
    pub other: ScheduleSide,
    /// Whether both sides call the same collectives in another order.
    pub is_order: bool,
}

/// What ranks call.
#[derive(Debug, Clone)]
pub struct ScheduleSide {
    /// The ranks: indices into the job's.
    pub ranks: Vec<usize>,
    /// The compile of the version, as the first of them names it.
    pub compile: Option<TextId>,
    /// What they call; None for nothing more.
    pub call: Option<Call>,
    /// Collectives of that way.
    pub count: usize,
    /// Where the program calls it.
    pub line: Option<CallLine>,
}

impl ScheduleSide {
    /// What a class calls in a version of a function, or that it has none.
    pub(super) fn new(
        class: &Class,
        compile: Option<TextId>,
        call: Option<Call>,
        count: usize,
    ) -> ScheduleSide {
        ScheduleSide { ranks: class.ranks.clone(), compile, call, count, line: None }
    }
}

/// Ranks whose facts about collectives are the same lists.
pub(super) struct Class {
    pub ranks: Vec<usize>,
    pub calls: RankCalls,
}

/// Whether both sides are in the process group of a call in which they differ.
pub(super) fn shares_group(job: &Job, one: &Class, other: &Class, calls: [Option<Call>; 2]) -> bool {
    let groups: FxHashSet<Option<TextId>> = calls.into_iter().flatten().map(|call| call.group).collect();
    groups.into_iter().any(|group| match group {
        None => true,
        Some(group) if job.texts.get(group) == WORLD => true,
        Some(group) => one.calls.groups.contains(&group) && other.calls.groups.contains(&group),
    })
}
