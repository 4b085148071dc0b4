//! The order of findings.

use super::finding::{Finding, Severity};
use crate::model::CompileIndex;

/// The rank of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    /// Damage of the log: it limits all that follows.
    FirstOfAll,
    /// Something did not work.
    Error,
    /// Seconds were lost, or may be.
    Problem,
    /// What is expected, and what is only good to know.
    Information,
}

/// Sorts findings, most important first: damage, then errors, then problems by the seconds wasted or avoidable; what is
/// expected and what is only good to know comes last. Ties go by count, then by place in the log: the first compile.
pub(super) fn rank(findings: &mut [Finding]) {
    findings.sort_by(|one, other| {
        weight(one)
            .cmp(&weight(other))
            .then(other.lost_us().total_cmp(&one.lost_us()))
            .then(other.count.cmp(&one.count))
            .then(place(one).cmp(&place(other)))
    });
}

fn weight(finding: &Finding) -> Weight {
    match finding.severity {
        _ if finding.kind.first_of_all => Weight::FirstOfAll,
        Severity::Error => Weight::Error,
        Severity::Warning if !finding.is_expected() => Weight::Problem,
        _ => Weight::Information,
    }
}

/// The first compile that a finding is about; findings without a compile come last.
fn place(finding: &Finding) -> (bool, Option<CompileIndex>) {
    let first = finding.compiles.iter().min().copied();
    (first.is_none(), first)
}
