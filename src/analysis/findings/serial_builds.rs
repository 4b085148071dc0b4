//! Kernels that are built one after the other although that is most of the work.

use super::basis::Basis;
use super::cost::{Claim, Work};
use super::finding::{Finding, Severity, Value};
use super::kind::KindOfFinding;
use crate::model::sentence::sentence;
use crate::model::words::duration;
use crate::model::{Sentence, SentencePart};

/// Builds, and microseconds of them, below which nothing is gained.
const LEAST_BUILDS: usize = 4;
const LEAST_US: f64 = 2e6;

/// Microseconds, and the part of all builds, that threads have to save at best to be worth the advice.
const LEAST_GAIN_US: f64 = 1e6;
const LEAST_GAIN: f64 = 0.1;

/// The part of the compile time from which builds dominate.
const DOMINATES: f64 = 0.4;

/// One finding where `compile_threads` is 1 and builds of kernels dominate: a problem where threads would help, else a
/// word on why they would not.
pub(super) fn of_log(Basis { model, builds, on_device, .. }: Basis<'_>) -> Vec<Finding> {
    if model.inductor.compile_threads != Some(1) {
        return Vec::new();
    }
    let us = builds.kernels_us();
    let count: usize = builds.kernels.iter().map(|one| one.count).sum();
    if count < LEAST_BUILDS || us < LEAST_US || us < builds.log_us * DOMINATES {
        return Vec::new();
    }
    let helps = builds.side_by_side_us() >= LEAST_GAIN_US.max(us * LEAST_GAIN);
    let severity = if helps { Severity::Warning } else { Severity::Info };
    let gain: Sentence = match builds.side_by_side_us() {
        0.0 => "nothing".into(),
        gain => sentence![SentencePart::Duration(gain), " at most"],
    };
    let part = sentence![SentencePart::Duration(us), " of ", SentencePart::Duration(builds.log_us)];
    let title = match helps {
        true => sentence!["Kernels are built one after the other: ", part, ", with `compile_threads` 1"],
        false => {
            let save = ", of which more `compile_threads` would save ";
            sentence!["Kernel builds take ", part, save, gain.clone()]
        }
    };
    let mut found = Finding::new(KindOfFinding::SerialBuilds, severity, title);
    found.count = count as u64;
    let saves = if helps { String::new() } else { format!("; more `compile_threads` would save {gain}") };
    found.fact("Builds", Value::Prose(format!("{count} kernels, {} in all{saves}", duration(us))));
    found.compiles = builds.kernels.iter().map(|one| one.compile).collect();
    if helps {
        let tried = if on_device.uses_gpu { "triton_builds.1" } else { "compile_threads.1" };
        found.say("helps", &[("tried", tried)]);
        for one in &builds.side_by_side {
            let claim = Claim::avoidable(Work::Compile, vec![one.compile], "of builds in series");
            found.claim(claim.at_most(one.us));
        }
    } else {
        found.say("gains_nothing", &[]);
    }
    vec![found]
}
