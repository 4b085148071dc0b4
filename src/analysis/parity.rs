//! Whether generated code has the collectives that the scheduler planned.

use super::job::is_wait;
use crate::model::{Compile, CompileIndex, Model};
use indexmap::IndexMap;
use serde::Serialize;

/// Planned and generated collectives of a compile, as `collectives_parity.json` has them.
#[derive(Debug, Clone, Serialize)]
pub struct Parity {
    /// Folder of the compile and attempt.
    graph: String,
    /// The compile and attempt in brackets: `[0/0]`, `[0/0_1]`.
    #[serde(rename = "compile_id")]
    attempt_id: String,
    /// The compile, as torch writes it.
    #[serde(skip)]
    pub compile_id: Option<String>,
    /// The sum of the differences of all operations, without waits.
    offset: u64,
    /// Number of collectives that the code does not wait for.
    pub missing_waits: u64,
    /// Planned collectives per operation.
    pub scheduled: IndexMap<String, u64>,
    /// Calls in the code per operation.
    pub in_code: IndexMap<String, u64>,
}

impl Parity {
    /// Whether code and schedule differ, or a wait is missing.
    pub fn differs(&self) -> bool {
        let same = self.scheduled.len() == self.in_code.len()
            && self.scheduled.iter().all(|(op, n)| self.in_code.get(op) == Some(n));
        !same || self.missing_waits > 0
    }
}

/// One entry per compile with a schedule, in log order.
pub(super) fn of_log(model: &Model) -> Vec<Parity> {
    let mut graphs: IndexMap<CompileIndex, Parity> = IndexMap::new();
    for schedule in &model.cross_rank.collectives {
        let compile = model.compiles.get(schedule.compile);
        let graph = graphs.entry(schedule.compile).or_insert_with(|| Parity {
            graph: schedule.graph.clone(),
            attempt_id: compile.map(|compile| attempt_id(compile, &schedule.graph)).unwrap_or_default(),
            compile_id: compile.and_then(|compile| compile.id.as_ref()).map(|id| id.to_string()),
            offset: 0,
            missing_waits: 0,
            scheduled: IndexMap::new(),
            in_code: IndexMap::new(),
        });
        for op in &schedule.ops {
            *graph.scheduled.entry(op.clone()).or_default() += 1;
        }
    }
    for code in &model.cross_rank.in_code {
        if let Some(graph) = graphs.get_mut(&code.compile) {
            for call in &code.ops {
                *graph.in_code.entry(call.operation.clone()).or_default() += 1;
            }
        }
    }
    for graph in graphs.values_mut() {
        let (waits, others): (Vec<_>, Vec<_>) = graph.in_code.iter().partition(|(op, _)| is_wait(op));
        let sum = |ops: Vec<(&String, &u64)>| ops.into_iter().map(|(_, n)| n).sum::<u64>();
        graph.missing_waits = sum(others).saturating_sub(sum(waits));
        graph.offset = offset(&graph.scheduled, &graph.in_code);
    }
    graphs.into_values().collect()
}

/// The sum of the differences of all operations, without waits.
pub(super) fn offset(scheduled: &IndexMap<String, u64>, in_code: &IndexMap<String, u64>) -> u64 {
    let ops = scheduled.keys().chain(in_code.keys().filter(|op| !scheduled.contains_key(*op)));
    let count = |counts: &IndexMap<String, u64>, op: &str| counts.get(op).copied().unwrap_or_default();
    ops.filter(|op| !is_wait(op)).map(|op| count(scheduled, op).abs_diff(count(in_code, op))).sum()
}

/// The compile in brackets, with the attempt whose files are in that folder.
fn attempt_id(compile: &Compile, folder: &str) -> String {
    let attempt = compile.attempts.iter().find(|attempt| compile.folder(attempt.number) == folder);
    compile.bracketed(attempt.map_or(0, |attempt| attempt.number))
}
