//! The order of findings.

use super::finding::{Finding, Severity};
use crate::model::CompileIndex;
use std::cmp::Ordering;

/// The rank of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    /// Damage of the log: it limits all that follows.
    FirstOfAll,
    /// Something did not work.
    Error,
    /// Seconds were lost, or may be, or the next run saves some.
    Problem,
    /// What is expected, and what is only good to know.
    Information,
}

/// Sorts findings, most important first: damage, then errors, then by the seconds wasted, avoidable, or saved by the next
/// run; what is expected and what is only good to know comes last. Ties go by count, then by place in the log: the first compile.
pub(super) fn rank(findings: &mut [Finding]) {
    findings.sort_by(|one, other| Importance::of(one).compare(&Importance::of(other)));
}

/// What findings are sorted by.
#[derive(Debug, Clone, Copy)]
struct Importance {
    weight: Weight,
    lost_us: f64,
    count: u64,
    /// The first compile that a finding is about; findings without a compile come last.
    place: (bool, Option<CompileIndex>),
}

impl Importance {
    fn of(one: &Finding) -> Importance {
        let first = one.compiles.iter().min().copied();
        Importance {
            weight: weight(one),
            lost_us: one.lost_us(),
            count: one.count,
            place: (first.is_none(), first),
        }
    }

    fn compare(&self, other: &Importance) -> Ordering {
        self.weight
            .cmp(&other.weight)
            .then(other.lost_us.total_cmp(&self.lost_us))
            .then(other.count.cmp(&self.count))
            .then(self.place.cmp(&other.place))
    }
}

/// Sorts findings by importance, each followed by its consequences. What is more important than its cause is not put below
/// it, but what vanishes with a cause (`made_us`) counts as lost with it. The causes are positions before sorting.
pub(super) fn in_tree(findings: Vec<Finding>, causes: &[Option<usize>], made_us: &[f64]) -> Vec<Finding> {
    let avoidable_us: f64 = findings.iter().map(Finding::lost_us).sum();
    let importance: Vec<Importance> = findings
        .iter()
        .zip(made_us.iter().chain(std::iter::repeat(&0.0)))
        .map(|(one, made_us)| match one.warm_us {
            // What other findings avoid would not be there to save.
            Some(us) => Importance { lost_us: us - avoidable_us, ..Importance::of(one) },
            None => Importance { lost_us: one.lost_us() + made_us, ..Importance::of(one) },
        })
        .collect();
    let order = |one: usize, other: usize| match (importance.get(one), importance.get(other)) {
        (Some(first), Some(second)) => first.compare(second).then(one.cmp(&other)),
        _ => Ordering::Equal,
    };
    let above = causes.iter().enumerate();
    let above = above.map(|(index, cause)| cause.filter(|cause| order(*cause, index).is_lt()));
    arranged(findings, &above.collect::<Vec<_>>(), order)
}

/// Findings with each cause before what follows from it, and what follows from one in this order. The causes are positions
/// before sorting, and none is its own consequence.
pub(in crate::analysis) fn arranged(
    findings: Vec<Finding>,
    causes: &[Option<usize>],
    order: impl Fn(usize, usize) -> Ordering,
) -> Vec<Finding> {
    let count = findings.len();
    // Findings without a cause are listed under `count`, an index past the last finding.
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); count + 1];
    for (index, cause) in causes.iter().enumerate() {
        below.get_mut(cause.unwrap_or(count)).into_iter().for_each(|siblings| siblings.push(index));
    }
    let mut left: Vec<Option<Finding>> = findings.into_iter().map(Some).collect();
    let mut sorted: Vec<Finding> = Vec::with_capacity(count);
    let mut open = vec![(count, None)];
    while let Some((index, caused_by)) = open.pop() {
        let here = left.get_mut(index).and_then(Option::take).map(|one| {
            sorted.push(Finding { caused_by, ..one });
            sorted.len() - 1
        });
        let mut next = below.get_mut(index).map(std::mem::take).unwrap_or_default();
        next.sort_by(|one, other| order(*one, *other));
        // Taken from the end, so the first is put last.
        open.extend(next.into_iter().rev().map(|consequence| (consequence, here)));
    }
    sorted
}

fn weight(finding: &Finding) -> Weight {
    match finding.severity {
        _ if finding.kind.facts().first_of_all => Weight::FirstOfAll,
        Severity::Error => Weight::Error,
        Severity::Warning if !finding.is_expected() => Weight::Problem,
        _ if finding.warm_us.is_some() => Weight::Problem,
        _ => Weight::Information,
    }
}

#[cfg(test)]
mod tests {
    use super::super::cost::{Cost, CostKind};
    use super::super::kind::KindOfFinding;
    use super::*;

    type Row = (&'static str, Severity, f64, Option<usize>);

    /// Titles in order, each with the place of its cause, of findings with what they lost and the places of their causes.
    fn sorted(rows: &[Row]) -> String {
        let finding = |&(title, severity, us, _): &Row| {
            let cost = Cost { us, kind: CostKind::Avoidable, why: String::new() };
            Finding { cost: Some(cost), ..Finding::new(KindOfFinding::GraphBreak, severity, title) }
        };
        let causes: Vec<Option<usize>> = rows.iter().map(|row| row.3).collect();
        let made_us = rows.iter().enumerate().map(|(cause, _)| {
            let made = rows.iter().filter(|row| row.3 == Some(cause) && row.0.starts_with("made"));
            made.map(|row| row.2).sum()
        });
        let made_us: Vec<f64> = made_us.collect();
        let found = in_tree(rows.iter().map(finding).collect(), &causes, &made_us);
        let told = found.iter().map(|one| match one.caused_by {
            Some(cause) => format!("{} by {cause}", one.title),
            None => one.title.text(),
        });
        told.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn a_consequence_follows_its_cause_unless_it_is_more_important() {
        use Severity::{Error, Info, Warning};
        let costs = [
            ("alone", Warning, 5.0, None),
            ("small", Warning, 1.0, Some(2)),
            ("cause", Warning, 2.0, None),
            ("large", Warning, 4.0, Some(2)),
        ];
        assert_eq!(sorted(&costs), "alone, large, cause, small by 2");
        let made =
            [("made", Warning, 4.0, Some(2)), ("alone", Warning, 5.0, None), ("cause", Warning, 2.0, None)];
        assert_eq!(sorted(&made), "cause, made by 0, alone", "what vanishes with a cause is lost with it");
        let error =
            [("costly", Warning, 9.0, None), ("cause", Info, 0.0, None), ("error", Error, 0.0, Some(1))];
        assert_eq!(sorted(&error), "error, costly, cause", "an error is not put below information");
        let circle = [("a", Info, 0.0, Some(1)), ("b", Info, 0.0, Some(0))];
        assert_eq!(sorted(&circle), "a, b by 0", "of what would cause each other, the first is the cause");
    }
}
