//! Spans of compile phases.

use super::CompileIndex;
use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A phase of the compiler with its times, from the chromium events that begin and end it.
///
/// A log of ten thousand compiles has 500,000 spans, so a span is kept small: 40 bytes.
#[derive(Debug, Clone)]
pub struct TraceSpan {
    /// Phase, as torch names it; equal names are shared.
    pub name: PhaseName,
    /// Begin, microseconds since 1970.
    pub start_us: f64,
    /// End; a span left open ends with its parent, or with the last event of its process.
    pub end_us: f64,
    pub pid: u64,
    pub compile: Option<CompileIndex>,
    /// The index of the enclosing span, plus one; 0 without one. The highest bit says that the log never closed the span.
    around: u32,
}

/// The name of a phase. Spans are many and names few, so a name is one pointer to a shared text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PhaseName(Arc<Box<str>>);

impl From<&str> for PhaseName {
    fn from(name: &str) -> Self {
        PhaseName(Arc::new(name.into()))
    }
}

impl Deref for PhaseName {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PhaseName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl Borrow<str> for PhaseName {
    fn borrow(&self) -> &str {
        self
    }
}

/// Marks a span that the log never closed, in the number of the span around it.
const OPEN: u32 = 1 << 31;

impl TraceSpan {
    /// A span that begins, and is open until [`close`](Self::close) says otherwise; `parent` is the place of the span
    /// around it, among the first two billion of the log.
    pub fn begin(name: PhaseName, start_us: f64, pid: u64, parent: Option<usize>) -> Self {
        let parent = parent.and_then(|place| u32::try_from(place).ok()).filter(|place| *place < OPEN - 1);
        let around = OPEN | parent.map_or(0, |place| place + 1);
        TraceSpan { name, start_us, end_us: start_us, pid, compile: None, around }
    }

    /// Ends it, at its begin at the earliest.
    pub fn close(&mut self, end_us: f64, is_open: bool) {
        self.end_us = end_us.max(self.start_us);
        self.around = if is_open { self.around | OPEN } else { self.around & !OPEN };
    }

    /// The span around it: its place among the spans of the log.
    pub fn parent(&self) -> Option<usize> {
        (self.around & !OPEN).checked_sub(1).map(|place| place as usize)
    }

    /// Whether the log never closed it.
    pub fn is_open(&self) -> bool {
        self.around & OPEN != 0
    }
}

#[cfg(test)]
impl TraceSpan {
    /// A span of process 1 that was closed, for tests.
    pub(crate) fn closed(name: &str, start_us: f64, end_us: f64, parent: Option<usize>) -> Self {
        let mut span = TraceSpan::begin(name.into(), start_us, 1, parent);
        span.close(end_us, false);
        span
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_knows_its_parent_open_or_closed() {
        for parent in [None, Some(0), Some(7)] {
            let mut span = TraceSpan::begin("dynamo".into(), 5.0, 1, parent);
            assert_eq!((span.parent(), span.is_open(), span.end_us), (parent, true, 5.0));
            span.close(4.0, false);
            assert_eq!((span.parent(), span.is_open(), span.end_us), (parent, false, 5.0));
            span.close(9.0, true);
            assert_eq!((span.parent(), span.is_open(), span.end_us), (parent, true, 9.0));
        }
        assert_eq!(size_of::<TraceSpan>(), 40);
    }
}
