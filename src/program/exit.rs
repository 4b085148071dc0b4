//! The exit codes of the program.

use super::terminal::visible;
use std::fmt::{self, Display};
use std::process::ExitCode;

/// The report could not be written.
pub const FAILED: u8 = 1;
/// Wrong usage; clap uses the same code.
pub const USAGE: u8 = 2;
/// The report is written, and `--strict` or `--strict-compile-id` found something; or a budget is exceeded.
pub const EXCEEDED: u8 = 3;

/// A mistake in the command line or in a file that it names: the program ends with [`USAGE`].
#[derive(Debug)]
struct Usage(String);

impl std::error::Error for Usage {}

impl Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// An error that ends the program with [`USAGE`].
pub fn usage(why: impl Display) -> anyhow::Error {
    anyhow::Error::new(Usage(format!("{why:#}")))
}

/// Whether an error is a mistake in the command line.
pub fn is_usage(error: &anyhow::Error) -> bool {
    error.is::<Usage>()
}

/// Prints an error with its causes, and returns its exit code.
pub fn failed(error: &anyhow::Error) -> ExitCode {
    with(if is_usage(error) { USAGE } else { FAILED }, error)
}

/// Prints an error with its causes, and returns the exit code.
pub fn with(code: u8, error: &anyhow::Error) -> ExitCode {
    eprintln!("error: {}", visible(&format!("{error:#}")));
    ExitCode::from(code)
}
