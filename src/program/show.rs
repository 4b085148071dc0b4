//! `tlparse show`: its arguments; prints a part of a report.

use super::exit;
use super::terminal::{self, Bar};
use anyhow::{Context, bail};
use clap::Args;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tlparse::{Checkable, Options, Registry, Showing, Shown, Subject};

/// Where a report stands if nothing else is said.
const USUAL_REPORT: &str = "tl_out";

/// `tlparse show`.
#[derive(Args, Debug)]
pub struct Show {
    /// What to show, then the report or the log [default: the report in tl_out, or the log in $TORCH_TRACE]
    #[arg(value_name = "WHAT REPORT|LOG", num_args = 0..=3)]
    pub words: Vec<OsString>,

    /// Print JSON, with the lists and objects of report.json
    #[arg(long)]
    pub json: bool,

    /// Show all rows
    #[arg(long, conflicts_with = "json")]
    pub all: bool,
}

impl Show {
    /// What `--help` says at its end.
    pub const HELP: &str = "WHAT is breaks, recompiles, failures, caches, time, kernels, compile ID, function NAME or rank N; \
                            without it, the findings are shown.\n\n\
                            tlparse show breaks tl_out\n\
                            tlparse show compile 3/1 trace.log\n\
                            tlparse show --json recompiles tl_out\n\n\
                            To show a folder that is called breaks, give it as ./breaks.";

    /// Prints what was asked for.
    pub fn run(&self) -> ExitCode {
        let (subject, path) = match self.asked() {
            Ok(asked) => asked,
            Err(error) => return exit::with(exit::USAGE, &error),
        };
        match Bar::during(|bar| shown(&path, &subject, bar)) {
            Ok((shown, notes)) => {
                terminal::notes(&notes);
                let text = if self.json {
                    format!("{:#}\n", shown.json())
                } else {
                    shown.text(Showing { width: terminal::width(), all: self.all })
                };
                exit::printing(&text)
            }
            Err(error) => exit::with(exit::FAILED, &error),
        }
    }

    /// What is to be shown, of what.
    fn asked(&self) -> anyhow::Result<(Subject, PathBuf)> {
        let mut words = self.words.iter();
        let first = words.as_slice().first().and_then(|word| word.to_str()).unwrap_or_default();
        let (alone, named) = Subject::WORDS;
        let subject = if alone.contains(&first) {
            words.next();
            Subject::of(first, None)
        } else if named.contains(&first) {
            words.next();
            let name = words.next().and_then(|name| name.to_str());
            Subject::of(
                first,
                Some(name.with_context(|| format!("{first} of what? tlparse show {first} NAME"))?),
            )
        } else {
            Some(Subject::Overview)
        };
        let subject = subject.with_context(|| format!("there is no such {first}"))?;
        let path = match words.next() {
            Some(path) => PathBuf::from(path),
            None if Path::new(USUAL_REPORT).is_dir() => PathBuf::from(USUAL_REPORT),
            None => tlparse::default_input()?,
        };
        if let Some(more) = words.next() {
            let more = more.to_string_lossy();
            bail!("{more} is too much: known are {} and {} NAME", alone.join(", "), named.join(" NAME, "));
        }
        Ok((subject, path))
    }
}

/// Reads a finished report as it is, and makes the facts of a log.
fn shown(path: &Path, subject: &Subject, bar: &Bar) -> anyhow::Result<(Shown, Vec<String>)> {
    match Checkable::at(path)? {
        Checkable::Report => Ok((Shown::of(path, subject)?, Vec::new())),
        Checkable::Logs => {
            let options = Options::new(path, "");
            tlparse::run_for_facts(&options, &Registry::default(), bar, |folder, summary| {
                let shown = Shown::of(folder, subject);
                // The folder is a temporary one, whose name tells nobody anything.
                let shown = shown.map_err(|error| {
                    let told = format!("{error:#}")
                        .replace(&folder.display().to_string(), &path.display().to_string());
                    anyhow::anyhow!(told)
                })?;
                Ok((shown, summary.notes))
            })
        }
    }
}
