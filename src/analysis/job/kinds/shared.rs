//! What the reports of all ranks found alike: told once for the job.

use crate::analysis::findings::Severity;
use crate::analysis::job::finding::{JobFinding, JobKind};
use crate::analysis::job::found::JobFound;
use crate::analysis::job::words::rank_words;
use crate::model::sentence::{own, quoted, sentence};
use crate::model::{Job, SharedFinding};
use std::collections::BTreeSet;

/// In report.json each has the kind that the reports of the ranks give it.
const KIND: JobKind = JobKind::new("on_all_ranks", "All ranks");

/// Kinds that the job tells in its own words.
const TOLD_OTHERWISE: [&str; 5] = ["worker_death", "worker_stall", "spmd_mismatch", "notice", "damaged_log"];

/// Findings that are told; a job's page is no copy of all pages of a rank.
const MOST: usize = 40;

pub(super) fn findings(job: &Job, _: &JobFound) -> Vec<JobFinding> {
    // A rank whose log ends early, or holds nothing, has not found what the others have.
    let whole = job.ranks.iter().filter(|rank| rank.is_comparable() && !rank.is_cut());
    let whole: BTreeSet<u64> = whole.map(|rank| rank.number).collect();
    let shared = job.shared.iter().filter(|shared| {
        whole.len() > 1
            && !TOLD_OTHERWISE.contains(&&*shared.finding.kind)
            && whole.iter().all(|rank| shared.ranks.binary_search(rank).is_ok())
    });
    shared.take(MOST).map(|shared| finding(job, shared)).collect()
}

fn finding(job: &Job, shared: &SharedFinding) -> JobFinding {
    let one = &shared.finding;
    let ranks = job.ranks.iter().enumerate();
    let ranks = ranks.filter(|(_, rank)| shared.ranks.binary_search(&rank.number).is_ok());
    let ranks: Vec<usize> = ranks.map(|(index, _)| index).collect();
    let who = own(match ranks.len() == job.ranks.len() {
        true if ranks.len() == 2 => " (on both ranks)".to_owned(),
        true => format!(" (on all {} ranks)", ranks.len()),
        false => format!(" (on {} of {} ranks)", ranks.len(), job.ranks.len()),
    });
    let severity = match one.severity.as_str() {
        "error" => Severity::Error,
        "warning" => Severity::Warning,
        _ => Severity::Info,
    };
    let source = rank_words(job, ranks.get(..1).unwrap_or_default());
    let mut detail = one.detail.clone().unwrap_or_default();
    if !detail.is_empty() {
        detail = format!("On {source}:\n{detail}");
    }
    JobFinding {
        detail: (!detail.is_empty()).then_some(detail),
        hint: one.hint.clone(),
        file: one.file.clone(),
        line: one.line,
        compiles: one.compiles.clone(),
        ranks,
        cost: one.cost.clone(),
        url_in_rank: one.url.clone(),
        kind_in_ranks: Some(one.kind.clone()),
        ..JobFinding::new(KIND, severity, sentence![quoted(&one.title), who])
    }
}
