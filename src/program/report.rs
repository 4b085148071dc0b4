//! What happens once a report is written: it is summed up, opened or served, and its outcome becomes an exit code.

use super::exit;
use super::serve::Serving;
use super::terminal;
use super::values::source_tree;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tlparse::{Format, Severity, Written};

/// What is to be done once the report is written.
#[derive(Default)]
pub struct Afterwards {
    /// Damage ends with an exit code.
    pub strict: bool,
    /// A record without a compile id does, too.
    pub strict_compile_id: bool,
    /// The report is not opened.
    pub no_browser: bool,
    /// It is served, at this port or at any free one.
    pub serve: bool,
    /// The port to serve it at.
    pub port: Option<u16>,
    /// What is said goes to standard error: standard output is that of another program.
    pub to_standard_error: bool,
    /// The findings are printed as JSON.
    pub json: bool,
    /// Records are counted by event.
    pub verbose: bool,
    /// In which form the findings are printed in place of the lines for a terminal.
    pub format: Option<Format>,
    /// What paths of sources are relative to in that form.
    pub root: Option<PathBuf>,
}

impl Afterwards {
    /// Says what was found, opens the report, and maps the outcome to an exit code.
    pub fn conclude(&self, outcome: &Written) -> ExitCode {
        terminal::notes(&outcome.summary.notes);
        let index = outcome.folder.join("index.html");
        if let Err(error) = self.print_formatted(outcome) {
            eprintln!("error: {error:#}; the report is {}", index.display());
            return ExitCode::from(exit::FAILED);
        }
        // Printing fails when the reader closes the pipe early, as `head` does; the report is written all the same.
        let _ = print_summary(self, outcome, &index);
        if let Err(error) = show(self, &outcome.folder, &index) {
            eprintln!("error: {error:#}; the report is {}", index.display());
            return ExitCode::from(exit::FAILED);
        }
        self.strictness(outcome)
    }

    /// Prints the findings in the form that was asked for, and nothing else on standard output.
    fn print_formatted(&self, outcome: &Written) -> anyhow::Result<()> {
        let Some(format) = self.format else { return Ok(()) };
        terminal::print(&outcome.show(format, &source_tree(self.root.as_deref())?)?);
        Ok(())
    }

    /// What `--strict` and `--strict-compile-id` make of the report.
    pub fn strictness(&self, outcome: &Written) -> ExitCode {
        let damaged = self.strict && !outcome.summary.intact;
        let without_id = self.strict_compile_id && outcome.summary.without_compile_id > 0;
        if damaged {
            eprintln!("error: --strict: the log is damaged; the report lists the lines");
        }
        if without_id {
            let count = outcome.summary.without_compile_id;
            eprintln!(
                "error: --strict-compile-id: records that have a stack in place of a compile id: {count}"
            );
        }
        if damaged || without_id { ExitCode::from(exit::EXCEEDED) } else { ExitCode::SUCCESS }
    }
}

/// Opens the report in a browser if somebody is sitting at this machine; with `--serve`, serves it until the program is
/// ended.
fn show(afterwards: &Afterwards, folder: &Path, index: &Path) -> anyhow::Result<()> {
    if afterwards.serve {
        return Serving::start(folder, afterwards.port)?.run(afterwards.no_browser);
    }
    if !afterwards.no_browser {
        terminal::open_in_browser(&index.display().to_string(), "report");
    }
    Ok(())
}

fn print_summary(afterwards: &Afterwards, outcome: &Written, index: &Path) -> std::io::Result<()> {
    let mut out: Box<dyn Write> =
        if afterwards.to_standard_error { Box::new(std::io::stderr()) } else { Box::new(std::io::stdout()) };
    if afterwards.format.is_some() {
        return Ok(());
    }
    if afterwards.json {
        serde_json::to_writer_pretty(&mut out, &outcome.summary.findings)?;
        return writeln!(out);
    }
    let is_terminal = match afterwards.to_standard_error {
        true => std::io::stderr().is_terminal(),
        false => std::io::stdout().is_terminal(),
    };
    let colored = is_terminal
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
    for line in &outcome.summary.lines {
        match line.label.filter(|_| colored) {
            Some((label, severity)) => writeln!(out, "{}{label}:\x1b[0m {}", color(severity), line.text)?,
            None => writeln!(out, "{line}")?,
        }
    }
    if afterwards.verbose {
        writeln!(out, "Records by event:")?;
        for (event, count) in &outcome.summary.events {
            writeln!(out, "{count:>9}  {event}")?;
        }
    }
    writeln!(out, "Report: {}", index.display())?;
    outcome.zip.iter().try_for_each(|zip| writeln!(out, "Zip: {}", zip.display()))
}

/// The escape sequence that begins a label: bold red, bold yellow or bold.
fn color(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "\x1b[1;31m",
        Severity::Warning => "\x1b[1;33m",
        Severity::Info => "\x1b[1m",
    }
}
