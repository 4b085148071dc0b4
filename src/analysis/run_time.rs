//! What was done while compiled code ran: its kernels were tuned, and CUDA graphs set up and recorded.

use super::spans::union;
use crate::model::{CompileIndex, MetricsRecord, Model, TraceSpan};
use indexmap::IndexMap;

/// Prefix of the phases in which a kernel of generated code is tuned, at compile time or when it is first called.
const TUNING: &str = "CachingAutotuner.";

/// Work of one compile while its code ran, microseconds.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub struct RunTime {
    /// Tuning of kernels.
    pub tuning_us: f64,
    /// What of it the spans show.
    pub tuning_spans_us: f64,
    /// Work on CUDA graphs, recorded or not.
    pub cudagraphs_us: f64,
}

impl RunTime {
    /// All work.
    pub fn total_us(&self) -> f64 {
        self.tuning_us + self.cudagraphs_us
    }
}

/// The compiles with such work: torch writes metrics of it, spans, or both.
pub(super) fn at_run_time(model: &Model) -> IndexMap<CompileIndex, RunTime> {
    let mut found: IndexMap<CompileIndex, RunTime> = IndexMap::new();
    let mut spans: IndexMap<CompileIndex, Vec<(f64, f64)>> = IndexMap::new();
    for span in &model.spans {
        if let Some(compile) =
            span.compile.filter(|_| span.name.starts_with(TUNING) && is_outside(model, span))
        {
            spans.entry(compile).or_default().push((span.start_us, span.end_us));
        }
    }
    for (index, compile) in model.compiles.indexed() {
        let sum = |of: fn(&MetricsRecord) -> Option<f64>| -> f64 {
            compile.metrics.iter().filter_map(of).filter(|us| us.is_finite()).sum()
        };
        let tuning_spans_us = spans.get_mut(&index).map_or(0.0, |spans| union(spans));
        let tuning_us = sum(MetricsRecord::tuned_at_run_time_us).max(tuning_spans_us);
        let cudagraphs_us = sum(MetricsRecord::cudagraphs_at_run_time_us);
        let of = RunTime { tuning_us, tuning_spans_us, cudagraphs_us };
        if of.total_us() > 0.0 {
            found.insert(index, of);
        }
    }
    found
}

/// Whether no phase of the span's own compile, but tuning, is around it.
fn is_outside(model: &Model, span: &TraceSpan) -> bool {
    let mut around = std::iter::successors(Some(span), |span| model.spans.get(span.parent()?));
    !around.any(|one| one.compile == span.compile && !one.name.starts_with(TUNING))
}
