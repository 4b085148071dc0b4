//! The cached version closest to a call that no version fits.
//!
//! Each version reports only the first guard that failed. The cause is the difference to the version with the fewest
//! other differences; a version of another backend is never close.

use super::change::Change;
use super::kind::ChangeKind;
use crate::model::{GuardFacts, GuardPrint};
use std::cmp::Reverse;

/// A version that did not fit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate<'c> {
    /// The change that its failed guard reports.
    pub change: &'c Change,
    /// Whether another backend compiled it than the call asks for.
    pub other_backend: bool,
    /// Places whose guards differ from the version that was compiled for the call.
    pub differences: Option<usize>,
}

/// Index of the closest version; the first, which is the newest, of equally close ones. Differences count only if they are
/// known for all versions.
pub(super) fn closest(candidates: &[Candidate<'_>]) -> Option<usize> {
    let all_counted = candidates.iter().all(|candidate| candidate.differences.is_some());
    let order = |candidate: &Candidate<'_>| {
        let differences = candidate.differences.filter(|_| all_counted).unwrap_or(0);
        (candidate.other_backend, differences, Reverse(lateness(candidate.change)))
    };
    let best = candidates.iter().enumerate().min_by_key(|(_, candidate)| order(candidate));
    best.map(|(index, _)| index)
}

/// How late a guard is checked: all guards before it held.
fn lateness(change: &Change) -> (u8, Option<u64>) {
    // The kind does not say in which order the values of one place are checked.
    let dimension = change.dimension.filter(|_| change.kind.stage() > 1);
    // A relation of strides is a condition on symbols, which come after all tensors.
    let is_symbolic = change.kind == ChangeKind::Stride && change.condition.is_some();
    let stage = if is_symbolic { ChangeKind::Relation.stage() } else { change.kind.stage() };
    (stage, dimension)
}

/// Counts the places whose guards differ between a version and the one compiled for the call. A failed guard on the global
/// state counts too: up to torch 2.14 the trees do not show it, as its text is the same for every state.
pub(super) fn differences(version: &GuardFacts, call: &GuardFacts, change: &Change) -> usize {
    let trees = places_that_differ(&version.prints, &call.prints);
    let is_global = matches!(change.kind, ChangeKind::GradMode | ChangeKind::Autocast | ChangeKind::Setting);
    let state = match (version.global_state, call.global_state) {
        (Some(was), Some(is)) => was != is,
        _ => is_global,
    };
    trees + usize::from(state)
}

fn places_that_differ(was: &[GuardPrint], is: &[GuardPrint]) -> usize {
    let (mut was, mut is) = (by_place(was), by_place(is));
    let (mut left, mut right) = (was.next(), is.next());
    let mut count = 0;
    while let (Some(old), Some(new)) = (left, right) {
        let (old_place, new_place) = (place(old), place(new));
        count += usize::from(old != new);
        if old_place <= new_place {
            left = was.next();
        }
        if new_place <= old_place {
            right = is.next();
        }
    }
    count + left.into_iter().chain(was).count() + right.into_iter().chain(is).count()
}

fn by_place(prints: &[GuardPrint]) -> impl Iterator<Item = &[GuardPrint]> {
    prints.chunk_by(|one, next| one.place == next.place)
}

fn place(chunk: &[GuardPrint]) -> Option<u64> {
    chunk.first().map(|print| print.place)
}

#[cfg(test)]
mod tests {
    use super::super::guard_kinds::classify;
    use super::*;

    fn prints(all: &[(u64, u64)]) -> GuardFacts {
        let prints = all.iter().map(|&(place, condition)| GuardPrint { place, condition });
        GuardFacts { prints: prints.collect(), ..GuardFacts::default() }
    }

    #[test]
    fn differences_count_places_not_guards() {
        let change = classify("k == 1");
        let old = prints(&[(1, 10), (1, 11), (2, 20), (3, 30)]);
        assert_eq!(differences(&old, &old, &change), 0);
        assert_eq!(differences(&old, &prints(&[(1, 12), (1, 13), (2, 20), (3, 30)]), &change), 1);
        assert_eq!(differences(&old, &prints(&[(1, 10), (1, 11), (2, 20), (4, 40)]), &change), 2);
        assert_eq!(differences(&old, &prints(&[]), &change), 3);
    }

    #[test]
    fn a_failed_guard_that_the_trees_do_not_show_counts() {
        let state = classify("GLOBAL_STATE changed: grad_mode ");
        let mut old = prints(&[(1, 10)]);
        assert_eq!(differences(&old, &prints(&[(1, 10)]), &state), 1);
        // Since 2.15 the text tells the state: it is counted once, whatever failed first.
        let mut new = prints(&[(1, 10)]);
        (old.global_state, new.global_state) = (Some(1), Some(2));
        assert_eq!(differences(&old, &new, &state), 1);
        assert_eq!(differences(&old, &new, &classify("k == 1")), 1);
    }
}
