//! Compile time in report.json: its split, of the log and of each compile, and what fell into a compile by chance.

use super::entries::id_of;
use crate::analysis::{OneOffKind, seconds};
use crate::facts::{CompileSeconds, CompileTime, List, OneOff, Part};
use crate::model::{CompileIndex, CompilerPart};
use crate::report::subject::Report;

/// Where the time of the log went. The last part, without a name, is time in spans that belong to none of the parts.
pub(super) fn of_log(report: Report<'_>) -> CompileTime<'_> {
    let (time, split) = (&report.found.time, &report.found.split);
    let one_off = |one: &crate::analysis::OneOff| OneOff {
        kind: kind(one.kind).into(),
        compile_id: id_of(report, one.compile),
        seconds: seconds(one.us),
        in_graph_s: seconds(one.in_graph_us),
    };
    CompileTime {
        total_s: Some(time.total_s),
        parts: split
            .listed()
            .map(|(of, us)| part(of, us, report.found.builds.work_of_part_us(of, us)))
            .collect(),
        one_offs: report.found.one_offs.iter().map(one_off).collect(),
        phases: List::made(move || time.phases.iter()),
    }
}

/// The seconds that the metrics of a compile report, and the parts of them.
pub(super) fn of_compile<'m>(report: Report<'m>, index: CompileIndex) -> CompileSeconds<'m> {
    let us = report.model.compiles.get(index).and_then(|compile| compile.compile_us());
    let parts = report.found.split.at(index).timed();
    CompileSeconds {
        seconds: us.map(seconds),
        parts: parts.map(|(of, us)| part(Some(of), us, None)).collect(),
    }
}

fn kind(kind: OneOffKind) -> &'static str {
    match kind {
        OneOffKind::Toolchain => "toolchain",
        OneOffKind::FirstUse => "first_use",
        OneOffKind::WaitForWorkers => "wait_for_workers",
        OneOffKind::WaitForProcess => "wait_for_process",
    }
}

/// The time of a part; `work_us` is how much work it was, where several pieces of it ran side by side.
fn part(of: Option<CompilerPart>, us: f64, work_us: Option<f64>) -> Part<'static> {
    Part { name: of.map(|part| part.name().into()), seconds: seconds(us), work_s: work_us.map(seconds) }
}
