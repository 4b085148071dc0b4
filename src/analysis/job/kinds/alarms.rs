//! Alarms in the logs of ranks: a dead worker, graphs that torch found to differ.

use crate::analysis::findings::{Finding, KindOfFinding, Severity};
use crate::analysis::job::found::JobFound;
use crate::analysis::job::words;
use crate::model::sentence::{quoted, sentence};
use crate::model::{Alarm, Job};
use std::collections::BTreeMap;

static KIND: KindOfFinding = KindOfFinding::of("alarm", "Alarm");

/// One finding per alarm, with all ranks that have it.
pub(super) fn findings(job: &Job, _: &JobFound) -> Vec<Finding> {
    let mut by_alarm: BTreeMap<Alarm, Vec<usize>> = BTreeMap::new();
    for (index, rank) in job.ranks.iter().enumerate() {
        for alarm in &rank.alarms {
            let ranks = by_alarm.entry(*alarm).or_default();
            if ranks.last() != Some(&index) {
                ranks.push(index);
            }
        }
    }
    let findings = by_alarm.into_iter().map(|(alarm, ranks)| {
        let title = sentence![quoted(job.texts.get(alarm.title)), " on ", words::ranks(job, &ranks)];
        Finding::new(&KIND, Severity::Warning, title).with_ranks(ranks)
    });
    findings.collect()
}
