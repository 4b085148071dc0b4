//! `tlparse check`: reads what is to be checked and the two files, prints the verdict, and gives the exit code.

use crate::cli::Check;
use crate::{Bar, FAILED, STRICT, USAGE};
use anyhow::Context;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tlparse::{Baseline, Budget, Checkable, Checked, Options, Registry, SourceTree, Verdict};

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

/// Does all of it.
pub fn run(check: &Check) -> ExitCode {
    if check.explain {
        // Printing fails when the reader closes the pipe early, as `head` does.
        let _ = writeln!(std::io::stdout(), "{}", Budget::explain());
        return ExitCode::SUCCESS;
    }
    match verdict(check) {
        Ok(Some(verdict)) => tell(check, &verdict),
        Ok(None) => ExitCode::SUCCESS,
        Err(Stop::Usage(error)) => failed(&error, USAGE),
        Err(Stop::NoReport(error)) => failed(&error, FAILED),
    }
}

fn failed(error: &anyhow::Error, code: u8) -> ExitCode {
    eprintln!("error: {error:#}");
    ExitCode::from(code)
}

/// Prints the verdict.
fn tell(check: &Check, (verdict, tree): &(Verdict, SourceTree)) -> ExitCode {
    for note in verdict.notes() {
        eprintln!("note: {note}");
    }
    let text = verdict.show(check.format(), tree);
    let _ = write!(std::io::stdout(), "{text}");
    if verdict.holds() { ExitCode::SUCCESS } else { ExitCode::from(STRICT) }
}

/// The verdict; None where the baseline is written instead.
fn verdict(check: &Check) -> Result<Option<(Verdict, SourceTree)>, Stop> {
    let inputs = inputs(check).map_err(Stop::Usage)?;
    let rules = rules(check).map_err(Stop::Usage)?;
    let checked = read(check, &inputs, &rules.tree).map_err(Stop::NoReport)?;
    if let Some(file) = check.baseline.as_deref().filter(|_| check.update_baseline) {
        update(file, &checked).map_err(Stop::NoReport)?;
        return Ok(None);
    }
    if check.budget.is_none() && rules.baseline.is_none() {
        eprintln!(
            "note: neither --budget nor --baseline is given, so only failures are checked; --explain says more"
        );
    }
    let verdict = checked.verdict(&rules.budget, rules.baseline.as_ref());
    Ok(Some((verdict, rules.tree)))
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

/// What paths of sources are relative to.
pub fn source_tree(root: Option<&Path>) -> anyhow::Result<SourceTree> {
    match root {
        Some(root) => SourceTree::below(root).with_context(|| format!("--root {}", root.display())),
        None => SourceTree::of_current_folder().context("the current folder cannot be read; give --root"),
    }
}

fn text_of(file: &Path, what: &str) -> anyhow::Result<String> {
    std::fs::read_to_string(file).with_context(|| format!("{} cannot be read as a {what}", file.display()))
}

/// Reads finished reports as they are, and makes the facts of logs.
fn read(check: &Check, inputs: &[PathBuf], tree: &SourceTree) -> anyhow::Result<Checked> {
    let mut checked = Checked::default();
    for input in inputs {
        if Checkable::at(input)? == Checkable::Report {
            if check.out.is_some() {
                anyhow::bail!("{} is a report already; -o is for the report of a log", input.display());
            }
            checked.add(input, Some(input), tree)?;
            continue;
        }
        let bar = Bar::new();
        let registry = Registry::default();
        let notes = match &check.out {
            Some(out) => {
                let options = Options { overwrite: check.overwrite, ..Options::new(input, out) };
                let written = tlparse::run(&options, &registry, &bar)?;
                checked.add(&written.folder, Some(out), tree)?;
                written.summary.notes
            }
            None => tlparse::run_for_facts(&Options::new(input, ""), &registry, &bar, |folder, summary| {
                checked.add(folder, None, tree)?;
                Ok(summary.notes)
            })?,
        };
        bar.0.finish_and_clear();
        for note in notes {
            eprintln!("note: {note}");
        }
    }
    Ok(checked)
}

/// Writes the baseline.
fn update(file: &Path, checked: &Checked) -> anyhow::Result<()> {
    let baseline = checked.baseline();
    let text = baseline.text()?;
    std::fs::write(file, text).with_context(|| format!("cannot write the baseline {}", file.display()))?;
    let _ = writeln!(
        std::io::stdout(),
        "Wrote {} with {} entries; read the difference before you commit it.",
        file.display(),
        baseline.len()
    );
    Ok(())
}
