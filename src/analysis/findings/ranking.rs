//! The order of findings.

use super::finding::Finding;

/// Sorts findings, most important first: damage, then errors, then warnings, then the rest; within these by seconds
/// lost, then by count. Equal ones keep their order.
pub(super) fn rank(findings: &mut [Finding]) {
    findings.sort_by(|one, other| {
        let weight = |finding: &Finding| (!finding.kind.first_of_all, finding.severity);
        let cost = |finding: &Finding| finding.cost_us.unwrap_or(0.0);
        weight(one)
            .cmp(&weight(other))
            .then(cost(other).total_cmp(&cost(one)))
            .then(other.count.cmp(&one.count))
    });
}
