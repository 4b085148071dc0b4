//! Artifacts and payloads as files: texts of the log, copied without passing memory.

use super::{Report, Worker, paths};
use crate::model::{Artifact, Compile, Content, Form, Place};
use crate::output::Page;
use crate::trace::PayloadRef;
use indexmap::IndexMap;
use std::io::Write;

/// JSON up to this size is indented; the rest is copied as it is, so that one payload cannot fill memory.
const LARGEST_INDENTED: u64 = 64 << 20;

/// Files that hold a text of the log, and the payloads that no such file holds.
pub(super) fn pages(report: Report<'_>) -> Vec<Page<'_, Worker>> {
    let mut pages = Vec::new();
    let mut payloads: IndexMap<_, PayloadRef> = report.model.payloads.clone();
    for compile in &report.model.compiles {
        for artifact in &compile.artifacts {
            pages.extend(file(report, compile, artifact));
            if let Content::Payload(at, _) = artifact.content
                && (report.settings.export || !paths::holds_text(artifact, report.settings))
            {
                payloads.entry(at.md5).or_insert(at);
            }
        }
    }
    let kept = payloads.into_iter().map(|(md5, at)| copy(report, paths::payload(md5), at));
    pages.extend(kept);
    pages
}

/// The file of an artifact, where it is no page of its own.
fn file<'m>(report: Report<'m>, compile: &Compile, artifact: &'m Artifact) -> Option<Page<'m, Worker>> {
    if artifact.place == Place::Payloads {
        return None;
    }
    let path = paths::artifact(compile, artifact, report.settings);
    match &artifact.content {
        Content::Empty(_) => Some(Page::bytes(path, Vec::new())),
        Content::Text(text, Form::Text | Form::Json) => Some(Page::bytes(path, text.as_bytes())),
        Content::Payload(at, Form::Text) => Some(copy(report, path, *at)),
        Content::Payload(at, Form::Json) if at.text_len > LARGEST_INDENTED => Some(copy(report, path, *at)),
        Content::Payload(at, Form::Json) => Some(indented(report, path, *at)),
        Content::Payload(at, Form::Code(_)) if report.settings.plain_text => Some(copy(report, path, *at)),
        _ => None,
    }
}

fn copy<'m>(report: Report<'m>, path: crate::output::RelPath, at: PayloadRef) -> Page<'m, Worker> {
    Page::rendered(path, move |_, out| Ok(report.source.copy_payload(&at, out)?))
}

fn indented<'m>(report: Report<'m>, path: crate::output::RelPath, at: PayloadRef) -> Page<'m, Worker> {
    Page::rendered(path, move |_, out| {
        let mut bytes = Vec::new();
        report.source.read_payload(&at, &mut bytes)?;
        match serde_json::from_slice::<serde::de::IgnoredAny>(&bytes) {
            Ok(_) => indent(&bytes, out)?,
            // What says it is JSON and is not (a single recompile reason) stays as it is.
            Err(_) => out.write_all(&bytes)?,
        }
        Ok(())
    })
}

/// Indents valid JSON by a space a level: a cache key has 700 components, a line each. Tokens are copied as they are: numbers keep every digit and keys their
/// order, which reading into values and writing them again does not promise.
pub(super) fn indent(json: &[u8], out: &mut dyn Write) -> std::io::Result<()> {
    let mut depth = 0_usize;
    let mut rest = json;
    let mut opened = false;
    while let Some((&byte, after)) = rest.split_first() {
        let token = match byte {
            b'"' => string_length(rest),
            b'{' | b'}' | b'[' | b']' | b',' | b':' => 1,
            _ if byte.is_ascii_whitespace() => {
                rest = after;
                continue;
            }
            _ => rest.iter().position(|b| b",]}: \n\t\r".contains(b)).unwrap_or(rest.len()),
        };
        let (text, after) = rest.split_at_checked(token).unwrap_or((rest, &[]));
        let closes = matches!(byte, b'}' | b']');
        if closes {
            depth = depth.saturating_sub(1);
        }
        if opened != closes {
            // A line begins inside a bracket that holds something, and before one that closes.
            new_line(depth, out)?;
        }
        out.write_all(text)?;
        opened = matches!(byte, b'{' | b'[');
        match byte {
            b'{' | b'[' => depth += 1,
            b',' => new_line(depth, out)?,
            b':' => out.write_all(b" ")?,
            _ => {}
        }
        rest = after;
    }
    out.write_all(b"\n")
}

/// Deepest level that is indented further: deeper JSON is not made for reading, and each level costs a byte a line.
const DEEPEST: usize = 64;

fn new_line(depth: usize, out: &mut dyn Write) -> std::io::Result<()> {
    out.write_all(b"\n")?;
    for _ in 0..depth.min(DEEPEST) {
        out.write_all(b" ")?;
    }
    Ok(())
}

/// Bytes of the JSON string at the start, quotes included.
pub(super) fn string_length(json: &[u8]) -> usize {
    let mut from = 1;
    while let Some(at) = json.get(from..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
        match json.get(from + at) {
            Some(b'"') => return from + at + 1,
            // A backslash takes the next byte with it.
            _ => from += at + 2,
        }
    }
    json.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn indented(json: &str) -> String {
        let mut out = Vec::new();
        indent(json.as_bytes(), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn json_is_indented_and_its_tokens_stay_as_they_are() {
        let json = r#"{"a":[1,2.50,{"b":"x,{\"y\\"}],"n":123456789012345678901234567890,"e":{},"l":[]}"#;
        let text = indented(json);
        assert!(text.contains("\n  2.50,\n"), "{text}");
        assert!(text.contains("\"e\": {},\n \"l\": []\n}"), "{text}");
        assert!(text.contains("123456789012345678901234567890"), "{text}");
        let value: serde_json::Value = serde_json::from_str(json).unwrap();
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }
}
