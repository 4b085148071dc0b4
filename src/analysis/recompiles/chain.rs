//! The compiles of a function in a row.

use super::change::Change;
use super::kind::ChangeKind;
use super::limit::Limit;
use super::subject::Subject;
use crate::model::{CompileIndex, Function, Reason};
use indexmap::IndexMap;

/// A function that was compiled more than once, with its compiles.
#[derive(Debug, Clone)]
pub struct Chain<'m> {
    /// What the log says of the function.
    pub function: Option<&'m Function>,
    /// Its compiles in the order of the log, the first one among them.
    pub steps: Vec<Step<'m>>,
    /// What changed most often: the kind, and the expression where the guards name one.
    pub lead: Option<(ChangeKind, Option<String>)>,
    /// The values of that expression in order, as far as guards tell them.
    pub values: Vec<String>,
    /// Microseconds of all compiles but the first; None where no record tells any.
    pub us: Option<f64>,
    /// What happened at the limit of recompilations.
    pub limit: Limit,
    /// What to do, the most fitting first; code stands between backquotes.
    pub advice: Vec<String>,
    /// Versions that were compiled. The first may stand in another log: that of the process which forked this one.
    pub versions: usize,
}

/// A compile of a chain.
#[derive(Debug, Clone)]
pub struct Step<'m> {
    /// The compile.
    pub compile: CompileIndex,
    /// Guards of older compiles that failed, latest first; empty for a first compile and where none is recorded.
    pub reasons: Vec<&'m Reason>,
    /// What each of the reasons says.
    pub changes: Vec<Change>,
    /// The place in `reasons` of the version that was closest to the call.
    pub closest: Option<usize>,
    /// What separates the call from that version.
    pub change: Option<Change>,
    /// That version.
    pub against: Option<CompileIndex>,
    /// Whether this is the compile that the limit stopped.
    pub over_limit: bool,
    /// The thread or process that recorded why it was compiled again.
    pub writer: Option<u64>,
    /// Why it was compiled; None for a first compile and where no reason is recorded.
    pub cause: Option<Cause>,
}

/// Why a function was compiled again, for a sum of what it costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cause {
    /// What changed.
    pub kind: ChangeKind,
    /// Whether the version is needed whatever the user does: training beside evaluation, one version per dtype, the
    /// first step of an optimizer, sizes 0 and 1, a flag that selects a branch.
    pub expected: bool,
}

/// Versions that failed for the same thing, where versions disagree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disagreement<'s> {
    /// What the guards of those versions say; the first of them.
    pub change: &'s Change,
    /// How many versions.
    pub versions: usize,
    /// Whether all of them want the same value.
    pub one_value: bool,
}

impl Step<'_> {
    /// The reason of the closest version.
    pub fn reason(&self) -> Option<&Reason> {
        self.reasons.get(self.closest?).copied()
    }

    /// What failed by version, where not all versions failed for the same thing; else empty. The closest first.
    pub fn disagreement(&self) -> Vec<Disagreement<'_>> {
        let mut groups: Vec<Disagreement<'_>> = Vec::new();
        let first = self.closest.and_then(|closest| self.changes.get(closest));
        for change in first.into_iter().chain(&self.changes) {
            let same = groups
                .iter_mut()
                .find(|group| (group.change.kind, group.change.subject()) == (change.kind, change.subject()));
            match same {
                Some(group) => {
                    group.versions += 1;
                    group.one_value &= group.change.old.is_some() && group.change.old == change.old;
                }
                None => groups.push(Disagreement {
                    change,
                    // The closest comes twice, first of all and in its place.
                    versions: usize::from(first.is_none_or(|first| !std::ptr::eq(first, change))),
                    one_value: change.old.is_some(),
                }),
            }
        }
        if groups.len() > 1 { groups } else { Vec::new() }
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

    /// Versions that torch keeps of the function. One that reached the limit tells it, as the program may have set it
    /// for a while; of the others it is the usual one.
    pub fn limit_of(&self, usual: u64) -> u64 {
        if self.limit_hit() { self.kept() as u64 } else { usual }
    }

    /// Versions that were compiled.
    pub fn kept(&self) -> usize {
        self.versions - self.steps.iter().filter(|step| step.over_limit).count().min(self.versions)
    }

    /// Its compiles.
    pub fn compiles(&self) -> Vec<CompileIndex> {
        self.steps.iter().map(|step| step.compile).collect()
    }

    /// Whether every further version is one that is needed whatever the user does.
    pub fn is_expected(&self) -> bool {
        let mut causes = self.steps.iter().filter_map(|step| step.cause).peekable();
        self.limit == Limit::NotReached && causes.peek().is_some() && causes.all(|cause| cause.expected)
    }

    /// The distinct things that changed, what changed most often first.
    pub fn subjects(&self) -> Vec<Subject<'_>> {
        let mut subjects: IndexMap<(Option<ChangeKind>, Option<String>), Subject<'_>> = IndexMap::new();
        for (at, step) in self.steps.iter().enumerate() {
            let (kind, name) = match &step.change {
                Some(change) => (Some(change.kind), change.subject()),
                None if at > 0 && !step.over_limit => (None, None),
                None => continue,
            };
            let subject = subjects.entry((kind, name.clone())).or_insert_with(|| Subject {
                kind,
                name,
                changes: Vec::new(),
                expected: true,
            });
            subject.changes.extend(&step.change);
            subject.expected &= step.cause.is_some_and(|cause| cause.expected);
        }
        let mut all: Vec<Subject<'_>> = subjects.into_values().collect();
        all.sort_by_key(|subject| (subject.kind.is_none(), std::cmp::Reverse(subject.changes.len())));
        all
    }
}
