//! Whole reports: a log, a log with a trace, and a job of which one rank's report.json is changed.

use crate::oracle::{self, Files};
use anyhow::{Context, Result};
use jsonschema::Validator;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use tlparse::{Budget, Checked, DiffOptions, Options, Registry, Settings, Threshold};

/// What whole reports need beside their input.
pub struct Whole {
    scratch: TempDir,
    schema: Validator,
    job_schema: Validator,
    /// The files of a finished job's ranks, by path; pages are empty here.
    job: Files,
}

/// The job that is combined.
const JOB: &str = "tests/jobs/13_div_break";

impl Whole {
    /// Reads the schemas below the project's folder and writes the job.
    pub fn new(project: &Path) -> Result<Whole> {
        let schema: serde_json::Value =
            serde_json::from_slice(&fs::read(project.join("report.schema.json"))?)?;
        let validator = || jsonschema::validator_for(&schema).map_err(|error| anyhow::anyhow!("{error}"));
        let mut whole = Whole {
            scratch: tempfile::tempdir()?,
            schema: validator()?,
            job_schema: validator()?,
            job: Files::new(),
        };
        let folder = whole.scratch.path().join("job");
        let mut options = Options::new(project.join(JOB), &folder);
        options.all_ranks = true;
        tlparse::run(&options, &Registry::default(), &())?;
        for path in crate::corpus::files(&folder)? {
            let below = path.strip_prefix(&folder)?.to_string_lossy().into_owned();
            if below.starts_with("rank_") {
                whole.job.insert(below, Vec::new());
            }
        }
        Ok(whole)
    }

    /// The report.json of each rank of the job.
    pub fn reports(&self) -> Result<Vec<Vec<u8>>> {
        let read = |rank| fs::read(self.scratch.path().join(format!("job/rank_{rank}/report.json")));
        Ok(vec![read(0)?, read(1)?])
    }

    /// The report of a log, twice where `again` is set.
    pub fn log(&self, log: &[u8], again: bool) -> Result<(), String> {
        let path = self.put("fuzz.log", log).map_err(|error| error.to_string())?;
        let Some(files) = in_memory(&Options::new(&path, ""))? else { return Ok(()) };
        oracle::check(log, &files, &self.schema)?;
        if again {
            let second = Options { threads: NonZeroUsize::new(3), ..Options::new(&path, "") };
            if in_memory(&second)?.as_ref() != Some(&files) {
                return Err("a second run gives other files".to_owned());
            }
        }
        Ok(())
    }

    /// The report of a log with a trace, or of the trace alone. The first line of the input is the number of bytes of the
    /// log.
    pub fn trace(&self, input: &[u8]) -> Result<(), String> {
        let (log, text) = oracle::trace_and_log(input);
        let put = |name, bytes| self.put(name, bytes).map_err(|error| error.to_string());
        let trace = put("trace.json", text)?;
        let options = if log.is_empty() {
            Options::new(trace, "")
        } else {
            Options { profiles: vec![trace], ..Options::new(put("fuzz.log", log)?, "") }
        };
        let Some(files) = in_memory(&options)? else { return Ok(()) };
        // A trace alone has no log. What is not a trace is read as one.
        let is_log = log.is_empty() && !is_measured(&files);
        let log = if is_log { text } else { log };
        if files.contains_key("raw.log") {
            oracle::data(log, &files, &self.schema)?;
        }
        oracle::pages(&files)
    }

    /// A job, a comparison and a check of which one report.json is the input.
    pub fn job(&self, report: &[u8]) -> Result<(), String> {
        self.job_files(report).map_err(|error| format!("{error:#}"))?
    }

    fn job_files(&self, report: &[u8]) -> Result<Result<(), String>> {
        let folder = self.scratch.path().join("job");
        let rank = folder.join("rank_1");
        fs::write(rank.join("report.json"), report)?;
        tlparse::combine(&folder, true, &Settings::default(), &())?;
        let mut files = self.job.clone();
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            if entry.file_type()?.is_file() {
                files.insert(entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path())?);
            }
        }
        let json: serde_json::Value = serde_json::from_slice(&files["report.json"]).context("report.json")?;
        if let Some(error) = self.job_schema.iter_errors(&json).next() {
            return Ok(Err(format!("the job's report.json: {error} at {}", error.instance_path())));
        }
        if let Err(wrong) = oracle::pages(&files) {
            return Ok(Err(wrong));
        }
        // What is refused is refused with a sentence; panics are caught above.
        let comparison = self.scratch.path().join("diff");
        let options = DiffOptions {
            names: ["A", "B"].map(str::to_owned),
            a: vec![folder.join("rank_0")],
            b: vec![rank.clone()],
            profiles_a: Vec::new(),
            profiles_b: Vec::new(),
            out: Some(comparison.clone()),
            overwrite: true,
            threshold: Threshold::default(),
            threads: NonZeroUsize::new(1),
        };
        if tlparse::diff(&options, &Registry::default(), &()).is_ok() {
            let page = fs::read(comparison.join("diff.html")).unwrap_or_default();
            let page = Files::from([("diff.html".to_owned(), page)]);
            if let Err(wrong) = oracle::acts(&page) {
                return Ok(Err(format!("the comparison: {wrong}")));
            }
        }
        let mut checked = Checked::default();
        if checked.add(&rank, None).is_ok() {
            let _ = checked.verdict(&Budget::default(), None);
        }
        Ok(Ok(()))
    }

    fn put(&self, name: &str, bytes: &[u8]) -> Result<PathBuf> {
        let path = self.scratch.path().join(name);
        fs::write(&path, bytes)?;
        Ok(path)
    }
}

/// The files of a report; None where the input is refused for what it is.
fn in_memory(options: &Options) -> Result<Option<Files>, String> {
    let threads = options.threads.or(NonZeroUsize::new(1));
    match tlparse::run_in_memory(&Options { threads, ..options.clone() }, &Registry::default(), &()) {
        Ok(report) => Ok(Some(report.files)),
        Err(error) => {
            let sentence = format!("{error:#}");
            let known = ["holds no TORCH_TRACE record", "cannot unpack", "is not a trace"];
            if known.iter().any(|known| sentence.contains(known)) { Ok(None) } else { Err(sentence) }
        }
    }
}

/// Whether a report has what a trace tells.
fn is_measured(files: &Files) -> bool {
    let report = files.get("report.json").and_then(|bytes| serde_json::from_slice(bytes).ok());
    report.is_some_and(|report: serde_json::Value| report["performance"].is_object())
}
