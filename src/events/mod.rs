//! Records to model: one parser per kind of event, one file per family.
//!
//! To add an event, write a [`StructuredLogParser`] in the family's file and name it in that file's `parsers()`.
//! Nothing else lists events.
#![deny(clippy::indexing_slicing)]

mod artifact;
mod breaks;
mod caches;
mod chromium;
mod context;
mod distributed;
mod dynamo;
mod export;
mod expressions;
mod fallback;
mod finish;
mod graphs;
mod guards;
mod inductor;
mod links;
mod metrics;
mod placed;
mod read;
mod registry;
mod sections;
mod stacks;
mod symbols;
mod tensors;
mod vllm;
mod workers;

pub use context::{ArtifactId, RankContext};
pub use metrics::typed_metrics;
pub use read::{RankPart, check_is_log, read_log};
pub use registry::{ParserFactory, Registry};
pub use sections::{PageTables, SectionRows};

use crate::model::Fields;
use crate::trace::{CompileId, Payload, Span, Stamp, readable_text, strict_json};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// Understands one kind of structured log event.
///
/// A log has one instance of each parser, so a parser may keep state between events and use it in
/// [`finish`](Self::finish). It must not write files or HTML: what it learns goes into the report through
/// [`RankContext`].
pub trait StructuredLogParser: Send {
    /// Its name in diagnostics and in the coverage table.
    fn name(&self) -> &'static str;

    /// What it makes of its events, in one sentence for people.
    fn about(&self) -> &'static str;

    /// Events it wants: an envelope key (`dynamo_start`), or a key and the event's name
    /// (`artifact:recompile_reasons`); `*` stands for any text in either part (`artifact:*_cache_miss`).
    fn keys(&self) -> &'static [&'static str];

    /// Takes one event. An error is listed in the report as damage of that record; the next parser is asked, but not
    /// the fallback, and none once the payload has a file.
    fn parse(&mut self, event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow>;

    /// Called once when the log ends.
    fn finish(self: Box<Self>, _cx: &mut RankContext<'_>) -> anyhow::Result<()> {
        Ok(())
    }
}

/// Whether an event is dealt with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// No other parser is asked.
    Handled,
    /// The next parser that wants the event is asked.
    Ignored,
}

/// One event of the log: an envelope key with its value, where it stands, and its payload.
pub struct Event<'a> {
    /// Envelope key: `artifact`, `dynamo_start`, ..
    pub key: &'a str,
    /// The `name` in the value, where it has one.
    pub name: Option<&'a str>,
    /// The value of the key, as JSON text.
    pub value: &'a RawValue,
    /// Line of the log, from 1.
    pub line: u64,
    /// The header line.
    pub header: Span,
    /// Whether that line is the first of the log.
    pub first_line: bool,
    /// Process that wrote it (a thread id up to torch 2.4).
    pub pid: u64,
    /// When it was written.
    pub stamp: Stamp,
    /// The compile it belongs to.
    pub compile_id: Option<&'a CompileId>,
    /// Attempt of that compile, 0 where the record has none.
    pub attempt: u32,
    /// The subgraph that its record names: a region that torch compiles by itself.
    pub subgraph: Option<&'a str>,
    /// Its payload.
    pub payload: Option<&'a Payload<'a>>,
}

impl Event<'_> {
    /// The value read as `T`; errors when a required field is missing or has another type.
    pub fn metadata<T: DeserializeOwned>(&self) -> anyhow::Result<T> {
        Ok(serde_json::from_str(self.value.get())?)
    }

    /// The value's fields, to look at one by one; none when the value is no object.
    pub fn fields(&self) -> Fields<'_> {
        Fields::parse(self.value.get()).unwrap_or_default()
    }

    /// The payload's text; bytes that are not UTF-8 become U+FFFD. None without payload, and when it is larger
    /// than what is kept in memory.
    pub fn payload_text(&self) -> Option<Cow<'_, str>> {
        self.payload.and_then(|p| p.text).map(readable_text)
    }

    /// The payload read as JSON, `NaN` as null. Errors when there is none or it is no such JSON.
    pub fn payload_json<T: DeserializeOwned>(&self) -> anyhow::Result<T> {
        let text = self.payload_text().ok_or_else(|| anyhow::anyhow!("it has no payload"))?;
        Ok(serde_json::from_str(&strict_json(&text))?)
    }
}

/// The parsers of one family.
type Family = fn() -> Vec<Box<dyn StructuredLogParser>>;

/// All families; among parsers that want an event equally specifically, the earlier is asked first.
const FAMILIES: &[Family] = &[
    dynamo::parsers,
    guards::parsers,
    breaks::parsers,
    symbols::parsers,
    tensors::parsers,
    graphs::parsers,
    inductor::parsers,
    caches::parsers,
    metrics::parsers,
    chromium::parsers,
    distributed::parsers,
    workers::parsers,
    export::parsers,
    vllm::parsers,
    links::parsers,
    artifact::parsers,
    fallback::parsers,
];
