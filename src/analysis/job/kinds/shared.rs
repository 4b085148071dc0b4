//! Findings that all ranks share, listed once for the job, and exceptions that ended any rank.

use crate::analysis::findings::KindOfFinding::{
    self, DamagedLog, Notice, RunTimeError, SpmdMismatch, WorkerDeath, WorkerStall,
};
use crate::analysis::findings::{Cost, CostKind, Finding, InJob, Severity};
use crate::analysis::job::found::JobFound;
use crate::analysis::job::words::rank_words;
use crate::analysis::user_place::UserPlace;
use crate::facts::ranks::{Job, SharedFinding};
use crate::facts::{FindingCost, line_number, owned};
use crate::limits::{NAMED, SHOWN};
use crate::model::sentence::{own, quoted, sentence};
use crate::model::words::ranks_by_number;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Kinds that the job has findings of its own for.
const REPORTED_BY_THE_JOB: [KindOfFinding; 5] = [WorkerDeath, WorkerStall, SpmdMismatch, Notice, DamagedLog];

pub(super) fn findings(job: &Job, _: &JobFound) -> Vec<Finding> {
    // A rank whose log ends early, or holds nothing, has not found what the others have.
    let whole = job.ranks.iter().filter(|rank| rank.is_comparable() && !rank.is_cut());
    let whole: BTreeSet<u64> = whole.map(|rank| rank.number).collect();
    let on_all = |shared: &&SharedFinding| {
        let is_on_all = whole.len() > 1 && whole.iter().all(|rank| shared.ranks.binary_search(rank).is_ok());
        is_on_all || kind_of(shared) == Some(RunTimeError)
    };
    let is_told =
        |shared: &SharedFinding| kind_of(shared).is_some_and(|kind| REPORTED_BY_THE_JOB.contains(&kind));
    let shared = job.shared.iter().filter(on_all).filter(|shared| !is_told(shared));
    shared.take(SHOWN).map(|shared| finding(job, shared)).collect()
}

fn kind_of(shared: &SharedFinding) -> Option<KindOfFinding> {
    KindOfFinding::of_log(&shared.finding.kind)
}

fn finding(job: &Job, shared: &SharedFinding) -> Finding {
    let one = &shared.finding;
    let ranks = job.ranks.iter().enumerate();
    let ranks = ranks.filter(|(_, rank)| shared.ranks.binary_search(&rank.number).is_ok());
    let ranks: Vec<usize> = ranks.map(|(index, _)| index).collect();
    let usual = shared.variants.iter().max_by_key(|one| (one.ranks.len(), Reverse(one.ranks.first())));
    let is_usual = shared.variants.len() < 2;
    let (of_usual, rest): (Vec<u64>, Vec<u64>) = shared
        .ranks
        .iter()
        .partition(|rank| usual.is_some_and(|usual| usual.ranks.binary_search(rank).is_ok()));
    let who = own(match ranks.len() == job.ranks.len() {
        _ if !is_usual => {
            format!(" (on {}; other numbers on {})", ranks_by_number(&of_usual), ranks_by_number(&rest))
        }
        true if ranks.len() == 2 => " (on both ranks)".to_owned(),
        true => format!(" (on all {} ranks)", ranks.len()),
        false if ranks.len() <= NAMED && kind_of(shared) == Some(RunTimeError) => {
            format!(" (on {})", rank_words(job, &ranks))
        }
        false => format!(" (on {} of {} ranks)", ranks.len(), job.ranks.len()),
    });
    let title = usual.filter(|_| !is_usual).map_or(&*one.title, |usual| &*usual.title);
    let source = rank_words(job, ranks.get(..1).unwrap_or_default());
    let mut detail = owned(&one.detail).unwrap_or_default();
    if !detail.is_empty() {
        detail = format!("On {source}:\n{detail}");
    }
    let others = shared.variants.iter().filter(|one| !is_usual && usual != Some(*one));
    for variant in others {
        let line = format!("On {}: {}.", ranks_by_number(&variant.ranks), variant.title);
        detail = if detail.is_empty() { line } else { format!("{line}\n{detail}") };
    }
    Finding {
        detail: (!detail.is_empty()).then_some(detail),
        advice: one.hint.iter().map(|hint| hint.owned().into()).collect(),
        place: UserPlace { file: owned(&one.file), line: line_number(one.line), ..UserPlace::default() },
        cost: one.cost.as_ref().map(cost),
        in_job: InJob {
            ranks,
            compile_ids: one.compile_ids.iter().flatten().map(|id| id.to_string()).collect(),
            url_in_rank: owned(&one.url),
            kind_in_ranks: Some(one.kind.owned()),
            ..InJob::default()
        },
        ..Finding::new(
            kind_of(shared).filter(|kind| *kind == RunTimeError).unwrap_or(KindOfFinding::OnAllRanks),
            Severity::named(&one.severity),
            sentence![quoted(title), who],
        )
    }
}

/// A cost as the report of a rank has it.
fn cost(cost: &FindingCost<'_>) -> Cost {
    let kind = CostKind::ALL.into_iter().find(|kind| *kind.word() == *cost.kind);
    Cost { us: cost.seconds * 1e6, kind: kind.unwrap_or(CostKind::Expected), why: cost.why.owned() }
}
