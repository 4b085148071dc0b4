//! Whether generated code has the collectives that the scheduler planned.

use crate::model::{Compile, CompileIndex, Model};
use indexmap::IndexMap;

/// Planned and generated collectives of a compile.
#[derive(Debug, Clone)]
pub struct Parity {
    /// Folder of the compile and attempt.
    pub graph: String,
    /// The compile and attempt in brackets: `[0/0]`, `[0/0_1]`.
    pub attempt_id: String,
    /// The compile, as torch writes it.
    pub compile_id: Option<String>,
    /// Planned collectives per operation.
    pub scheduled: IndexMap<String, u64>,
    /// Calls in the code per operation.
    pub in_code: IndexMap<String, u64>,
    /// Number of collectives that the code does not wait for.
    pub missing_waits: u64,
}

impl Parity {
    /// The sum of the differences of all operations, without waits.
    pub fn offset(&self) -> u64 {
        let ops =
            self.scheduled.keys().chain(self.in_code.keys().filter(|op| !self.scheduled.contains_key(*op)));
        let count = |counts: &IndexMap<String, u64>, op: &str| counts.get(op).copied().unwrap_or_default();
        ops.filter(|op| !is_wait(op))
            .map(|op| count(&self.scheduled, op).abs_diff(count(&self.in_code, op)))
            .sum()
    }

    /// Whether code and schedule differ, or a wait is missing.
    pub fn differs(&self) -> bool {
        let same = self.scheduled.len() == self.in_code.len()
            && self.scheduled.iter().all(|(op, n)| self.in_code.get(op) == Some(n));
        !same || self.missing_waits > 0
    }
}

fn is_wait(op: &str) -> bool {
    op.contains("wait_tensor")
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
            for call in &code.ops {
                *graph.in_code.entry(call.operation.clone()).or_default() += 1;
            }
        }
    }
    for graph in graphs.values_mut() {
        let (waits, others): (Vec<_>, Vec<_>) = graph.in_code.iter().partition(|(op, _)| is_wait(op));
        let sum = |ops: Vec<(&String, &u64)>| ops.into_iter().map(|(_, n)| n).sum::<u64>();
        graph.missing_waits = sum(others).saturating_sub(sum(waits));
    }
    graphs.into_values().collect()
}

/// The compile in brackets, with the attempt whose files are in that folder.
fn attempt_id(compile: &Compile, folder: &str) -> String {
    let attempt = compile.attempts.iter().find(|attempt| compile.folder(attempt.number) == folder);
    compile.bracketed(attempt.map_or(0, |attempt| attempt.number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parity(scheduled: &[(&str, u64)], in_code: &[(&str, u64)]) -> Parity {
        let counts = |ops: &[(&str, u64)]| ops.iter().map(|(op, count)| ((*op).to_owned(), *count)).collect();
        Parity {
            graph: "-_0_0_0".to_owned(),
            attempt_id: "[0/0]".to_owned(),
            compile_id: Some("0/0".to_owned()),
            scheduled: counts(scheduled),
            in_code: counts(in_code),
            missing_waits: 0,
        }
    }

    #[test]
    fn the_offset_is_the_sum_of_the_differences_of_all_operations_but_waits() {
        assert_eq!(parity(&[("all_reduce", 2)], &[("all_reduce", 2)]).offset(), 0);
        assert_eq!(parity(&[("all_reduce", 1)], &[("all_gather", 1)]).offset(), 2);
        assert_eq!(parity(&[("all_reduce", 1)], &[("all_reduce", 4), ("all_gather", 1)]).offset(), 4);
        assert_eq!(parity(&[("wait_tensor", 5)], &[("wait_tensor", 1)]).offset(), 0);
    }
}
