//! The machine-readable files of a job. `report.json` is what the contract says; the others have the shapes that the
//! tools around torch know.

use super::job_report::JobReport;
use crate::analysis::job::{Comparison, Group, RankTime, RuntimeComparison};
use crate::model::{Fact, OperationCount, RankSummary, Step};
use anyhow::Result;
use serde_json::{Map, Value, json};
use std::io::Write;

/// Characters of a group's value; a longer one is named by its hash.
const LONGEST_VALUE: usize = 200;

/// Writes report.json.
pub(crate) fn report(report: JobReport<'_>, out: &mut dyn Write) -> Result<()> {
    let (job, found) = (report.job, report.found);
    let divergence: Map<String, Value> = Fact::COMPARED
        .into_iter()
        .map(|fact| (fact.key().to_owned(), json!(found.comparison(fact).map(|one| comparison(report, one)))))
        .collect();
    let file = json!({
        "schema": 2,
        "kind": "job",
        "tool": { "name": "tlparse", "version": env!("CARGO_PKG_VERSION") },
        "ranks": job.ranks.iter().map(rank).collect::<Vec<_>>(),
        "runs": job.runs,
        "skipped_files": job.skipped_files.iter().map(|file| &file.name).collect::<Vec<_>>(),
        "divergence": divergence,
        "runtime": found.runtime.as_ref().map(|one| runtime(report, one)),
        "parity": parity(report),
        "findings": findings(report),
    });
    serde_json::to_writer(&mut *out, &file)?;
    Ok(out.write_all(b"\n")?)
}

fn rank(rank: &RankSummary) -> Value {
    let counts = rank.all_counts();
    let known = rank.log.is_some() || !rank.processes.is_empty();
    let count = |count: u64| known.then_some(count);
    let processes = rank.processes.iter().map(|process| {
        json!({
            "pid": process.number,
            "dir": format!("rank_{}/process_{}", rank.number, process.number),
            "state": process.state.word(),
            "log": process.log,
        })
    });
    json!({
        "rank": rank.number,
        "dir": rank_folder(rank),
        "state": rank.whole_state().word(),
        "log": rank.log,
        "compiles": count(counts.compiles),
        "graph_breaks": count(counts.graph_breaks),
        "recompiles": count(counts.recompiles),
        "failures": count(counts.failures),
        "compile_time_s": rank.compile_time_s,
        "processes": processes.collect::<Vec<_>>(),
    })
}

/// The folder of a rank's report.
pub(crate) fn rank_folder(rank: &RankSummary) -> String {
    format!("rank_{}", rank.number)
}

fn comparison(report: JobReport<'_>, comparison: &Comparison) -> Value {
    let number = |index: &usize| report.job.ranks.get(*index).map(|rank| rank.number);
    let groups = comparison.groups.iter().map(|group| {
        let ranks: Vec<u64> = group.ranks.iter().filter_map(number).collect();
        json!({ "ranks": ranks, "value": value(report, group) })
    });
    let first = comparison.first.as_ref().map(|first| {
        let sides = comparison.groups.iter().zip(&first.by_group);
        let sides = sides.filter_map(|(group, step)| Some((number(group.ranks.first()?)?, step)));
        let by_rank: Map<String, Value> =
            sides.map(|(rank, step)| (rank.to_string(), json!(step.map(|step| text(report, &step))))).collect();
        json!({ "index": first.index, "compile_id": report.job.texts.maybe(first.compile), "by_rank": by_rank })
    });
    json!({ "differs": comparison.differs(), "groups": groups.collect::<Vec<_>>(), "first": first })
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
            if length <= LONGEST_VALUE {
                short.push_str(part);
            }
        }
    }
    if length <= LONGEST_VALUE { short } else { format!("md5 {:x}, {length} characters", all.finalize()) }
}

fn runtime(report: JobReport<'_>, runtime: &RuntimeComparison) -> Value {
    let time = |time: RankTime| {
        let rank = report.job.ranks.get(time.rank).map(|rank| rank.number);
        json!({ "rank": rank, "ms": time.ms })
    };
    let graphs = runtime.graphs.iter().map(|graph| {
        json!({
            "graph": report.job.texts.get(graph.graph),
            "fastest": time(graph.fastest),
            "slowest": time(graph.slowest),
            "delta_ms": graph.delta_ms(),
            "mean_ms": graph.mean_ms,
        })
    });
    json!({
        "comparable": runtime.why_not.is_none(),
        "why_not": runtime.why_not,
        "graphs": graphs.collect::<Vec<_>>(),
    })
}

fn parity(report: JobReport<'_>) -> Vec<Value> {
    let texts = &report.job.texts;
    let counts = |counts: &[OperationCount]| -> Map<String, Value> {
        counts.iter().map(|one| (texts.get(one.operation).to_owned(), json!(one.count))).collect()
    };
    let entries = report.found.parity.iter().map(|parity| {
        let one = &parity.counts;
        json!({
            "rank": report.rank_at(parity.rank).map(|rank| rank.number),
            "compile_id": report.job.texts.maybe(one.compile),
            "scheduled": counts(&one.scheduled),
            "in_code": counts(&one.in_code),
            "missing_waits": one.missing_waits,
        })
    });
    entries.collect()
}

pub(crate) fn findings(report: JobReport<'_>) -> Vec<Value> {
    let findings = report.found.findings.iter().enumerate().map(|(index, one)| {
        json!({
            "kind": one.kind_name(),
            "severity": one.severity.word(),
            "title": one.sentence().text(),
            "detail": one.detail,
            "file": one.file,
            "line": one.line,
            "compile_ids": one.compiles,
            "cost": one.cost.as_ref().map(|cost| json!({ "seconds": cost.seconds, "kind": cost.kind, "why": cost.why })),
            "hint": one.hint,
            "url": format!("index.html#finding-{}", index + 1),
        })
    });
    findings.collect()
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

    fn push(&mut self, value: &Value) -> Result<()> {
        self.out.write_all(if self.any { b",\n" } else { b"[\n" })?;
        self.any = true;
        Ok(serde_json::to_writer(&mut *self.out, value)?)
    }

    fn end(self) -> Result<()> {
        Ok(self.out.write_all(if self.any { b"\n]\n" } else { b"[]\n" })?)
    }
}

/// Writes runtime_estimations.json: `[{rank, graph, ops: [{name, estimated_runtime_ns}]}]`.
pub(crate) fn runtimes(report: JobReport<'_>, out: &mut dyn Write) -> Result<()> {
    let texts = &report.job.texts;
    let mut lines = Lines::new(out);
    for rank in &report.job.ranks {
        for graph in rank.runtime.iter().flatten() {
            let ops =
                graph.ops().map(|(name, ns)| json!({ "name": texts.get(name), "estimated_runtime_ns": ns }));
            let graph = texts.get(graph.graph);
            lines.push(&json!({ "rank": rank.number, "graph": graph, "ops": ops.collect::<Vec<_>>() }))?;
        }
    }
    lines.end()
}

/// Writes chromium_trace_with_runtime.json: one process per rank, one thread per graph, its operations end to end.
pub(super) fn trace(report: JobReport<'_>, out: &mut dyn Write) -> Result<()> {
    let texts = &report.job.texts;
    let mut lines = Lines::new(out);
    for rank in &report.job.ranks {
        let Some(graphs) = &rank.runtime else { continue };
        let pid = rank.number;
        let about = |name: &str, tid: usize, args: Value| json!({ "name": name, "ph": "M", "pid": pid, "tid": tid, "args": args });
        lines.push(&about("process_name", 0, json!({ "name": format!("Rank {pid}") })))?;
        lines.push(&about("process_sort_index", 0, json!({ "sort_index": pid })))?;
        for (index, graph) in graphs.iter().enumerate() {
            let tid = index + 1;
            let name = texts.get(graph.graph);
            lines.push(&about("thread_name", tid, json!({ "name": format!("graph {name}") })))?;
            lines.push(&about("thread_sort_index", tid, json!({ "sort_index": index })))?;
            let mut ts: u64 = 0;
            for (op, ns) in graph.ops() {
                // Negative numbers and what is none become 0, numbers without end the largest.
                let ns = ns.unwrap_or(0.0) as u64;
                // In microseconds, at least 1 so that it can be seen.
                let dur = ns.div_ceil(1_000).max(1);
                lines.push(&json!({
                    "name": texts.get(op), "cat": "runtime", "ph": "X", "ts": ts, "dur": dur, "pid": pid, "tid": tid,
                    "args": { "rank": pid, "graph": name, "runtime_ns": ns },
                }))?;
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
            lines.push(&json!({ "rank": rank.number, "graph": texts.get(schedule.graph), "ops": ops }))?;
        }
    }
    lines.end()
}
