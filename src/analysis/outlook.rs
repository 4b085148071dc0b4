//! Upper bounds on what other runs of the same program would save.

use super::builds::Builds;
use super::findings::{Finding, KindOfFinding, Severity};
use super::one_offs::OneOff;
use super::split::Split;
use super::warm_run;
use crate::model::{CompileIndex, Model, RepeatedLines};

/// What other runs would save.
#[derive(Debug)]
pub struct Outlook<'m> {
    /// Microseconds of compile time of this run.
    pub total_us: f64,
    /// Microseconds that a run with the same cache folder saves at most; None if this run already found everything, or used
    /// no cache.
    pub warm_us: Option<f64>,
    /// Microseconds that building kernels in parallel saves at most; None unless the log says that one thread built them.
    pub side_by_side_us: Option<f64>,
    /// Kernels that were built.
    pub kernels: usize,
    /// The compiles whose graph repeats a layer many times, costliest first.
    pub repeated: Vec<Repeated<'m>>,
}

/// A graph that repeats the same lines many times.
#[derive(Debug)]
pub struct Repeated<'m> {
    pub compile: CompileIndex,
    pub lines: &'m RepeatedLines,
    /// Microseconds of the compile.
    pub us: Option<f64>,
}

/// Smaller savings, as a share of the time, are omitted.
const LEAST_SHARE: f64 = 0.05;

/// Logs with at least this many microseconds of compile time are slow.
const SLOW_US: f64 = 5e6;

/// Largest share of the time lost to problems for which the time itself comes first.
const MOST_LOST: f64 = 0.02;

/// Whether the compile time itself comes first on the page: it is long, nothing failed, and problems cost little of it.
/// Serial builds are not a problem of the program.
pub fn time_comes_first(split: &Split, findings: &[Finding]) -> bool {
    let total_us = split.total_us();
    let problems = || findings.iter().filter(|one| one.kind != KindOfFinding::SerialBuilds);
    let lost: f64 = problems().map(Finding::lost_us).sum();
    let failed = findings.iter().any(|one| one.severity == Severity::Error);
    split.of_spans && total_us >= SLOW_US && !failed && lost <= MOST_LOST * total_us
}

impl<'m> Outlook<'m> {
    /// The outlook of a log. The finding about serial builds says how much threads would save.
    pub fn new(
        model: &'m Model,
        split: &Split,
        (builds, one_offs): (&Builds, &[OneOff]),
        findings: &[Finding],
    ) -> Outlook<'m> {
        let total_us = split.total_us();
        let least_us = total_us * LEAST_SHARE;
        let worth = |us: f64| Some(us).filter(|us| *us > 0.0 && *us >= least_us);
        let serial = findings.iter().find(|one| one.kind == KindOfFinding::SerialBuilds);
        Outlook {
            total_us,
            warm_us: worth(warm_run::saved_us(model, split, one_offs)),
            side_by_side_us: serial.and_then(|one| worth(one.lost_us())),
            kernels: builds.kernels.iter().map(|one| one.count).sum(),
            repeated: repeated(model),
        }
    }
}

/// The compiles whose graph repeats lines, costliest first.
fn repeated(model: &Model) -> Vec<Repeated<'_>> {
    let compiles = model.compiles.indexed();
    let found = compiles.filter_map(|(compile, one)| {
        Some(Repeated { compile, lines: one.repeated.as_ref()?, us: one.compile_us() })
    });
    let mut found: Vec<Repeated<'_>> = found.collect();
    found.sort_by(|a, b| b.us.unwrap_or(0.0).total_cmp(&a.us.unwrap_or(0.0)).then(a.compile.cmp(&b.compile)));
    found
}
