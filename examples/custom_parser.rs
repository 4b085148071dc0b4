//! A parser of your own: makes an event that a training loop adds to its log part of the report.
//!
//! ```text
//! cargo run --example custom_parser -- tests/inputs/01_inference/dedicated_log_torch_trace_0d5xvg8u.log
//! ```
//!
//! It appends two such events to a copy of the log, writes the report, and fails if they are not in it.

use anyhow::{Context, Result, ensure};
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use tlparse::{
    Cell, Column, Event, Flow, Form, Options, RankContext, Registry, RelPath, StructuredLogParser, Unit,
};

// [readme:begin]
/// Shows the checkpoints of a training loop, which logs each of them with
/// `trace_structured("my_checkpoint", metadata_fn=lambda: {"step": .., "seconds": .., "bytes": ..}, payload_fn=..)`.
#[derive(Default)]
struct Checkpoints {
    /// Step and seconds of each, as comma-separated values.
    seconds: String,
}

const COLUMNS: [Column; 3] =
    [Column::number("Step"), Column::number("Time to write"), Column::number("Size")];

impl StructuredLogParser for Checkpoints {
    fn name(&self) -> &'static str {
        "my_checkpoint"
    }

    fn about(&self) -> &'static str {
        "Checkpoints of the training loop: a table, a page, their settings and their times as files."
    }

    fn keys(&self) -> &'static [&'static str] {
        &["my_checkpoint"]
    }

    fn parse(&mut self, event: &Event<'_>, cx: &mut RankContext<'_>) -> Result<Flow> {
        // A file in the compile's folder, `my_checkpoint_<number>.json`, with the event's payload.
        cx.artifact_of_payload(event, "my_checkpoint", Form::Json);
        // A row in a table on the compile's page; a field that is missing is shown as unknown.
        let fields = event.fields();
        let row = vec![
            Cell::number(fields.number("step"), Unit::Count),
            Cell::number(fields.number("seconds").map(|seconds| seconds * 1e6), Unit::Micros),
            Cell::number(fields.number("bytes"), Unit::Bytes),
        ];
        cx.section("checkpoints", "Checkpoints", "written by the training loop", &COLUMNS).row(row.clone());
        // The same row on a page of its own, at the top of the report.
        let page = RelPath::of_parts(&["checkpoints.html"]);
        cx.page(&page, "Checkpoints")?
            .section("all", "All checkpoints", "of all compiles", &COLUMNS)
            .row(row);
        if let (Some(step), Some(seconds)) = (fields.number("step"), fields.number("seconds")) {
            self.seconds.push_str(&format!("{step},{seconds}\n"));
        }
        Ok(Flow::Handled)
    }

    fn finish(self: Box<Self>, cx: &mut RankContext<'_>) -> Result<()> {
        // A file whose path and full name you choose.
        cx.global_file(&RelPath::of_parts(&["checkpoints", "seconds.csv"]), self.seconds)?;
        Ok(())
    }
}

/// Writes the report of `log` into the folder `out`, which must not exist yet; returns the folder.
fn report(log: &Path, out: &Path) -> Result<std::path::PathBuf> {
    let registry = Registry::default().with(|| Box::new(Checkpoints::default()));
    let written = tlparse::run(&Options::new(log, out), &registry, &())?;
    Ok(written.folder)
}
// [readme:end]

fn main() -> Result<()> {
    let log = std::env::args_os().nth(1).context("give the path of a log")?;
    // Kept, so that the report can be looked at.
    let folder = tempfile::Builder::new().prefix("custom_parser_").tempdir()?.keep();
    let copy = folder.join("trace.log");
    with_checkpoints(Path::new(&log), &copy)?;

    let report = report(&copy, &folder.join("report"))?;
    println!("The report is {}", report.join("index.html").display());
    check(&report)
}

/// Copies a log and appends two events of compile 0/0, as torch would write them.
fn with_checkpoints(log: &Path, copy: &Path) -> Result<()> {
    fs::copy(log, copy)?;
    let mut file = File::options().append(true).open(copy)?;
    for (step, seconds, bytes) in [(100, 0.8, 44_000_000), (200, 1.1, 44_000_128)] {
        let payload = "{\"optimizer\": \"adam\"}";
        let hash = format!("{:x}", md5::compute(payload));
        write!(file, "V1120 04:55:40.000000 7 train.py:12] ")?;
        write!(
            file,
            "{{\"my_checkpoint\": {{\"step\": {step}, \"seconds\": {seconds}, \"bytes\": {bytes}}}, "
        )?;
        writeln!(file, "\"frame_id\": 0, \"frame_compile_id\": 0, \"has_payload\": \"{hash}\"}}")?;
        writeln!(file, "\t{payload}")?;
    }
    Ok(())
}

/// Whether the files, the tables and the page are there.
fn check(report: &Path) -> Result<()> {
    let compile = report.join("-_0_0_0");
    let names = fs::read_dir(&compile)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
    let names: Vec<String> = names.collect::<Result<_>>()?;
    let files = names.iter().filter(|name| name.starts_with("my_checkpoint_") && name.ends_with(".json"));
    ensure!(files.count() == 2, "the payloads are not in {}", compile.display());

    let page = fs::read_to_string(compile.join("compile.html")).context("the compile has no page")?;
    for text in ["Checkpoints", "written by the training loop", "Time to write", "my_checkpoint_"] {
        ensure!(page.contains(text), "the page of the compile does not say {text:?}");
    }
    let page =
        fs::read_to_string(report.join("checkpoints.html")).context("there is no page of checkpoints")?;
    ensure!(page.contains("All checkpoints"), "the page of checkpoints has no table");
    let seconds = fs::read_to_string(report.join("checkpoints/seconds.csv"))?;
    ensure!(seconds == "100,0.8\n200,1.1\n", "the times are {seconds:?}");
    Ok(())
}
