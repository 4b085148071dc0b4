//! Whether generated code makes the collectives that the scheduler planned.

use crate::model::{CompileIndex, Model};
use indexmap::IndexMap;

/// Collectives of one compile: planned, and in its code.
#[derive(Debug, Clone)]
pub struct Parity {
    /// The compile, as torch writes it.
    pub compile_id: Option<String>,
    /// How many of each operation the schedules hold.
    pub scheduled: IndexMap<String, u64>,
    /// How many calls the code makes.
    pub in_code: IndexMap<String, u64>,
    /// Collectives in the code that it does not wait for.
    pub missing_waits: u64,
}

impl Parity {
    /// Whether code and schedule disagree, or a wait is missing.
    pub fn differs(&self) -> bool {
        let same = self.scheduled.len() == self.in_code.len()
            && self.scheduled.iter().all(|(op, n)| self.in_code.get(op) == Some(n));
        !same || self.missing_waits > 0
    }
}

/// One entry per compile that has a schedule, in log order.
pub(super) fn of_log(model: &Model) -> Vec<Parity> {
    let mut graphs: IndexMap<CompileIndex, Parity> = IndexMap::new();
    for schedule in &model.cross_rank.collectives {
        let id = model.compiles.get(schedule.compile).and_then(|c| c.id.as_ref()).map(|id| id.to_string());
        let graph = graphs.entry(schedule.compile).or_insert_with(|| Parity {
            compile_id: id,
            scheduled: IndexMap::new(),
            in_code: IndexMap::new(),
            missing_waits: 0,
        });
        for op in &schedule.ops {
            *graph.scheduled.entry(op.clone()).or_default() += 1;
        }
    }
    for code in &model.cross_rank.in_code {
        if let Some(graph) = graphs.get_mut(&code.compile) {
            for call in &code.calls {
                *graph.in_code.entry(call.operation.clone()).or_default() += 1;
            }
        }
    }
    for graph in graphs.values_mut() {
        let (waits, others): (Vec<_>, Vec<_>) =
            graph.in_code.iter().partition(|(op, _)| op.contains("wait_tensor"));
        let sum = |ops: Vec<(&String, &u64)>| ops.into_iter().map(|(_, n)| n).sum::<u64>();
        graph.missing_waits = sum(others).saturating_sub(sum(waits));
    }
    graphs.into_values().collect()
}
