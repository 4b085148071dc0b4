//! A job in which no rank compiled a graph.

use crate::analysis::findings::{Finding, KindOfFinding, Severity};
use crate::analysis::job::found::JobFound;
use crate::model::sentence::{quoted, sentence};
use crate::model::{Fact, FactValue, Job, Sentence, Step};

static KIND: KindOfFinding = KindOfFinding { in_verdict: true, ..KindOfFinding::of("no_graph", "No graph") };

pub(super) fn findings(job: &Job, found: &JobFound) -> Vec<Finding> {
    let Some(steps) = found.alike(Fact::Status).filter(|steps| !steps.is_empty()) else { return Vec::new() };
    if !steps.iter().all(|step| is_without_graph(job, step)) {
        return Vec::new();
    }
    let last = found.alike(Fact::CompileIds).and_then(|steps| steps.last()).and_then(|step| job.value(step));
    let empty = sentence!["no rank compiled a graph: all ", steps.len(), " compilations came out empty"];
    let last = last.map_or_else(|| "an unknown one".into(), |last| Sentence::from(quoted(last)));
    let title = sentence![empty, "; the logs end with ", last];
    let detail = "Everything ran in eager mode. A log does not say how its process ended: it looks the same when Dynamo gave up on every frame and when an exception stopped the program before the first graph.";
    let hint = "Look at the graph breaks of these compilations. If the program stopped, look at the standard error of the ranks for the exception.";
    vec![Finding::new(&KIND, Severity::Error, title).with_detail(detail).with_advice(hint)]
}

fn is_without_graph(job: &Job, step: &Step) -> bool {
    match step.value {
        Some(FactValue::Status { status, .. }) => ["empty", "missing"].contains(&job.texts.get(status)),
        _ => false,
    }
}
