//! Texts of the log that a page reads again: payloads and metrics records.

use crate::model::Fields;
use crate::report::subject::Report;
use crate::trace::{Envelope, FirstEvent, PayloadRef, Prefix, Span, clean_header};

impl Report<'_> {
    /// A payload's text; bytes that are not UTF-8 become U+FFFD.
    pub(crate) fn payload(&self, at: &PayloadRef) -> anyhow::Result<String> {
        let mut bytes = Vec::new();
        self.source.read_payload(at, &mut bytes)?;
        Ok(String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned()))
    }

    /// Reads a record's header again and gives its first event's fields to `look`.
    pub(crate) fn with_fields<T>(
        &self,
        header: Span,
        first_line: bool,
        look: impl FnOnce(&Fields<'_>) -> T,
    ) -> anyhow::Result<T> {
        let mut bytes = Vec::new();
        self.source.read_span(header, &mut bytes)?;
        let cleaned = clean_header(&bytes, first_line);
        let json = Prefix::parse(&cleaned.text).map_or("{}", |(_, rest)| rest);
        if let Ok(FirstEvent(fields)) = serde_json::from_str(json) {
            return Ok(look(&fields.unwrap_or_default()));
        }
        // The event is no object, and so has no fields.
        Envelope::parse(json)?;
        Ok(look(&Fields::default()))
    }
}
