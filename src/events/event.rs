//! One event of a log, as parsers see it.

use crate::model::{Fields, Form};
use crate::trace::{CompileId, Payload, Span, Stamp, readable_text, strict_json};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// One event of the log: an envelope key with its value, its place, and its payload.
pub struct Event<'a> {
    /// Envelope key: `artifact`, `dynamo_start`, ..
    pub key: &'a str,
    /// The `name` in the value, if it has one.
    pub name: Option<&'a str>,
    /// The value of the key, as JSON text.
    pub value: &'a RawValue,
    /// Line of the log, from 1.
    pub line: u64,
    /// The header line.
    pub header: Span,
    /// Process that wrote it (a thread id up to torch 2.4).
    pub pid: u64,
    /// When it was written.
    pub stamp: Stamp,
    /// The compile it belongs to.
    pub compile_id: Option<&'a CompileId>,
    /// Attempt of that compile; 0 if the record names none.
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

    /// The value's fields, to be read one by one; empty when the value is not an object.
    pub fn fields(&self) -> Fields<'_> {
        Fields::parse(self.value.get()).unwrap_or_default()
    }

    /// The form of an artifact whose record may say that it is JSON.
    pub(super) fn form(&self) -> Form {
        let json = self.fields().text("encoding").is_some_and(|encoding| encoding == "json");
        if json { Form::Json } else { Form::Text }
    }

    /// The payload's text; bytes that are not UTF-8 become U+FFFD. None if there is no payload, or it is too large to be kept
    /// in memory.
    pub fn payload_text(&self) -> Option<Cow<'_, str>> {
        self.payload.and_then(|p| p.text).map(readable_text)
    }

    /// The payload read as JSON, `NaN` as null. Errors when there is no payload, or it does not have this form.
    pub fn payload_json<T: DeserializeOwned>(&self) -> anyhow::Result<T> {
        let text = self.payload_text().ok_or_else(|| anyhow::anyhow!("it has no payload"))?;
        Ok(serde_json::from_str(&strict_json(&text))?)
    }
}
