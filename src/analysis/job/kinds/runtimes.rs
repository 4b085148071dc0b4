//! A graph that is estimated to run much longer on one rank than on another.

use crate::analysis::findings::{Finding, KindOfFinding, Severity};
use crate::analysis::job::found::JobFound;
use crate::analysis::job::words::ranks;
use crate::model::sentence::{name, own, sentence};
use crate::model::{Job, NameOf, Sentence};

static KIND: KindOfFinding =
    KindOfFinding { in_verdict: true, ..KindOfFinding::of("runtime_differs", "Runtimes") };

/// The ratio of the longer to the shorter runtime from which they are reported.
const NOTABLE: f64 = 1.25;

pub(super) fn findings(job: &Job, found: &JobFound) -> Vec<Finding> {
    let graphs = found.runtime.iter().flat_map(|runtime| &runtime.graphs);
    let Some(worst) = graphs.max_by(|a, b| a.delta_ms().total_cmp(&b.delta_ms())) else { return Vec::new() };
    if worst.slowest.ms < worst.fastest.ms * NOTABLE || worst.delta_ms() <= 0.0 {
        return Vec::new();
    }
    let times = match worst.fastest.ms > 0.0 {
        true => own(format!("{:.1} times as long on ", worst.slowest.ms / worst.fastest.ms)).into(),
        false => Sentence::from("longer on "),
    };
    let title = sentence![
        "graph ",
        name(NameOf::Graph, job.texts.get(worst.graph)),
        " is estimated to run ",
        times,
        ranks(job, &[worst.slowest.rank]),
        " as on ",
        ranks(job, &[worst.fastest.rank]),
    ];
    let mut finding = Finding::new(&KIND, Severity::Warning, title);
    finding.advise("The faster ranks wait for the slowest in each collective. Estimates come from torch's cost model; measure before you change anything.");
    finding.in_job.ranks = vec![worst.slowest.rank];
    vec![finding]
}
