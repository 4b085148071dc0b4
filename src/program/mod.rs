//! The program: each subcommand has a file with its arguments and what it does.

mod check;
mod cli;
mod combine;
mod diff;
mod exit;
mod interrupt;
mod printing;
mod report;
mod run;
mod serve;
mod shell;
mod show;
mod stop;
mod terminal;
mod values;
mod watch;
mod zip;

use clap::CommandFactory;
use cli::{Cli, Command};
use std::process::ExitCode;
use terminal::Bar;
use tlparse::Registry;

/// Reads the command line and does what it says.
pub fn main() -> ExitCode {
    let cli = match Cli::read() {
        Ok(cli) => cli,
        Err(why) => return exit::with(exit::USAGE, &anyhow::Error::msg(why)),
    };
    match &cli.command {
        Some(Command::Combine(combine)) => combine.run(),
        Some(Command::Check(check)) => check.run(),
        Some(Command::Diff(diff)) => diff.run(),
        Some(Command::Run(run)) => run.run(),
        Some(Command::Show(show)) => show.run(),
        Some(Command::Serve(serve)) => serve.run(),
        Some(Command::Completions(completions)) => completions.run(Cli::command()),
        Some(Command::Man(man)) => man.run(Cli::command()),
        None => report(&cli),
    }
}

/// `tlparse LOG`: writes the report, and says what was found.
fn report(cli: &Cli) -> ExitCode {
    if cli.to_standard_output() {
        return zip::run(cli);
    }
    if cli.watch {
        return match cli.options() {
            Ok(options) => watch::run(options, &cli.afterwards()),
            Err(error) => exit::with(exit::FAILED, &error),
        };
    }
    let written = Bar::during(|bar| {
        cli.options().and_then(|options| tlparse::run(&options, &Registry::default(), bar))
    });
    match written {
        Ok(written) => cli.afterwards().conclude(&written),
        Err(error) => exit::with(exit::FAILED, &error),
    }
}
