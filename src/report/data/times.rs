//! Compile time in report.json: its split, of the log and of each compile, and what fell into a compile by chance.

use crate::analysis::{OneOffKind, PARTS, Parts, Split};
use crate::model::CompileIndex;
use crate::report::subject::Report;
use serde::Serialize;
use serde_json::{Value, json};

/// Seconds in each part of the compiler. The last entry, without a name, is time in spans that belong to none of the parts.
pub(super) fn of_log(split: &Split) -> Vec<PartTime> {
    listed(&split.whole, split.apart_us)
}

/// The seconds that the metrics of a compile report, and the parts of them.
pub(super) fn of_compile(report: Report<'_>, index: CompileIndex) -> CompileTimes {
    let us = report.model.compiles.get(index).and_then(|compile| compile.compile_us());
    CompileTimes { seconds: us.map(seconds), parts: listed(&report.found.split.at(index), 0.0) }
}

/// What a compile took.
#[derive(Serialize)]
pub(super) struct CompileTimes {
    seconds: Option<f64>,
    parts: Vec<PartTime>,
}

/// What a part of the compiler took.
#[derive(Serialize)]
pub(super) struct PartTime {
    name: Option<&'static str>,
    seconds: f64,
}

/// Work that fell into a compile by chance, in the order of the log.
pub(super) fn one_offs(report: Report<'_>) -> Vec<Value> {
    let id = |index: CompileIndex| report.model.compiles.get(index)?.id.as_ref().map(ToString::to_string);
    let one_offs = report.found.one_offs.iter();
    one_offs
        .map(|one| {
            json!({
                "kind": kind(one.kind),
                "compile_id": id(one.compile),
                "seconds": seconds(one.us),
                "in_graph_s": seconds(one.in_graph_us),
            })
        })
        .collect()
}

fn kind(kind: OneOffKind) -> &'static str {
    match kind {
        OneOffKind::Toolchain => "toolchain",
        OneOffKind::FirstUse => "first_use",
        OneOffKind::WaitForWorkers => "wait_for_workers",
        OneOffKind::WaitForProcess => "wait_for_process",
    }
}

fn listed(parts: &Parts, apart_us: f64) -> Vec<PartTime> {
    let named = PARTS.into_iter().map(Some).zip(parts.0);
    let all = named.chain([(None, apart_us)]).filter(|(_, us)| *us > 0.0);
    all.map(|(name, us)| PartTime { name, seconds: seconds(us) }).collect()
}

/// Seconds with six decimals, so that sums do not show how floats are added.
fn seconds(us: f64) -> f64 {
    us.round() / 1e6
}
