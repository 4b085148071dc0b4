//! When a run began and ended.

use crate::model::{RankLog, RankSummary, Run};
use crate::trace::instant;

/// The run that these ranks belong to.
pub(super) fn run_of(ranks: &[RankSummary]) -> Run {
    let all = ranks.iter().flat_map(|rank| std::iter::once(rank).chain(&rank.processes));
    let logs: Vec<&RankLog> = all.filter_map(|rank| rank.log.as_ref()).collect();
    let first = logs.iter().filter_map(|log| log.first_time.as_deref());
    let last = logs.iter().filter_map(|log| log.last_time.as_deref());
    Run {
        first_time: first.min_by_key(|time| order(time)).map(str::to_owned),
        last_time: last.max_by_key(|time| (instant(time), *time)).map(str::to_owned),
        logs: logs.iter().map(|log| log.file.clone()).collect(),
    }
}

/// Times with year and zone come before those without, which are ordered as they are written.
fn order(time: &str) -> (bool, Option<i64>, &str) {
    let instant = instant(time);
    (instant.is_none(), instant, time)
}
