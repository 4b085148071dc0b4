//! `tlparse completions` and `tlparse man`: what a shell and `man` know of the program, made of its arguments.

use super::exit;
use clap::{Args, Command};
use clap_complete::Shell;
use std::process::ExitCode;

/// The name under which the program is called.
const NAME: &str = "tlparse";

/// `tlparse completions`.
#[derive(Args, Debug)]
pub struct Completions {
    /// The shell that is to complete commands
    pub shell: Shell,
}

impl Completions {
    /// What `--help` says at its end.
    pub const HELP: &str = "bash: tlparse completions bash > ~/.local/share/bash-completion/completions/tlparse\n\
                            zsh:  tlparse completions zsh > _tlparse, in a folder of $fpath\n\
                            fish: tlparse completions fish > ~/.config/fish/completions/tlparse.fish";

    /// Prints the script for a program with these arguments.
    pub fn run(&self, mut program: Command) -> ExitCode {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut program, NAME, &mut script);
        exit::printing(&String::from_utf8_lossy(&script))
    }
}

/// `tlparse man`.
#[derive(Args, Debug)]
pub struct Man {
    /// The page of this subcommand; without it the page of the program
    #[arg(value_name = "SUBCOMMAND")]
    pub of: Option<String>,
}

impl Man {
    /// What `--help` says at its end.
    pub const HELP: &str = "tlparse man | man -l -\n\
                            tlparse man > ~/.local/share/man/man1/tlparse.1\n\
                            tlparse man check > ~/.local/share/man/man1/tlparse-check.1";

    /// Prints the page of a program with these arguments.
    pub fn run(&self, program: Command) -> ExitCode {
        match self.page(program) {
            Ok(page) => exit::printing(&String::from_utf8_lossy(&page)),
            Err(error) => exit::with(exit::USAGE, &error),
        }
    }

    fn page(&self, mut program: Command) -> anyhow::Result<Vec<u8>> {
        // Gives the subcommands their full names.
        program.build();
        let man = match &self.of {
            None => clap_mangen::Man::new(program),
            Some(name) => {
                let found = program.find_subcommand(name).cloned();
                let found = found.ok_or_else(|| anyhow::anyhow!("tlparse has no subcommand {name:?}"))?;
                let title = format!("{NAME}-{}", found.get_name());
                clap_mangen::Man::new(found).title(title)
            }
        };
        let mut page = Vec::new();
        man.render(&mut page)?;
        Ok(page)
    }
}
