//! A slow log without problems: where the time went, and what to do next.

use super::basis::Basis;
use super::finding::{Finding, Severity, Value};
use super::kind::KindOfFinding;
use crate::analysis::TimePiece;
use crate::model::sentence::sentence;
use crate::model::words::duration;
use crate::model::{CompilerPart, Sentence, SentencePart};
use indexmap::IndexMap;

/// Microseconds from which a log is slow.
const LEAST_US: f64 = 5e6;

/// Part of the time below which a share is not named.
const LEAST_SHARE: f64 = 0.05;

/// The finding, where the log is slow and the others name no problem beyond what this one advises anyway.
pub(super) fn of_clean(basis: Basis<'_>, others: &[Finding]) -> Option<Finding> {
    let Basis { model, builds, .. } = basis;
    let problem = |one: &Finding| one.severity != Severity::Info && one.kind != KindOfFinding::SerialBuilds;
    if builds.log_us < LEAST_US || others.iter().any(problem) {
        return None;
    }
    let shares = shares(basis);
    let named = |separator| Sentence::joined(shares.iter().cloned(), separator);
    let title = sentence![SentencePart::Duration(builds.log_us), " of compile time: ", named(", ")];
    let mut found = Finding::new(KindOfFinding::SlowLog, Severity::Info, title);
    advise(basis, &mut found);
    found.fact("Shares", Value::Prose(named("; ").text()));
    found.compiles =
        model.compiles.indexed().filter(|(_, one)| one.compile_us().is_some()).map(|(at, _)| at).collect();
    Some(found)
}

/// The share that also says how much work ran side by side.
const KERNELS: &str = "kernel builds";

/// The pieces of the time with their names, tracing and code generation as one, the largest first:
/// `kernel builds 18.0 s (33.1 s of work)`.
fn shares(Basis { builds, split, .. }: Basis<'_>) -> Vec<Sentence> {
    let mut shares: IndexMap<&'static str, f64> = IndexMap::new();
    for (piece, us) in split.pieces(builds) {
        let share = match piece {
            TimePiece::Part(CompilerPart::KernelBuilds) | TimePiece::WaitForWorkers => KERNELS,
            TimePiece::Part(CompilerPart::Autotuning) => "autotuning",
            TimePiece::Part(_) => "tracing and code generation",
            TimePiece::Library => "the C++ build of the library",
            TimePiece::Toolchain => "the first C++ build",
            TimePiece::WaitForProcess => "waiting for another process",
            TimePiece::Outside => "outside of the compiler",
        };
        *shares.entry(share).or_default() += us;
    }
    let least_us = builds.log_us * LEAST_SHARE;
    shares.retain(|_, us| *us >= least_us);
    shares.sort_by(|_, one, _, other| other.total_cmp(one));
    let words = |(name, us): (&'static str, f64)| {
        let is_kernels = name == KERNELS;
        let work = builds.work_of_part_us(Some(CompilerPart::KernelBuilds), us).filter(|_| is_kernels);
        let waits = Some(builds.worker_wait_us).filter(|us| is_kernels && *us >= least_us);
        let of_which = match (work, waits) {
            (Some(us), _) => sentence![" (", SentencePart::Duration(us), " of work)"],
            (None, Some(us)) => sentence![" (waiting for compile workers ", SentencePart::Duration(us), ")"],
            (None, None) => "".into(),
        };
        sentence![name, " ", SentencePart::Duration(us), of_which]
    };
    shares.into_iter().map(words).collect()
}

/// What to do next, beside what `first_run` says of the cache.
fn advise(Basis { model, builds, .. }: Basis<'_>, found: &mut Finding) {
    if builds.worker_wait_us >= builds.log_us * LEAST_SHARE {
        found.say("waits_for_workers", &[]);
    }
    if builds.process_wait_us >= builds.log_us * LEAST_SHARE {
        found.say("waits_for_process", &[]);
    }
    let gain_us = builds.side_by_side_us();
    if model.inductor.compile_threads == Some(1) && gain_us >= builds.log_us * LEAST_SHARE {
        found.say("one_thread", &[("time", &duration(gain_us))]);
    }
}
