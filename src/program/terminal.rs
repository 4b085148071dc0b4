//! What the program shows besides its report: notes, a progress bar, a browser.

use super::exit;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use tlparse::Progress;

/// Prints notes on standard error, a line each.
pub fn notes(notes: &[String]) {
    for note in notes {
        eprintln!("note: {note}");
    }
}

/// Prints a text on standard output. That fails when the reader closes the pipe early, as `head` does, which does no harm.
pub fn print(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}

/// Prints bytes on standard output, which is what the command is for: a full disk ends with an exit code. A reader who ends
/// early, as `head` does, does no harm.
pub fn print_or_fail(bytes: &[u8]) -> ExitCode {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            exit::with(exit::FAILED, &anyhow::Error::new(error).context("cannot write to standard output"))
        }
        _ => ExitCode::SUCCESS,
    }
}

/// Columns of the terminal that standard output is; None where it is none.
pub fn width() -> Option<usize> {
    console::Term::stdout().size_checked().map(|(_, columns)| usize::from(columns))
}

/// Opens a page, if somebody is sitting at this machine; `what` names the page where no browser can be started.
pub fn open_in_browser(page: &str, what: &str) {
    if may_open_browser()
        && let Err(error) = opener::open_browser(page)
    {
        eprintln!("note: no browser could be started ({error}); the {what} is {page}");
    }
}

/// Whether somebody is sitting at this machine: standard output is a terminal, there is a display, and the program runs
/// neither in CI nor over SSH.
pub fn may_open_browser() -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let display = !cfg!(all(unix, not(target_os = "macos"))) || set("DISPLAY") || set("WAYLAND_DISPLAY");
    std::io::stdout().is_terminal() && display && !set("CI") && !set("SSH_CONNECTION") && !set("SSH_TTY")
}

/// The progress bar, visible only where standard error is a terminal.
pub struct Bar(ProgressBar);

impl Bar {
    /// Shows a bar while some work is done.
    pub fn during<T>(work: impl FnOnce(&Bar) -> T) -> T {
        let bar = Bar::new();
        let done = work(&bar);
        bar.0.finish_and_clear();
        done
    }

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
