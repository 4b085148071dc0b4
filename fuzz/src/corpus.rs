//! What is mutated: the records of the stored logs, and texts of each kind that stand in them.

use anyhow::{Context, Result};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use std::path::{Path, PathBuf};

/// A record: header line before its JSON, the JSON, and the payload without tabs.
#[derive(Clone)]
pub struct Record {
    pub prefix: String,
    pub envelope: Value,
    pub payload: Option<Vec<u8>>,
}

/// Everything that mutations are made of.
pub struct Corpus {
    /// The records of each stored log.
    pub logs: Vec<Vec<Record>>,
    /// Values of each field, of all logs.
    pub values: HashMap<String, Vec<Value>>,
    /// Texts by the name of the small target that reads them.
    pub texts: BTreeMap<&'static str, Vec<Vec<u8>>>,
}

/// Payloads over this size are left out: whole models take long and have nothing that small ones lack.
const LARGEST_PAYLOAD: usize = 24 << 10;
/// Values that are kept of each field.
const MOST_VALUES: usize = 64;

impl Corpus {
    /// Reads the stored logs and profiler traces below `tests`.
    pub fn read(tests: &Path) -> Result<Corpus> {
        let mut corpus = Corpus { logs: Vec::new(), values: HashMap::new(), texts: BTreeMap::new() };
        let mut paths = files(&tests.join("inputs"))?;
        paths.extend(files(&tests.join("jobs"))?);
        paths.extend(files(&tests.join("profiles"))?);
        paths.sort();
        for path in paths {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.contains(".log") {
                corpus.add_log(&unpacked(&path)?);
            } else if name.ends_with(".json.gz") || name.ends_with("profile.json") {
                corpus.add_trace(&unpacked(&path)?);
            }
        }
        Ok(corpus)
    }

    fn add_log(&mut self, bytes: &[u8]) {
        let mut records: Vec<Record> = Vec::new();
        for line in bytes.split(|byte| *byte == b'\n') {
            if let Some(text) = line.strip_prefix(b"\t") {
                if let Some(record) = records.last_mut() {
                    let payload = record.payload.get_or_insert_default();
                    if !payload.is_empty() {
                        payload.push(b'\n');
                    }
                    payload.extend_from_slice(text);
                }
                continue;
            }
            let text = String::from_utf8_lossy(line);
            let Some(at) = text.find("] {") else { continue };
            let (prefix, json) = text.split_at(at + 2);
            let Ok(envelope) = serde_json::from_str(json) else { continue };
            records.push(Record { prefix: prefix.to_owned(), envelope, payload: None });
        }
        records.retain(|record| record.payload.as_ref().is_none_or(|text| text.len() < LARGEST_PAYLOAD));
        for record in &records {
            self.add_record(record);
        }
        self.logs.push(records);
    }

    fn add_record(&mut self, record: &Record) {
        let mut lines = Vec::new();
        collect(&record.envelope, &mut |key, value| {
            let known = self.values.entry(key.to_owned()).or_default();
            if known.len() < MOST_VALUES && !known.contains(value) {
                known.push(value.clone());
            }
            if let Value::String(text) = value {
                lines.push(text.clone());
            }
        });
        let header = format!("{}{}", record.prefix, record.envelope);
        self.add_text("envelope", header.into_bytes());
        let of_guards = |line: &&String| line.contains("L[") || line.contains("==") || line.contains("___");
        for line in lines.iter().filter(of_guards) {
            self.add_text("guards", line.clone().into_bytes());
        }
        let Some(payload) = &record.payload else { return };
        let text = String::from_utf8_lossy(payload);
        let name = record.envelope["artifact"]["name"].as_str().unwrap_or_default();
        let key = record.envelope.as_object().and_then(|fields| fields.keys().next().cloned());
        let key = key.unwrap_or_default();
        if key.contains("guards") || name.contains("recompile") || text.contains("GuardManager") {
            self.add_text("guards", payload.clone());
        } else if key == "inductor_output_code" || text.contains("async_compile") {
            self.add_text("highlight", payload.clone());
            self.add_text("code", Self::run_texts("", &text));
        } else if key.contains("graph") || key.contains("export") || text.contains("def forward") {
            self.add_text("programs", payload.clone());
            self.add_text("code", Self::run_texts(&text, ""));
        }
    }

    /// The texts of a run in the form that the target `code` takes them.
    fn run_texts(graph: &str, code: &str) -> Vec<u8> {
        let maps = r#"{"version": 2.0, "preToPost": {"add": ["add"]}, "postToPre": {"add": ["add"]}, "kernelToPost": {"extern_kernels.mm:1": ["mm"]}, "postToKernel": {"mm": ["extern_kernels.mm:1"]}}"#;
        let stacks = r#"{"extern_kernels.mm:1": ["File \"a.py\", line 1, in f\n    x @ y"]}"#;
        [graph, graph, code, code, maps, stacks].join("\n----\n").into_bytes()
    }

    fn add_trace(&mut self, bytes: &[u8]) {
        // The list of events with a few of them, some from everywhere.
        let Ok(mut trace) = serde_json::from_slice::<Value>(bytes) else { return };
        let Some(events) = trace["traceEvents"].as_array().cloned() else { return };
        let interesting = |event: &&Value| event["cat"] != "ac2g" && event["ph"] != "f";
        let events: Vec<&Value> = events.iter().filter(interesting).collect();
        for start in 0..40 {
            let step = (events.len() / 40).max(1);
            let some: Vec<Value> = events.iter().skip(start * step).take(25).map(|e| (*e).clone()).collect();
            trace["traceEvents"] = some.into();
            self.add_text("traces", trace.to_string().into_bytes());
        }
    }

    /// Adds a text that a small target reads.
    pub fn add_text(&mut self, target: &'static str, text: Vec<u8>) {
        let texts = self.texts.entry(target).or_default();
        if text.len() < LARGEST_PAYLOAD && texts.len() < 3_000 {
            texts.push(text);
        }
    }
}

/// Calls `take` with each field below a value.
fn collect(value: &Value, take: &mut impl FnMut(&str, &Value)) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                take(key, value);
                collect(value, take);
            }
        }
        Value::Array(items) => items.iter().take(20).for_each(|item| collect(item, take)),
        _ => {}
    }
}

/// All files below a folder.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else {
            found.push(path);
        }
    }
    Ok(found)
}

/// The content of a file, unpacked where it is packed.
fn unpacked(path: &Path) -> Result<Vec<u8>> {
    let bytes = std::fs::read(path)?;
    let mut text = Vec::new();
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("zst") => Ok(zstd::decode_all(bytes.as_slice())?),
        Some("gz") => {
            flate2::read::MultiGzDecoder::new(bytes.as_slice()).read_to_end(&mut text)?;
            Ok(text)
        }
        _ => Ok(bytes),
    }
}
