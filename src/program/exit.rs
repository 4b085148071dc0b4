//! The exit codes of the program, and how it ends with one.

use super::terminal::{print, visible};
use std::process::ExitCode;

/// The report could not be written.
pub const FAILED: u8 = 1;
/// Wrong usage; clap ends with the same.
pub const USAGE: u8 = 2;
/// The report is written, and `--strict` or `--strict-compile-id` found something; or a budget is exceeded.
pub const EXCEEDED: u8 = 3;

/// Says what went wrong, with its causes, and gives the code.
pub fn with(code: u8, error: &anyhow::Error) -> ExitCode {
    eprintln!("error: {}", visible(&format!("{error:#}")));
    ExitCode::from(code)
}

/// Prints a text on standard output, which is all that the command is for: a full disk ends with an exit code.
pub fn printing(text: &str) -> ExitCode {
    match print(text) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => with(FAILED, &error),
    }
}
