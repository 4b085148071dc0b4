//! Output besides the report: notes, the progress bar, the browser.

use super::interrupt::Begun;
use anyhow::Context;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write};
use tlparse::system::processes::has_display;
pub use tlparse::visible;
use tlparse::{Progress, Unfinished};

/// Prints notes on standard error, one per line.
pub fn notes(notes: &[String]) {
    for note in notes {
        eprintln!("note: {}", visible(note));
    }
}

/// Prints a text to standard output.
///
/// # Errors
/// The text cannot be written. A reader that closes the pipe early, as `head` does, is not an error.
pub fn print(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(error).context("standard output cannot be written")
        }
        _ => Ok(()),
    }
}

/// Prints a text of a log that a program reads: its own bytes, unless standard output is a terminal, which would obey its
/// control characters.
pub fn print_exactly(text: &str) -> anyhow::Result<()> {
    let is_terminal = std::io::stdout().is_terminal();
    print(&if is_terminal { visible(text) } else { text.into() })
}

/// Columns of the terminal; None if standard output is not a terminal.
pub fn width() -> Option<usize> {
    console::Term::stdout().size_checked().map(|(_, columns)| usize::from(columns))
}

/// Opens a page if a user is sitting at this machine; `what` names the page in the note if no browser can be started.
pub fn open_in_browser(page: &str, what: &str) {
    if may_open_browser()
        && let Err(error) = opener::open_browser(page)
    {
        eprintln!("note: no browser could be started ({error}); the {what} is {page}");
    }
}

/// Whether a user is sitting at this machine: standard output is a terminal, there is a display, and the program runs
/// neither in CI nor over SSH.
pub fn may_open_browser() -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    std::io::stdout().is_terminal()
        && has_display()
        && !set("CI")
        && !set("SSH_CONNECTION")
        && !set("SSH_TTY")
}

/// The progress bar, visible only if standard error is a terminal.
pub struct Bar {
    bar: ProgressBar,
    begun: Begun,
}

impl Bar {
    /// Shows a bar during some work. A signal that ends the program then removes what was begun.
    pub fn during<T>(work: impl FnOnce(&Bar) -> T) -> T {
        Bar::with(Begun::watched(|| ()), work)
    }

    /// The same; after such a signal, `tell` is called.
    pub fn during_or<T>(tell: impl Fn() + Send + 'static, work: impl FnOnce(&Bar) -> T) -> T {
        Bar::with(Begun::watched(tell), work)
    }

    /// The same for callers that handle signals themselves: the work is not interrupted.
    pub fn to_the_end<T>(work: impl FnOnce(&Bar) -> T) -> T {
        Bar::with(Begun::default(), work)
    }

    fn with<T>(begun: Begun, work: impl FnOnce(&Bar) -> T) -> T {
        // Ten updates per second are readable and cost next to nothing.
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr_with_hz(10));
        let style = ProgressStyle::with_template("{msg} {wide_bar} {bytes}/{total_bytes} {eta}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_message("reading");
        let bar = Bar { bar, begun };
        let done = work(&bar);
        bar.begun.ended();
        bar.bar.finish_and_clear();
        done
    }
}

/// Bytes between two updates of the bar: a record is often under a kilobyte, and each update takes a lock.
const UPDATE_BYTES: u64 = 256 << 10;

impl Progress for Bar {
    fn reading(&self, done: u64, total: u64) {
        if self.bar.is_hidden() {
            return;
        }
        if done.saturating_sub(self.bar.position()) >= UPDATE_BYTES || done == total {
            self.bar.set_length(total);
            self.bar.set_position(done);
        }
    }

    fn ranks(&self, done: usize, total: usize) {
        self.bar.set_message(format!("{done} of {total} ranks"));
    }

    fn writing(&self, files: usize) {
        self.bar.set_message(format!("writing {files} files"));
    }

    fn beginning(&self) {
        self.begun.beginning();
    }

    fn begun(&self, unfinished: Unfinished) {
        self.begun.begun(unfinished);
    }

    fn placing(&self) {
        self.begun.placing();
    }
}
