//! Facts about a job of several ranks: for each rank, only those by which ranks are compared.
//!
//! A job may have a thousand ranks, so each text is kept once in [`Texts`], however many ranks have it, and ranks with
//! equal lists of facts share the list.

mod evidence;
mod fact;
mod fact_text;
mod finding;
mod ids;
mod rank;
mod runtime;
mod texts;

pub use evidence::{CompileInterval, JobEvidence, PartInterval, RankGraph, RankTimeline};
pub use fact::{Fact, FactValue, FunctionFact, GraphKey, ReaderName, Sequence, Step, TensorFact};
pub use fact_text::FunctionWords;
pub use finding::{FindingCost, LogFinding, SharedFinding, SharedVariant};
pub use ids::{CodePlace, GraphId, TextId};
pub use rank::{
    Alarm, CollectiveCounts, Interval, KeyLookup, OpenPhase, OperationCount, RankCounts, RankEnd, RankLog,
    RankOneOffs, RankState, RankSummary, Schedule, SlowCompile,
};
pub use runtime::GraphRuntime;
pub use texts::Texts;

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

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
}

/// A rank whose log could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedRank {
    pub rank: u64,
    pub reason: String,
}

/// Everything that the reports of a job's ranks say, as facts.
#[derive(Default)]
pub struct Job {
    pub ranks: Vec<RankSummary>,
    pub texts: Texts,
    /// What their own reports found, each once, with the ranks that have it.
    pub shared: Vec<SharedFinding>,
    /// The run that is reported, then the others.
    pub runs: Vec<Run>,
    /// Files beside the logs that were passed over.
    pub skipped_files: Vec<SkippedFile>,
    /// Records by event, of all ranks.
    pub events: BTreeMap<String, u64>,
}

impl Job {
    /// What a step compares, in words; None where the log does not say.
    pub fn value(&self, step: &Step) -> Option<String> {
        step.text(&self.texts)
    }
}
