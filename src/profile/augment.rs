//! A trace written again, with what was worked out of it.
//!
//! Everything stays as it was written, but for what may hold secrets of the run: its environment is left out.

use super::collect::{Places, Recorded};
use super::pieces::{TracePiece, for_each_piece};
use super::scan::Event;
use crate::model::Fields;
use crate::trace::Attachment;
use anyhow::{Context, Result};
use serde_json::Value;
use serde_json::value::RawValue;
use std::io::{self, Write};

/// An object whose fields are added to the `args` of an event.
pub(crate) type Added = Option<Box<RawValue>>;

/// Writes a trace again, with the fields that `added` gives for an event and its length in microseconds. What an event
/// has already stays as it is. What is not valid JSON is left out.
///
/// # Errors
/// The trace cannot be opened, or `out` cannot be written.
pub(crate) fn augment(
    trace: &Attachment,
    out: &mut dyn Write,
    added: &mut dyn FnMut(Recorded, f64) -> io::Result<Added>,
) -> Result<()> {
    let what = || format!("cannot read {}", trace.path().display());
    let file = trace.open().with_context(what)?;
    let mut copy = Copy { out, added, places: Places::default(), at: At::Start, has_events: false };
    copy.out.write_all(b"{")?;
    for_each_piece(file, |piece| match piece {
        TracePiece::Field { name, value } => {
            without_environment(name, value).map_or(Ok(()), |value| copy.field(name, &value))
        }
        TracePiece::Event(event) => copy.event(&event),
        TracePiece::Unreadable => Ok(()),
    })?;
    Ok(copy.finish()?)
}

/// How far the copy is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    Start,
    BehindField,
    BehindEvent,
}

struct Copy<'o> {
    out: &'o mut dyn Write,
    added: &'o mut dyn FnMut(Recorded, f64) -> io::Result<Added>,
    /// Counts calls and launches as the first reading did.
    places: Places,
    at: At,
    has_events: bool,
}

impl Copy<'_> {
    fn field(&mut self, name: &str, value: &[u8]) -> io::Result<()> {
        self.out.write_all(match self.at {
            At::Start => b"\n",
            At::BehindField => b",\n",
            At::BehindEvent => b"\n],\n",
        })?;
        self.at = At::BehindField;
        serde_json::to_writer(&mut self.out, name)?;
        self.out.write_all(b": ")?;
        self.out.write_all(value)
    }

    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        let recorded = self.places.locate(event);
        if serde_json::from_slice::<&RawValue>(event.text).is_err() {
            return Ok(());
        }
        if self.at != At::BehindEvent {
            self.field("traceEvents", b"[")?;
            self.has_events = true;
        } else {
            self.out.write_all(b",")?;
        }
        self.at = At::BehindEvent;
        self.out.write_all(b"\n")?;
        let Some((recorded, us)) = recorded else { return self.out.write_all(event.text) };
        match (self.added)(recorded, us)? {
            Some(added) => self.with_args(event, &Fields::parse(added.get())?),
            None => self.out.write_all(event.text),
        }
    }

    /// The event with further fields in its `args`.
    fn with_args(&mut self, event: &Event<'_>, added: &Fields<'_>) -> io::Result<()> {
        let fields: Vec<String> = added
            .iter()
            .filter(|(name, _)| !event.args.has(name))
            .map(|(name, value)| format!("\"{name}\": {}", value.get()))
            .collect();
        let fields = fields.join(", ");
        let (at, insert) = match event.args_end {
            _ if fields.is_empty() => (0, String::new()),
            Some(end) if event.args.is_empty() => (end, fields),
            Some(end) => (end, format!(", {fields}")),
            // Whatever `args` is in place of an object, it stays.
            None if event.fields.has("args") => (0, String::new()),
            None => (event.text.len().saturating_sub(1), format!(", \"args\": {{{fields}}}")),
        };
        let (before, behind) = event.text.split_at_checked(at).unwrap_or((event.text, &[]));
        self.out.write_all(before)?;
        self.out.write_all(insert.as_bytes())?;
        self.out.write_all(behind)
    }

    fn finish(&mut self) -> io::Result<()> {
        if !self.has_events {
            // Reading it again must find a list.
            self.field("traceEvents", b"[")?;
            self.at = At::BehindEvent;
        }
        self.out.write_all(if self.at == At::BehindEvent { b"\n]}\n" } else { b"\n}\n" })
    }
}

/// The value of a field of the trace, without what may describe the environment of the run. None where nothing is left,
/// or if it is not valid JSON. It is a value of JSON here because a trace may have any, and all of it is passed on.
fn without_environment(name: &str, value: &[u8]) -> Option<Vec<u8>> {
    if is_environment(name) {
        return None;
    }
    let mut found: Value = serde_json::from_slice(value).ok()?;
    // Numbers keep their text unless something is taken out.
    if remove_environment(&mut found) { serde_json::to_vec(&found).ok() } else { Some(value.to_vec()) }
}

fn remove_environment(value: &mut Value) -> bool {
    match value {
        Value::Object(fields) => {
            let before = fields.len();
            fields.retain(|name, _| !is_environment(name));
            let removed = fields.len() < before;
            fields.values_mut().fold(removed, |removed, value| remove_environment(value) || removed)
        }
        Value::Array(values) => {
            // Each of them, not only up to the first.
            values.iter_mut().filter_map(|value| remove_environment(value).then_some(())).count() > 0
        }
        _ => false,
    }
}

/// Whether a field describes the environment: `metadata` of the profiler, `env`, `environment_variables`, `hf_token`.
fn is_environment(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let parts = ["metadata", "environ", "token", "secret", "password", "credential"];
    parts.iter().any(|part| name.contains(part)) || name.split(['_', '-', ' ', '.']).any(|word| word == "env")
}
