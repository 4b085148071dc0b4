//! `tlparse show`: prints a part of a report.

use super::terminal::{self, Bar};
use super::{exit, mistakes, values};
use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tlparse::{Checkable, Options, Registry, Showing, Shown, Subject};

/// How lists are printed for other programs.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListFormat {
    /// A row per item of the first list
    Csv,
    /// A line of JSON per item
    Jsonl,
}

/// Print facts of a report or a log in the terminal
#[derive(Args, Debug)]
#[command(
    after_help = "WHAT is findings, compiles, breaks, recompiles, failures, caches, time, kernels, performance, \
    files, compile ID, function NAME or rank N; without it, the findings are shown.\n\nExamples:\ntlparse show breaks \
    tl_out\ntlparse show compile 3/1 trace.log\ntlparse show --json recompiles tl_out\ntlparse show --format csv \
    compiles tl_out > compiles.csv\n\nTo show a folder named breaks, pass ./breaks."
)]
pub struct Show {
    /// What to show, then the report or the log to show it from [default: tl_out, or the newest run in $TORCH_TRACE]
    #[arg(value_name = "WHAT REPORT|LOG", num_args = 0..=3)]
    pub words: Vec<OsString>,

    /// Print JSON with the lists and objects of report.json
    #[arg(long, help_heading = "What is printed")]
    pub json: bool,

    /// Print a line of JSON, or a row of CSV, per item; columns are named as in report.json
    #[arg(long, value_name = "FORMAT", conflicts_with = "json", help_heading = "What is printed")]
    pub format: Option<ListFormat>,

    /// Show all rows
    #[arg(long, conflicts_with_all = ["json", "format"], help_heading = "What is printed")]
    pub all: bool,
}

impl Show {
    /// Prints it.
    pub fn run(&self) -> anyhow::Result<ExitCode> {
        let (subject, path) = self.asked().map_err(exit::usage)?;
        let (shown, notes) = Bar::during(|bar| shown(&path, &subject, bar))?;
        terminal::notes(&notes);
        let text = match (self.json, self.format) {
            (true, _) => shown.json()?,
            (_, Some(ListFormat::Csv)) => shown.csv(),
            (_, Some(ListFormat::Jsonl)) => shown.jsonl(),
            _ => shown.text(Showing { width: terminal::width(), all: self.all }),
        };
        terminal::print(&text)?;
        Ok(ExitCode::SUCCESS)
    }

    /// What to show, and of which report or log.
    fn asked(&self) -> anyhow::Result<(Subject, PathBuf)> {
        let mut words = self.words.iter();
        let first = words.as_slice().first().and_then(|word| word.to_str()).unwrap_or_default();
        let subject = if Subject::lists().contains(&first) {
            words.next();
            Subject::parse(first, None)
        } else if Subject::NAMED.contains(&first) {
            words.next();
            let name = words.next().and_then(|name| name.to_str());
            // `tlparse show compile tl_out` names no compile.
            let name = name.filter(|name| words.len() > 0 || !Path::new(name).is_dir());
            Subject::parse(
                first,
                Some(name.with_context(|| format!("{first} of what? tlparse show {first} NAME"))?),
            )
        } else {
            Some(Subject::Overview)
        };
        let subject = subject.with_context(|| format!("there is no such {first}"))?;
        let is_unknown = words.len() == self.words.len() && !first.is_empty() && !Path::new(first).exists();
        let rest = words.as_slice().get(1).map(|word| word.to_string_lossy()).unwrap_or_default();
        if let Some(wrong) = mistakes::in_subject(first, &rest).filter(|_| is_unknown) {
            bail!(wrong);
        }
        let path = match words.next() {
            Some(path) => PathBuf::from(path),
            None => values::usual_report()?,
        };
        match words.next() {
            Some(_) if is_unknown => {
                let known: Vec<&str> = mistakes::subjects().collect();
                bail!("unknown section `{first}`; known are {}", known.join(", "))
            }
            Some(extra) => {
                bail!(mistakes::behind_path(&path.to_string_lossy(), &extra.to_string_lossy()))
            }
            None => Ok((subject, path)),
        }
    }
}

/// Reads a finished report, or makes the facts of a log.
fn shown(path: &Path, subject: &Subject, bar: &Bar) -> anyhow::Result<(Shown, Vec<String>)> {
    match Checkable::at(path)? {
        Checkable::Report => Ok((Shown::at(path, subject)?, Vec::new())),
        Checkable::Logs => {
            let options = Options::new(path, "");
            tlparse::run_for_facts(&options, &Registry::default(), bar, |folder, summary| {
                let shown = Shown::at(folder, subject);
                // Errors should name the log instead of a temporary folder.
                let shown = shown.map_err(|error| {
                    let (temporary, log) = (folder.display().to_string(), path.display().to_string());
                    anyhow::anyhow!(format!("{error:#}").replace(&temporary, &log))
                })?;
                Ok((shown, summary.notes))
            })
        }
    }
}
