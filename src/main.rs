//! The program: arguments, progress, the browser, exit codes.

mod cli;
mod serve;

use cli::{Cli, Command};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serve::Serving;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use tlparse::{Progress, Registry, Settings, Severity, Written};

/// The report could not be written.
const FAILED: u8 = 1;
/// Wrong usage; clap ends with the same.
const USAGE: u8 = 2;
/// The report is written, and `--strict` or `--strict-compile-id` found something.
const STRICT: u8 = 3;

fn main() -> ExitCode {
    let cli = match Cli::read() {
        Ok(cli) => cli,
        Err(why) => {
            eprintln!("error: {why}");
            return ExitCode::from(USAGE);
        }
    };
    let bar = Bar::new();
    let outcome = match &cli.command {
        Some(Command::Combine(combine)) => match &combine.out {
            Some(out) => {
                let settings =
                    Settings { custom_header: combine.custom_header_html.clone(), ..Settings::default() };
                tlparse::combine(out, combine.overwrite, &settings, &bar)
            }
            None => {
                eprintln!(
                    "error: tlparse combine wants the folder that holds rank_0, rank_1 and so on; to read a log or folder called combine, give ./combine"
                );
                return ExitCode::from(USAGE);
            }
        },
        None => cli.options().and_then(|options| tlparse::run(&options, &Registry::default(), &bar)),
    };
    bar.0.finish_and_clear();
    match outcome {
        Ok(outcome) => conclude(&Wishes::of(&cli), &outcome),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(FAILED)
        }
    }
}

/// What the command line wants to be done with a report that is written.
struct Wishes {
    strict: bool,
    strict_compile_id: bool,
    no_browser: bool,
    serve: bool,
    port: Option<u16>,
    json: bool,
    verbose: bool,
}

impl Wishes {
    fn of(cli: &Cli) -> Wishes {
        match &cli.command {
            Some(Command::Combine(combine)) => Wishes {
                strict: combine.strict,
                strict_compile_id: false,
                no_browser: combine.no_browser,
                serve: false,
                port: None,
                json: combine.json,
                verbose: false,
            },
            None => Wishes {
                strict: cli.strict,
                strict_compile_id: cli.strict_compile_id,
                no_browser: cli.no_browser,
                serve: cli.serve,
                port: cli.port,
                json: cli.json,
                verbose: cli.verbose,
            },
        }
    }
}

/// Says what was found, opens the report, and maps the outcome to an exit code.
fn conclude(wishes: &Wishes, outcome: &Written) -> ExitCode {
    for note in &outcome.summary.notes {
        eprintln!("note: {note}");
    }
    let index = outcome.folder.join("index.html");
    // A reader that closes the pipe early has seen what it wanted.
    let _ = print_summary(wishes, outcome, &index);
    if let Err(error) = show(wishes, &outcome.folder, &index) {
        eprintln!("error: {error:#}; the report is {}", index.display());
        return ExitCode::from(FAILED);
    }
    let damaged = wishes.strict && !outcome.summary.intact;
    let without_id = wishes.strict_compile_id && outcome.summary.without_compile_id > 0;
    if damaged {
        eprintln!("error: --strict: the log is damaged; the report lists the lines");
    }
    if without_id {
        let count = outcome.summary.without_compile_id;
        eprintln!("error: --strict-compile-id: records that have a stack in place of a compile id: {count}");
    }
    if damaged || without_id { ExitCode::from(STRICT) } else { ExitCode::SUCCESS }
}

/// Opens the report where somebody sits; with `--serve` it is served until the program is ended.
fn show(wishes: &Wishes, folder: &Path, index: &Path) -> anyhow::Result<()> {
    let serving = wishes.serve.then(|| Serving::start(folder, wishes.port)).transpose()?;
    let shown = serving.as_ref().map_or_else(|| index.display().to_string(), Serving::url);
    if let Some(serving) = &serving {
        // Before the browser is started: a script waits for this line.
        let _ = writeln!(std::io::stdout(), "Serving {} until Ctrl-C", serving.url());
    }
    if !wishes.no_browser
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

fn print_summary(wishes: &Wishes, outcome: &Written, index: &Path) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    if wishes.json {
        serde_json::to_writer_pretty(&mut out, &outcome.summary.findings)?;
        return writeln!(out);
    }
    let coloured = std::io::stdout().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
    for line in &outcome.summary.lines {
        match line.label.filter(|_| coloured) {
            Some((label, severity)) => writeln!(out, "{}{label}:\x1b[0m {}", colour(severity), line.text)?,
            None => writeln!(out, "{line}")?,
        }
    }
    if wishes.verbose {
        writeln!(out, "Records by event:")?;
        for (event, count) in &outcome.summary.events {
            writeln!(out, "{count:>9}  {event}")?;
        }
    }
    writeln!(out, "Report: {}", index.display())
}

/// The escape that begins a label: bold red, bold yellow, bold.
fn colour(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "\x1b[1;31m",
        Severity::Warning => "\x1b[1;33m",
        Severity::Info => "\x1b[1m",
    }
}

/// Whether somebody sits in front of this: a terminal, on a desktop, not in CI and not over SSH.
fn may_open_browser() -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let display = !cfg!(all(unix, not(target_os = "macos"))) || set("DISPLAY") || set("WAYLAND_DISPLAY");
    std::io::stdout().is_terminal() && display && !set("CI") && !set("SSH_CONNECTION") && !set("SSH_TTY")
}

/// The progress bar; it shows only where standard error is a terminal.
struct Bar(ProgressBar);

impl Bar {
    fn new() -> Self {
        // Ten times a second is as fast as it can be read, and costs nothing next to the work.
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr_with_hz(10));
        let style = ProgressStyle::with_template("{msg} {wide_bar} {bytes}/{total_bytes} {eta}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_message("reading");
        Bar(bar)
    }
}

/// Bytes between two looks at the bar: a record is often under a kilobyte, and each look takes a lock.
const STEP: u64 = 256 << 10;

impl Progress for Bar {
    fn reading(&self, done: u64, total: u64) {
        if self.0.is_hidden() {
            return;
        }
        if done.saturating_sub(self.0.position()) >= STEP || done == total {
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
