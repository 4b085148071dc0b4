//! Facts about the logs of a job that are not in the logs themselves.

use crate::hidden::is_hidden;
use crate::limits::LISTED;
use crate::trace::TextSet;
use serde::{Deserialize, Serialize};

/// One time that the job ran: logs whose times overlap.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Run {
    /// The first record of all.
    pub first_time: Option<String>,
    /// The last record of all.
    pub last_time: Option<String>,
    /// Names of its logs, by rank.
    pub logs: Vec<String>,
}

/// A file beside the logs that was passed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedFile {
    pub name: String,
    pub reason: &'static str,
}

/// Facts that are not in the folders of the ranks.
#[derive(Debug, Clone, Default)]
pub struct JobFacts {
    /// Other runs with logs in the same folder, oldest first.
    pub other_runs: Vec<Run>,
    /// Files beside the logs that were passed over.
    pub skipped_files: Vec<SkippedFile>,
    /// Ranks whose log could not be read, so that they have no folder.
    pub failed: Vec<FailedRank>,
    /// Whether the same run has just written the reports of the ranks. Others may come from anywhere.
    pub of_own_reports: bool,
    /// Whether the job may still run, so that no rank has stopped.
    pub still_runs: bool,
}

/// A rank whose log could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedRank {
    pub rank: u64,
    pub reason: String,
}

/// Facts about a rank's file, as its report.json has them.
#[derive(Debug, Clone, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RankLog {
    /// Base name.
    pub file: String,
    /// Uncompressed size.
    pub bytes: u64,
    /// Records read.
    pub records: u64,
    /// The rank that its records or its name give.
    pub rank: Option<u64>,
    /// Processes that wrote it.
    pub pids: Vec<u64>,
    /// Time of its first record.
    pub first_time: Option<String>,
    /// Time of its last record.
    pub last_time: Option<String>,
    /// What `TORCH_LOGS` showed, if the log was made of console output, which has no times, graphs and code; absent for a log
    /// that torch wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub console: Option<Vec<String>>,
}

impl RankLog {
    /// The same for a report that may come from anywhere: only what a log's report could say.
    #[must_use]
    pub fn checked(mut self) -> RankLog {
        let name = self.file.rsplit(['/', '\\']).next().unwrap_or_default();
        self.file = name.chars().filter(|c| !is_hidden(*c)).take(LONGEST_FILE).collect();
        let mut known = TextSet::default();
        self.pids.retain(|pid| known.insert(*pid));
        self.pids.truncate(LISTED);
        if let Some(shown) = &mut self.console {
            shown.retain(|name| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'));
            shown.truncate(LISTED);
        }
        for time in [&mut self.first_time, &mut self.last_time] {
            *time = time.take().filter(|time| is_time(time));
        }
        self
    }
}

/// Characters of the name of a log: what file systems take.
const LONGEST_FILE: usize = 255;

/// Whether a text is a time as reports write it: `2026-11-20T04:55:35.653000+01:00`, year and zone where they are known.
fn is_time(text: &str) -> bool {
    let shape: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    let shape = shape.strip_prefix("0000-").unwrap_or(&shape);
    let rest = shape.strip_prefix("00-00T00:00:00.000000");
    rest.is_some_and(|zone| matches!(zone, "" | "+00:00" | "-00:00"))
}
