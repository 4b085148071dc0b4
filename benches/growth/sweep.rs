//! Each event of each stored log, again and again: in one compile, in many frames, as many versions and as many attempts.

use crate::made::{Record, copies, is_event, stored, with};
use crate::rows::Row;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Bytes of the smaller log of a row, more or less.
const BYTES: usize = 1_500_000;
/// Most records that are added in it.
const MOST: usize = 3_000;

/// The ways in which ids of copies differ.
const WAYS: [(&str, &[(&str, &str)]); 4] = [
    ("in one compile", &[]),
    ("in many frames", &[("frame_id", "@n"), ("frame_compile_id", "0"), ("attempt", "0")]),
    ("as versions", &[("frame_compile_id", "@n"), ("attempt", "0")]),
    ("as attempts", &[("attempt", "@n")]),
];

/// A row for each event that some stored log has, and each way.
pub fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for (event, folder) in events() {
        for (way, ids) in WAYS {
            let (event, folder) = (event.clone(), folder.clone());
            let bytes = size(&stored(&folder).first(&event));
            let n = (BYTES / bytes).clamp(10, MOST);
            rows.push(Row::new(format!("{event} {way}"), n, move |n| {
                let log = stored(&folder);
                let record = with(vec![log.first(&event)], ids);
                log.without("chromium_event").into_iter().chain(copies(&record, n)).collect()
            }));
        }
    }
    rows
}

fn size(record: &Record) -> usize {
    record.header.len() + record.payload.iter().map(Vec::len).sum::<usize>()
}

/// Each event, and the first stored log that has it; the smallest logs first.
fn events() -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/inputs");
    let folders = fs::read_dir(root).unwrap().map(|entry| entry.unwrap());
    let folders = folders.filter(|entry| {
        entry.path().is_dir() && entry.file_name() != "scripts" && entry.file_name() != "16_many"
    });
    let mut names: Vec<String> =
        folders.map(|entry| format!("inputs/{}", entry.file_name().to_string_lossy())).collect();
    names.sort();
    let mut found = BTreeMap::new();
    for name in names {
        for record in stored(&name).records {
            if let Some(event) = event_of(&record) {
                found.entry(event).or_insert_with(|| name.clone());
            }
        }
    }
    // Resume functions have the names of functions of the user.
    found.retain(|event, _| !event.starts_with("torch_dynamo_resume"));
    found
}

/// The event of a record as [`is_event`] finds it again.
fn event_of(record: &Record) -> Option<String> {
    if !record.header.windows(3).any(|bytes| bytes == b"] {") {
        return None;
    }
    let envelope: Value = serde_json::from_slice(record.envelope()).ok()?;
    let artifact = envelope["artifact"]["name"].as_str().map(str::to_owned);
    let event = artifact.or_else(|| envelope.as_object()?.keys().next().cloned())?;
    is_event(record, &event).then_some(event)
}
