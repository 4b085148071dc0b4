//! The order in which compiled graphs ran, with the schedule of each and what a cache answered.

use crate::facts::{Execution, Id, List, Text};
use crate::model::CompileIndex;
use crate::report::subject::Report;
use crate::trace::{CompileId, TextMap};
use fxhash::FxHashMap;

/// Operations that the entries of the order name. A training run executes two graphs a hundred thousand times: once these
/// are used up, a schedule stands only where its compile runs for the first time.
const MOST_OPERATIONS: usize = 10_000;

/// Each position of the order; None where the log has none.
pub(super) fn execution(report: Report<'_>) -> Option<List<'_, Execution<'_>>> {
    let order = report.model.cross_rank.execution.as_ref()?;
    let mut facts = Facts::of(report);
    Some(order.iter().map(|compile_id| facts.entry(compile_id.as_deref())).collect())
}

/// What is known of the compiles that ran.
struct Facts<'m> {
    report: Report<'m>,
    schedules: FxHashMap<CompileIndex, Schedule<'m>>,
    outcomes: TextMap<&'m CompileId, &'static str>,
    /// Operations that entries may still name.
    room: usize,
}

struct Schedule<'m> {
    operations: &'m [String],
    /// Whether an entry has named them.
    told: bool,
}

impl<'m> Facts<'m> {
    fn of(report: Report<'m>) -> Self {
        let mut schedules = FxHashMap::default();
        for graph in &report.model.cross_rank.collectives {
            schedules.entry(graph.compile).or_insert(Schedule { operations: &graph.ops, told: false });
        }
        // The last lookup of a compile is the one that counts.
        let lookups = report.model.caches.iter();
        let outcomes = lookups.filter_map(|lookup| Some((lookup.compile.as_ref()?, lookup.outcome.word())));
        Facts { report, schedules, outcomes: outcomes.collect(), room: MOST_OPERATIONS }
    }

    fn entry(&mut self, compile_id: Option<&'m str>) -> Execution<'m> {
        let id = compile_id.and_then(CompileId::parse);
        let outcome = id.as_ref().and_then(|id| self.outcomes.get(id)).copied();
        let compile = id.and_then(|id| self.report.model.by_id.get(&Some(id)).copied());
        let schedule = compile.and_then(|compile| self.schedules.get_mut(&compile));
        let schedule = schedule.and_then(|schedule| schedule.tell(&mut self.room));
        Execution {
            compile_id: compile_id.map(Id::new),
            schedule: schedule.map(|operations| List::made(move || operations.iter().map(Text::from))),
            cache: outcome.map(Text::from),
        }
    }
}

impl<'m> Schedule<'m> {
    /// Its operations, if they stand in this entry.
    fn tell(&mut self, room: &mut usize) -> Option<&'m [String]> {
        let left = room.checked_sub(self.operations.len());
        *room = left.unwrap_or(*room);
        let first = !std::mem::replace(&mut self.told, true);
        (first || left.is_some()).then_some(self.operations)
    }
}
