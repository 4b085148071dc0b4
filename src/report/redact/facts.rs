//! The facts of a redacted report, of one log or of a job with its ranks.

use super::job;
use super::log::{self, LeftOut};
use super::names::Names;
use super::words::list;
use serde_json::Value;

/// A report of which only what is safe is left.
pub struct Redacted {
    /// What the report of a job says itself.
    pub(super) job: Option<Value>,
    pub(super) logs: Vec<RedactedLog>,
    pub(super) names: Names,
}

/// One log of it.
pub(super) struct RedactedLog {
    /// `rank_0/`; empty for a log alone.
    pub folder: String,
    pub facts: Value,
    pub left_out: LeftOut,
}

impl Redacted {
    /// The redacted report of a log.
    #[must_use]
    pub fn of_log(report: &Value) -> Redacted {
        let mut redacted = Redacted { job: None, logs: Vec::new(), names: Names::default() };
        redacted.add(String::new(), report);
        redacted
    }

    /// The redacted report of a job, of its own `report.json` and those of its ranks. One name has one pseudonym in all of
    /// them.
    #[must_use]
    pub fn of_job(report: &Value, ranks: &[(u64, Value)]) -> Redacted {
        let mut redacted = Redacted { job: None, logs: Vec::new(), names: Names::default() };
        for (rank, report) in ranks {
            redacted.add(format!("rank_{rank}/"), report);
        }
        redacted.job = Some(job::facts(report, &mut redacted.names));
        redacted
    }

    fn add(&mut self, folder: String, report: &Value) {
        let facts = log::facts(report, &mut self.names);
        self.logs.push(RedactedLog { folder, facts, left_out: log::left_out(report) });
    }

    /// The facts of the landing page.
    fn first(&self) -> Option<&Value> {
        self.job.as_ref().or_else(|| self.logs.first().map(|log| &log.facts))
    }

    /// The findings, most important first.
    #[must_use]
    pub fn findings(&self) -> Vec<Value> {
        self.first().map(|facts| list(facts, "findings").to_vec()).unwrap_or_default()
    }
}
