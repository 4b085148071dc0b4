//! A job in which no rank compiled a graph.

use crate::analysis::findings::{Finding, KindOfFinding, Severity};
use crate::analysis::job::found::JobFound;
use crate::facts::ranks::{Aspect, FactValue, Job, Step};
use crate::model::Status;
use crate::model::sentence::{quoted, sentence};

/// Where DistributedDataParallel calls the module that it wraps.
const DDP: &str = "torch/nn/parallel/distributed.py";

pub(super) fn findings(job: &Job, found: &JobFound) -> Vec<Finding> {
    let Some(status) = found.comparison(Aspect::Status).filter(|status| status.left_out.is_empty()) else {
        return Vec::new();
    };
    let all: Vec<&Step> = status.groups.iter().flat_map(|group| group.steps.iter()).collect();
    // How a compile ended that stopped is not known; that it captured nothing is.
    let mut graphs = job.ranks.iter().flat_map(|rank| rank.steps(Aspect::Graphs));
    if all.is_empty()
        || graphs.any(|step| step.value.is_some())
        || !all.iter().all(|step| is_empty(job, step))
    {
        return Vec::new();
    }
    let each = match status.differs() {
        false => sentence!["all ", all.len(), " compilations came out empty"],
        true => sentence!["all compilations came out empty"],
    };
    let last = found.alike(Aspect::Functions).and_then(|steps| steps.last()).and_then(|step| job.value(step));
    let last = last.map(|last| sentence!["; the logs end with ", quoted(last)]);
    let title = sentence!["no rank compiled a graph: ", each, last];
    let case = if breaks_in_ddp(job) { "in_ddp" } else { "breaks" };
    vec![Finding::new(KindOfFinding::NoGraph, Severity::Error, title).in_case(case)]
}

/// Whether a graph of each rank breaks in DistributedDataParallel.
fn breaks_in_ddp(job: &Job) -> bool {
    let is_there = |step: &Step| match step.value {
        Some(FactValue::Break { place: Some(place), .. }) => job.texts.get(place.file).ends_with(DDP),
        _ => false,
    };
    job.ranks.iter().all(|rank| rank.steps(Aspect::GraphBreaks).iter().any(is_there))
}

fn is_empty(job: &Job, step: &Step) -> bool {
    match step.value {
        Some(FactValue::Status(status)) => job.texts.get(status) == Status::Empty.word(),
        _ => true,
    }
}
