//! Texts that a page reads from the log: payloads and metrics records.

use crate::model::{Fields, MetricsKind};
use crate::report::subject::Report;
use crate::trace::{
    Envelope, PayloadRef, Prefix, Span, WrittenField, clean_header, first_event, is_key, written_fields,
};

/// Reads fields of metrics records. Consecutive reads are often of the same record of 40 KB, so the last one is kept.
pub(crate) struct RecordFields<'m> {
    report: Report<'m>,
    /// The fields that are ever needed.
    names: &'static [&'static str],
    /// The position of the last record, and its needed fields as JSON.
    last: Option<(Span, Vec<(&'static str, String)>)>,
}

impl<'m> RecordFields<'m> {
    pub(crate) fn new(report: Report<'m>, names: &'static [&'static str]) -> Self {
        RecordFields { report, names, last: None }
    }

    /// The needed fields. The record was validated before and is not checked again.
    fn texts(&self, cleaned: &str) -> Vec<(&'static str, String)> {
        let text = |field: WrittenField<'_>| {
            let name = self.names.iter().find(|name| is_key(field.key, name))?;
            (field.value != "null").then(|| (*name, field.value.to_owned()))
        };
        written_fields(metrics_in(cleaned)).filter_map(text).collect()
    }

    /// A field of the record as JSON, if it has it.
    pub(crate) fn json(&mut self, header: Span, name: &str) -> anyhow::Result<Option<&str>> {
        if self.last.as_ref().is_none_or(|(known, _)| *known != header) {
            let mut bytes = Vec::new();
            self.report.source.read_span(header, &mut bytes)?;
            let cleaned = clean_header(&bytes);
            self.last = Some((header, self.texts(&cleaned.text)));
        }
        let texts = self.last.iter().flat_map(|(_, texts)| texts);
        Ok(texts.into_iter().find(|(known, _)| *known == name).map(|(_, json)| json.as_str()))
    }
}

/// The value of the metrics event in a validated header.
fn metrics_in(cleaned: &str) -> &str {
    let json = Prefix::parse(cleaned).map_or("", |(_, rest)| rest);
    let is_metrics = |field: &WrittenField<'_>| MetricsKind::of_key(field.key.trim_matches('"')).is_some();
    written_fields(json).find(is_metrics).map_or("", |field| field.value)
}

impl Report<'_> {
    /// A payload's text; bytes that are not UTF-8 become U+FFFD.
    pub(crate) fn payload(&self, at: &PayloadRef) -> anyhow::Result<String> {
        let mut bytes = Vec::new();
        self.source.read_payload(at, &mut bytes)?;
        Ok(String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned()))
    }

    /// Reads a record's header and passes the fields of its first event to `look`.
    pub(crate) fn with_fields<T>(
        &self,
        header: Span,
        look: impl FnOnce(&Fields<'_>) -> T,
    ) -> anyhow::Result<T> {
        let mut bytes = Vec::new();
        self.source.read_span(header, &mut bytes)?;
        Ok(look(&fields_of(&clean_header(&bytes).text)?))
    }
}

/// The fields of a cleaned header's first event.
pub(crate) fn fields_of(cleaned: &str) -> anyhow::Result<Fields<'_>> {
    let json = Prefix::parse(cleaned).map_or("{}", |(_, rest)| rest);
    if let Some(fields) = first_event(json).and_then(|event| Fields::parse(event).ok()) {
        return Ok(fields);
    }
    // There is no event, or it is not an object and has no fields.
    Envelope::parse(json)?;
    Ok(Fields::default())
}
