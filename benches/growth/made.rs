//! Logs made of records of stored logs.

pub use crate::log::Record;
use crate::log::{Log, contains, md5_of, replaced};
use serde_json::Value;
use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// What stands for a number in a record that is copied: `"@n"` becomes the number, `@n` its digits.
const NUMBER: &[u8] = b"@n";

/// The logs of a row: a name and its records each. Several are the ranks of a job.
pub type Made = Vec<(String, Vec<Record>)>;

/// Logs on the disk.
pub struct Input {
    /// A log, or the folder of a job.
    pub path: PathBuf,
    pub is_job: bool,
    /// A trace of torch.profiler.
    pub trace: Option<PathBuf>,
}

impl Input {
    /// Writes logs into a folder of their own.
    pub fn write(made: &Made, trace: Option<String>, folder: &Path) -> Input {
        let folder = folder.join("logs");
        fs::create_dir(&folder).unwrap();
        for (name, records) in made {
            let mut file = BufWriter::new(fs::File::create(folder.join(name)).unwrap());
            for record in records {
                for line in std::iter::once(&record.header).chain(&record.payload) {
                    file.write_all(line).and_then(|()| file.write_all(b"\n")).unwrap();
                }
            }
            file.flush().unwrap();
        }
        let trace = trace.map(|text| {
            let path = folder.with_extension("json");
            fs::write(&path, text).unwrap();
            path
        });
        match made.as_slice() {
            [(name, _)] => Input { path: folder.join(name), is_job: false, trace },
            _ => Input { path: folder, is_job: true, trace },
        }
    }
}

/// A stored log, to be changed.
pub struct Stored {
    pub records: Vec<Record>,
}

/// The stored logs of a folder such as `tests/inputs/12_ddp_2`, by name.
pub fn stored_logs(folder: &str) -> Vec<Stored> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let mut paths: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let is_log = |path: &&PathBuf| {
        path.to_string_lossy().ends_with(".log") || path.to_string_lossy().ends_with(".log.zst")
    };
    let read = |path: &PathBuf| {
        let bytes = fs::read(path).unwrap();
        let packed = path.extension().is_some_and(|extension| extension == "zst");
        let bytes = if packed { zstd::decode_all(bytes.as_slice()).unwrap() } else { bytes };
        Stored { records: Log::parse(&bytes).records }
    };
    paths.iter().filter(is_log).map(read).collect()
}

/// The first stored log of a folder.
pub fn stored(folder: &str) -> Stored {
    stored_logs(folder).remove(0)
}

impl Stored {
    /// The records that are no event of a compile: version, strings. What a made log begins with.
    pub fn head(&self) -> Vec<Record> {
        let is = |record: &&Record| is_event(record, "str") || is_event(record, "torch_version");
        self.records.iter().filter(is).cloned().collect()
    }

    /// The first record of an event: its key, or the name of its artifact.
    pub fn first(&self, event: &str) -> Record {
        self.maybe(event).unwrap_or_else(|| panic!("no {event}"))
    }

    /// All records but those of an event.
    pub fn without(&self, event: &str) -> Vec<Record> {
        self.records.iter().filter(|record| !is_event(record, event)).cloned().collect()
    }

    /// `dynamo_start` and metrics of the first compile, and further events of it. Its metrics lose their configuration,
    /// which is 40 KB of text. An export has neither.
    pub fn compile(&self, more: &[&str]) -> Vec<Record> {
        let mut metrics = self.maybe("compilation_metrics");
        if let Some(metrics) = &mut metrics {
            metrics.edit(|envelope| {
                let fields = envelope["compilation_metrics"].as_object_mut().unwrap();
                fields.retain(|name, _| !name.ends_with("_config"));
            });
        }
        let between = more.iter().map(|event| self.first(event));
        self.maybe("dynamo_start").into_iter().chain(between).chain(metrics).collect()
    }

    fn maybe(&self, event: &str) -> Option<Record> {
        self.records.iter().find(|record| is_event(record, event)).cloned()
    }
}

/// Whether a record has that event: its key, or the name of its artifact.
pub fn is_event(record: &Record, event: &str) -> bool {
    let key = format!("] {{\"{event}\":");
    let artifact = format!("] {{\"artifact\": {{\"name\": \"{event}\"");
    // A record that was changed has no space between its tokens.
    let changed = artifact.replace("\": ", "\":");
    [key, artifact, changed].iter().any(|begin| contains(&record.header, begin.as_bytes()))
}

/// Records with fields of their envelopes set, such as `frame_id` to `@n`.
pub fn with(mut records: Vec<Record>, fields: &[(&str, &str)]) -> Vec<Record> {
    for record in &mut records {
        record.edit(|envelope| set(envelope, fields));
    }
    records
}

/// Sets fields of an envelope, and a compile id that its metrics name.
fn set(envelope: &mut Value, fields: &[(&str, &str)]) {
    for (name, value) in fields {
        envelope[*name] = serde_json::from_str(value).unwrap_or_else(|_| (*value).into());
    }
    let text = |name: &str| match &envelope[name] {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    let id = format!("{}/{}", text("frame_id"), text("frame_compile_id"));
    let id = if text("attempt") == "0" { id } else { format!("{id}_{}", text("attempt")) };
    if let Some(metrics) = envelope.get_mut("compilation_metrics") {
        metrics["compile_id"] = id.into();
    }
}

/// Copies of records, one behind the other, the nth with its number in place of `@n`.
pub fn copies(records: &[Record], n: usize) -> impl Iterator<Item = Record> {
    (0..n).flat_map(move |number| records.iter().map(move |record| numbered(record, number)))
}

/// A record with a number in place of `@n`.
pub fn numbered(record: &Record, number: usize) -> Record {
    let digits = number.to_string();
    let fill = |bytes: &[u8]| {
        let quoted = replaced(bytes, b"\"@n\"", digits.as_bytes());
        replaced(&quoted, NUMBER, digits.as_bytes())
    };
    let mut copy = Record {
        header: fill(&record.header),
        payload: record.payload.iter().map(|line| fill(line)).collect(),
    };
    if record.payload.iter().any(|line| contains(line, NUMBER)) {
        let old = hash_of(record);
        copy.header = replaced(&copy.header, old.as_bytes(), md5_of(&copy.text()).as_bytes());
    }
    copy
}

fn hash_of(record: &Record) -> String {
    let envelope: Value = serde_json::from_slice(record.envelope()).unwrap();
    envelope["has_payload"].as_str().expect("a record with a payload has its hash").to_owned()
}

/// `n` of something, joined.
pub fn joined(n: usize, between: &str, each: impl Fn(usize) -> String) -> String {
    (0..n).map(each).collect::<Vec<_>>().join(between)
}
