//! What is read of the text of a trace: the rows of `cases.txt`.

use super::pieces::{TracePiece, for_each_piece};
use super::scan::{Event, Object};
use super::{Recorded, augment};
use crate::cases::{hold, joined};
use crate::trace::Attachment;
use serde_json::value::RawValue;
use std::io::{self, Read};

/// Gives one byte per read, so that every place is an edge.
struct OneByOne<'t>(&'t [u8]);

impl Read for OneByOne<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let Some((byte, rest)) = self.0.split_first() else { return Ok(0) };
        (out[0], self.0) = (*byte, rest);
        Ok(1)
    }
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The pieces of a trace, then why it could not be read to its end.
fn pieces(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let damaged = for_each_piece(OneByOne(text.as_bytes()), |piece| {
        found.push(match piece {
            TracePiece::Field { name, value } => format!("{name}={}", text_of(value)),
            TracePiece::Event(event) => text_of(event.text),
            TracePiece::Unreadable => "unreadable".to_owned(),
        });
        Ok(())
    });
    found.extend(damaged.unwrap().map(|why| format!("damaged: {why}")));
    found
}

/// The fields of an event with what can be read of each, and what follows the event.
fn event(text: &str) -> Option<Vec<String>> {
    let event = Event::at_start(text.as_bytes())?;
    let told = |object: &Object<'_>, (name, raw): (&[u8], &[u8])| {
        let name = text_of(name);
        let text = object.text(&name).map(|text| format!(" text {text}"));
        let number = object.number(&name).map(|number| format!(" number {number}"));
        let count = object.count(&name).map(|count| format!(" count {count}"));
        let read = [text, number, count].into_iter().flatten().collect::<String>();
        format!("{name} {}{read}", text_of(raw))
    };
    let objects = [&event.fields, &event.args].into_iter();
    let mut found: Vec<String> =
        objects.flat_map(|object| object.iter().map(move |field| told(object, field))).collect();
    let rest = text.strip_prefix(&*text_of(event.text)).unwrap();
    found.extend(Some(format!("then {rest}")).filter(|_| !rest.is_empty()));
    Some(found)
}

/// The trace written again, which is valid JSON.
fn augmented(trace: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.json");
    std::fs::write(&path, trace).unwrap();
    let mut out = Vec::new();
    let mut added = |recorded, us| {
        let Recorded::Launch(at) = recorded else { return Ok(None) };
        Ok(RawValue::from_string(format!(r#"{{"launch": {at}, "us": {us}}}"#)).ok())
    };
    augment(&Attachment::on_disk(&path), &mut out, &mut added).unwrap();
    serde_json::from_slice::<serde_json::Value>(&out).unwrap();
    String::from_utf8(out).unwrap().trim_end().to_owned()
}

#[test]
fn each_text_is_read_as_the_rows_of_the_file_say() {
    hold(include_str!("cases.txt"), |query, text| match query {
        "pieces" => Some(joined(pieces(text))),
        "augmented" => Some(augmented(text)),
        _ => event(text).map(joined),
    });
}
