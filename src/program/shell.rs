//! `tlparse completions` and `tlparse man`, generated from the arguments of the program.

use super::{exit, mistakes, terminal};
use clap::{Args, Command};
use clap_complete::Shell;
use std::process::ExitCode;

/// The name of the program.
const NAME: &str = "tlparse";

/// `tlparse completions`.
#[derive(Args, Debug)]
pub struct Completions {
    /// The shell to print completions for
    pub shell: Shell,
}

impl Completions {
    /// The end of `--help`.
    pub const HELP: &str = "Examples:\n\
                            bash: tlparse completions bash > ~/.local/share/bash-completion/completions/tlparse\n\
                            zsh:  tlparse completions zsh > _tlparse, in a folder of $fpath\n\
                            fish: tlparse completions fish > ~/.config/fish/completions/tlparse.fish";

    /// Prints the script for a program with these arguments.
    pub fn run(&self, mut program: Command) -> anyhow::Result<ExitCode> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut program, NAME, &mut script);
        terminal::print(&String::from_utf8_lossy(&script))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// `tlparse man`.
#[derive(Args, Debug)]
pub struct Man {
    /// Subcommand whose page to print [default: the program's own page]
    #[arg(value_name = "SUBCOMMAND")]
    pub of: Option<String>,
}

impl Man {
    /// The end of `--help`.
    pub const HELP: &str = "Examples:\n\
                            tlparse man | man -l -\n\
                            tlparse man > ~/.local/share/man/man1/tlparse.1\n\
                            tlparse man check > ~/.local/share/man/man1/tlparse-check.1";

    /// Prints the page of a program with these arguments.
    pub fn run(&self, mut program: Command) -> anyhow::Result<ExitCode> {
        // Sets the full names of subcommands.
        program.build();
        let man = match &self.of {
            None => clap_mangen::Man::new(program),
            Some(name) => {
                let found = program.find_subcommand(name).cloned();
                let commands = program.get_subcommands().map(Command::get_name);
                let meant = mistakes::similar(name, commands);
                let meant = meant.map(|meant| format!("; did you mean {meant}?")).unwrap_or_default();
                let found =
                    found.ok_or_else(|| exit::usage(format!("tlparse has no subcommand {name:?}{meant}")))?;
                let title = format!("{NAME}-{}", found.get_name());
                clap_mangen::Man::new(found).title(title)
            }
        };
        let mut page = Vec::new();
        man.render(&mut page)?;
        terminal::print(&String::from_utf8_lossy(&page))?;
        Ok(ExitCode::SUCCESS)
    }
}
