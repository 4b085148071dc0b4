//! How many steps of the program a trace covers, so that two traces are compared by what a step costs.

use crate::model::Profile;

/// How torch.profiler marks a step: `ProfilerStep#3`.
const MARK: &str = "ProfilerStep#";

/// What the steps of a trace were counted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepsFrom {
    /// The marks of torch.profiler.
    Marks,
    /// The calls of compiled code.
    Regions,
}

/// The steps of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Steps {
    /// How many.
    pub count: u64,
    /// What they were counted by.
    pub from: StepsFrom,
}

impl Steps {
    /// Counts the steps; None if nothing says how many there are. `calls` are those of each compiled region. How often a
    /// kernel was launched says nothing: a model launches it once for each of its layers.
    pub(super) fn of(profile: &Profile, calls: impl Iterator<Item = usize> + Clone) -> Option<Steps> {
        let is_mark = |name: &str| name.starts_with(MARK);
        let marks =
            profile.operators.iter().filter(|operator| operator.annotation && is_mark(&operator.name));
        let marks = marks.count() as u64;
        if marks > 0 {
            return Some(Steps { count: marks, from: StepsFrom::Marks });
        }
        repetitions(calls).map(|count| Steps { count, from: StepsFrom::Regions })
    }
}

/// How often a sequence ran of whose parts each ran so often: as often as all of them, or as the number that divides all.
/// Parts that ran once beside others that ran more often say nothing.
fn repetitions(counts: impl Iterator<Item = usize> + Clone) -> Option<u64> {
    let first = counts.clone().next()?;
    let common = counts.clone().fold(0, divisor);
    let is_told = common > 1 || counts.clone().all(|count| count == first);
    is_told.then_some(common as u64).filter(|common| *common > 0)
}

/// The greatest common divisor.
fn divisor(one: usize, other: usize) -> usize {
    match other {
        0 => one,
        _ => divisor(other, one % other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_is_repeated_as_often_as_its_parts_allow() {
        let of = |counts: &[usize]| repetitions(counts.iter().copied());
        assert_eq!(of(&[5, 5, 5]), Some(5));
        assert_eq!(of(&[1, 1]), Some(1));
        assert_eq!(of(&[5, 60, 10]), Some(5));
        assert_eq!(of(&[1, 12, 24]), None, "a part that ran once says nothing of the others");
        assert_eq!(of(&[]), None);
    }
}
