//! After a report is written: prints the summary, opens or serves the report, and returns the exit code.

use super::exit;
use super::printing::Printing;
use super::serve;
use super::terminal::{self, visible};
use std::fmt::Write as _;
use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;
use tlparse::{Format, Severity, Written};

/// What to do once the report is written.
#[derive(Default)]
pub struct Afterwards {
    /// Damage is an error.
    pub strict: bool,
    /// A record without a compile id is an error.
    pub strict_compile_id: bool,
    /// Do not open the report.
    pub no_browser: bool,
    /// Serve the report.
    pub serve: bool,
    /// The port to serve it on; None for any free one.
    pub port: Option<u16>,
    /// Print to standard error, because standard output belongs to another program.
    pub to_standard_error: bool,
    /// Print the number of records per event.
    pub verbose: bool,
    /// The format of the findings.
    pub printing: Printing,
}

impl Afterwards {
    /// Prints the findings, opens the report, and returns the exit code.
    pub fn conclude(&self, outcome: &Written) -> ExitCode {
        terminal::notes(&outcome.summary.notes);
        let index = outcome.folder.join("index.html");
        let text = match self.printing.form() {
            Format::Text => summary(self, outcome, &index),
            form => self.printing.source_tree().and_then(|tree| outcome.show(form, &tree)),
        };
        let print = |text: String| {
            if self.to_standard_error {
                eprint!("{text}");
                return Ok(());
            }
            terminal::print(&text)
        };
        if let Err(error) = text.and_then(print).and_then(|()| show(self, &outcome.folder, &index)) {
            eprintln!("error: {error:#}; the report is {}", index.display());
            return ExitCode::from(exit::FAILED);
        }
        self.strictness(outcome)
    }

    /// The exit code according to `--strict` and `--strict-compile-id`.
    pub fn strictness(&self, outcome: &Written) -> ExitCode {
        let damaged = self.strict && !outcome.summary.intact;
        let without_id = self.strict_compile_id && outcome.summary.without_compile_id > 0;
        if damaged {
            eprintln!("error: --strict: the log is damaged; the report lists the lines");
        }
        if without_id {
            let count = outcome.summary.without_compile_id;
            eprintln!("error: --strict-compile-id: records with a stack in place of a compile id: {count}");
        }
        if outcome.summary.refused {
            eprintln!(
                "error: the trace is of another run than the log; give the trace of the same run, or --force to read it by itself"
            );
            return ExitCode::from(exit::FAILED);
        }
        if damaged || without_id { ExitCode::from(exit::EXCEEDED) } else { ExitCode::SUCCESS }
    }
}

/// Opens the report in a browser if somebody is sitting at this machine; with `--serve`, serves it until the program is
/// ended.
fn show(afterwards: &Afterwards, folder: &Path, index: &Path) -> anyhow::Result<()> {
    if afterwards.serve {
        return serve::serve(folder, afterwards.port, afterwards.no_browser);
    }
    if !afterwards.no_browser {
        terminal::open_in_browser(&index.display().to_string(), "report");
    }
    Ok(())
}

/// The lines for a terminal.
fn summary(afterwards: &Afterwards, outcome: &Written, index: &Path) -> anyhow::Result<String> {
    let is_terminal = match afterwards.to_standard_error {
        true => std::io::stderr().is_terminal(),
        false => std::io::stdout().is_terminal(),
    };
    let colored = is_terminal
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
    let mut text = String::new();
    for line in &outcome.summary.lines {
        match line.label.filter(|_| colored) {
            Some((label, severity)) => {
                writeln!(text, "{}{label}:\x1b[0m {}", color(severity), visible(&line.text))?;
            }
            None => writeln!(text, "{}", visible(&line.to_string()))?,
        }
    }
    if afterwards.verbose {
        writeln!(text, "Records by event:")?;
        for (event, count) in &outcome.summary.events {
            writeln!(text, "{count:>9}  {}", visible(event))?;
        }
    }
    writeln!(text, "Report: {}", index.display())?;
    outcome.zip.iter().try_for_each(|zip| writeln!(text, "Zip: {}", zip.display()))?;
    Ok(text)
}

/// The escape sequence before a label: bold red, bold yellow or bold.
fn color(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "\x1b[1;31m",
        Severity::Warning => "\x1b[1;33m",
        Severity::Info => "\x1b[1m",
    }
}
