//! What follows from the facts of a job's ranks: where they diverge, and what that leads to.
//!
//! There is one mechanism, [`compare`](groups::compare): ranks are grouped by a list of facts, and the first position at
//! which the lists differ is found. Everything else puts its outcome into words.

mod alike;
mod causes;
mod code;
mod found;
mod groups;
mod kinds;
mod names;
mod ranks;
mod runtime;
mod schedules;
mod sides;
mod words;

pub use alike::{AlikeRanks, RankStanding, Standing, is_tied};
use code::CodeDifferences;
pub use code::{CodeDifference, ReadText};
pub use found::{JobFound, MOST_ROWS, TimelineRow, first_graphs, timeline_rows};
pub use groups::{Compared, Comparison, Group, Membership, Unknown, memberships};
pub use names::{NamedFunction, RankCompile};
pub use ranks::{Stop, TorchGroup};
pub use schedules::{Call, CallLine, FindLine};
pub use words::{is_wait, rank_words};

use crate::facts::ranks::{Aspect, Job};

/// Draws the conclusions of a job; `find_line` reads where a rank's program calls a collective, and `read_text` a text of one of
/// its compiles.
pub fn of_job(job: &Job, find_line: FindLine<'_>, read_text: ReadText<'_>) -> JobFound {
    let mut found = JobFound {
        compared: Aspect::of_ranks()
            .map(|aspect| Compared { aspect, outcome: groups::compare(job, aspect) })
            .collect(),
        runtime: runtime::of_job(job),
        scheduled: job.ranks.iter().filter_map(|rank| rank.scheduled).sum(),
        fleet: ranks::of_job(job),
        schedules: schedules::of_job(job),
        standings: Vec::new(),
        alike: Vec::new(),
        code: CodeDifferences::default(),
        findings: Vec::new(),
    };
    found.schedules.find_lines(find_line);
    found.code = code::of_job(job, &found.compared, read_text);
    found.standings = alike::standings(job, &found.compared, &found.fleet);
    found.alike = alike::alike(job, &found.compared, &found.fleet, &found.standings);
    found.findings = kinds::findings(job, &found);
    found
}

#[cfg(test)]
mod tests;
