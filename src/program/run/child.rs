//! The command as a child process, which shares our terminal and receives the signals sent to us.

use super::guard::Guard;
use super::printed::{Keeping, Printed};
use crate::program::exit;
use std::io;
use std::path::PathBuf;
use std::process::{Command, ExitCode, ExitStatus};
use tlparse::system::processes::ending_signal;
use tlparse::system::signals::Passed;

/// How a command ended.
#[derive(Debug, Clone, Copy)]
pub struct Ended(ExitStatus);

impl Ended {
    /// The exit code of tlparse: the command's own, or 1 if only the report failed.
    pub fn code_after(self, is_reported: bool) -> ExitCode {
        match self.code() {
            0 if !is_reported => ExitCode::from(exit::FAILED),
            code => ExitCode::from(code),
        }
    }

    /// The exit code as a shell reports it.
    fn code(self) -> u8 {
        let code = self.0.code().or_else(|| Some(128 + ending_signal(self.0)?));
        // Windows has 32-bit codes; a failure must not become 0.
        code.map_or(exit::FAILED, |code| {
            u8::try_from(code & 0xff).unwrap_or(exit::FAILED).max(u8::from(code != 0))
        })
    }

    /// Whether the command failed, or a signal ended it.
    pub fn is_failure(self) -> bool {
        !self.0.success()
    }

    /// `ended with exit code 1`, `was ended by signal 9`.
    pub fn words(self) -> String {
        match (self.0.code(), ending_signal(self.0)) {
            (Some(code), _) => format!("ended with exit code {code}"),
            (None, Some(signal)) => format!("was ended by signal {signal}"),
            (None, None) => "ended".to_owned(),
        }
    }
}

/// How a command ran.
pub struct Ran {
    pub ended: Ended,
    /// The file with what it printed, if that was to be kept.
    pub console: Option<PathBuf>,
}

/// Runs a command to its end.
///
/// # Errors
/// If the command cannot be started. The reason is printed, and the exit code is that of a shell: 127 for an unknown program,
/// 126 otherwise.
pub fn run(mut command: Command, printed: Option<Printed>) -> Result<Ran, ExitCode> {
    let program = command.get_program().to_string_lossy().into_owned();
    let run = move || {
        let signals = Passed::listen()?;
        let mut guard = Guard::start();
        let mut child = command.spawn()?;
        // It holds the end of the command's standard error.
        drop(command);
        let keeping = printed.map(Printed::keep);
        if let Some(guard) = &mut guard {
            guard.watch(child.id());
        }
        signals.to(child.id());
        let ended = child.wait();
        drop(guard);
        signals.end_with_the_next();
        Ok(Ran { ended: Ended(ended?), console: keeping.and_then(Keeping::file) })
    };
    run().map_err(|error: io::Error| {
        let (code, why) = match error.kind() {
            io::ErrorKind::NotFound => (127, "there is no such program".to_owned()),
            _ => (126, error.to_string()),
        };
        exit::with(code, &anyhow::anyhow!("cannot run {program}: {why}"))
    })
}
