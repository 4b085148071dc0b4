//! Makes a long log out of the stored ones: their records again and again, each time later, under new compile ids, and
//! with payloads that differ and carry their own hash, so that nothing can be reused that a real log would not repeat.
//!
//! ```text
//! cargo run --release --example long_log -- mixed long.log 300
//! cargo run --release --example long_log -- ranks folder 10    # 64 logs of 10 MB
//! ```
//!
//! `benches/compare.sh` measures this tool and upstream's on such logs.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a measurement that fails ends the run"
)]

#[path = "../tests/support/log.rs"]
#[allow(dead_code, reason = "a log is only read and written here")]
mod log;

use log::{Log, Record, md5_of};
use serde_json::Value;
use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// How many ranks the job has that `ranks` makes.
const RANKS: u64 = 64;

/// Which stored logs a long one is made of, and which of their events it has.
struct Kind {
    name: &'static str,
    /// Folders of `tests/inputs`.
    inputs: &'static [&'static str],
    /// The events to keep; all where the list is empty. An artifact is named by its name.
    only: &'static [&'static str],
    /// Events to leave out.
    without: &'static [&'static str],
    /// Bytes that a record may have: longer ones are left out, but for metrics, which lose their configurations.
    longest: Option<usize>,
}

const KINDS: [Kind; 5] = [
    Kind { name: "mixed", inputs: &MIXED, only: &[], without: &[], longest: None },
    Kind {
        name: "code",
        inputs: &CODE,
        only: &["dynamo_start", "inductor_output_code"],
        without: &[],
        longest: None,
    },
    Kind {
        name: "chromium",
        inputs: &MIXED,
        only: &["dynamo_start", "compilation_metrics", "chromium_event"],
        without: &[],
        longest: None,
    },
    // A compile has some 30 KB: 300 MB have 10,000.
    Kind { name: "small", inputs: &["16_many"], only: &[], without: &BESIDES, longest: Some(4_000) },
    Kind { name: "ranks", inputs: &MIXED, only: &[], without: &[], longest: None },
];

/// Inference, training, graph breaks, recompiles, dynamic shapes, failures, compiled autograd and a large model.
const MIXED: [&str; 8] = [
    "01_inference",
    "02_train_mlp",
    "03_graph_breaks",
    "04_recompiles",
    "05_dynamic_shapes",
    "06_errors",
    "07_compiled_autograd",
    "14_llama_infer",
];

/// Logs whose output code is long.
const CODE: [&str; 3] = ["14_llama_infer", "02_train_mlp", "07_compiled_autograd"];

/// What a compile writes besides its graphs and its code.
const BESIDES: [&str; 9] = [
    "fx_graph_cache_miss",
    "torch._functorch.config",
    "fx_graph_runnable",
    "aot_forward_graph_fw_metadata",
    "before_pre_grad_graph",
    "after_pre_grad_graph",
    "before_joint_graph",
    "after_joint_graph",
    "before_post_grad_graph",
];

/// Characters of the longest value that metrics keep where records may not be long: configurations have thousands.
const LONGEST_VALUE: usize = 1_000;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [kind, out, megabytes] = args.as_slice() else {
        return Err("give a kind (mixed, code, chromium, small, ranks), the file to write (for ranks a folder), and how \
                    many megabytes it is to have"
            .into());
    };
    let known = KINDS.iter().find(|known| known.name == kind);
    let kind = known.ok_or("the kinds are mixed, code, chromium, small and ranks")?;
    let size = megabytes.parse::<u64>()? * 1_000_000;
    let logs = kind.stored()?;
    if kind.name != "ranks" {
        return write(&logs, Path::new(out), size, None);
    }
    std::fs::create_dir_all(out)?;
    for rank in 0..RANKS {
        let name = format!("dedicated_log_torch_trace_rank_{rank}_abcdefgh.log");
        write(&logs, &Path::new(out).join(name), size, Some(rank))?;
    }
    Ok(())
}

impl Kind {
    /// The records of the stored logs, without those that are not of this kind.
    fn stored(&self) -> Result<Vec<Stored>, Box<dyn Error>> {
        self.inputs.iter().map(|name| Ok(Stored::new(self.keep(read(name)?)))).collect()
    }

    fn keep(&self, log: Log) -> Vec<Record> {
        let listed = |list: &[&str], event: &str| list.contains(&event);
        let wanted = |record: &Record| {
            let event = event_of(record);
            // Without the strings that are sent once, the stacks of the other records have no names.
            event == "str"
                || (self.only.is_empty() || listed(self.only, &event)) && !listed(self.without, &event)
        };
        let records = log.records.into_iter().filter(wanted);
        match self.longest {
            Some(longest) => {
                let stays = ["str", "compilation_metrics"];
                let short =
                    |record: &Record| stays.contains(&event_of(record).as_str()) || length(record) <= longest;
                records.map(without_configurations).filter(short).collect()
            }
            None => records.collect(),
        }
    }
}

/// Bytes of a record with its payload.
fn length(record: &Record) -> usize {
    record.header.len() + record.payload.iter().map(Vec::len).sum::<usize>()
}

/// Metrics without their long values; any other record as it is.
fn without_configurations(mut record: Record) -> Record {
    if event_of(&record) == "compilation_metrics" {
        record.edit(|envelope| {
            if let Some(metrics) = envelope["compilation_metrics"].as_object_mut() {
                metrics.retain(|_, value| value.as_str().is_none_or(|text| text.len() <= LONGEST_VALUE));
            }
        });
    }
    record
}

/// The stored log of a folder of `tests/inputs`.
fn read(name: &str) -> Result<Log, Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/inputs").join(name);
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(&folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    paths.sort();
    let is_log = |path: &&PathBuf| path.to_string_lossy().contains(".log");
    let path = paths.iter().find(is_log).ok_or_else(|| format!("{} holds no log", folder.display()))?;
    let mut bytes = Vec::new();
    match path.extension().is_some_and(|extension| extension == "zst") {
        true => zstd::Decoder::new(File::open(path)?)?.read_to_end(&mut bytes)?,
        false => File::open(path)?.read_to_end(&mut bytes)?,
    };
    Ok(Log::parse(&bytes))
}

/// The event of a record, or the name of its artifact.
fn event_of(record: &Record) -> String {
    const NOT_EVENTS: [&str; 8] = [
        "frame_id",
        "frame_compile_id",
        "attempt",
        "compiled_autograd_id",
        "has_payload",
        "rank",
        "stack",
        "process",
    ];
    let envelope: Value = serde_json::from_slice(record.envelope()).unwrap_or_default();
    let keys = envelope.as_object().into_iter().flatten();
    let event = keys.map(|(key, value)| (key.as_str(), value)).find(|(key, _)| !NOT_EVENTS.contains(key));
    match event {
        Some(("artifact", value)) => value["name"].as_str().unwrap_or_default().to_owned(),
        Some((key, _)) => key.to_owned(),
        None => String::new(),
    }
}

/// A stored log, with how far its ids go.
struct Stored {
    records: Vec<Record>,
    /// One more than its largest frame id.
    frames: u64,
}

/// One repetition: what is added to ids and times.
struct Shift {
    frames: u64,
    /// The number of the repetition.
    copy: u64,
    rank: Option<u64>,
}

impl Stored {
    fn new(records: Vec<Record>) -> Stored {
        let frame = |record: &Record| {
            let envelope: Value = serde_json::from_slice(record.envelope()).unwrap_or_default();
            envelope["frame_id"].as_u64().max(envelope["compiled_autograd_id"].as_u64())
        };
        let frames = records.iter().filter_map(frame).max().unwrap_or_default() + 1;
        Stored { records, frames }
    }
}

/// Writes repetitions of the logs until there is enough.
fn write(logs: &[Stored], to: &Path, size: u64, rank: Option<u64>) -> Result<(), Box<dyn Error>> {
    let mut out = BufWriter::new(File::create(to)?);
    let mut written = 0;
    let (mut frames, mut copy) = (0, 0);
    'full: loop {
        for log in logs {
            let shift = Shift { frames, copy, rank };
            for record in &log.records {
                if written >= size {
                    break 'full;
                }
                let record = shift.apply(record);
                for line in std::iter::once(&record.header).chain(&record.payload) {
                    out.write_all(line)?;
                    out.write_all(b"\n")?;
                    written += line.len() as u64 + 1;
                }
            }
            frames += log.frames;
            copy += 1;
        }
    }
    Ok(out.flush()?)
}

impl Shift {
    fn apply(&self, record: &Record) -> Record {
        let mut record = record.clone();
        let text = record.text();
        let has_payload = !record.payload.is_empty();
        let payload = has_payload.then(|| self.payload(text));
        if let Some(payload) = &payload {
            let lines = payload.split(|byte| *byte == b'\n');
            record.payload = lines.map(|line| [b"\t", line].concat()).collect();
        }
        record.edit(|envelope| {
            for id in ["frame_id", "compiled_autograd_id"] {
                if let Some(number) = envelope[id].as_u64() {
                    envelope[id] = (number + self.frames).into();
                }
            }
            if let Some(rank) = self.rank {
                envelope["rank"] = rank.into();
            }
            if let Some(payload) = &payload {
                envelope["has_payload"] = md5_of(payload).into();
            }
            // `edit` looks keys up, which adds those that are missing.
            if let Some(fields) = envelope.as_object_mut() {
                fields.retain(|_, value| !value.is_null());
            }
        });
        record
    }

    /// The payload with ids and times of this repetition; where it has none, with the number of the repetition.
    fn payload(&self, mut text: Vec<u8>) -> Vec<u8> {
        let event: Option<Value> =
            text.starts_with(b"{").then(|| serde_json::from_slice(&text).ok()).flatten();
        match event {
            Some(mut event) if event["ts"].is_number() => {
                self.span(&mut event);
                serde_json::to_vec(&event).unwrap_or(text)
            }
            // White space after JSON changes its hash and nothing else.
            Some(_) => {
                text.extend((0..64 - self.copy.leading_zeros()).map(|bit| match self.copy >> bit & 1 {
                    0 => b' ',
                    _ => b'\n',
                }));
                text.push(b' ');
                text
            }
            None => {
                text.extend_from_slice(format!("\n# repetition {}", self.copy).as_bytes());
                text
            }
        }
    }

    /// An event of the timeline: ten seconds later each time, and of the shifted compile.
    fn span(&self, event: &mut Value) {
        const STEP: u64 = 10_000_000;
        if let Some(time) = event["ts"].as_u64() {
            event["ts"] = (time + self.copy * STEP).into();
        } else if let Some(time) = event["ts"].as_f64() {
            event["ts"] = (time + (self.copy * STEP) as f64).into();
        }
        let id = event["args"]["compile_id"].as_str().and_then(|id| id.split_once('/'));
        if let Some((frame, rest)) = id
            && let Ok(frame) = frame.parse::<u64>()
        {
            event["args"]["compile_id"] = format!("{}/{rest}", frame + self.frames).into();
        }
    }
}
