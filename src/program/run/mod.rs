//! `tlparse run`: runs a command with `TORCH_TRACE` set, and writes the report of what it recorded.

mod child;
mod guard;
mod nothing;
mod printed;
mod profiler;
mod recording;

use super::report::Afterwards;
use super::terminal::{self, Bar};
use super::values::sources;
use child::{Ended, Ran};
use clap::Args;
use printed::Printed;
use profiler::Profiler;
use recording::Recording;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use tlparse::{Editor, Options, Registry, Settings};

/// Run a command, record what torch.compile does in it, and write the report
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  tlparse run -- python train.py\n  tlparse run --provenance -o report -- torchrun \
    --nproc-per-node 2 train.py\n\nThe command keeps the terminal, its input and its output; messages of tlparse go to \
    standard error. What the command writes there is passed on at once, and kept: the report says what happened while it ran. \
    Unless TORCH_LOGS is set, it is set to cudagraphs,perf_hints. The report is written however the command ends. It shows your source files whole, if they are \
    below the git work tree around the current folder, or below that folder.\n\nExit codes: the exit code of the \
    command; 128 plus the number of the signal that ended it; 127 if it cannot be found, 126 if it cannot be started; \
    1 if the report cannot be written and the command ended with 0.\n\nTo read a log or folder named run, pass ./run."
)]
pub struct Run {
    /// Folder to write the report to
    #[arg(short, long, value_name = "DIR", default_value = "tl_out", help_heading = "Output")]
    pub out: PathBuf,

    /// Replace an existing report in the output folder
    #[arg(long, help_heading = "Output")]
    pub overwrite: bool,

    /// Keep the logs in this folder, which must be empty or not exist
    #[arg(long, value_name = "DIR", help_heading = "Recording")]
    pub trace_dir: Option<PathBuf>,

    /// Record which line became which kernel: sets INDUCTOR_PROVENANCE=1 and, because cache hits record little, TORCHINDUCTOR_FORCE_DISABLE_CACHES=1
    #[arg(long, help_heading = "Recording")]
    pub provenance: bool,

    /// Record each process that compiles with torch.profiler, until 5 seconds after its last compilation: puts a folder with a sitecustomize.py on PYTHONPATH
    #[arg(long, help_heading = "Recording")]
    pub profile: bool,

    /// Leave standard error of the command alone: what it prints is not part of the report, and TORCH_LOGS is not set
    #[arg(long, help_heading = "Recording")]
    pub no_console: bool,

    /// Do not open the report in a browser
    #[arg(long, help_heading = "Reading the report")]
    pub no_browser: bool,

    /// Link places in your code to an editor: vscode, pycharm, or a URL with {file} and {line}
    #[arg(long, value_name = "EDITOR", value_parser = Editor::parse, help_heading = "Output")]
    pub editor: Option<Editor>,

    /// Wait until standard input ends, then kill the process that it names: what `tlparse run` starts for itself
    #[arg(long, hide = true, exclusive = true)]
    pub guard: bool,

    /// The command with its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

impl Run {
    /// Runs the command, then writes and opens the report.
    pub fn run(&self) -> anyhow::Result<ExitCode> {
        if self.guard {
            guard::run();
            return Ok(ExitCode::SUCCESS);
        }
        // Before the command, which may run for hours.
        tlparse::check_out(&self.out, self.overwrite)?;
        let recording = Recording::prepare(&self.out, self.trace_dir.as_deref())?;
        let profiler = self.profile.then(Profiler::prepare).transpose()?;
        let mut command = self.command(&recording, profiler.as_ref())?;
        let keeps = !self.no_console;
        let printed = keeps.then(|| Printed::of(&mut command, recording.folder())).flatten();
        let Ran { ended, console } = match child::run(command, printed) {
            Ok(ran) => ran,
            Err(code) => return Ok(code),
        };
        drop(profiler);
        Ok(ended.code_after(self.report(recording, ended, console)))
    }

    fn command(&self, recording: &Recording, profiler: Option<&Profiler>) -> anyhow::Result<Command> {
        let mut words = self.command.iter();
        let mut command = Command::new(words.next().cloned().unwrap_or_default());
        command.args(words).env("TORCH_TRACE", recording.folder());
        if self.provenance {
            command.env("INDUCTOR_PROVENANCE", "1").env("TORCHINDUCTOR_FORCE_DISABLE_CACHES", "1");
        }
        if let Some(profiler) = profiler {
            profiler.add_to(&mut command, recording)?;
        }
        Ok(command)
    }

    /// Writes the report of what was recorded; returns whether that worked.
    fn report(&self, recording: Recording, ended: Ended, console: Option<PathBuf>) -> bool {
        eprintln!("tlparse: the command {}", ended.words());
        if recording.is_empty() {
            let why = nothing::why(&self.command, |name| std::env::var_os(name));
            eprintln!("note: nothing was recorded, so there is no report: {why}");
            return true;
        }
        let (keep, keep_after_error) = (recording.keeper(), recording.keeper());
        let tell = move || {
            if let Some(kept) = keep() {
                eprintln!(
                    "tlparse: ended before the report was written; the logs are kept in {}",
                    kept.display()
                );
            }
        };
        match Bar::during_or(tell, |bar| {
            tlparse::run(&self.options(&recording, ended, console), &Registry::default(), bar)
        }) {
            Ok(written) => {
                let afterwards = Afterwards {
                    no_browser: self.no_browser,
                    to_standard_error: true,
                    ..Afterwards::default()
                };
                let _ = afterwards.conclude(&written);
                true
            }
            Err(error) => {
                let kept = keep_after_error().unwrap_or_else(|| recording.folder().to_owned());
                eprintln!("error: {error:#}; the logs are kept in {}", kept.display());
                false
            }
        }
    }

    fn options(&self, recording: &Recording, ended: Ended, console: Option<PathBuf>) -> Options {
        Options {
            overwrite: self.overwrite,
            console,
            profiles: profiler::traces_in(recording.folder(), terminal::notes),
            // The program ran here, so its files are those that are here.
            settings: Settings {
                editor: self.editor.clone(),
                sources: sources(None).ok(),
                command_ended: ended.is_failure().then(|| ended.words()),
                ..Settings::default()
            },
            ..Options::new(recording.folder(), &self.out)
        }
    }
}
