//! Generated code whose collectives do not fit the schedule.

use crate::analysis::findings::{Finding, KindOfFinding, Severity};
use crate::analysis::job::found::JobFound;
use crate::analysis::job::words;
use crate::model::Job;
use crate::model::sentence::{compile_id, own, sentence};

static KIND: KindOfFinding = KindOfFinding::of("collective_parity", "Parity");

const ADVICE: &str = "A collective without a wait reads its tensor too early; a missing collective makes the other ranks hang. Report it to PyTorch with the output code of that compile.";

pub(super) fn findings(job: &Job, found: &JobFound) -> Vec<Finding> {
    let Some(first) = found.parity.first() else { return Vec::new() };
    let mut ranks: Vec<usize> = found.parity.iter().map(|parity| parity.rank).collect();
    ranks.sort_unstable();
    ranks.dedup();
    let id = job.texts.maybe(first.counts.compile).unwrap_or("–");
    let waits = first.counts.missing_waits;
    let title = sentence![
        "generated code calls other collectives than were scheduled on ",
        words::ranks(job, &ranks),
        ", first in ",
        compile_id(id),
        (waits > 0).then(|| own(format!(", {waits} without a wait"))),
    ];
    let mut finding = Finding::new(&KIND, Severity::Warning, title).with_advice(ADVICE).with_ranks(ranks);
    finding.in_job.compile_ids.push(id.to_owned());
    vec![finding]
}
