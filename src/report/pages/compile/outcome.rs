//! The outcome of a compile, in a sentence; the sections of the page have the details.

use crate::model::{Outcome, Status};
use crate::report::pages::compile::subject::ShownCompile;

/// What came of the compile, or why the log does not say it.
pub(crate) fn outcome(subject: ShownCompile<'_>) -> &'static str {
    let compile = subject.compile;
    let of_export = subject.report.found.export.compiles.contains(&subject.index);
    match compile.status {
        _ if compile.id.is_none() => {
            "Records without a compile id: written outside of any compile, or by a tool that sets none."
        }
        Status::Error => "The compile failed.",
        Status::Missing if of_export => {
            "An export: torch writes no metrics for it. The export report has its outcome."
        }
        Status::Missing if subject.report.model.log.console.is_some() => {
            "The console output does not say how the compile ended."
        }
        Status::Missing if compile.metrics.is_empty() => {
            "No metrics: the log ends before the compile does, or its process was killed."
        }
        Status::Missing => "This log has metrics of the backward only, not of the forward.",
        Status::Empty if compile.outcome().is_some_and(|m| m.has_guarded_code == Some(false)) => {
            "Nothing was compiled: Dynamo found no operator to capture, and the frame runs unchanged."
        }
        Status::Empty => "No operator was captured: the frame runs as Python, behind guards.",
        Status::Break if subject.of.breaks.at(subject.index).is_empty() => {
            "Compiled after tracing restarted."
        }
        Status::Break => "Compiled up to a graph break.",
        Status::Ok if is_hit(subject) => "Taken from a cache.",
        Status::Ok => "Compiled.",
    }
}

/// Whether each lookup in a cache hit.
fn is_hit(subject: ShownCompile<'_>) -> bool {
    let caches = subject.of.caches.at(subject.index);
    !caches.is_empty() && caches.iter().all(|cache| cache.outcome == Outcome::Hit)
}
