//! The log again, for programs: its records one per line, and its chromium events as one array.

use crate::limits::DEEPEST_JSON;
use crate::model::{Fields, PayloadPlace, RawRecord};
use crate::report::kit::paths;
use crate::report::subject::Report;
use crate::trace::{
    Prefix, SpanReader, clean_header, nests_deeper, readable_text, strict_json, string_length,
};
use serde::Serialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use std::io::Write;

/// How many gaps the string table may have; strings after that are left out. Each gap takes a null, and in a hostile log
/// the number of a string can be anything.
const LARGEST_GAP: i64 = 10_000;

/// raw.jsonl: the string table, then each record's envelope except `str` and `chromium_event`.
pub(crate) fn write_records(report: Report<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    write_strings(report, out)?;
    let mut reader = SpanReader::new(report.source);
    let (mut json, mut line) = (Vec::new(), Vec::new());
    for record in &report.model.raw {
        let cleaned = clean_header(reader.span(record.header)?);
        let Some((prefix, written)) = Prefix::parse(&cleaned.text) else { continue };
        let added = Added {
            timestamp: report.model.clock.format(record.stamp),
            thread: prefix.pid,
            pathname: prefix.path,
            lineno: prefix.line,
            payload_filename: payload_file(report, record),
        };
        let mut collides = false;
        json.clear();
        push_compact(written.as_bytes(), &mut json, |string| collides |= is_added_key(string));
        line.clear();
        push_line(&json, (&added, collides), &mut line)?;
        out.write_all(&line)?;
    }
    Ok(())
}

/// What is added to a record: what its line has before the JSON, and where its payload is.
#[derive(Serialize)]
struct Added<'a> {
    timestamp: String,
    thread: u64,
    pathname: &'a str,
    lineno: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    payload_filename: Option<String>,
}

/// The keys of [`Added`].
const ADDED: [&str; 5] = ["timestamp", "thread", "pathname", "lineno", "payload_filename"];

/// Whether a JSON string, quotes included, is one of these keys.
fn is_added_key(string: &[u8]) -> bool {
    string.get(1..string.len() - 1).is_some_and(|text| ADDED.iter().any(|key| key.as_bytes() == text))
}

/// Appends the JSON without space between its tokens, and with each decimal number as a 64-bit float prints. The last digits
/// of Python's numbers can differ from those of this reader (and of upstream's, which is the same): files that hold the same
/// number must compare equal.
///
/// A log has a third of its bytes in events that pass here, so bytes are looked at once and copied by the stretch: 700 MB/s,
/// against 150 when each character was decoded and compared.
///
/// `see` is shown each string, quotes included.
fn push_compact(json: &[u8], out: &mut Vec<u8>, mut see: impl FnMut(&[u8])) {
    out.reserve(json.len());
    // What stands before `at` and is not copied yet begins at `from`.
    let (mut from, mut at) = (0, 0);
    while let Some(byte) = json.get(at) {
        let rest = json.get(at..).unwrap_or_default();
        match byte {
            b'"' => {
                let length = string_length(rest);
                see(rest.get(..length).unwrap_or(rest));
                at += length;
            }
            b'0'..=b'9' => {
                let number = RawNumber::at_start_of(rest);
                if let Some(printed) = number.printed_otherwise(rest) {
                    let before = json.get(from..at).unwrap_or_default();
                    let sign = if printed == "null" { b"-".as_slice() } else { b"" };
                    out.extend_from_slice(before.strip_suffix(sign).unwrap_or(before));
                    out.extend_from_slice(printed.as_bytes());
                    from = at + number.length;
                }
                at += number.length;
            }
            _ if is_space(*byte) => {
                out.extend_from_slice(json.get(from..at).unwrap_or_default());
                at += rest.iter().position(|byte| !is_space(*byte)).unwrap_or(rest.len());
                from = at;
            }
            _ => at += 1,
        }
    }
    out.extend_from_slice(json.get(from..).unwrap_or_default());
}

fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace()
}

/// The value with null for each number that no 64-bit float holds; None where it has no such number.
pub(super) fn readable(value: &RawValue) -> Option<Box<RawValue>> {
    let text = value.get();
    let exponent = |pair: &[u8]| matches!(pair, [b'0'..=b'9', b'e' | b'E']);
    let may_be_too_large = !text.starts_with('"')
        && (text.len() > f64::MAX_10_EXP as usize || text.as_bytes().windows(2).any(exponent));
    // JSON of the log itself: reading it into a value fails where a number is too large.
    if !may_be_too_large || serde_json::from_str::<serde_json::Value>(text).is_ok() {
        return None;
    }
    let mut compact = Vec::new();
    push_compact(text.as_bytes(), &mut compact, |_| {});
    RawValue::from_string(String::from_utf8(compact).ok()?).ok()
}

/// The JSON without space between its tokens and with numbers as they print; None where the text is no JSON, or nests deeper
/// than other readers go.
pub(super) fn compact(json: &str) -> Option<Box<RawValue>> {
    if nests_deeper(json, DEEPEST_JSON) {
        return None;
    }
    serde_json::from_str::<IgnoredAny>(json).ok()?;
    let mut compact = Vec::new();
    push_compact(json.as_bytes(), &mut compact, |_| {});
    RawValue::from_string(String::from_utf8(compact).ok()?).ok()
}

/// A number without its sign.
struct RawNumber {
    length: usize,
    digits: usize,
    /// Whether it is a decimal number, and whether one with an exponent.
    is_float: bool,
    has_exponent: bool,
}

impl RawNumber {
    fn at_start_of(text: &[u8]) -> RawNumber {
        let mut number = RawNumber { length: 0, digits: 0, is_float: false, has_exponent: false };
        for byte in text {
            match byte {
                b'0'..=b'9' => number.digits += 1,
                b'.' => number.is_float = true,
                b'e' | b'E' => (number.is_float, number.has_exponent) = (true, true),
                b'+' | b'-' => {}
                _ => break,
            }
            number.length += 1;
        }
        number
    }

    /// How a 64-bit float prints it, where that is not how it is written. A number that is too large for one is null, as
    /// `Infinity` is: many readers refuse it.
    fn printed_otherwise(&self, text: &[u8]) -> Option<String> {
        let text = text.get(..self.length)?;
        if self.digits <= f64::MAX_10_EXP as usize && !self.is_float || self.prints_as_written(text) {
            return None;
        }
        let Ok(number) = serde_json::from_slice::<f64>(text) else { return Some("null".to_owned()) };
        serde_json::to_string(&number).ok().filter(|printed| printed.as_bytes() != text)
    }

    /// Whether that is plain to see: two decimal numbers of up to 15 digits are never the same float, so the shortest text
    /// for the float is this one, if it has no zeros to spare. Numbers below one are left to the printer, which writes small
    /// ones with an exponent.
    fn prints_as_written(&self, text: &[u8]) -> bool {
        let ends_well = match text {
            [.., b'.', b'0'] => true,
            [.., last] => matches!(last, b'1'..=b'9'),
            [] => false,
        };
        let is_plain = self.length == self.digits + 1 && !self.has_exponent;
        is_plain && self.digits <= 15 && ends_well && matches!(text, [b'1'..=b'9', ..])
    }
}

/// Appends a line: the record's own JSON, with the added keys after it. `collides` says that a string of it is one of these.
fn push_line(json: &[u8], (added, collides): (&Added<'_>, bool), line: &mut Vec<u8>) -> anyhow::Result<()> {
    let renamed;
    let json = match collides {
        true => {
            renamed = without_collisions(std::str::from_utf8(json)?)?;
            renamed.as_bytes()
        }
        false => json,
    };
    let body = json.trim_ascii();
    let body = body.strip_suffix(b"}").unwrap_or(body);
    line.extend_from_slice(body);
    if body != b"{" {
        line.push(b',');
    }
    // Behind the keys of the record, so without the brace that begins the object.
    let begin = line.len();
    serde_json::to_writer(&mut *line, added)?;
    line.remove(begin);
    line.push(b'\n');
    Ok(())
}

/// The object with a `_` before each key that one of ours would hide.
fn without_collisions(json: &str) -> anyhow::Result<String> {
    let mut text = String::with_capacity(json.len() + 8);
    for (key, value) in Fields::parse(json)?.iter() {
        text.push(if text.is_empty() { '{' } else { ',' });
        let key = if ADDED.contains(&key) { format!("_{key}") } else { key.to_owned() };
        text.push_str(&serde_json::to_string(&key)?);
        text.push(':');
        text.push_str(value.get());
    }
    if text.is_empty() {
        text.push('{');
    }
    text.push('}');
    Ok(text)
}

fn payload_file(report: Report<'_>, record: &RawRecord) -> Option<String> {
    let path = match record.payload? {
        PayloadPlace::Payloads(place) => paths::payload(*report.model.payloads.get_index(place as usize)?.0),
        PayloadPlace::Artifact(place) => {
            let compile = report.model.compiles.get(place.compile)?;
            let artifact = compile.artifacts.get(place.place())?;
            match &artifact.content {
                // A page shows the payload in its own form; the payload itself is kept under its hash.
                crate::model::Content::Payload(at, _) if !paths::holds_text(artifact, report.settings) => {
                    paths::payload(at.md5)
                }
                _ => paths::artifact(compile, artifact, report.settings),
            }
        }
    };
    Some(path.as_str().to_owned())
}

fn write_strings(report: Report<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    out.write_all(b"{\"string_table\":[")?;
    let mut next = 0;
    for (id, text) in report.model.strings.table().filter(|(id, _)| *id >= 0) {
        if id - next > LARGEST_GAP {
            break;
        }
        for at in next..=id {
            if at > 0 {
                out.write_all(b",")?;
            }
            match at == id {
                true => serde_json::to_writer(&mut *out, text)?,
                false => out.write_all(b"null")?,
            }
        }
        next = next.max(id + 1);
    }
    Ok(out.write_all(b"]}\n")?)
}

/// chromium_events.json: all chromium events in log order, one per line.
pub(crate) fn write_chromium(report: Report<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut reader = SpanReader::new(report.source);
    let (mut bytes, mut line) = (Vec::new(), Vec::new());
    out.write_all(b"[")?;
    for (index, payload) in report.model.chromium.iter().enumerate() {
        reader.read_payload(payload, &mut bytes)?;
        line.clear();
        line.extend_from_slice(if index == 0 { b"\n" } else { b",\n" });
        // Torch writes an event as many lines.
        match payload.is_strict {
            true => push_compact(&bytes, &mut line, |_| {}),
            false => push_compact(strict_json(&readable_text(&bytes)).as_bytes(), &mut line, |_| {}),
        }
        out.write_all(&line)?;
    }
    Ok(out.write_all(b"\n]\n")?)
}
