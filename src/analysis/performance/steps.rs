//! How many steps of the program a trace covers, so that two traces are compared by what a step costs.

use crate::facts::{StepsFrom, Trace};
use crate::model::Profile;

/// How torch.profiler marks a step: `ProfilerStep#3`.
const MARK: &str = "ProfilerStep#";

/// Counts the steps of a trace, if anything says how many there are. `calls` are those of each compiled region. How often a
/// kernel was launched says nothing: a model launches it once for each of its layers.
pub(super) fn count_steps(
    trace: &mut Trace<'_>,
    profile: &Profile,
    calls: impl Iterator<Item = u64> + Clone,
) {
    let is_mark = |name: &str| name.starts_with(MARK);
    let marks = profile.operators.iter().filter(|operator| operator.annotation && is_mark(&operator.name));
    let marks = Some(marks.count() as u64).filter(|marks| *marks > 0);
    trace.steps = marks.or_else(|| repetitions(calls));
    let from = if marks.is_some() { StepsFrom::Marks } else { StepsFrom::Regions };
    trace.steps_from = trace.steps.map(|_| from);
}

/// How often a sequence ran of whose parts each ran so often: as often as all of them, or as the number that divides all.
/// Parts that ran once beside others that ran more often say nothing.
pub(super) fn repetitions(counts: impl Iterator<Item = u64> + Clone) -> Option<u64> {
    let first = counts.clone().next()?;
    let common = counts.clone().fold(0, divisor);
    let is_told = common > 1 || counts.clone().all(|count| count == first);
    is_told.then_some(common).filter(|common| *common > 0)
}

/// The greatest common divisor.
fn divisor(one: u64, other: u64) -> u64 {
    match other {
        0 => one,
        _ => divisor(other, one % other),
    }
}
