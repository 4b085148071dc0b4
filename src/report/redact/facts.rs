//! The facts of a redacted report, of one log, of a job with its ranks, or of several such reports.

use super::job;
use super::log::{self, LeftOut};
use super::names::Names;
use super::words::list;
use serde_json::Value;

/// Reports of which only what is safe is left. One name has one pseudonym in all of them.
#[derive(Default)]
pub struct Redacted {
    /// One for each log or job that does not belong with another.
    pub(super) reports: Vec<RedactedReport>,
    pub(super) names: Names,
}

/// The report of a log or a job.
pub(super) struct RedactedReport {
    /// `log_1/`; empty where there is one report only.
    pub folder: String,
    /// What the report of a job says itself.
    pub job: Option<Value>,
    /// The log, or those of the ranks; empty where it could not be read.
    pub logs: Vec<RedactedLog>,
}

/// One log of it.
pub(super) struct RedactedLog {
    /// `rank_0/`; empty for a log alone.
    pub folder: String,
    pub facts: Value,
    pub left_out: LeftOut,
}

impl Redacted {
    /// Adds the report of a log.
    pub fn add_log(&mut self, folder: &str, report: &Value) {
        let logs = vec![redacted(String::new(), report, &mut self.names)];
        self.reports.push(RedactedReport { folder: folder.to_owned(), job: None, logs });
    }

    /// Adds the report of a job, of its own `report.json` and those of its ranks.
    pub fn add_job(&mut self, folder: &str, report: &Value, ranks: &[(u64, Value)]) {
        let rank = |(rank, report): &(u64, Value)| redacted(format!("rank_{rank}/"), report, &mut self.names);
        let logs = ranks.iter().map(rank).collect();
        let whole: Vec<&Value> = ranks.iter().map(|(_, report)| report).collect();
        let job = Some(job::facts(report, &whole, &mut self.names));
        self.reports.push(RedactedReport { folder: folder.to_owned(), job, logs });
    }

    /// Adds a log that could not be read.
    pub fn add_unread(&mut self, folder: &str) {
        self.reports.push(RedactedReport { folder: folder.to_owned(), job: None, logs: Vec::new() });
    }

    /// The findings, most important first; of several reports those of each in turn.
    #[must_use]
    pub fn findings(&self) -> Vec<Value> {
        self.reports.iter().flat_map(RedactedReport::findings).collect()
    }

    /// Whether there are several reports, which a page lists.
    pub(super) fn is_list(&self) -> bool {
        self.reports.iter().any(|report| !report.folder.is_empty())
    }
}

impl RedactedReport {
    /// What its first page shows.
    pub fn first(&self) -> Option<&Value> {
        self.job.as_ref().or_else(|| self.logs.first().map(|log| &log.facts))
    }

    /// Its findings, whose addresses begin with its folder.
    pub fn findings(&self) -> Vec<Value> {
        let mut findings = self.first().map(|facts| list(facts, "findings").to_vec()).unwrap_or_default();
        for finding in &mut findings {
            if let Some(url) = finding["url"].as_str() {
                finding["url"] = format!("{}{url}", self.folder).into();
            }
        }
        findings
    }
}

fn redacted(folder: String, report: &Value, names: &mut Names) -> RedactedLog {
    RedactedLog { folder, facts: log::facts(report, names), left_out: log::left_out(report) }
}
