//! Logs made of the records of real ones: some records of one log, changed in order, envelope, payload or bytes.

use crate::corpus::{Corpus, Record};
use crate::mutate::{self, PROBE, odd_text, pick};
use fastrand::Rng;
use serde_json::Value;

/// A mutated log.
pub fn log(rng: &mut Rng, corpus: &Corpus) -> Vec<u8> {
    let mut records = some_records(rng, corpus);
    if rng.u8(..4) == 0 {
        probe_everything(rng, &mut records);
    }
    for _ in 0..[0, 1, 1, 2, 3, 8][rng.usize(..6)] {
        change(rng, corpus, &mut records);
    }
    let mut bytes = Vec::new();
    for record in &records {
        write(rng, record, &mut bytes);
    }
    if rng.u8(..8) == 0 {
        mutate::text(rng, &mut bytes);
    }
    bytes
}

/// A part of a stored log, or single records of it. Its strings come along, so that files have names.
fn some_records(rng: &mut Rng, corpus: &Corpus) -> Vec<Record> {
    let Some(log) = pick(rng, &corpus.logs) else { return Vec::new() };
    if log.is_empty() {
        return Vec::new();
    }
    let count = [1, 3, 10, 25, 60][rng.usize(..5)];
    let start = rng.usize(..log.len());
    let is_string = |record: &&Record| record.envelope.get("str").is_some();
    let strings = log[..start].iter().filter(is_string);
    let mut records: Vec<Record> = strings.take(if rng.bool() { 300 } else { 0 }).cloned().collect();
    if rng.u8(..3) == 0 {
        records.extend((0..count).filter_map(|_| pick(rng, log).cloned()));
    } else {
        records.extend(log[start..].iter().take(count).cloned());
    }
    records
}

/// Puts the probe into every text of the records, or into those of one field.
fn probe_everything(rng: &mut Rng, records: &mut [Record]) {
    let in_keys = rng.u8(..4) == 0;
    for record in records {
        if rng.u8(..3) != 0 {
            probe(rng, &mut record.envelope, in_keys);
        }
        if let Some(payload) = &mut record.payload
            && rng.u8(..3) == 0
        {
            match serde_json::from_slice::<Value>(payload) {
                Ok(mut json) => {
                    probe(rng, &mut json, in_keys);
                    *payload = json.to_string().into_bytes();
                }
                Err(_) => {
                    let at = rng.usize(..=payload.len());
                    drop(payload.splice(at..at, PROBE.bytes()));
                }
            }
        }
    }
}

fn probe(rng: &mut Rng, value: &mut Value, in_keys: bool) {
    match value {
        Value::String(text) => match rng.u8(..4) {
            0 => *text = PROBE.to_owned(),
            1 => text.insert_str(0, PROBE),
            _ => text.push_str(PROBE),
        },
        Value::Array(items) => items.iter_mut().for_each(|item| probe(rng, item, in_keys)),
        Value::Object(fields) => {
            fields.values_mut().for_each(|value| probe(rng, value, in_keys));
            if in_keys && rng.u8(..3) == 0 {
                fields.insert(PROBE.to_owned(), PROBE.into());
            }
        }
        _ => {}
    }
}

/// One change of the log.
fn change(rng: &mut Rng, corpus: &Corpus, records: &mut Vec<Record>) {
    if records.is_empty() {
        return;
    }
    let (at, other) = (rng.usize(..records.len()), rng.usize(..records.len()));
    match rng.u8(..16) {
        0 => drop(records.remove(at)),
        1 => records.swap(at, other),
        2 => records.insert(at, records[other].clone()),
        3 => records.extend(pick(rng, &corpus.logs).and_then(|log| pick(rng, log)).cloned()),
        4 => ids(rng, &mut records[at].envelope),
        5 => {
            let mut prefix = records[at].prefix.clone().into_bytes();
            mutate::text(rng, &mut prefix);
            records[at].prefix = String::from_utf8_lossy(&prefix).into_owned();
        }
        6 => {
            if let Some(fields) = records[at].envelope.as_object_mut() {
                fields.insert("rank".to_owned(), rng.u64(..3).into());
            }
        }
        7 => {
            // The same field of the next records of this event.
            let envelope = records[at].envelope.clone();
            let Some((key, _)) = envelope.as_object().and_then(|fields| fields.iter().next()) else { return };
            let value = mutate::odd_value(rng, corpus, key);
            for record in records.iter_mut().filter(|record| record.envelope.get(key).is_some()) {
                record.envelope[key] = value.clone();
            }
        }
        8..=11 => mutate::json(rng, corpus, &mut records[at].envelope),
        _ => payload(rng, corpus, &mut records[at]),
    }
}

/// Other ids of a compile.
fn ids(rng: &mut Rng, envelope: &mut Value) {
    let Some(fields) = envelope.as_object_mut() else { return };
    let key = ["frame_id", "frame_compile_id", "attempt", "compiled_autograd_id"][rng.usize(..4)];
    match rng.u8(..4) {
        0 => drop(fields.remove(key)),
        1 => drop(fields.insert(key.to_owned(), odd_text(rng).into())),
        2 => drop(fields.insert(key.to_owned(), rng.i64(-3..5).into())),
        _ => drop(fields.insert(key.to_owned(), rng.u64(..).into())),
    }
}

fn payload(rng: &mut Rng, corpus: &Corpus, record: &mut Record) {
    let Some(payload) = &mut record.payload else {
        if rng.bool() {
            record.payload = Some(odd_text(rng).into_bytes());
        }
        return;
    };
    match serde_json::from_slice::<Value>(payload) {
        Ok(mut json) if rng.u8(..5) != 0 => {
            for _ in 0..=rng.u8(..4) {
                mutate::json(rng, corpus, &mut json);
            }
            *payload = json.to_string().into_bytes();
        }
        _ if rng.u8(..12) == 0 => record.payload = None,
        _ => (0..=rng.u8(..6)).for_each(|_| mutate::text(rng, payload)),
    }
}

/// Writes a record; the hash fits the payload but for a few.
fn write(rng: &mut Rng, record: &Record, bytes: &mut Vec<u8>) {
    let mut envelope = record.envelope.clone();
    if let (Some(fields), Some(payload)) = (envelope.as_object_mut(), &record.payload)
        && rng.u8(..50) != 0
    {
        fields.insert("has_payload".to_owned(), format!("{:x}", md5::compute(payload)).into());
    }
    bytes.extend_from_slice(record.prefix.as_bytes());
    bytes.extend_from_slice(envelope.to_string().as_bytes());
    bytes.push(b'\n');
    for line in record.payload.iter().flat_map(|payload| payload.split(|byte| *byte == b'\n')) {
        bytes.push(b'\t');
        bytes.extend_from_slice(line);
        bytes.push(b'\n');
    }
}
