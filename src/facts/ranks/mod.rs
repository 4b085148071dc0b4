//! The ranks of a job: of each rank's facts only those by which ranks are compared.
//!
//! A job may have a thousand ranks, so each text is kept once in [`Texts`], however many ranks have it, and ranks with
//! equal lists of facts share the list.

mod evidence;
mod fact;
mod fact_text;
mod ids;
mod rank;
mod runtime;
mod searched;
mod texts;

pub use super::aspect::Aspect;
pub use evidence::{CompileInterval, JobEvidence, PartInterval, RankGraph, RankTimeline};
pub use fact::{ComparedFact, FactValue, FunctionFact, GraphKey, ReaderName, Sequence, Step, TensorFact};
pub use fact_text::FunctionWords;
pub use ids::{CodePlace, GraphId, TextId};
pub use rank::{
    Alarm, KeyLookup, OpenPhase, RankCounts, RankEnd, RankOneOffs, RankState, RankSummary, Schedule,
    SlowCompile,
};
pub use runtime::GraphRuntime;
pub use searched::{Holders, Searched, SearchedKind, SearchedNames};
pub use texts::Texts;

use super::findings::Finding;
use crate::model::{Run, SkippedFile};
use std::collections::BTreeMap;

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
    /// Whether the job may still run, so that no rank has stopped.
    pub still_runs: bool,
    /// What the search of the job finds.
    pub searched: SearchedNames,
}

impl Job {
    /// What a step compares, in words; None where the log does not say.
    pub fn value(&self, step: &Step) -> Option<String> {
        step.text(&self.texts)
    }
}

/// A finding that ranks share.
pub struct SharedFinding {
    /// The finding of the first of the ranks, with the highest cost that any rank has.
    pub finding: Finding<'static>,
    pub ranks: Vec<u64>,
    /// The counts in its title, where ranks have other ones; the first are those of the first rank.
    pub variants: Vec<SharedVariant>,
}

/// Ranks whose finding names the same counts.
#[derive(Debug, PartialEq, Eq)]
pub struct SharedVariant {
    pub title: String,
    pub ranks: Vec<u64>,
}
