//! `tlparse LOG -o -`: writes only the zip of the report, to standard output.

use super::cli::Cli;
use super::terminal::{self, Bar};
use anyhow::Context;
use std::fs::File;
use std::io::{self, Write};
use std::process::ExitCode;
use tlparse::{Options, Progress, Registry, Scratch, Written};

/// Writes the report to a temporary folder, and its zip to standard output.
pub fn run(cli: &Cli) -> anyhow::Result<ExitCode> {
    let written = Bar::during(|bar| write(cli, bar))?;
    terminal::notes(&written.summary.notes);
    for line in &written.summary.lines {
        eprintln!("{}", terminal::visible(&line.to_string()));
    }
    Ok(cli.afterwards().strictness(&written))
}

fn write(cli: &Cli, bar: &Bar) -> anyhow::Result<Written> {
    let folder = Scratch::temporary(|made| bar.begun(made))?;
    let out = folder.path().join("report");
    let options = Options { out, zip: true, ..cli.options()? };
    let written = tlparse::run(&options, &Registry::default(), bar)?;
    let zip = written.zip.as_ref().context("no zip was written")?;
    let mut zip = File::open(zip).context("cannot read the zip")?;
    let mut out = io::stdout().lock();
    io::copy(&mut zip, &mut out).and_then(|_| out.flush()).context("cannot write to standard output")?;
    Ok(written)
}
