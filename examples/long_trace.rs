//! Makes a long trace of torch.profiler out of a short one: its events again and again, each time later and under new
//! ids. To see how fast a trace is read, and in how much memory:
//!
//! ```text
//! cargo run --release --example long_trace -- trace.json.gz long.json 1000
//! /usr/bin/time -v target/release/tlparse long.json -o out --no-browser
//! ```

use std::fs::File;
use std::io::{BufWriter, Read, Write};

/// Fields that say which events belong together; each repetition has its own.
const IDS: [&str; 3] = ["External id", "correlation", "Ev Idx"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [from, to, megabytes] = args.as_slice() else {
        return Err("give a trace, the file to write, and how many megabytes it is to have".into());
    };
    let most: u64 = megabytes.parse::<u64>()? * 1_000_000;
    let mut text = String::new();
    if from.ends_with(".gz") {
        flate2::read::GzDecoder::new(File::open(from)?).read_to_string(&mut text)?;
    } else {
        File::open(from)?.read_to_string(&mut text)?;
    }
    let mut trace: serde_json::Value = serde_json::from_str(&text)?;
    let events = trace["traceEvents"].take();
    let mut events: Vec<serde_json::Value> = serde_json::from_value(events)?;
    let number = |event: &serde_json::Value, name: &str| event[name].as_f64();
    let begins = events.iter().filter_map(|event| number(event, "ts"));
    let first = begins.fold(f64::INFINITY, f64::min);
    let ends = events.iter().filter_map(|event| Some(number(event, "ts")? + number(event, "dur")?));
    let period = ends.fold(0.0, f64::max) - first + 1_000.0;
    let all_ids = events.iter().flat_map(|event| IDS.map(|name| event["args"][name].as_u64()));
    let ids = all_ids.flatten().max().unwrap_or_default() + 1;

    let mut out = BufWriter::new(File::create(to)?);
    out.write_all(b"{")?;
    for (name, value) in trace.as_object().into_iter().flatten().filter(|(name, _)| *name != "traceEvents") {
        write!(out, "{}: {value}, ", serde_json::Value::from(name.as_str()))?;
    }
    out.write_all(b"\"traceEvents\": [")?;
    let mut written = 0;
    while written < most {
        for event in &mut events {
            let line = serde_json::to_string(event)?;
            out.write_all(if written == 0 { b"\n" } else { b",\n" })?;
            out.write_all(line.as_bytes())?;
            written += line.len() as u64 + 2;
            if let Some(ts) = number(event, "ts") {
                event["ts"] = ((ts + period) * 1e3).round().into();
                event["ts"] = (event["ts"].as_f64().unwrap_or_default() / 1e3).into();
            }
            for name in IDS {
                if let Some(id) = event["args"][name].as_u64() {
                    event["args"][name] = (id + ids).into();
                }
            }
            if event["cat"] == "ac2g"
                && let Some(id) = event["id"].as_u64()
            {
                event["id"] = (id + ids).into();
            }
        }
    }
    out.write_all(b"\n]}\n")?;
    out.flush()?;
    Ok(())
}
