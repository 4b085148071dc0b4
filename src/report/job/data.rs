//! The machine-readable files of a job. The contract specifies `report.json`; the others have formats known to torch's
//! tools.

use super::job_report::JobReport;
use super::tracks::TrackEvent;
use crate::analysis::job::{Comparison, Group};
use crate::facts::ranks::{RankSummary, Step};
use crate::facts::{
    self, Divergence, Finding, FirstDifference, Id, List, Map, Process, Rank, SCHEMA, Text, Tool,
};
use crate::limits::{LISTED, LONG_LINE};
use crate::model::words::rank_folder;
use crate::report::data::said;
use anyhow::Result;
use serde::Serialize;
use std::io::Write;

/// Writes `report.json`.
pub(crate) fn report(report: JobReport<'_>, out: &mut dyn Write) -> Result<()> {
    let job = report.job;
    let facts = facts::JobReport {
        schema: SCHEMA,
        kind: "job".into(),
        tool: Tool::this(),
        ranks: List::made(move || job.ranks.iter().map(rank)),
        runs: job.runs.clone().into(),
        skipped_files: job.skipped_files.iter().map(|file| (&file.name).into()).collect(),
        divergence: Divergence::of(|aspect| Some(comparison(report, report.found.comparison(aspect)?))),
        runtime: report.found.runtime.clone(),
        parity: List::made(move || job.ranks.iter().flat_map(|rank| &rank.parity)),
        findings: List::made(move || findings(report)),
    };
    serde_json::to_writer(&mut *out, &facts)?;
    Ok(out.write_all(b"\n")?)
}

/// The facts of a rank.
pub(super) fn rank(rank: &RankSummary) -> Rank<'_> {
    let counts = rank.all_counts();
    let known = rank.log.is_some() || !rank.processes.is_empty();
    let count = |count: u64| known.then_some(count);
    let process = |process: &RankSummary| Process {
        pid: process.number,
        dir: format!("{}/process_{}", rank_folder(rank.number), process.number).into(),
        state: process.state.word().into(),
        log: process.log.clone(),
    };
    Rank {
        rank: rank.number,
        dir: rank_folder(rank.number).into(),
        state: rank.whole_state().word().into(),
        log: rank.log.clone(),
        compiles: count(counts.compiles),
        graph_breaks: count(counts.graph_breaks),
        recompiles: count(counts.recompiles),
        failures: count(counts.failures),
        compile_time_s: rank.compile_time_s,
        processes: rank.processes.iter().map(process).collect(),
    }
}

fn comparison<'m>(report: JobReport<'m>, comparison: &Comparison) -> facts::Comparison<'m> {
    let number = |index: &usize| report.job.ranks.get(*index).map(|rank| rank.number);
    let group = |group: &Group| facts::Group {
        ranks: group.ranks.iter().filter_map(number).collect(),
        value: value(report, group).into(),
    };
    let first = comparison.first.as_ref().map(|first| {
        let sides = comparison.groups.iter().zip(&first.by_group);
        let sides = sides.filter_map(|(group, step)| Some((number(group.ranks.first()?)?, step)));
        let by_rank: Vec<(String, Option<String>)> =
            sides.map(|(rank, step)| (rank.to_string(), step.map(|step| text(report, &step)))).collect();
        FirstDifference {
            index: first.index as u64,
            compile_id: report.job.texts.maybe(first.compile).map(Id::new),
            by_rank: Map::made(move || {
                by_rank.clone().into_iter().map(|(rank, step)| (rank.into(), step.map(Text::from)))
            }),
        }
    });
    let groups = comparison.groups.iter().map(group).collect();
    facts::Comparison { differs: comparison.differs(), groups, first }
}

/// A step as text; `?` where the log does not know.
fn text(report: JobReport<'_>, step: &Step) -> String {
    report.job.value(step).unwrap_or_else(|| "?".to_owned())
}

/// The facts of a group as a short text.
fn value(report: JobReport<'_>, group: &Group) -> String {
    if group.steps.is_empty() {
        return "none".to_owned();
    }
    let mut all = md5::Context::new();
    let (mut short, mut length) = (String::new(), 0);
    for (index, step) in group.steps.iter().enumerate() {
        for part in [if index > 0 { ", " } else { "" }, &text(report, step)] {
            all.consume(part);
            length += part.chars().count();
            if length <= LONG_LINE {
                short.push_str(part);
            }
        }
    }
    if length <= LONG_LINE { short } else { format!("md5 {:x}, {length} characters", all.finalize()) }
}

fn numbers_of(report: JobReport<'_>, ranks: &[usize]) -> List<'static, u64> {
    let ranks = ranks.iter().take(LISTED).filter_map(|&index| report.rank_at(index));
    ranks.map(|rank| rank.number).collect()
}

/// The findings of the job, most important first.
pub(crate) fn findings(report: JobReport<'_>) -> impl Iterator<Item = Finding<'static>> + '_ {
    report.found.findings.iter().zip(1..).map(move |(one, number)| Finding {
        title: one.sentence().text().into(),
        detail: one.detail.clone().map(Into::into),
        compile_ids: one.in_job.compile_ids.iter().map(|id| Some(Id::new(id.clone()))).collect(),
        ranks: numbers_of(report, &one.in_job.ranks),
        url: Some(format!("index.html#finding-{number}").into()),
        ..said(one, |_| Vec::new())
    })
}

/// A JSON array, one element per line.
struct Lines<'o> {
    out: &'o mut dyn Write,
    any: bool,
}

impl<'o> Lines<'o> {
    fn new(out: &'o mut dyn Write) -> Lines<'o> {
        Lines { out, any: false }
    }

    fn push(&mut self, value: &impl Serialize) -> Result<()> {
        self.out.write_all(if self.any { b",\n" } else { b"[\n" })?;
        self.any = true;
        Ok(serde_json::to_writer(&mut *self.out, value)?)
    }

    fn end(self) -> Result<()> {
        Ok(self.out.write_all(if self.any { b"\n]\n" } else { b"[]\n" })?)
    }
}

/// An element of `runtime_estimations.json` and of `collective_schedules.json`: the operations of a graph.
#[derive(Serialize)]
struct OfGraph<'m, Op> {
    rank: u64,
    graph: &'m str,
    ops: Vec<Op>,
}

#[derive(Serialize)]
struct Estimated<'m> {
    name: &'m str,
    estimated_runtime_ns: Option<f64>,
}

/// Writes runtime_estimations.json: `[{rank, graph, ops: [{name, estimated_runtime_ns}]}]`.
pub(crate) fn runtimes(report: JobReport<'_>, out: &mut dyn Write) -> Result<()> {
    let texts = &report.job.texts;
    let mut lines = Lines::new(out);
    for rank in &report.job.ranks {
        for graph in rank.runtime.iter().flatten() {
            let ops = graph
                .ops()
                .map(|(name, ns)| Estimated { name: texts.get(name), estimated_runtime_ns: ns })
                .collect();
            lines.push(&OfGraph { rank: rank.number, graph: texts.get(graph.graph), ops })?;
        }
    }
    lines.end()
}

/// An operation in `chromium_trace_with_runtime.json`.
#[derive(Serialize)]
struct OperationEvent<'m> {
    name: &'m str,
    cat: &'static str,
    ph: &'static str,
    ts: u64,
    dur: u64,
    pid: u64,
    tid: u64,
    args: OperationArgs<'m>,
}

#[derive(Serialize)]
struct OperationArgs<'m> {
    rank: u64,
    graph: &'m str,
    runtime_ns: u64,
}

/// Writes chromium_trace_with_runtime.json: one process per rank, one thread per graph, its operations end to end.
pub(super) fn trace(report: JobReport<'_>, out: &mut dyn Write) -> Result<()> {
    let texts = &report.job.texts;
    let mut lines = Lines::new(out);
    for rank in &report.job.ranks {
        let Some(graphs) = &rank.runtime else { continue };
        let pid = rank.number;
        lines.push(&TrackEvent::process_name(pid, format!("Rank {pid}")))?;
        lines.push(&TrackEvent::process_order(pid, pid))?;
        for (index, graph) in (0..).zip(graphs) {
            let tid = index + 1;
            let name = texts.get(graph.graph);
            lines.push(&TrackEvent::thread_name(pid, tid, format!("graph {name}")))?;
            lines.push(&TrackEvent::thread_order(pid, tid, index))?;
            let mut ts: u64 = 0;
            for (op, ns) in graph.ops() {
                // Negative numbers and NaN become 0, infinity the largest number.
                let ns = ns.unwrap_or(0.0) as u64;
                // In microseconds, at least 1 so that it can be seen.
                let dur = ns.div_ceil(1_000).max(1);
                lines.push(&OperationEvent {
                    name: texts.get(op),
                    cat: "runtime",
                    ph: "X",
                    ts,
                    dur,
                    pid,
                    tid,
                    args: OperationArgs { rank: pid, graph: name, runtime_ns: ns },
                })?;
                ts = ts.saturating_add(dur);
            }
        }
    }
    lines.end()
}

/// Writes collective_schedules.json: `[{rank, graph, ops}]`.
pub(super) fn schedules(report: JobReport<'_>, out: &mut dyn Write) -> Result<()> {
    let texts = &report.job.texts;
    let mut lines = Lines::new(out);
    for rank in &report.job.ranks {
        for schedule in &rank.schedules {
            let ops: Vec<&str> = schedule.operations.iter().map(|op| texts.get(*op)).collect();
            lines.push(&OfGraph { rank: rank.number, graph: texts.get(schedule.graph), ops })?;
        }
    }
    lines.end()
}
