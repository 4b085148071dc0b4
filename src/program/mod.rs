//! The program: each subcommand has a file with its arguments and what it does.

mod check;
mod cli;
mod combine;
mod diff;
mod exit;
mod interrupt;
mod mcp;
mod mistakes;
mod opened;
mod printing;
mod report;
mod repro;
mod run;
mod serve;
mod shell;
mod show;
mod terminal;
mod token;
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
    run_command_line().unwrap_or_else(|error| exit::failed(&error))
}

fn run_command_line() -> anyhow::Result<ExitCode> {
    let cli = Cli::read().map_err(exit::usage)?;
    match &cli.command {
        Some(Command::Combine(combine)) => combine.run(),
        Some(Command::Check(check)) => check.run(),
        Some(Command::Diff(diff)) => diff.run(),
        Some(Command::Run(run)) => run.run(),
        Some(Command::Show(show)) => show.run(),
        Some(Command::Repro(repro)) => repro.run(),
        Some(Command::Serve(serve)) => serve.run(),
        Some(Command::Mcp(mcp)) => mcp.run(),
        Some(Command::Completions(completions)) => completions.run(Cli::command()),
        Some(Command::Man(man)) => man.run(Cli::command()),
        None => report(&cli),
    }
}

/// `tlparse LOG`: writes the report, and prints what was found.
fn report(cli: &Cli) -> anyhow::Result<ExitCode> {
    if cli.to_standard_output() {
        return zip::run(cli);
    }
    let options = cli.options()?;
    if cli.watch {
        return watch::run(options, &cli.afterwards());
    }
    let written = Bar::during(|bar| tlparse::run(&options, &Registry::default(), bar))?;
    Ok(cli.afterwards().conclude(&written))
}
