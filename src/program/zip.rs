//! `tlparse LOG -o -`: the zip of the report on standard output, and nothing else there.

use super::cli::Cli;
use super::exit;
use super::terminal::{self, Bar};
use anyhow::Context;
use std::fs::File;
use std::io::{self, Write};
use std::process::ExitCode;
use tlparse::{Options, Registry, Written};

/// Writes the report into a folder that is removed afterwards, and its zip to standard output.
pub fn run(cli: &Cli) -> ExitCode {
    match Bar::during(|bar| write(cli, bar)) {
        Ok(written) => {
            terminal::notes(&written.summary.notes);
            for line in &written.summary.lines {
                eprintln!("{}", terminal::visible(&line.to_string()));
            }
            cli.afterwards().strictness(&written)
        }
        Err(error) => exit::with(exit::FAILED, &error),
    }
}

fn write(cli: &Cli, bar: &Bar) -> anyhow::Result<Written> {
    let folder = tempfile::tempdir().context("no temporary folder can be made")?;
    let out = folder.path().join("report");
    let options = Options { out, zip: true, ..cli.options()? };
    let written = tlparse::run(&options, &Registry::default(), bar)?;
    let zip = written.zip.as_ref().context("no zip was written")?;
    let mut zip = File::open(zip).context("the zip cannot be read")?;
    let mut out = io::stdout().lock();
    io::copy(&mut zip, &mut out).and_then(|_| out.flush()).context("cannot write to standard output")?;
    Ok(written)
}
