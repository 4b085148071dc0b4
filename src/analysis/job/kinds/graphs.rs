//! Graphs whose code does not fit the schedule of collectives, or that are estimated to run much longer on one rank than on
//! another.

use crate::analysis::findings::{Finding, KindOfFinding, Severity};
use crate::analysis::job::found::JobFound;
use crate::analysis::job::words;
use crate::facts::ranks::{Aspect, Job, RankSummary, TextId};
use crate::facts::{RankParity, RankTime};
use crate::model::sentence::{compile_id, name, own, sentence};
use crate::model::{NameOf, Sentence};

/// Generated code whose collectives do not fit the schedule.
pub(super) fn parity(job: &Job, _: &JobFound) -> Vec<Finding> {
    let odd = job.ranks.iter().enumerate().filter_map(|(index, rank)| {
        Some((index, rank.parity.iter().find(|graph| is_finished(job, rank, graph))?))
    });
    let (ranks, graphs): (Vec<usize>, Vec<&RankParity<'_>>) = odd.unzip();
    let Some(first) = graphs.first() else { return Vec::new() };
    let id = first.compile_id.as_deref().unwrap_or("–");
    let waits = first.missing_waits;
    let title = sentence![
        "generated code calls other collectives than were scheduled on ",
        words::ranks(job, &ranks),
        ", first in ",
        compile_id(id),
        (waits > 0).then(|| own(format!(", {waits} without a wait"))),
    ];
    let mut finding =
        Finding::new(KindOfFinding::CollectiveParity, Severity::Warning, title).with_ranks(ranks);
    finding.in_job.compile_ids.push(id.to_owned());
    vec![finding]
}

/// Whether the compile of a graph came to its end: one that failed or that the log ends in has written only a part of its code.
fn is_finished(job: &Job, rank: &RankSummary, graph: &RankParity<'_>) -> bool {
    let is_of = |compile: Option<TextId>| {
        compile.is_some() && job.texts.maybe(compile) == graph.compile_id.as_deref()
    };
    let ends_in = rank.end.as_ref().filter(|end| end.inside);
    let failed = rank.steps(Aspect::Failures).iter();
    !failed.map(|step| step.compile).chain(ends_in.map(|end| end.compile)).any(is_of)
}

/// The ratio of the longer to the shorter runtime from which they are reported.
const NOTABLE: f64 = 1.25;

/// A graph that is estimated to run much longer on one rank than on another.
pub(super) fn runtimes(job: &Job, found: &JobFound) -> Vec<Finding> {
    let graphs = found.runtime.iter().flat_map(|runtime| &runtime.graphs);
    let Some(worst) = graphs.max_by(|a, b| a.delta_ms.total_cmp(&b.delta_ms)) else { return Vec::new() };
    let index = |time: RankTime| job.ranks.iter().position(|rank| Some(rank.number) == time.rank);
    let (Some(slowest), Some(fastest)) = (index(worst.slowest), index(worst.fastest)) else {
        return Vec::new();
    };
    if worst.slowest.ms < worst.fastest.ms * NOTABLE || worst.delta_ms <= 0.0 {
        return Vec::new();
    }
    let times = match worst.fastest.ms > 0.0 {
        true => own(format!("{:.1} times as long on ", worst.slowest.ms / worst.fastest.ms)).into(),
        false => Sentence::from("longer on "),
    };
    let title = sentence![
        "graph ",
        name(NameOf::Graph, &*worst.graph),
        " is estimated to run ",
        times,
        words::ranks(job, &[slowest]),
        " as on ",
        words::ranks(job, &[fastest]),
    ];
    vec![Finding::new(KindOfFinding::RuntimeDiffers, Severity::Warning, title).with_ranks(vec![slowest])]
}
