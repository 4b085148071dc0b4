//! The first C++ build of a process: torch probes the compiler before it builds kernels.

use super::basis::Basis;
use super::cost::{Claim, Work};
use super::finding::{Finding, Severity};
use super::kind::KindOfFinding;
use crate::model::SentencePart;
use crate::model::sentence::sentence;

/// Microseconds from which it is reported.
const LEAST_US: f64 = 1e6;

/// One finding where it took a second or more. A program on a GPU needs no C++ but for what runs on the CPU, which has its
/// own finding.
pub(super) fn of_log(Basis { builds, on_device, .. }: Basis<'_>) -> Vec<Finding> {
    let us = builds.trials_us();
    if us < LEAST_US || on_device.uses_gpu {
        return Vec::new();
    }
    let title = sentence![
        "The first C++ build took ",
        SentencePart::Duration(us),
        ": once per machine with a warm cache folder"
    ];
    let mut found = Finding::new(KindOfFinding::Toolchain, Severity::Info, title);
    found.compiles = builds.trials.iter().map(|one| one.compile).collect();
    for one in &builds.trials {
        found.claim(Claim::expected(Work::OneOff, vec![one.compile], "of one-off builds").at_most(one.us));
    }
    vec![found]
}
