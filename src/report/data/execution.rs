//! The order in which compiled graphs ran, with the schedule of each and what a cache answered.

use crate::facts::{Execution, Id, List, Text};
use crate::limits::KEPT;
use crate::model::CompileIndex;
use crate::report::subject::Report;
use crate::trace::{CompileId, TextMap};
use fxhash::{FxHashMap, FxHashSet};

/// Each position of the order; None where the log has none.
pub(super) fn execution(report: Report<'_>) -> Option<List<'_, Execution<'_>>> {
    let order = report.model.cross_rank.execution.as_ref()?;
    let mut schedules: FxHashMap<CompileIndex, &[String]> = FxHashMap::default();
    for graph in &report.model.cross_rank.collectives {
        schedules.entry(graph.compile).or_insert(&graph.ops);
    }
    // The last lookup of a compile is the one that counts.
    let lookups = report.model.caches.iter();
    let outcomes = lookups.filter_map(|lookup| Some((lookup.compile.as_ref()?, lookup.outcome.word())));
    let outcomes: TextMap<&CompileId, &'static str> = outcomes.collect();
    let mut told: FxHashSet<CompileIndex> = FxHashSet::default();
    let mut room = KEPT;
    let entries = order.iter().map(|compile_id| {
        let id = compile_id.as_deref().and_then(CompileId::parse);
        let outcome = id.as_ref().and_then(|id| outcomes.get(id)).copied();
        let compile = id.and_then(|id| report.model.by_id.get(&Some(id)).copied());
        let schedule = compile.and_then(|compile| Some((compile, *schedules.get(&compile)?)));
        let schedule = schedule.filter(|(compile, operations)| {
            let left = room.checked_sub(operations.len());
            room = left.unwrap_or(room);
            told.insert(*compile) || left.is_some()
        });
        Execution {
            compile_id: compile_id.as_deref().map(Id::new),
            schedule: schedule.map(|(_, operations)| List::made(move || operations.iter().map(Text::from))),
            cache: outcome.map(Text::from),
        }
    });
    Some(entries.collect())
}
