//! Reads metrics records for the pages of compiles.

use crate::model::{Fields, MetricsRecord};
use crate::report::kit::log_settings;
use crate::report::kit::log_text::fields_of;
use crate::report::subject::Report;
use crate::trace::{Source, Span, clean_header};
use memchr::memmem;
use std::io;
use std::ops::Range;

/// A header's event begins within this many bytes: torch writes a prefix of 80 bytes, then the event's key.
const BEGIN: u64 = 512;

/// Bytes of a record without its configurations: torch 2.15 writes 4 to 6 KB.
const USUAL_BYTES: usize = 8 << 10;

impl Report<'_> {
    /// Passes the fields of a metrics record to `look`. Configurations, which take 35 of its 40 KB, are skipped if they
    /// have their own page, and are `...` here.
    pub(crate) fn with_metrics<T>(
        &self,
        record: &MetricsRecord,
        look: impl FnOnce(&Fields<'_>) -> T,
    ) -> anyhow::Result<T> {
        let configs = record.configs.iter().zip(&record.config_places);
        let shown_elsewhere = configs.filter(|((field, md5), place)| {
            let is_read = self.model.configs.get(md5).is_some_and(|config| config.settings.is_some());
            is_read && !place.is_empty() && log_settings::address(field).is_some()
        });
        let places: Vec<Range<u32>> = shown_elsewhere.map(|(_, place)| place.clone()).collect();
        if !places.is_empty()
            && let Some(header) = read_without(places, record, self.source)?
            && let Ok(fields) = fields_of(&clean_header(&header).text)
        {
            return Ok(look(&fields));
        }
        self.with_fields(record.header, look)
    }
}

/// The header of a record with `...` for the texts at these positions of its event's value. None if there are no texts,
/// because preceding text, such as `NaN`, was replaced when the record was read.
fn read_without(
    mut places: Vec<Range<u32>>,
    record: &MetricsRecord,
    source: &Source,
) -> io::Result<Option<Vec<u8>>> {
    let header = record.header;
    let mut bytes = Vec::with_capacity(USUAL_BYTES);
    source.read_span(Span { len: header.len.min(BEGIN), ..header }, &mut bytes)?;
    let Some(value) = value_at(&bytes, record.kind.key()) else { return Ok(None) };
    bytes.clear();
    places.sort_by_key(|place| place.start);
    let (mut from, mut are_texts) = (0, true);
    for place in places {
        let opening_quote = value + u64::from(place.start);
        let closing_quote = value + u64::from(place.end) - 1;
        if opening_quote < from || closing_quote >= header.len {
            return Ok(None);
        }
        are_texts &= append(header, from..opening_quote + 1, source, &mut bytes)?;
        are_texts &= bytes.ends_with(b"\"");
        bytes.extend_from_slice(b"...");
        from = closing_quote;
    }
    are_texts &= append(header, from..header.len, source, &mut bytes)?;
    Ok(are_texts.then_some(bytes))
}

/// Where an event's value begins in a header.
fn value_at(header: &[u8], key: &str) -> Option<u64> {
    let key = format!("\"{key}\":");
    let behind = memmem::find(header, key.as_bytes())? + key.len();
    let spaces = header.get(behind..)?.iter().take_while(|byte| **byte == b' ').count();
    Some((behind + spaces) as u64)
}

/// Appends a part of a header; returns whether it begins with a quote or is the first.
fn append(header: Span, part: Range<u64>, source: &Source, out: &mut Vec<u8>) -> io::Result<bool> {
    let at = out.len();
    source.append_span(Span { offset: header.offset + part.start, len: part.end - part.start }, out)?;
    Ok(part.start == 0 || out.get(at) == Some(&b'"'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Metrics, MetricsKind};
    use crate::trace::Limit;

    /// The record on a line without the texts of these fields, which it had when read as `value`.
    fn without(line: &str, value: &str, fields: &[&str]) -> Option<String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.log");
        std::fs::write(&path, format!("before\n{line}\nafter")).unwrap();
        let record = MetricsRecord {
            kind: MetricsKind::Backward,
            attempt: 0,
            line: 2,
            header: Span { offset: 7, len: line.len() as u64 },
            configs: [].into(),
            config_places: [].into(),
            facts: Metrics::default(),
        };
        let place = |field: &&str| {
            let text = Fields::parse(value).unwrap().raw(field).unwrap().get();
            let start = value.find(text).unwrap();
            start as u32..(start + text.len()) as u32
        };
        let source = Source::open(&path, Limit::default()).unwrap();
        let read = read_without(fields.iter().map(place).collect(), &record, &source).unwrap();
        read.map(|bytes| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn texts_are_left_out_where_they_stood_when_the_record_was_read() {
        let value = r#"{"x": 1, "b": "{\"k\": \"\\\\\"}", "y": "b", "a": "long"}"#;
        let line = |value: &str| format!(r#"V1 p.py:7] {{"bwd_compilation_metrics": {value}, "rank": 0}}"#);
        let short = r#"{"x": 1, "b": "...", "y": "b", "a": "..."}"#;
        assert_eq!(without(&line(value), value, &["a", "b"]).as_deref(), Some(&*line(short)));
        let tight = line(value).replace("metrics\": ", "metrics\":");
        let expected = line(short).replace("metrics\": ", "metrics\":");
        assert_eq!(without(&tight, value, &["b", "a"]), Some(expected));
    }

    #[test]
    fn nothing_is_left_out_where_other_bytes_stand() {
        let value = r#"{"x": null, "b": "text", "y": 1}"#;
        let line = r#"V1 p.py:7] {"bwd_compilation_metrics": {"x": NaN, "b": "text", "y": 1}}"#;
        assert_eq!(without(line, value, &["b"]), None, "it was read with null for NaN");
        let other = line.replace("NaN", "null").replace("bwd_", "");
        assert_eq!(without(&other, value, &["b"]), None, "it is another event's");
        let cut = line.replace("NaN", "null").replace("\"text\", \"y\": 1}}", "");
        assert_eq!(without(&cut, value, &["b"]), None, "it ends before the text");
    }
}
