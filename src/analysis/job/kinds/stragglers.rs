//! Ranks that compiled much longer than most.

use crate::analysis::findings::{Finding, KindOfFinding, Severity};
use crate::analysis::job::found::JobFound;
use crate::analysis::job::words::ranks;
use crate::model::Job;
use crate::model::sentence::{own, sentence};

static KIND: KindOfFinding = KindOfFinding::of("straggler", "Straggler");

pub(super) fn findings(job: &Job, found: &JobFound) -> Vec<Finding> {
    let fleet = &found.fleet;
    let (Some(median), Some(extremes)) = (fleet.median_s, fleet.extremes) else { return Vec::new() };
    if fleet.stragglers.is_empty() {
        return Vec::new();
    }
    let most = job.ranks.get(extremes.slowest).and_then(|rank| rank.compile_time_s).unwrap_or_default();
    let verb = if fleet.stragglers.len() == 1 { " takes " } else { " take up to " };
    // With two ranks, the other rank's time says more than a median.
    let compared = match fleet.timed {
        2 => {
            let least =
                job.ranks.get(extremes.fastest).and_then(|rank| rank.compile_time_s).unwrap_or_default();
            sentence![ranks(job, &[extremes.fastest]), own(format!(" {least:.2} s"))]
        }
        _ => own(format!("the median of all ranks is {median:.2} s")).into(),
    };
    let most = own(format!("{most:.2} s"));
    let title = sentence![ranks(job, &fleet.stragglers), verb, most, " to compile; ", compared];
    let mut finding = Finding::new(&KIND, Severity::Warning, title);
    finding.advise("The others wait in their next collective until it is done, up to the timeout.");
    finding.in_job.ranks = fleet.stragglers.clone();
    vec![finding]
}
