//! `tlparse run`: runs a command with `TORCH_TRACE` set, and makes the report of what it recorded.

mod child;
mod profiler;
mod recording;

use super::exit;
use super::report::Afterwards;
use super::terminal::{self, Bar};
use child::Ended;
use clap::Args;
use profiler::Profiler;
use recording::Recording;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use tlparse::{Editor, Options, Registry, Settings};

/// `tlparse run`.
#[derive(Args, Debug)]
pub struct Run {
    /// Folder of the report
    #[arg(short, long, value_name = "DIR", default_value = "tl_out")]
    pub out: PathBuf,

    /// Replace a report that stands in the output folder
    #[arg(long)]
    pub overwrite: bool,

    /// Keep the logs in this folder, which must be empty or missing
    #[arg(long, value_name = "DIR")]
    pub trace_dir: Option<PathBuf>,

    /// Record which line became which kernel: sets INDUCTOR_PROVENANCE=1 and, as a cache hit records little, TORCHINDUCTOR_FORCE_DISABLE_CACHES=1
    #[arg(long)]
    pub provenance: bool,

    /// Record with torch.profiler until 5 seconds after the last compilation, in each process that compiles: puts a folder with a sitecustomize.py on PYTHONPATH
    #[arg(long)]
    pub profile: bool,

    /// Do not open the report in a browser
    #[arg(long)]
    pub no_browser: bool,

    /// Open places of your code in an editor: vscode, pycharm, or an address with {file} and {line}
    #[arg(long, value_name = "EDITOR", value_parser = Editor::parse)]
    pub editor: Option<Editor>,

    /// The command with its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

impl Run {
    /// What `--help` says at its end.
    pub const HELP: &str = "The command keeps the terminal, its input and its output; what tlparse says goes to standard \
                            error. A report is written however the command ends.\n\nExit codes: that of the command, 128 and \
                            the number of the signal that ended it, 127 if it cannot be found, 126 if it cannot be started; 1 \
                            if the report cannot be written and the command ended with 0.\n\nTo read a log or folder that is \
                            called run, give it as ./run.";

    /// Runs the command, then writes and opens the report.
    pub fn run(&self) -> ExitCode {
        // Nobody wants to learn after hours that the folder was taken.
        let recording = tlparse::check_out(&self.out, self.overwrite)
            .and_then(|()| Recording::prepare(&self.out, self.trace_dir.as_deref()));
        let recording = match recording {
            Ok(recording) => recording,
            Err(error) => return exit::with(exit::FAILED, &error),
        };
        let profiler = match self.profile.then(|| Profiler::prepare(&recording)).transpose() {
            Ok(profiler) => profiler,
            Err(error) => return exit::with(exit::FAILED, &error),
        };
        let command = match self.command(&recording, profiler.as_ref()) {
            Ok(command) => command,
            Err(error) => return exit::with(exit::FAILED, &error),
        };
        let ended = match child::run(command) {
            Ok(ended) => ended,
            Err(error) => return error.told(),
        };
        drop(profiler);
        ended.code_after(self.report(recording, ended))
    }

    fn command(&self, recording: &Recording, profiler: Option<&Profiler>) -> anyhow::Result<Command> {
        let (program, arguments) = match self.command.split_first() {
            Some((program, arguments)) => (program.clone(), arguments),
            None => (OsString::new(), self.command.as_slice()),
        };
        let mut command = Command::new(program);
        command.args(arguments).env("TORCH_TRACE", recording.folder());
        if self.provenance {
            command.env("INDUCTOR_PROVENANCE", "1").env("TORCHINDUCTOR_FORCE_DISABLE_CACHES", "1");
        }
        if let Some(profiler) = profiler {
            profiler.add_to(&mut command)?;
        }
        Ok(command)
    }

    /// Writes the report of what was recorded; says whether that worked.
    fn report(&self, recording: Recording, ended: Ended) -> bool {
        eprintln!("tlparse: the command {}", ended.words());
        if recording.is_empty() {
            eprintln!(
                "note: nothing was recorded, so there is no report: the command did not reach torch.compile, set TORCH_TRACE \
                 itself, or runs its program on another machine or in a container"
            );
            return true;
        }
        let folder = recording.folder().to_owned();
        let tell = move || {
            if folder.is_dir() {
                eprintln!(
                    "tlparse: ended before the report was written; the logs are kept in {}",
                    folder.display()
                );
            }
        };
        match Bar::during_or(tell, |bar| tlparse::run(&self.options(&recording), &Registry::default(), bar)) {
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
                let kept = recording.keep();
                eprintln!("error: {error:#}; the logs are kept in {}", kept.display());
                false
            }
        }
    }

    fn options(&self, recording: &Recording) -> Options {
        Options {
            overwrite: self.overwrite,
            profiles: profiler::traces_in(recording.folder(), terminal::notes),
            settings: Settings { editor: self.editor.clone(), ..Settings::default() },
            ..Options::new(recording.folder(), &self.out)
        }
    }
}
