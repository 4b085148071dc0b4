//! Compile time in report.json: its split, of the log and of each compile, and what fell into a compile by chance.

use super::entries::id_of;
use crate::analysis::{OneOffKind, PARTS, Parts, Phase};
use crate::facts::{self, CompileSeconds, CompileTime, List, OneOff, Part, Text};
use crate::model::CompileIndex;
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
    let phase = |one: &Phase| facts::Phase {
        name: one.name.to_string().into(),
        self_s: one.self_s,
        total_s: one.total_s,
        count: one.count,
    };
    CompileTime {
        total_s: Some(time.total_s),
        parts: listed(&split.whole, split.apart_us, |part, us| report.found.builds.work_of_part_us(part, us)),
        one_offs: report.found.one_offs.iter().map(one_off).collect(),
        phases: time.phases.iter().map(phase).collect(),
    }
}

/// The seconds that the metrics of a compile report, and the parts of them.
pub(super) fn of_compile<'m>(report: Report<'m>, index: CompileIndex) -> CompileSeconds<'m> {
    let us = report.model.compiles.get(index).and_then(|compile| compile.compile_us());
    CompileSeconds {
        seconds: us.map(seconds),
        parts: listed(&report.found.split.at(index), 0.0, |_, _| None),
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

/// The parts that took time. `work_us` says how much work a part was, where several pieces of it ran side by side.
fn listed<'a>(
    parts: &Parts,
    apart_us: f64,
    work_us: impl Fn(usize, f64) -> Option<f64>,
) -> List<'a, Part<'a>> {
    let named = PARTS.into_iter().map(Some).zip(parts.0);
    let all = named.chain([(None, apart_us)]).enumerate().filter(|(_, (_, us))| *us > 0.0);
    let part = |(place, (name, us)): (usize, (Option<&'static str>, f64))| Part {
        name: name.map(Text::from),
        seconds: seconds(us),
        work_s: work_us(place, us).map(seconds),
    };
    all.map(part).collect()
}

/// Seconds with six decimals, so that sums do not show how floats are added.
fn seconds(us: f64) -> f64 {
    us.round() / 1e6
}
