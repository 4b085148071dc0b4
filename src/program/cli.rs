//! The command line of `tlparse LOG`, and the list of its subcommands, each of which has a file of its own.

use super::check::Check;
use super::combine::Combine;
use super::diff::Diff;
use super::mcp::Mcp;
use super::mistakes;
use super::printing::Printing;
use super::report::Afterwards;
use super::repro::Repro;
use super::run::Run;
use super::serve::Serve;
use super::shell::{Completions, Man};
use super::show::Show;
use super::values::{bytes, sources};
use clap::{CommandFactory, Parser, Subcommand};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use tlparse::{Editor, Options, Settings};

/// Read a TORCH_TRACE log and report what torch.compile did.
#[derive(Parser, Debug)]
#[command(version, about, long_about = LONG_ABOUT, after_help = AFTER_HELP, max_term_width = 100)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,

    /// Logs (plain, .gz or .zst), folders of logs, archives or reports that contain logs, or - for standard input [default: $TORCH_TRACE]
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,

    /// Largest size that an input may unpack to, such as 500MB or 100GB [default: 64GB, or half of the free space if that is less]
    #[arg(long, value_name = "SIZE", value_parser = bytes, help_heading = "Input")]
    pub max_unpacked: Option<u64>,

    /// Read only the newest log in the folder
    #[arg(long, help_heading = "Input")]
    pub latest: bool,

    /// Folder to write the report to; - writes its zip to standard output instead
    #[arg(short, long, value_name = "DIR", default_value = "tl_out", help_heading = "Output")]
    pub out: PathBuf,

    /// Also write a zip of the report beside its folder: DIR.zip
    #[arg(long, help_heading = "Output")]
    pub zip: bool,

    /// Write a report that is safe to share: counts, times, shapes, torch's own names, and pseudonyms for yours
    #[arg(long, conflicts_with_all = ["augment", "combine", "custom_header_html", "export", "inductor_provenance", "editor", "sources"], help_heading = "Output")]
    pub redact: bool,

    /// Replace an existing report in the output folder
    #[arg(long, help_heading = "Output")]
    pub overwrite: bool,

    /// Exit with 3 if a record is damaged
    #[arg(long, help_heading = "Exit code")]
    pub strict: bool,

    /// Exit with 3 if a record has a stack instead of a compile id
    #[arg(long, help_heading = "Exit code")]
    pub strict_compile_id: bool,

    /// Do not open the report in a browser
    #[arg(long, help_heading = "Reading the report")]
    pub no_browser: bool,

    /// HTML for the top of the landing page
    #[arg(long, value_name = "HTML", help_heading = "Output")]
    pub custom_header_html: Option<String>,

    /// Join a trace of torch.profiler (.json, .json.gz, .json.zst), or a folder of traces, with the log
    #[arg(long, value_name = "TRACE", help_heading = "Measured kernels")]
    pub profile: Vec<PathBuf>,

    /// Join what the same run printed: the exception that ended it, CUDA graphs (recorded, split, skipped and why) and hints; record it with TORCH_LOGS=cudagraphs,perf_hints
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub console: Option<PathBuf>,

    /// The traced device: a name such as "H100 SXM", a CPU as cpu:CORESxGHZxBITS[xCHANNELSxMT/s], or a JSON file with its figures
    #[arg(long, value_name = "NAME|cpu:..|FILE.json", help_heading = "Measured kernels")]
    pub device: Option<String>,

    /// Clock of the device in MHz while it was traced
    #[arg(long, value_name = "MHZ", value_parser = clock, help_heading = "Measured kernels")]
    pub clock: Option<f64>,

    /// The traced program allowed TF32 in products of float; without it the log says, or the speed
    #[arg(long, help_heading = "Measured kernels")]
    pub tf32: bool,

    /// Read a trace that is of another run than the log by itself, instead of refusing it
    #[arg(long, help_heading = "Measured kernels")]
    pub force: bool,

    /// Write the trace again with the figures of each launch in its args (.json, .json.gz, .json.zst)
    #[arg(long, value_name = "FILE", help_heading = "Measured kernels")]
    pub augment: Option<PathBuf>,

    /// Write the traces of all ranks into one file, with a process per rank (.json, .json.gz, .json.zst)
    #[arg(long, value_name = "FILE", help_heading = "Measured kernels")]
    pub combine: Option<PathBuf>,

    /// Link places in your code to an editor: vscode, pycharm, or a URL with {file} and {line}
    #[arg(long, value_name = "EDITOR", value_parser = Editor::parse, help_heading = "Output")]
    pub editor: Option<Editor>,

    /// Read your source files from this folder and show them whole, with what happened at each line; hidden files and those that git ignores are left out [default folder: the git work tree around the current folder]
    #[arg(long, value_name = "DIR", num_args = 0..=1, help_heading = "Output")]
    #[expect(
        clippy::option_option,
        reason = "without the option no file is read; without a folder, those of the current one"
    )]
    pub sources: Option<Option<PathBuf>>,

    /// Print how many records of each event were read
    #[arg(short, long, help_heading = "What is printed")]
    pub verbose: bool,

    #[command(flatten)]
    pub printing: Printing,

    /// Write code as text, not as highlighted pages
    #[arg(short, long, help_heading = "Output")]
    pub plain_text: bool,

    /// Start with the report on torch.export
    #[arg(short, long, help_heading = "Output")]
    pub export: bool,

    /// Write provenance pages for all compiles, even if the log has no data for them
    #[arg(short, long, help_heading = "Output")]
    pub inductor_provenance: bool,

    /// Write the report of a job even if the folder has the log of only one rank
    #[arg(long, help_heading = "Input")]
    pub all_ranks_html: bool,

    /// Report the N-th run in the folder, 1 being the oldest [default: the newest]
    #[arg(long, value_name = "N", help_heading = "Input")]
    pub session: Option<usize>,

    /// Print a line per compile while a program runs, and rewrite the report after 2 seconds without new records, until Ctrl-C
    #[arg(long, conflicts_with_all = ["serve", "json", "format", "latest", "session"], help_heading = "Reading the report")]
    pub watch: bool,

    /// Serve the report over HTTP to this machine until Ctrl-C
    #[arg(long, help_heading = "Reading the report")]
    pub serve: bool,

    /// Port for --serve [default: any free port]
    #[arg(long, value_name = "N", requires = "serve", help_heading = "Reading the report")]
    pub port: Option<u16>,
}

/// The subcommands.
#[derive(Subcommand, Debug)]
pub enum Command {
    Combine(Combine),
    Check(Check),
    Diff(Diff),
    Run(Run),
    Show(Show),
    Repro(Repro),
    Serve(Serve),
    Mcp(Mcp),
    Completions(Completions),
    Man(Man),
}

const LONG_ABOUT: &str = "Read a TORCH_TRACE log and report what torch.compile did: what was compiled, what broke, \
                          what was recompiled and why, and where the time went.\n\nTo record a log, run a \
                          program with TORCH_TRACE=DIR.";

const AFTER_HELP: &str = "Examples:\n  tlparse trace.log -o report\n  tlparse /tmp/trace --overwrite\n  tlparse trace.log \
                          --profile trace.json --device \"H100 SXM\"\n\nExit codes: 0 report written; 1 not written; 2 wrong usage; 3 report written, but --strict \
                          or --strict-compile-id found something.";

impl Cli {
    /// The command line, or a mistake in it that clap does not detect. Any other mistake, and `--help`, ends the program
    /// here.
    pub fn read() -> Result<Cli, String> {
        let cli = match Cli::try_parse() {
            Ok(cli) => cli,
            Err(error) => error.exit(),
        };
        let mistake = cli.misplaced_options().or_else(|| cli.mistyped());
        match mistake.or_else(|| cli.conflict().map(str::to_owned)) {
            Some(why) => Err(why),
            None => Ok(cli),
        }
    }

    /// The error if options precede a subcommand, so that clap takes its name for a path.
    fn misplaced_options(&self) -> Option<String> {
        let mut names = self.paths.iter().filter_map(|path| path.to_str());
        let name = names.find(|name| Command::has_subcommand(name) && !Path::new(name).exists())?;
        Some(format!(
            "options of tlparse {name} must follow it: tlparse {name} .. --overwrite; to read a log or folder named {name}, \
             pass ./{name}"
        ))
    }

    /// The error if a path is a command in other letters, or the place for the report.
    fn mistyped(&self) -> Option<String> {
        let commands: Vec<String> =
            Cli::command().get_subcommands().map(|command| command.get_name().to_owned()).collect();
        mistakes::in_paths(&self.paths, &commands)
    }

    /// Why two options cannot be combined, if that needs an explanation.
    fn conflict(&self) -> Option<&'static str> {
        if self.augment.is_some() && self.profile.len() > 1 {
            return Some(
                "--augment writes one trace, but --profile names several; run tlparse once for each of them",
            );
        }
        if self.to_standard_output()
            && (self.watch || self.serve || self.printing.is_asked_for() || self.verbose)
        {
            return Some(
                "-o - writes only a zip to standard output, so it cannot be combined with --watch, --serve, --json, --format or \
                 --verbose",
            );
        }
        if self.to_standard_output() && std::io::stdout().is_terminal() {
            return Some(
                "-o - would write a zip to the terminal; redirect it to a file: tlparse LOG -o - > report.zip",
            );
        }
        match (self.latest, self.all_ranks_html, self.session) {
            (true, true, _) => Some(
                "--latest cannot be combined with --all-ranks-html: it reads a single log, but the report of a job needs the \
                 logs of all ranks; without --latest, the newest run in the folder is read",
            ),
            (true, _, Some(_)) => Some(
                "--latest cannot be combined with --session: it reads the newest log, whichever run it belongs to",
            ),
            _ => None,
        }
    }

    /// Whether only the zip of the report is written, to standard output.
    pub fn to_standard_output(&self) -> bool {
        self.out.as_os_str() == "-"
    }

    /// What to do once the report is written.
    pub fn afterwards(&self) -> Afterwards {
        Afterwards {
            strict: self.strict,
            strict_compile_id: self.strict_compile_id,
            no_browser: self.no_browser,
            serve: self.serve,
            port: self.port,
            to_standard_error: false,
            verbose: self.verbose,
            printing: self.printing.clone(),
        }
    }

    /// The value of `--device`: a name, or the text of a JSON file.
    fn device_figures(&self) -> anyhow::Result<Option<String>> {
        match &self.device {
            Some(file) if file.ends_with(".json") => {
                let text = std::fs::read_to_string(file);
                text.map(Some).map_err(|error| anyhow::anyhow!("cannot read the figures in {file}: {error}"))
            }
            given => Ok(given.clone()),
        }
    }

    /// The options for the library.
    ///
    /// # Errors
    /// There is no path and `TORCH_TRACE` is not set, or the path for `--latest` is not a folder.
    pub fn options(&self) -> anyhow::Result<Options> {
        let inputs = match self.paths.as_slice() {
            [] => vec![tlparse::default_input()?],
            paths => paths.to_vec(),
        };
        if let Some(file) = inputs.iter().find(|input| self.latest && !input.is_dir()) {
            anyhow::bail!("--latest needs a folder of logs, but {} is not a folder", file.display());
        }
        Ok(Options {
            overwrite: self.overwrite,
            zip: self.zip,
            redact: self.redact,
            latest: self.latest,
            all_ranks: self.all_ranks_html,
            session: self.session,
            profiles: self.profile.clone(),
            console: self.console.clone(),
            device: self.device_figures()?,
            clock_mhz: self.clock,
            tf32: self.tf32,
            force: self.force,
            augment: self.augment.clone(),
            combine: self.combine.clone(),
            settings: Settings {
                plain_text: self.plain_text,
                provenance: self.inductor_provenance,
                custom_header: self.custom_header_html.clone(),
                export: self.export,
                editor: self.editor.clone(),
                sources: self.sources.as_ref().map(|folder| sources(folder.as_deref())).transpose()?,
                ..Settings::default()
            },
            max_unpacked: self.max_unpacked,
            inputs,
            ..Options::new("", &self.out)
        })
    }
}

/// A clock that a device can have, in MHz.
fn clock(text: &str) -> Result<f64, String> {
    let known = text.parse().ok().filter(|mhz| (1.0..=20_000.0).contains(mhz));
    known.ok_or_else(|| "give the clock in MHz, such as 1410".to_owned())
}
