//! Logs that are damaged, empty, missing or of another rank, of another torch, or that hold alarms.

use crate::analysis::findings::{Finding, KindOfFinding, Severity};
use crate::analysis::job::found::JobFound;
use crate::analysis::job::ranks::Fleet;
use crate::analysis::job::words::ranks;
use crate::facts::ranks::{Alarm, Job, RankState};
use crate::limits::NAMED;
use crate::model::sentence::{name, own, quoted, sentence};
use crate::model::words::ranks_by_number;
use crate::model::{NameOf, Sentence};
use std::collections::BTreeMap;

pub(super) fn findings(job: &Job, found: &JobFound) -> Vec<Finding> {
    let fleet = &found.fleet;
    let mut findings = damaged(job, fleet);
    findings.extend(missing(fleet));
    findings.extend(wrong(job, fleet));
    findings.extend(empty(job, fleet));
    findings
}

fn damaged(job: &Job, fleet: &Fleet) -> Vec<Finding> {
    let mut findings = Vec::new();
    for &index in fleet.damaged.iter().take(NAMED) {
        let Some(rank) = job.ranks.get(index) else { continue };
        let RankState::Damaged(why) = rank.whole_state() else { continue };
        let known = if rank.log.is_some() { "; the readable part is compared" } else { "" };
        let why = quoted(why.trim_start_matches("has "));
        let title = sentence!["rank ", rank.number, ": ", why, known];
        let mut finding = Finding::new(KindOfFinding::DamagedRank, Severity::Error, title);
        let case = if rank.log.is_some() { "in_part" } else { "unreadable" };
        finding.say(case, &[("rank", &rank.number.to_string())]);
        findings.push(finding.with_ranks(vec![index]));
    }
    let more: Vec<usize> = fleet.damaged.iter().copied().skip(NAMED).collect();
    if !more.is_empty() {
        let title = sentence![more.len(), " more logs are damaged: ", ranks(job, &more)];
        findings.push(Finding::new(KindOfFinding::DamagedRank, Severity::Error, title));
    }
    findings
}

fn missing(fleet: &Fleet) -> Option<Finding> {
    if fleet.missing.is_empty() {
        return None;
    }
    let title = sentence!["no log of ", own(ranks_by_number(&fleet.missing))];
    Some(Finding::new(KindOfFinding::MissingRanks, Severity::Warning, title))
}

fn wrong(job: &Job, fleet: &Fleet) -> Option<Finding> {
    let first = fleet.mislabeled.first().and_then(|&index| job.ranks.get(index))?;
    let of = first.log.as_ref().and_then(|log| log.rank).unwrap_or_default();
    let title = sentence![
        "the log of ",
        ranks(job, &fleet.mislabeled),
        " names another rank; rank ",
        first.number,
        "'s log names rank ",
        of,
    ];
    let finding = Finding::new(KindOfFinding::WrongRank, Severity::Warning, title);
    Some(finding.with_ranks(fleet.mislabeled.clone()))
}

fn empty(job: &Job, fleet: &Fleet) -> Option<Finding> {
    if fleet.empty.is_empty() {
        return None;
    }
    let title = sentence!["the log of ", ranks(job, &fleet.empty), " holds no record"];
    let finding = Finding::new(KindOfFinding::EmptyRank, Severity::Warning, title);
    Some(finding.with_ranks(fleet.empty.clone()))
}

/// One finding per alarm, a dead worker or graphs that torch found to differ, with all ranks that have it.
pub(super) fn alarms(job: &Job, _: &JobFound) -> Vec<Finding> {
    let mut by_alarm: BTreeMap<Alarm, Vec<usize>> = BTreeMap::new();
    for (index, rank) in job.ranks.iter().enumerate() {
        for alarm in &rank.alarms {
            let ranks = by_alarm.entry(*alarm).or_default();
            if ranks.last() != Some(&index) {
                ranks.push(index);
            }
        }
    }
    let findings = by_alarm.into_iter().map(|(alarm, of)| {
        let title = sentence![quoted(job.texts.get(alarm.title)), " on ", ranks(job, &of)];
        Finding::new(KindOfFinding::Alarm, Severity::Warning, title).with_ranks(of)
    });
    findings.collect()
}

/// Ranks that run different versions of torch.
pub(super) fn torch(job: &Job, found: &JobFound) -> Vec<Finding> {
    // A log that ends early may not name its version.
    let known = found.fleet.torch.iter().filter_map(|group| Some((job.texts.maybe(group.version)?, group)));
    let known: Vec<_> = known.collect();
    let Some((_, most)) = known.iter().rev().max_by_key(|(_, group)| group.ranks.len()) else {
        return Vec::new();
    };
    let others = known.iter().filter(|(_, group)| group.ranks != most.ranks);
    let others: Vec<usize> = others.flat_map(|(_, group)| group.ranks.iter().copied()).collect();
    if others.is_empty() {
        return Vec::new();
    }
    let sides = known
        .iter()
        .map(|(version, group)| sentence![name(NameOf::Torch, *version), " on ", ranks(job, &group.ranks)]);
    let title = sentence!["ranks run different versions of torch: ", Sentence::list(sides.collect())];
    vec![Finding::new(KindOfFinding::TorchDiffers, Severity::Warning, title).with_ranks(others)]
}
