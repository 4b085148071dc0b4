//! The rows of a timeline of ranks.

use super::found::JobFound;
use crate::model::Job;

/// Rows of a timeline: what a screen or two can show.
pub const MOST_ROWS: usize = 64;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TimelineRow {
    /// Equal ranks; the first one is drawn.
    Ranks(Vec<usize>),
    /// Numbers of ranks without a log.
    Missing(Vec<u64>),
}

/// The rows of a timeline, in order of their first rank: one per rank where they are few, else one for ranks that are
/// alike, and of those the worst.
pub fn timeline_rows(job: &Job, found: &JobFound) -> Vec<TimelineRow> {
    let missing = &found.fleet.missing;
    let mut rows: Vec<TimelineRow> = if job.ranks.len() + missing.len() <= MOST_ROWS {
        let ranks = (0..job.ranks.len()).map(|index| TimelineRow::Ranks(vec![index]));
        ranks.chain(missing.iter().map(|number| TimelineRow::Missing(vec![*number]))).collect()
    } else {
        let gaps = (!missing.is_empty()).then(|| TimelineRow::Missing(missing.clone()));
        let most = MOST_ROWS - usize::from(gaps.is_some());
        let alike = found.alike.iter().take(most).map(|one| TimelineRow::Ranks(one.ranks.clone()));
        alike.chain(gaps).collect()
    };
    rows.sort_by_key(|row| match row {
        TimelineRow::Ranks(ranks) => {
            ranks.first().and_then(|index| job.ranks.get(*index)).map(|rank| rank.number)
        }
        TimelineRow::Missing(numbers) => numbers.first().copied(),
    });
    rows
}
