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

/// A built-in parser that keeps nothing between events.
pub(super) struct Stateless {
    /// As [`StructuredLogParser::name`].
    pub name: &'static str,
    /// As [`StructuredLogParser::about`].
    pub about: &'static str,
    /// As [`StructuredLogParser::keys`].
    pub keys: &'static [&'static str],
    /// As [`StructuredLogParser::parse`].
    pub parse: fn(&Event<'_>, &mut RankContext<'_>) -> anyhow::Result<Flow>,
}

impl StructuredLogParser for Stateless {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn keys(&self) -> &'static [&'static str] {
        self.keys
    }

    fn parse(&mut self, event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
        (self.parse)(event, cx)
    }
}
