//! Checks reports against a budget: `report.json` -> items -> items that exceed the budget and are not in the baseline -> a
//! verdict for people, builds or programs.
//!
//! - [`read`] reads the `report.json` of a log, or of a job and its ranks;
//! - an [item](crate::compare::items) is made of everything that a budget counts, each with its identity;
//! - [`budget`] and [`baseline`] are the two files that a project keeps;
//! - [`verdict`] compares, and [`show`] prints.

mod baseline;
mod budget;
mod read;
mod show;
mod verdict;

pub use baseline::Baseline;
pub use budget::Budget;
pub use verdict::Verdict;

use anyhow::bail;
use std::path::Path;

/// What a path to check contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checkable {
    /// A finished report of this program.
    Report,
    /// Anything else: a log or a folder of logs.
    Logs,
}

impl Checkable {
    /// Looks at a path.
    ///
    /// # Errors
    /// It is a report of another program, without report.json.
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

/// Logs to check together.
#[derive(Default)]
pub struct Checked {
    logs: Vec<read::CheckedLog>,
}

impl Checked {
    /// Adds the log of a report, or all ranks of a job. `shown` is the folder's name in links to pages; None if the report
    /// is not kept.
    ///
    /// # Errors
    /// The folder has no `report.json` of this program.
    pub fn add(&mut self, folder: &Path, shown: Option<&Path>) -> anyhow::Result<()> {
        self.logs.extend(read::report(folder, shown)?);
        Ok(())
    }

    /// Whether no log has a record, so that every budget would hold.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.logs.iter().all(|log| !log.has_records)
    }

    /// Checks each log against the budget, without what is in the baseline.
    #[must_use]
    pub fn verdict(&self, budget: &Budget, baseline: Option<&Baseline>) -> Verdict {
        verdict::judge(&self.logs, budget, baseline)
    }

    /// A baseline with everything that the logs have.
    #[must_use]
    pub fn baseline(&self) -> Baseline {
        let mut baseline = Baseline::default();
        for log in &self.logs {
            baseline.add_log(log.found.items.iter());
        }
        baseline
    }
}
