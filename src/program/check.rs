//! `tlparse check`: reads logs or reports, a budget and a baseline, and prints the verdict.

use super::exit;
use super::terminal::{self, Bar};
use super::values::{folder, format, source_tree, text_of};
use anyhow::Context;
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tlparse::{Baseline, Budget, Checkable, Checked, Format, Options, Progress, Registry, SourceTree};

/// Check logs or finished reports against a budget, for CI
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  tlparse check report --budget torch-compile.toml\n  tlparse check /tmp/trace \
    --budget torch-compile.toml --format github\n  tlparse check report --baseline known.toml \
    --update-baseline\n\nExit codes: 0 all budgets hold; 1 there is no report to check; 2 wrong usage; 3 a budget is \
    exceeded.\n\nTo read a log or folder named check, pass ./check."
)]
pub struct Check {
    /// Finished reports, logs (plain, .gz or .zst), or folders of logs [default: $TORCH_TRACE]
    #[arg(value_name = "REPORT|LOG")]
    pub inputs: Vec<PathBuf>,

    /// TOML file that says what is allowed, such as graph_breaks = 0
    #[arg(long, value_name = "FILE", help_heading = "What is allowed")]
    pub budget: Option<PathBuf>,

    /// File of known findings, which do not count
    #[arg(long, value_name = "FILE", help_heading = "What is allowed")]
    pub baseline: Option<PathBuf>,

    /// Write what is found to the baseline file, and check nothing
    #[arg(long, requires = "baseline", conflicts_with_all = ["budget", "format"], help_heading = "What is allowed")]
    pub update_baseline: bool,

    /// Say what counts towards each budget, and check nothing
    #[arg(long, help_heading = "What is allowed")]
    pub explain: bool,

    /// Print the verdict in this format [default: text]
    #[arg(long, value_name = "FORMAT", value_parser = format(), help_heading = "What is printed")]
    pub format: Option<Format>,

    /// Folder that source paths are relative to [default: the git work tree around the current folder]
    #[arg(long, value_name = "DIR", value_parser = folder, help_heading = "What is printed")]
    pub root: Option<PathBuf>,

    /// Also write the report of the log to this folder, so that the verdict names its pages
    #[arg(short, long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,

    /// Replace an existing report in the output folder
    #[arg(long, requires = "out", help_heading = "Output")]
    pub overwrite: bool,
}

impl Check {
    /// Checks, and prints the verdict.
    pub fn run(&self) -> anyhow::Result<ExitCode> {
        let outcome = Bar::during(|bar| outcome(self, bar))?;
        terminal::notes(&outcome.notes);
        terminal::print(&outcome.text)?;
        Ok(if outcome.holds { ExitCode::SUCCESS } else { ExitCode::from(exit::EXCEEDED) })
    }
}

/// What a check prints, and its result.
struct Outcome {
    /// For standard output.
    text: String,
    /// For standard error, one per line.
    notes: Vec<String>,
    /// Whether no budget is exceeded.
    holds: bool,
}

/// The budget and the baseline.
struct Rules {
    budget: Budget,
    /// None without a baseline file.
    baseline: Option<Baseline>,
    tree: SourceTree,
}

fn outcome(check: &Check, progress: &dyn Progress) -> anyhow::Result<Outcome> {
    if check.explain {
        return Ok(Outcome { text: format!("{}\n", Budget::explain()), notes: Vec::new(), holds: true });
    }
    let inputs = inputs(check).map_err(exit::usage)?;
    let rules = rules(check).map_err(exit::usage)?;
    let mut notes = Vec::new();
    let checked = read(check, &inputs, &mut notes, progress)?;
    if let Some(file) = check.baseline.as_deref().filter(|_| check.update_baseline) {
        return Ok(Outcome { text: update(file, &checked)?, notes, holds: true });
    }
    if check.budget.is_none() && rules.baseline.is_none() {
        notes.push(
            "without --budget or --baseline, only failures are checked; --explain lists what can be checked"
                .to_owned(),
        );
    }
    let verdict = checked.verdict(&rules.budget, rules.baseline.as_ref());
    notes.extend(verdict.notes().iter().cloned());
    let text = verdict.show(check.format.unwrap_or(Format::Text), &rules.tree)?;
    Ok(Outcome { text, notes, holds: verdict.holds() })
}

/// The logs and reports to check.
fn inputs(check: &Check) -> anyhow::Result<Vec<PathBuf>> {
    let inputs = match check.inputs.as_slice() {
        [] => vec![tlparse::default_input()?],
        given => given.to_vec(),
    };
    if check.out.is_some() && inputs.len() > 1 {
        anyhow::bail!("-o takes the report of one log, but {} paths are given", inputs.len());
    }
    Ok(inputs)
}

fn rules(check: &Check) -> anyhow::Result<Rules> {
    let tree = source_tree(check.root.as_deref())?;
    let baseline = match &check.baseline {
        Some(file) if !check.update_baseline => {
            let text = text_of(file, "baseline; --update-baseline writes one")?;
            Some(Baseline::parse(&text).with_context(|| format!("{}", file.display()))?)
        }
        _ => None,
    };
    let budget = match &check.budget {
        Some(file) => {
            if file.to_string_lossy().contains('=') && !file.exists() {
                anyhow::bail!("--budget takes a file: write {} into it, such as budget.toml", file.display());
            }
            let text = text_of(file, "budget; tlparse check --explain lists its keys")?;
            Budget::parse(&text).with_context(|| format!("{}", file.display()))?
        }
        None if baseline.is_some() => Budget::nothing_new(),
        None => Budget::default(),
    };
    Ok(Rules { budget, baseline, tree })
}

/// Reads finished reports, and makes the facts of logs.
fn read(
    check: &Check,
    inputs: &[PathBuf],
    notes: &mut Vec<String>,
    progress: &dyn Progress,
) -> anyhow::Result<Checked> {
    let mut checked = Checked::default();
    let registry = Registry::default();
    for input in inputs {
        match (Checkable::at(input)?, &check.out) {
            (Checkable::Report, Some(_)) => {
                anyhow::bail!("{} is a finished report; -o is for the report of a log", input.display())
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
            "nothing was recorded, so there is nothing to check; set TORCH_TRACE before the program imports torch, and make \
             sure that it calls torch.compile"
        );
    }
    Ok(checked)
}

/// Writes the baseline, and says so.
fn update(file: &Path, checked: &Checked) -> anyhow::Result<String> {
    let baseline = checked.baseline();
    baseline.write(file)?;
    let (file, entries) = (file.display(), baseline.len());
    Ok(format!("Wrote {file} with {entries} entries; review the changes before you commit it.\n"))
}
