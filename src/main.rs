//! The program: arguments, progress, the browser, exit codes.

mod check_command;
mod cli;
mod diff_command;
mod serve;

use check_command::{End, Stop};
use cli::{Check, Cli, Command};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serve::Serving;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tlparse::{Format, Progress, Registry, Settings, Severity, Written};

/// The report could not be written.
const FAILED: u8 = 1;
/// Wrong usage; clap ends with the same.
const USAGE: u8 = 2;
/// The report is written, and `--strict` or `--strict-compile-id` found something; or a budget is exceeded.
const STRICT: u8 = 3;

fn main() -> ExitCode {
    let cli = match Cli::read() {
        Ok(cli) => cli,
        Err(why) => {
            eprintln!("error: {why}");
            return ExitCode::from(USAGE);
        }
    };
    if let Some(Command::Check(check)) = &cli.command {
        return told(check);
    }
    if let Some(Command::Diff(diff)) = &cli.command {
        return compare(diff);
    }
    let bar = Bar::new();
    let outcome = match &cli.command {
        Some(Command::Combine(combine)) => match &combine.out {
            Some(out) => {
                let settings = Settings {
                    custom_header: combine.custom_header_html.clone(),
                    editor: combine.editor.clone(),
                    ..Settings::default()
                };
                tlparse::combine(out, combine.overwrite, &settings, &bar)
            }
            None => {
                eprintln!(
                    "error: tlparse combine wants the folder that holds rank_0, rank_1 and so on; to read a log or folder called combine, give ./combine"
                );
                return ExitCode::from(USAGE);
            }
        },
        Some(Command::Check(_) | Command::Diff(_)) | None => {
            cli.options().and_then(|options| tlparse::run(&options, &Registry::default(), &bar))
        }
    };
    bar.0.finish_and_clear();
    match outcome {
        Ok(outcome) => conclude(&Afterwards::of(&cli), &outcome),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(FAILED)
        }
    }
}

/// Checks, and prints the verdict.
fn told(check: &Check) -> ExitCode {
    let bar = Bar::new();
    let outcome = check_command::run(check, &bar);
    bar.0.finish_and_clear();
    let (error, code) = match outcome {
        Ok(told) => {
            for note in &told.notes {
                eprintln!("note: {note}");
            }
            // Printing fails when the reader closes the pipe early, as `head` does.
            let _ = std::io::stdout().write_all(told.text.as_bytes());
            return match told.end {
                End::Holds => ExitCode::SUCCESS,
                End::Exceeded => ExitCode::from(STRICT),
            };
        }
        Err(Stop::Usage(error)) => (error, USAGE),
        Err(Stop::NoReport(error)) => (error, FAILED),
    };
    eprintln!("error: {error:#}");
    ExitCode::from(code)
}

/// `tlparse diff`: compares, prints, and opens the page.
fn compare(diff: &cli::Diff) -> ExitCode {
    let bar = Bar::new();
    let options = match diff_command::options(diff) {
        Ok(options) => options,
        Err(why) => {
            eprintln!("error: {why}");
            return ExitCode::from(USAGE);
        }
    };
    let outcome = diff_command::run(diff, &options, &bar);
    bar.0.finish_and_clear();
    match outcome {
        Ok(compared) => {
            for note in &compared.notes {
                eprintln!("note: {note}");
            }
            if let Some(page) = compared.page.filter(|_| !diff.no_browser && may_open_browser())
                && let Err(error) = opener::open_browser(&page)
            {
                eprintln!("note: no browser could be started ({error}); the page is {}", page.display());
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(FAILED)
        }
    }
}

/// What is to be done once the report is written.
struct Afterwards {
    strict: bool,
    strict_compile_id: bool,
    no_browser: bool,
    serve: bool,
    port: Option<u16>,
    json: bool,
    verbose: bool,
    /// In which form the findings are printed in place of the lines for a terminal.
    format: Option<Format>,
    /// What paths of sources are relative to in that form.
    root: Option<PathBuf>,
}

impl Afterwards {
    /// Prints the findings in the form that was asked for, and nothing else on standard output.
    fn print_formatted(&self, outcome: &Written) -> anyhow::Result<()> {
        let Some(format) = self.format else { return Ok(()) };
        let text = outcome.show(format, &check_command::source_tree(self.root.as_deref())?)?;
        // Printing fails when the reader closes the pipe early; the report is written all the same.
        let _ = std::io::stdout().write_all(text.as_bytes());
        Ok(())
    }

    fn of(cli: &Cli) -> Afterwards {
        match &cli.command {
            Some(Command::Combine(combine)) => Afterwards {
                strict: combine.strict,
                strict_compile_id: false,
                no_browser: combine.no_browser,
                serve: false,
                port: None,
                json: combine.json,
                verbose: false,
                format: None,
                root: None,
            },
            Some(Command::Check(_) | Command::Diff(_)) | None => Afterwards {
                strict: cli.strict,
                strict_compile_id: cli.strict_compile_id,
                no_browser: cli.no_browser,
                serve: cli.serve,
                port: cli.port,
                json: cli.json,
                verbose: cli.verbose,
                format: cli.format.filter(|format| *format != Format::Text),
                root: cli.root.clone(),
            },
        }
    }
}

/// Says what was found, opens the report, and maps the outcome to an exit code.
fn conclude(afterwards: &Afterwards, outcome: &Written) -> ExitCode {
    for note in &outcome.summary.notes {
        eprintln!("note: {note}");
    }
    let index = outcome.folder.join("index.html");
    if let Some(error) = afterwards.print_formatted(outcome).err() {
        eprintln!("error: {error:#}; the report is {}", index.display());
        return ExitCode::from(FAILED);
    }
    // Printing fails when the reader closes the pipe early, as `head` does; the report is written all the same.
    let _ = print_summary(afterwards, outcome, &index);
    if let Err(error) = show(afterwards, &outcome.folder, &index) {
        eprintln!("error: {error:#}; the report is {}", index.display());
        return ExitCode::from(FAILED);
    }
    let damaged = afterwards.strict && !outcome.summary.intact;
    let without_id = afterwards.strict_compile_id && outcome.summary.without_compile_id > 0;
    if damaged {
        eprintln!("error: --strict: the log is damaged; the report lists the lines");
    }
    if without_id {
        let count = outcome.summary.without_compile_id;
        eprintln!("error: --strict-compile-id: records that have a stack in place of a compile id: {count}");
    }
    if damaged || without_id { ExitCode::from(STRICT) } else { ExitCode::SUCCESS }
}

/// Opens the report in a browser if somebody is sitting at this machine; with `--serve`, serves it until the program is
/// ended.
fn show(afterwards: &Afterwards, folder: &Path, index: &Path) -> anyhow::Result<()> {
    let serving = afterwards.serve.then(|| Serving::start(folder, afterwards.port)).transpose()?;
    let shown = serving.as_ref().map_or_else(|| index.display().to_string(), Serving::url);
    if let Some(serving) = &serving {
        // Printed before the browser is started: scripts wait for this line.
        let _ = writeln!(std::io::stdout(), "Serving {} until Ctrl-C", serving.url());
    }
    if !afterwards.no_browser
        && may_open_browser()
        && let Err(error) = opener::open_browser(&shown)
    {
        eprintln!("note: no browser could be started ({error}); the report is {shown}");
    }
    if let Some(serving) = serving {
        serving.run();
    }
    Ok(())
}

fn print_summary(afterwards: &Afterwards, outcome: &Written, index: &Path) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    if afterwards.format.is_some() {
        return Ok(());
    }
    if afterwards.json {
        serde_json::to_writer_pretty(&mut out, &outcome.summary.findings)?;
        return writeln!(out);
    }
    let colored = std::io::stdout().is_terminal()
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
    writeln!(out, "Report: {}", index.display())
}

/// The escape sequence that begins a label: bold red, bold yellow or bold.
fn color(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "\x1b[1;31m",
        Severity::Warning => "\x1b[1;33m",
        Severity::Info => "\x1b[1m",
    }
}

/// Whether somebody is sitting at this machine: standard output is a terminal, there is a display, and the program runs
/// neither in CI nor over SSH.
fn may_open_browser() -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let display = !cfg!(all(unix, not(target_os = "macos"))) || set("DISPLAY") || set("WAYLAND_DISPLAY");
    std::io::stdout().is_terminal() && display && !set("CI") && !set("SSH_CONNECTION") && !set("SSH_TTY")
}

/// The progress bar, visible only where standard error is a terminal.
struct Bar(ProgressBar);

impl Bar {
    fn new() -> Self {
        // Ten updates per second are as many as anybody can read, and they cost next to nothing.
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr_with_hz(10));
        let style = ProgressStyle::with_template("{msg} {wide_bar} {bytes}/{total_bytes} {eta}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_message("reading");
        Bar(bar)
    }
}

/// Bytes between two updates of the bar: a record is often under a kilobyte, and each update takes a lock.
const UPDATE_BYTES: u64 = 256 << 10;

impl Progress for Bar {
    fn reading(&self, done: u64, total: u64) {
        if self.0.is_hidden() {
            return;
        }
        if done.saturating_sub(self.0.position()) >= UPDATE_BYTES || done == total {
            self.0.set_length(total);
            self.0.set_position(done);
        }
    }

    fn ranks(&self, done: usize, total: usize) {
        self.0.set_message(format!("{done} of {total} ranks"));
    }

    fn writing(&self, files: usize) {
        self.0.set_message(format!("writing {files} files"));
    }
}
