//! The compiles of one function in order.

use super::change::Change;
use super::kind::ChangeKind;
use super::limit::Limit;
use super::subject::{ChangedThing, KnownValue};
use crate::analysis::findings::Advice;
use crate::model::{CompileIndex, Function, Reason};
use indexmap::IndexMap;

/// A function that was compiled more than once, with its compiles.
#[derive(Debug, Clone, Default)]
pub struct Chain<'m> {
    /// The function, if the log names it.
    pub function: Option<&'m Function>,
    /// Its compiles in log order, including the first.
    pub steps: Vec<Step<'m>>,
    /// What changed most often: its kind, and its expression if the guards name one.
    pub lead: Option<(ChangeKind, Option<String>)>,
    /// The known values of that expression, in order.
    pub values: Vec<String>,
    /// Microseconds of all compiles but the first; None if none was timed.
    pub us: Option<f64>,
    /// What happened at the recompile limit.
    pub limit: Limit,
    /// What to do, most relevant first; code is in backquotes.
    pub advice: Vec<Advice>,
    /// Number of compiled versions. The first may be in the log of the parent process.
    pub versions: usize,
}

/// A compile of a chain.
#[derive(Debug, Clone, Default)]
pub struct Step<'m> {
    pub compile: CompileIndex,
    /// Failed guards of older compiles, latest first; empty for a first compile or if none was recorded.
    pub reasons: Vec<&'m Reason>,
    /// The change that each reason reports.
    pub changes: Vec<Change>,
    /// Index into `reasons` of the version closest to the call.
    pub closest: Option<usize>,
    /// What separates the call from that version.
    pub change: Option<Change>,
    /// That version.
    pub against: Option<CompileIndex>,
    /// Whether the limit stopped this compile.
    pub over_limit: bool,
    /// Whether calls that it serves run in eager mode, as it has no graph, beside versions that have one, and no function
    /// resumes after its graph break.
    pub runs_eagerly: bool,
    /// The thread or process that recorded the reasons.
    pub writer: Option<u64>,
    /// Why it was compiled; None for a first compile or if no reason was recorded.
    pub cause: Option<Cause>,
}

/// Why a function was recompiled, for sums of its cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cause {
    /// What changed.
    pub kind: ChangeKind,
    /// Whether this version is needed anyway: for training and evaluation, for each dtype, for the first step of an
    /// optimizer, for sizes 0 and 1, for a flag that selects a branch.
    pub expected: bool,
}

/// Versions that failed for the same thing, if the versions disagree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disagreement<'s> {
    /// The change that the first of them reports.
    pub change: &'s Change,
    /// How many versions.
    pub versions: usize,
    /// Whether all of them were compiled for the same value.
    pub one_value: bool,
}

impl Step<'_> {
    /// The reason of the closest version.
    pub fn reason(&self) -> Option<&Reason> {
        self.reasons.get(self.closest?).copied()
    }

    /// What the closest version was compiled for, and this one.
    fn known_values(&self) -> impl Iterator<Item = KnownValue<'_>> {
        let change = self.change.as_ref();
        let version = self.against.unwrap_or(self.compile);
        let old = change.and_then(|change| Some(KnownValue { version, value: change.old.as_ref()? }));
        let new =
            change.and_then(|change| Some(KnownValue { version: self.compile, value: change.new.as_ref()? }));
        old.into_iter().chain(new)
    }

    /// Versions grouped by what failed, the closest version's group first; empty if all failed for the same thing.
    pub fn disagreement(&self) -> Vec<Disagreement<'_>> {
        let mut groups: IndexMap<(ChangeKind, Option<String>), Disagreement<'_>> = IndexMap::new();
        let others = (0..self.changes.len()).filter(|at| Some(*at) != self.closest);
        for change in self.closest.into_iter().chain(others).filter_map(|at| self.changes.get(at)) {
            let same = groups.entry((change.kind, change.subject())).and_modify(|group| {
                group.versions += 1;
                group.one_value &= group.change.old.is_some() && group.change.old == change.old;
            });
            same.or_insert(Disagreement { change, versions: 1, one_value: change.old.is_some() });
        }
        let groups: Vec<Disagreement<'_>> = groups.into_values().collect();
        if groups.len() > 1 { groups } else { Vec::new() }
    }

    /// Compile ids of the other versions that failed for the same thing as the closest one, newest first.
    pub fn same_for(&self) -> Vec<&str> {
        let thing = self.change.as_ref().map(|change| (change.kind, change.subject()));
        let others = self.reasons.iter().zip(&self.changes).enumerate().filter(|(at, (_, change))| {
            Some(*at) != self.closest && Some((change.kind, change.subject())) == thing
        });
        others.filter_map(|(_, (reason, _))| reason.against.as_deref()).collect()
    }
}

impl Chain<'_> {
    /// Compiles beyond the first.
    pub fn recompiles(&self) -> usize {
        self.steps.len().saturating_sub(1)
    }

    /// Whether the function reached the limit of recompilations.
    pub fn limit_hit(&self) -> bool {
        self.limit != Limit::NotReached
    }

    /// Versions that torch caches for the function. If it reached the limit, that is how many it has: the program may
    /// have set another limit for a while. Otherwise it is the usual limit.
    pub fn limit_of(&self, usual: u64) -> u64 {
        if self.limit_hit() { self.cached_versions() as u64 } else { usual }
    }

    /// Versions in the cache: all compiled versions except those that the limit stopped.
    pub fn cached_versions(&self) -> usize {
        self.versions - self.steps.iter().filter(|step| step.over_limit).count().min(self.versions)
    }

    pub fn compiles(&self) -> Vec<CompileIndex> {
        self.steps.iter().map(|step| step.compile).collect()
    }

    /// Whether every recompile is expected.
    pub fn is_expected(&self) -> bool {
        let mut causes = self.steps.iter().filter_map(|step| step.cause).peekable();
        self.limit == Limit::NotReached && causes.peek().is_some() && causes.all(|cause| cause.expected)
    }

    /// The distinct things that changed, most frequent first.
    pub fn subjects(&self) -> Vec<ChangedThing<'_>> {
        let mut subjects: IndexMap<(Option<ChangeKind>, Option<String>), ChangedThing<'_>> = IndexMap::new();
        for (at, step) in self.steps.iter().enumerate() {
            let (kind, name) = match &step.change {
                Some(change) => (Some(change.kind), change.subject()),
                None if at > 0 && !step.over_limit => (None, None),
                None => continue,
            };
            let subject = subjects.entry((kind, name.clone())).or_insert_with(|| ChangedThing {
                kind,
                name,
                changes: Vec::new(),
                known: Vec::new(),
                expected: true,
            });
            subject.changes.extend(&step.change);
            subject.known.extend(step.known_values());
            subject.expected &= step.cause.is_some_and(|cause| cause.expected);
        }
        let mut all: Vec<ChangedThing<'_>> = subjects.into_values().collect();
        all.sort_by_key(|subject| (subject.kind.is_none(), std::cmp::Reverse(subject.changes.len())));
        all
    }
}
