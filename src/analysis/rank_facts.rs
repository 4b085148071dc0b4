//! Facts of a log for comparing ranks: where it ends, when it built kernels, and when it may have waited for builds of
//! other processes.

use super::build_spans::CPP_BUILD;
use crate::facts::Interval;
use crate::model::{CompileIndex, Model, PhaseName, Status, TraceSpan};
use fxhash::FxHashMap;

/// Phases that may wait for the lock of a build in another process.
const WAITING: [&str; 3] = ["Scheduler.codegen", "PyCodeCache.load_by_key_path", "async_compile.wait"];

/// Whether a phase may wait for the build of another process.
pub fn may_wait(phase: &str) -> bool {
    WAITING.contains(&phase)
}

/// Shortest pause in such a phase that counts, microseconds: code generation itself pauses for a fifth of a second between
/// two builds.
const SHORTEST_PAUSE_US: f64 = 400_000.0;

/// Where a log ends.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LogEnd {
    /// The event of the last record; for an artifact its name.
    pub event: String,
    /// The compile in which it ends, or the compile of the last record.
    pub compile: Option<CompileIndex>,
    /// Whether that compile had not ended.
    pub inside: bool,
    /// Phases that were open, the outermost first.
    pub phases: Vec<OpenPhase>,
}

impl LogEnd {
    /// Whether a span, an index into the model's, was open.
    pub fn is_open(&self, span: usize) -> bool {
        // Spans come before those inside them, so that the phases are sorted.
        self.phases.binary_search_by_key(&span, |phase| phase.span).is_ok()
    }
}

/// A phase that was open when the log ended.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenPhase {
    /// Its name in torch.
    pub name: PhaseName,
    /// Its span: an index into the model's.
    pub span: usize,
    /// Seconds from its begin to the last event of its process.
    pub at_least_s: f64,
}

/// Where the log ends; None without records.
pub fn log_end(model: &Model) -> Option<LogEnd> {
    let last = model.last_record.as_ref()?;
    let named = last.compile.as_ref().and_then(|id| model.by_id.get(&Some(id.clone()))).copied();
    let event = last.event.clone();
    if model.spans.is_empty() {
        let compile = named.and_then(|compile| model.compiles.get(compile));
        // A log without metrics, such as one of torch.export, does not say when a compile ends.
        let tells = model.compiles.iter().any(|compile| !compile.metrics.is_empty());
        let inside = tells && compile.is_some_and(|compile| compile.status == Status::Missing);
        return Some(LogEnd { event, compile: named, inside, phases: Vec::new() });
    }
    let open = open_at_end(&model.spans, last.pid);
    let innermost = open.last().and_then(|(_, span)| span.compile);
    // A span that an exception left open earlier says nothing about the end.
    let fits = named.is_none() || innermost.is_none() || named == innermost;
    if open.is_empty() || !fits {
        return Some(LogEnd { event, compile: named, ..LogEnd::default() });
    }
    let phases = open.iter().map(|(index, span)| OpenPhase {
        name: span.name.clone(),
        span: *index,
        at_least_s: (span.end_us - span.start_us).max(0.0).round() / 1e6,
    });
    let phases = phases.collect();
    Some(LogEnd { event, compile: innermost.or(named), inside: true, phases })
}

/// Spans of a process that were open when its log ended, the outermost first.
pub(super) fn open_at_end(spans: &[TraceSpan], pid: u64) -> Vec<(usize, &TraceSpan)> {
    let mut open: Vec<(usize, &TraceSpan)> = Vec::new();
    for (index, span) in spans.iter().enumerate().filter(|(_, span)| span.is_open() && span.pid == pid) {
        // Spans that ended with their parent are marked open as well, but their parent is not.
        if span.parent() == open.last().map(|(parent, _)| *parent) {
            open.push((index, span));
        }
    }
    open
}

/// When kernels were built.
pub fn builds(model: &Model) -> Vec<Interval> {
    let builds = model.spans.iter().filter(|span| &*span.name == CPP_BUILD && !span.is_open());
    builds.map(|span| Interval { start_us: span.start_us, end_us: span.end_us }).collect()
}

/// When a phase that may wait for a lock did nothing else.
pub fn pauses(model: &Model) -> Vec<Interval> {
    let is_waiting = |span: &TraceSpan| !span.is_open() && WAITING.contains(&&*span.name);
    let mut children: FxHashMap<usize, Vec<&TraceSpan>> = FxHashMap::default();
    for span in &model.spans {
        let waits = |parent: &usize| model.spans.get(*parent).is_some_and(is_waiting);
        if let Some(parent) = span.parent().filter(waits) {
            children.entry(parent).or_default().push(span);
        }
    }
    let mut pauses = Vec::new();
    for (index, span) in model.spans.iter().enumerate() {
        if !is_waiting(span) {
            continue;
        }
        let mut from = span.start_us;
        for child in children.get(&index).into_iter().flatten() {
            pauses.push(Interval { start_us: from, end_us: child.start_us });
            from = from.max(child.end_us);
        }
        pauses.push(Interval { start_us: from, end_us: span.end_us });
    }
    pauses.retain(|pause| pause.end_us - pause.start_us >= SHORTEST_PAUSE_US);
    pauses
}
