//! The log again, for programs: its records one per line, and its chromium events as one array.

use crate::model::{Fields, PayloadPlace, RawRecord};
use crate::report::kit::json::string_length;
use crate::report::kit::paths;
use crate::report::subject::Report;
use crate::trace::{Prefix, SpanReader, clean_header, readable_text, strict_json};
use serde_json::json;
use std::borrow::Cow;
use std::io::Write;

/// The keys that are added to a record's own.
const ADDED: [&str; 5] = ["timestamp", "thread", "pathname", "lineno", "payload_filename"];

/// How many gaps the string table may have; strings after that are left out. Each gap takes a null, and in a hostile log
/// the number of a string can be anything.
const LARGEST_GAP: i64 = 10_000;

/// raw.jsonl: the string table, then each record's envelope except `str` and `chromium_event`.
pub(crate) fn write_records(report: Report<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    write_strings(report, out)?;
    let mut reader = SpanReader::new(report.source);
    let mut bytes = Vec::new();
    for record in &report.model.raw {
        reader.read_span(record.header, &mut bytes)?;
        let cleaned = clean_header(&bytes, record.first_line);
        let Some((prefix, json)) = Prefix::parse(&cleaned.text) else { continue };
        let added = json!({
            "timestamp": report.model.clock.format(record.stamp),
            "thread": prefix.pid,
            "pathname": prefix.path,
            "lineno": prefix.line,
        });
        let mut added = added.to_string();
        if let Some(file) = payload_file(report, record) {
            added.pop();
            added.push_str(",\"payload_filename\":");
            added.push_str(&serde_json::to_string(&file)?);
            added.push('}');
        }
        write_line(&compact(json), &added, out)?;
    }
    Ok(())
}

/// The JSON without space between its tokens, and with each decimal number as a 64-bit float prints. The last digits of Python's numbers can differ from
/// those of this reader (and of upstream's, which is the same): files that hold the same number must compare equal.
fn compact(json: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut rest = json;
    let mut copied = 0;
    while let Some(at) = rest.find(|c: char| c == '"' || c.is_ascii_digit() || c.is_ascii_whitespace()) {
        let (_, token) = rest.split_at_checked(at).unwrap_or((rest, ""));
        let until = |is_part: fn(char) -> bool| token.find(|c| !is_part(c)).unwrap_or(token.len());
        let is_space = token.starts_with(|c: char| c.is_ascii_whitespace());
        let length = match token.starts_with('"') {
            true => string_length(token.as_bytes()),
            false if is_space => until(|c| c.is_ascii_whitespace()),
            false => until(|c| matches!(c, '0'..='9' | '.' | 'e' | 'E' | '+' | '-')),
        };
        let (text, after) = token.split_at_checked(length).unwrap_or((token, ""));
        let is_float = !text.starts_with('"') && text.contains(['.', 'e', 'E']);
        let start = json.len() - token.len();
        if is_space {
            out.push_str(json.get(copied..start).unwrap_or_default());
            copied = start + length;
        } else if is_float
            && let Ok(number) = serde_json::from_str::<f64>(text)
            && let Ok(printed) = serde_json::to_string(&number)
            && printed != text
        {
            out.push_str(json.get(copied..start).unwrap_or_default());
            out.push_str(&printed);
            copied = start + length;
        }
        rest = after;
    }
    if copied == 0 {
        return Cow::Borrowed(json);
    }
    out.push_str(json.get(copied..).unwrap_or_default());
    Cow::Owned(out)
}

/// The envelope's own text, with the added keys after it.
fn write_line(json: &str, added: &str, out: &mut dyn Write) -> anyhow::Result<()> {
    let renamed;
    let json = match ADDED.iter().any(|key| json.contains(&format!("\"{key}\""))) {
        true => {
            renamed = without_collisions(json)?;
            renamed.as_str()
        }
        false => json,
    };
    let body = json.trim().strip_suffix('}').unwrap_or(json);
    out.write_all(body.as_bytes())?;
    if body.trim() != "{" {
        out.write_all(b",")?;
    }
    out.write_all(added.trim_start_matches('{').as_bytes())?;
    Ok(out.write_all(b"\n")?)
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
        PayloadPlace::Payloads(md5) => paths::payload(md5),
        PayloadPlace::Artifact(place) => {
            let compile = report.model.compiles.get(place.compile)?;
            let artifact = compile.artifacts.get(place.artifact)?;
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
        while next <= id {
            if next > 0 {
                out.write_all(b",")?;
            }
            if next == id {
                serde_json::to_writer(&mut *out, text)?;
            } else {
                out.write_all(b"null")?;
            }
            next += 1;
        }
    }
    Ok(out.write_all(b"]}\n")?)
}

/// chromium_events.json: all chromium events in log order, one per line.
pub(crate) fn write_chromium(report: Report<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut reader = SpanReader::new(report.source);
    let mut bytes = Vec::new();
    out.write_all(b"[")?;
    for (index, payload) in report.model.chromium.iter().enumerate() {
        reader.read_payload(payload, &mut bytes)?;
        let text = readable_text(&bytes);
        out.write_all(if index == 0 { b"\n" } else { b",\n" })?;
        // Torch writes an event as many lines.
        out.write_all(compact(&strict_json(&text)).as_bytes())?;
    }
    Ok(out.write_all(b"\n]\n")?)
}
