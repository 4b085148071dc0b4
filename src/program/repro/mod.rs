//! `tlparse repro`: a script that runs the graph of one compile by itself.

mod script;

use super::opened::Opened;
use super::terminal::{self, Bar};
use super::{exit, values};
use anyhow::Context;
use clap::Args;
use script::{comment, of_captured, of_runnable, settings_of, with_tf32};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tlparse::{ReportFile, Shown, Subject};

/// What the terminal says of each script.
const RUNS: &str = "it runs code out of the log, with your rights; read it before you run it";

/// Write a script that runs the graph of one compile by itself
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  tlparse repro 3/1 trace.log -o repro.py && python repro.py\n  tlparse repro 3/1 \
    tl_out --minify -o minify.py\n\nThe script holds the graph, inputs of the recorded shapes, types and strides with \
    random numbers, and the settings that differ from torch's defaults. It is code from the log: read it before you \
    run it.\n\nTo read a log or folder named repro, pass ./repro."
)]
pub struct Repro {
    /// The id of the compile, such as 3/1
    #[arg(value_name = "ID")]
    pub id: String,

    /// The log or the report that has it [default: tl_out, or the newest run in $TORCH_TRACE]
    #[arg(value_name = "LOG|REPORT")]
    pub path: Option<PathBuf>,

    /// File to write the script to [default: standard output]
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub out: Option<PathBuf>,

    /// Replace the file
    #[arg(long, requires = "out", help_heading = "Output")]
    pub overwrite: bool,

    /// Let the script call torch's minifier, which looks for the smallest graph that still fails
    #[arg(long, help_heading = "Script")]
    pub minify: bool,

    /// Which of the compile's graphs: 1 is the first that was lowered [default: the last of a compile that failed, otherwise the first]
    #[arg(long, value_name = "N", help_heading = "Script")]
    pub graph: Option<usize>,

    /// The rank of a job
    #[arg(long, value_name = "N", help_heading = "Input")]
    pub rank: Option<u64>,
}

/// The part of a report's facts about a compile, as `tlparse show --json compile ID` prints it.
#[derive(Deserialize)]
struct Facts {
    logs: Vec<LogFacts>,
}

/// The same of a log.
#[derive(Deserialize)]
struct LogFacts {
    name: String,
    compiles: Vec<Compile>,
    failures: Vec<Failure>,
}

/// A compile.
#[derive(Deserialize)]
struct Compile {
    function: Option<Function>,
    device: Option<Device>,
}

/// Settings of a compile on a GPU.
#[derive(Deserialize)]
struct Device {
    tf32: Option<bool>,
}

/// What was compiled.
#[derive(Deserialize)]
struct Function {
    name: Option<String>,
    file: Option<String>,
    line: Option<i64>,
}

/// How a compile failed.
#[derive(Deserialize)]
struct Failure {
    #[serde(rename = "type")]
    error: String,
    reason: Option<String>,
    file: Option<String>,
    line: Option<i64>,
}

impl Repro {
    /// Writes the script.
    pub fn run(&self) -> anyhow::Result<ExitCode> {
        self.check_id()?;
        if let Some(out) = &self.out {
            tlparse::check_single_file(out, self.overwrite).map_err(exit::usage)?;
        }
        let path = match &self.path {
            Some(path) => path.clone(),
            None => values::usual_report()?,
        };
        let path = path.to_str().context("the path is not valid Unicode")?.to_owned();
        let opened = Bar::during(|bar| Opened::read(&path, &[], bar))?;
        terminal::notes(&opened.notes);
        let text = self.script(&opened).map_err(|error| match exit::is_usage(&error) {
            true => error,
            false => opened.told(&error),
        })?;
        match &self.out {
            None => {
                terminal::print_exactly(&text)?;
                eprintln!("note: {RUNS}");
            }
            Some(out) => {
                tlparse::write_text(out, &text)?;
                let out = out.display().to_string();
                let out = terminal::visible(&out);
                eprintln!("Wrote {out}: {RUNS}. Then run it with: python {out}");
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Refuses a path in place of the id.
    fn check_id(&self) -> anyhow::Result<()> {
        let is_id = self.id().bytes().all(|byte| byte.is_ascii_digit() || b"/_!-".contains(&byte));
        if self.path.is_some() || is_id || !values::is_there(&self.id) {
            return Ok(());
        }
        let path = &self.id;
        Err(exit::usage(anyhow::anyhow!(
            "give the id of a compile before {path}: tlparse repro 0/0 {path}; tlparse show compiles {path} lists the ids"
        )))
    }

    /// The id without brackets.
    fn id(&self) -> &str {
        self.id.trim_start_matches('[').trim_end_matches(']')
    }

    fn script(&self, opened: &Opened) -> anyhow::Result<String> {
        let rank = self.rank.map(|rank| format!("rank_{rank}"));
        let folder = opened.part(rank.as_deref())?;
        let facts = self.facts(&folder)?;
        let files = ReportFile::all(&folder)?;
        let below = files
            .iter()
            .find(|file| file.is_of(self.id()))
            .map(|file| file.below.clone())
            .unwrap_or_default();
        let own: Vec<&ReportFile> =
            files.iter().filter(|file| file.is_of(self.id()) && file.below == below).collect();
        // Earlier attempts were discarded.
        let last = own.iter().filter_map(|file| file.attempt).max();
        let named = |name: &str| -> Vec<&ReportFile> {
            own.iter().copied().filter(|file| file.name == name && file.attempt == last).collect()
        };
        let runnable = named("fx_graph_runnable");
        let command = if self.minify { "minify" } else { "run" };
        let mut head = self.head(opened, &facts, &below);
        let script = if !runnable.is_empty() {
            let number = self.number(runnable.len(), !facts.failures.is_empty())?;
            head.push(format!("Graph: {number} of {} (--graph N chooses)", runnable.len()));
            let text = runnable.get(number - 1).context("there is no such graph")?.text()?;
            of_runnable(&text, command)?
        } else if let Some(captured) = named("dynamo_output_graph").pop() {
            let settings = files.iter().find(|file| file.name == "fx_graph_runnable").map(ReportFile::text);
            let settings =
                settings.transpose()?.map(|text| settings_of(&text)).transpose()?.unwrap_or_default();
            head.push("Graph: the one that Dynamo captured, as none was lowered".to_owned());
            let script = of_captured(&captured.text()?, &settings, command)?;
            script.with_context(|| format!("the captured graph of compile {} is not code", self.id))?
        } else {
            return Err(self.without_graph(&facts));
        };
        // Whether products of float32 matrices could use TF32.
        let mut devices = facts.compiles.iter().filter_map(|compile| compile.device.as_ref());
        let tf32 = devices.any(|device| device.tf32 == Some(true));
        Ok(format!("{}{}", comment(&head), with_tf32(&script, tf32)))
    }

    /// The facts of the compile; in a job those of its first rank that has it.
    fn facts(&self, folder: &Path) -> anyhow::Result<LogFacts> {
        let shown = Shown::at(folder, &Subject::Compile(self.id().to_owned()))?;
        let facts: Facts = serde_json::from_str(&shown.json()?)?;
        let found = facts.logs.into_iter().find(|log| !log.compiles.is_empty());
        found.with_context(|| format!("there is no compile {}", self.id))
    }

    /// The lines of the comment at the top.
    fn head(&self, opened: &Opened, facts: &LogFacts, below: &str) -> Vec<String> {
        let of = match facts.name.as_str() {
            "" if below.is_empty() => opened.path.clone(),
            _ => format!("{} ({})", opened.path, below.trim_end_matches('/')),
        };
        let version = env!("CARGO_PKG_VERSION");
        let mut lines = vec![
            format!("Made by tlparse {version} from compile {} of {of}.", self.id()),
            "It runs code from the log: read it before you run it. The numbers of its inputs are random."
                .to_owned(),
        ];
        if let Some(function) = facts.compiles.last().and_then(|compile| compile.function.as_ref()) {
            let name = function.name.as_deref().unwrap_or("unknown");
            lines.push(format!("Function: {name}{}", place(function.file.as_deref(), function.line)));
        }
        lines.extend(facts.failures.iter().map(|failure| format!("It failed with {}", failure.told())));
        lines
    }

    /// The number of the graph, from 1.
    fn number(&self, count: usize, has_failed: bool) -> anyhow::Result<usize> {
        match self.graph {
            None => Ok(if has_failed { count } else { 1 }),
            Some(number) if (1..=count).contains(&number) => Ok(number),
            Some(number) => Err(exit::usage(format!(
                "--graph {number}: compile {} has {count}, the first is 1",
                self.id()
            ))),
        }
    }

    /// Why there is nothing to run.
    fn without_graph(&self, facts: &LogFacts) -> anyhow::Error {
        let id = self.id();
        let why = match facts.failures.last() {
            Some(failure) => format!(
                "it failed before a graph was complete, with {}{}; run that line of the program itself",
                failure.told(),
                place(failure.file.as_deref(), failure.line)
            ),
            None => "its code came from a cache, or it had nothing to compile; TORCHINDUCTOR_FORCE_DISABLE_CACHES=1 records \
                     whole compilations"
                .to_owned(),
        };
        anyhow::anyhow!("compile {id} has no graph to run: {why}")
    }
}

impl Failure {
    /// Its class and the first line of its message.
    fn told(&self) -> String {
        let reason = self.reason.as_deref().unwrap_or_default().lines().next().unwrap_or_default();
        format!("{}: {}", self.error, reason.trim())
    }
}

/// A place, to follow a word.
fn place(file: Option<&str>, line: Option<i64>) -> String {
    match (file, line) {
        (Some(file), Some(line)) => format!(", at {file}:{line}"),
        (Some(file), None) => format!(", in {file}"),
        _ => String::new(),
    }
}
