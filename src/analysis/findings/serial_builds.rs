//! Kernels that are built one after the other although that is most of the work.

use super::basis::{Basis, Family};
use super::cost::{Claim, Work};
use super::finding::{Finding, Severity, Value};
use super::kind::{KindOfFinding, Topic};
use crate::analysis::builds::Builds;
use crate::model::words::duration;

/// Serial builds.
pub(super) const FAMILY: Family = Family { kinds: &[&SERIAL_BUILDS], of_log };

/// One build at a time.
static SERIAL_BUILDS: KindOfFinding = KindOfFinding {
    checked: Some("serial kernel build"),
    topic: Some(Topic::Time),
    records: &["chromium_event"],
    ..KindOfFinding::of("serial_builds", "Serial builds")
};

/// Builds, and microseconds of them, below which nothing is gained.
const LEAST_BUILDS: usize = 4;
const LEAST_US: f64 = 2e6;

/// The part of the compile time from which builds dominate.
const DOMINATES: f64 = 0.4;

/// One finding where `compile_threads` is 1 and builds of kernels dominate.
fn of_log(Basis { model, .. }: Basis<'_>) -> Vec<Finding> {
    if model.inductor.compile_threads != Some(1) {
        return Vec::new();
    }
    let builds = Builds::of(model);
    let us = builds.kernels_us();
    let count: usize = builds.kernels.iter().map(|one| one.count).sum();
    if count < LEAST_BUILDS || us < LEAST_US || us < builds.log_us * DOMINATES {
        return Vec::new();
    }
    let title = format!(
        "Kernels are built one after the other: {} of {}, with `compile_threads` 1",
        duration(us),
        duration(builds.log_us)
    );
    let mut found = Finding::new(&SERIAL_BUILDS, Severity::Warning, title);
    found.detail = Some(
        "The builds do not depend on each other. With several threads they run side by side.".to_owned(),
    );
    found.hints = vec![
        "Set `TORCHINDUCTOR_COMPILE_THREADS` (or `torch._inductor.config.compile_threads`) to the number of cores."
            .to_owned(),
    ];
    found.count = count as u64;
    found.fact("Builds", Value::Prose(format!("{count} kernels, {} in all", duration(us))));
    found.compiles = builds.kernels.iter().map(|one| one.compile).collect();
    // At best as long as the longest build of each compile.
    for one in &builds.kernels {
        let saved = (one.us - one.longest_us).max(0.0);
        found.claim(Claim::avoidable(Work::Compile, vec![one.compile], "of builds in series").at_most(saved));
    }
    vec![found]
}

#[cfg(test)]
mod tests {
    use super::super::basis::Basis;
    use super::*;
    use crate::analysis::builds::tests::model;
    use crate::model::Model;

    #[test]
    fn builds_one_after_the_other_are_a_problem_where_they_dominate_and_one_thread_is_set() {
        let found = |model: &Model| of_log(Basis { model, chains: &[], performance: None });
        let mut model = model();
        let one = found(&model).remove(0);
        assert_eq!(
            one.title,
            "Kernels are built one after the other: 8.00 s of 20.0 s, with `compile_threads` 1"
        );
        assert_eq!(
            (one.count, one.claims[0].most_us),
            (4, Some(6e6)),
            "the longest build is needed in any case"
        );
        model.inductor.compile_threads = Some(8);
        assert!(found(&model).is_empty(), "eight threads");
        model.inductor.compile_threads = Some(1);
        model.spans[0].end_us = 30e6;
        assert!(found(&model).is_empty(), "builds are a quarter of the time");
    }
}
