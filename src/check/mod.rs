//! Reports held against a budget: `report.json` -> items -> what exceeds the budget and is not known -> a verdict in the
//! form that a person, a build or another program reads.
//!
//! - [`read`] reads the `report.json` of a log, or of a job and its ranks, as far as [`facts`] has it;
//! - [`items`] makes one item of everything that a budget counts, with what makes it known ([`identity`]);
//! - [`budget`] and [`baseline`] are the two files that a project keeps;
//! - [`verdict`] compares, and [`show`] tells.

mod baseline;
mod budget;
mod identity;
mod items;
mod read;
mod show;
mod verdict;

pub use baseline::Baseline;
pub use budget::Budget;
pub use verdict::Verdict;

use anyhow::bail;
use std::path::Path;

/// What a path that is to be checked is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checkable {
    /// A finished report of this program.
    Report,
    /// Anything else: a log or a folder of logs.
    Logs,
}

impl Checkable {
    /// What stands at a path.
    ///
    /// # Errors
    /// It is the report of another program, which has no facts to check.
    pub fn at(path: &Path) -> anyhow::Result<Checkable> {
        if read::is_foreign_report(path) {
            bail!(
                "{} is a report without report.json, such as upstream's tlparse writes; check the log that it was made of",
                path.display()
            );
        }
        Ok(if read::is_report(path) { Checkable::Report } else { Checkable::Logs })
    }
}

/// Logs that are checked together.
#[derive(Default)]
pub struct Checked {
    logs: Vec<read::CheckedLog>,
}

impl Checked {
    /// Adds the log of a report, or all ranks of a job's. `shown` is what its folder is called where pages are named; None
    /// where they are not kept.
    ///
    /// # Errors
    /// The folder has no `report.json`, or one that this program did not write.
    pub fn add(&mut self, folder: &Path, shown: Option<&Path>) -> anyhow::Result<()> {
        self.logs.extend(read::report(read::ReportFolder { path: folder, shown })?);
        Ok(())
    }

    /// Whether no log has a record: then there is nothing to check, and every budget would hold.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.logs.iter().all(|log| !log.has_records)
    }

    /// Holds each log against the budget. What the baseline holds does not count.
    #[must_use]
    pub fn verdict(&self, budget: &Budget, baseline: Option<&Baseline>) -> Verdict {
        verdict::judge(&self.logs, budget, baseline)
    }

    /// Everything that the logs have, as a baseline.
    #[must_use]
    pub fn baseline(&self) -> Baseline {
        let mut baseline = Baseline::default();
        for log in &self.logs {
            baseline.add_log(log.found.items.iter());
        }
        baseline
    }
}
