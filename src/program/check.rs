//! `tlparse check`: its arguments; reads what is to be checked and the two files, and prints the verdict.

use super::exit;
use super::terminal::{self, Bar, visible};
use super::values::{folder, format, source_tree, text_of};
use anyhow::Context;
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tlparse::{
    Baseline, Budget, Checkable, Checked, Format, Options, Progress, Registry, SourceTree, Verdict,
};

/// `tlparse check`.
#[derive(Args, Debug)]
pub struct Check {
    /// Finished reports, logs (plain, .gz or .zst), or folders of logs [default: $TORCH_TRACE]
    #[arg(value_name = "REPORT|LOG")]
    pub inputs: Vec<PathBuf>,

    /// TOML file of what is allowed, such as graph_breaks = 0
    #[arg(long, value_name = "FILE")]
    pub budget: Option<PathBuf>,

    /// File of what is known already and does not count
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,

    /// Write what is found into the baseline file, and check nothing
    #[arg(long, requires = "baseline", conflicts_with_all = ["budget", "format"])]
    pub update_baseline: bool,

    /// Say what counts towards each budget, and check nothing
    #[arg(long)]
    pub explain: bool,

    /// Print the verdict in this form: text, json, markdown, sarif, junit or github [default: text]
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    pub format: Option<Format>,

    /// Folder that paths of source files are relative to [default: the git work tree around the current folder]
    #[arg(long, value_name = "DIR", value_parser = folder)]
    pub root: Option<PathBuf>,

    /// Write the report of the log into this folder too, so that the verdict names its pages
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Replace a report that stands in the output folder
    #[arg(long, requires = "out")]
    pub overwrite: bool,
}

impl Check {
    /// What `--help` says at its end.
    pub const HELP: &str = "Exit codes: 0 all budgets hold; 1 there is no report to check; 2 wrong usage; 3 a budget is \
                            exceeded.\n\nTo read a log or folder that is called check, give it as ./check.";

    /// Checks, and prints the verdict.
    pub fn run(&self) -> ExitCode {
        match Bar::during(|bar| told(self, bar)) {
            Ok(told) => {
                terminal::notes(&told.notes);
                let text = if self.format() == Format::Text { visible(&told.text) } else { told.text };
                if let Err(error) = terminal::print(&text) {
                    return exit::with(exit::FAILED, &error);
                }
                match told.end {
                    End::Holds => ExitCode::SUCCESS,
                    End::Exceeded => ExitCode::from(exit::EXCEEDED),
                }
            }
            Err(Stop::Usage(error)) => exit::with(exit::USAGE, &error),
            Err(Stop::NoReport(error)) => exit::with(exit::FAILED, &error),
        }
    }

    /// The form of the verdict.
    pub fn format(&self) -> Format {
        self.format.unwrap_or(Format::Text)
    }
}

/// How a check ended.
enum End {
    /// All budgets hold, or nothing was to be checked.
    Holds,
    /// A budget is exceeded.
    Exceeded,
}

/// What a check has to say.
struct Told {
    /// For standard output.
    text: String,
    /// For standard error, each a line.
    notes: Vec<String>,
    /// How it ended.
    end: End,
}

impl Told {
    fn done(text: String) -> Told {
        Told { text, notes: Vec::new(), end: End::Holds }
    }
}

/// Why there is no verdict.
enum Stop {
    /// The command line or one of its files is wrong.
    Usage(anyhow::Error),
    /// There is no report.
    NoReport(anyhow::Error),
}

/// What the files of the command line say.
struct Rules {
    budget: Budget,
    /// What is known; None without a baseline.
    baseline: Option<Baseline>,
    tree: SourceTree,
}

/// Logs that were read, and what is to be known about that.
#[derive(Default)]
struct Read {
    checked: Checked,
    notes: Vec<String>,
}

/// Does all of it.
fn told(check: &Check, progress: &dyn Progress) -> Result<Told, Stop> {
    if check.explain {
        return Ok(Told::done(format!("{}\n", Budget::explain())));
    }
    let inputs = inputs(check).map_err(Stop::Usage)?;
    let rules = rules(check).map_err(Stop::Usage)?;
    let read = read(check, &inputs, progress).map_err(Stop::NoReport)?;
    match check.baseline.as_deref().filter(|_| check.update_baseline) {
        Some(file) => update(file, &read).map_err(Stop::NoReport),
        None => Ok(verdict(check, &rules, read)),
    }
}

fn verdict(check: &Check, rules: &Rules, read: Read) -> Told {
    let mut notes = read.notes;
    if check.budget.is_none() && rules.baseline.is_none() {
        notes.push(
            "neither --budget nor --baseline is given, so only failures are checked; --explain says more"
                .to_owned(),
        );
    }
    let verdict: Verdict = read.checked.verdict(&rules.budget, rules.baseline.as_ref());
    notes.extend(verdict.notes().iter().cloned());
    let end = if verdict.holds() { End::Holds } else { End::Exceeded };
    Told { text: verdict.show(check.format(), &rules.tree), notes, end }
}

/// What is to be checked.
fn inputs(check: &Check) -> anyhow::Result<Vec<PathBuf>> {
    let inputs = match check.inputs.as_slice() {
        [] => vec![tlparse::default_input()?],
        given => given.to_vec(),
    };
    if check.out.is_some() && inputs.len() > 1 {
        anyhow::bail!("-o takes the report of one log, and {} paths are given", inputs.len());
    }
    Ok(inputs)
}

fn rules(check: &Check) -> anyhow::Result<Rules> {
    let tree = source_tree(check.root.as_deref())?;
    let baseline = match &check.baseline {
        Some(file) if !check.update_baseline => {
            let text = text_of(file, "baseline, which --update-baseline writes")?;
            Some(Baseline::parse(&text).with_context(|| format!("{}", file.display()))?)
        }
        _ => None,
    };
    let budget = match &check.budget {
        Some(file) => {
            let text = text_of(file, "budget; tlparse check --explain says what it may hold")?;
            Budget::parse(&text).with_context(|| format!("{}", file.display()))?
        }
        None if baseline.is_some() => Budget::nothing_new(),
        None => Budget::default(),
    };
    Ok(Rules { budget, baseline, tree })
}

/// Reads finished reports as they are, and makes the facts of logs.
fn read(check: &Check, inputs: &[PathBuf], progress: &dyn Progress) -> anyhow::Result<Read> {
    let Read { mut checked, mut notes } = Read::default();
    let registry = Registry::default();
    for input in inputs {
        match (Checkable::at(input)?, &check.out) {
            (Checkable::Report, Some(_)) => {
                anyhow::bail!("{} is a report already; -o is for the report of a log", input.display())
            }
            (Checkable::Report, None) => checked.add(input, Some(input))?,
            (Checkable::Logs, Some(out)) => {
                let options = Options { overwrite: check.overwrite, ..Options::new(input, out) };
                let written = tlparse::run(&options, &registry, progress)?;
                checked.add(&written.folder, Some(out))?;
                notes.extend(written.summary.notes);
            }
            (Checkable::Logs, None) => {
                let options = Options::new(input, "");
                tlparse::run_for_facts(&options, &registry, progress, |folder, summary| {
                    notes.extend(summary.notes);
                    checked.add(folder, None)
                })?;
            }
        }
    }
    if checked.is_empty() {
        anyhow::bail!(
            "nothing was recorded, so there is nothing to check; set TORCH_TRACE before the program imports torch, and let \
             it reach a torch.compile call"
        );
    }
    Ok(Read { checked, notes })
}

/// Writes the baseline.
fn update(file: &Path, read: &Read) -> anyhow::Result<Told> {
    let baseline = read.checked.baseline();
    baseline.write(file)?;
    let text = format!(
        "Wrote {} with {} entries; read the difference before you commit it.\n",
        file.display(),
        baseline.len()
    );
    Ok(Told { notes: read.notes.clone(), ..Told::done(text) })
}
