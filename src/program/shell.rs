//! `tlparse completions` and `tlparse man`, generated from the arguments of the program.

use super::{exit, mistakes, terminal};
use clap::{Args, Command};
use clap_complete::Shell;
use std::process::ExitCode;

/// The name of the program.
const NAME: &str = "tlparse";

/// Print a completion script for a shell
#[derive(Args, Debug)]
#[command(after_help = "Examples:\nbash: tlparse completions bash > \
    ~/.local/share/bash-completion/completions/tlparse\nzsh:  tlparse completions zsh > _tlparse, in a folder of \
    $fpath\nfish: tlparse completions fish > ~/.config/fish/completions/tlparse.fish")]
pub struct Completions {
    /// The shell to print completions for
    pub shell: Shell,
}

impl Completions {
    /// Prints the script for a program with these arguments.
    pub fn run(&self, mut program: Command) -> anyhow::Result<ExitCode> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut program, NAME, &mut script);
        terminal::print(&String::from_utf8_lossy(&script))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Print the manual page
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\ntlparse man | man -l -\ntlparse man > ~/.local/share/man/man1/tlparse.1\ntlparse \
    man check > ~/.local/share/man/man1/tlparse-check.1"
)]
pub struct Man {
    /// Subcommand whose page to print [default: the program's own page]
    #[arg(value_name = "SUBCOMMAND")]
    pub of: Option<String>,
}

impl Man {
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
