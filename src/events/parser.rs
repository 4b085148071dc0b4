//! The interface of a parser of events.

use super::context::RankContext;
use super::event::Event;

/// Handles one kind of event of the log.
///
/// A log has one instance of each parser, so a parser may keep state between events and use it in
/// [`finish`](Self::finish). It must not write files or HTML: what it learns goes into the report through
/// [`RankContext`].
pub trait StructuredLogParser: Send {
    /// Its name in diagnostics and in the coverage table.
    fn name(&self) -> &'static str;

    /// What it does with its events, in one sentence for people.
    fn about(&self) -> &'static str;

    /// Events it wants: an envelope key (`dynamo_start`), or a key and the event's name
    /// (`artifact:recompile_reasons`); `*` matches any text in either part (`artifact:*_cache_miss`).
    fn keys(&self) -> &'static [&'static str];

    /// Handles one event. An error is listed in the report as damage of that record. Then the next parser is asked, but not
    /// the fallback; and no parser is asked if the payload already has a file.
    fn parse(&mut self, event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow>;

    /// Called once when the log ends.
    fn finish(self: Box<Self>, _cx: &mut RankContext<'_>) -> anyhow::Result<()> {
        Ok(())
    }
}

/// Whether an event has been handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// No other parser is asked.
    Handled,
    /// The next parser that wants the event is asked.
    Ignored,
}

/// What a built-in parser does with its events.
pub(super) trait ParseEvents: Send {
    /// As [`StructuredLogParser::parse`].
    fn parse(&mut self, event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow>;

    /// As [`StructuredLogParser::finish`].
    fn finish(self: Box<Self>, _cx: &mut RankContext<'_>) -> anyhow::Result<()> {
        Ok(())
    }
}

/// A function keeps nothing between events.
pub(super) type ParseEvent = fn(&Event<'_>, &mut RankContext<'_>) -> anyhow::Result<Flow>;

impl ParseEvents for ParseEvent {
    fn parse(&mut self, event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
        self(event, cx)
    }
}
