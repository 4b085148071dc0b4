//! The command line of `tlparse LOG`, and the list of its subcommands, each of which has a file of its own.

use super::check::Check;
use super::combine::Combine;
use super::diff::Diff;
use super::printing::Printing;
use super::report::Afterwards;
use super::run::Run;
use super::serve::Serve;
use super::shell::{Completions, Man};
use super::show::Show;
use super::values::bytes;
use clap::{Parser, Subcommand};
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

    /// Logs (plain, .gz or .zst), folders of logs, archives or reports that hold logs, or - for standard input [default: $TORCH_TRACE]
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,

    /// How much an input may unpack to, such as 500MB or 100GB [default: 64GB, or half of the free space if that is less]
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub max_unpacked: Option<u64>,

    /// Read only the log of the folder that was written last
    #[arg(long)]
    pub latest: bool,

    /// Folder of the report; - writes its zip to standard output instead
    #[arg(short, long, value_name = "DIR", default_value = "tl_out")]
    pub out: PathBuf,

    /// Write a zip of the report too, beside its folder: DIR.zip
    #[arg(long)]
    pub zip: bool,

    /// Write a report that is safe to share: counts, times, shapes, torch's own names, and pseudonyms for yours
    #[arg(long, conflicts_with_all = ["profile", "augment", "custom_header_html", "export", "inductor_provenance", "editor"])]
    pub redact: bool,

    /// Replace a report that stands in the output folder
    #[arg(long)]
    pub overwrite: bool,

    /// Exit with 3 if a record is damaged
    #[arg(long)]
    pub strict: bool,

    /// Exit with 3 if a record has a stack in place of a compile id
    #[arg(long)]
    pub strict_compile_id: bool,

    /// Do not open the report in a browser
    #[arg(long)]
    pub no_browser: bool,

    /// HTML that stands at the top of the landing page
    #[arg(long, value_name = "HTML")]
    pub custom_header_html: Option<String>,

    /// A trace of torch.profiler (.json, .json.gz, .json.zst), or a folder of them, to join with the log
    #[arg(long, value_name = "TRACE")]
    pub profile: Vec<PathBuf>,

    /// What the traced device can do: a name such as "H100 SXM", or a JSON file with figures
    #[arg(long, value_name = "NAME|FILE.json")]
    pub device: Option<String>,

    /// The clock in MHz that the device ran at while it was traced
    #[arg(long, value_name = "MHZ")]
    pub clock: Option<f64>,

    /// Write the trace again, with the figures of each launch in its args (.json, .json.gz, .json.zst)
    #[arg(long, value_name = "FILE")]
    pub augment: Option<PathBuf>,

    /// Open places of your code in an editor: vscode, pycharm, or an address with {file} and {line}
    #[arg(long, value_name = "EDITOR", value_parser = Editor::parse)]
    pub editor: Option<Editor>,

    /// Say how many records of each event were read
    #[arg(short, long)]
    pub verbose: bool,

    #[command(flatten)]
    pub printing: Printing,

    /// Write code as text, not as highlighted pages
    #[arg(short, long)]
    pub plain_text: bool,

    /// Report on torch.export
    #[arg(short, long)]
    pub export: bool,

    /// Write provenance pages for all compiles, also where the log has no data for them
    #[arg(short, long)]
    pub inductor_provenance: bool,

    /// Report on all ranks of a distributed job
    #[arg(long)]
    pub all_ranks_html: bool,

    /// Of a folder that was traced into several times, report the N-th run, 1 being the oldest [default: the newest]
    #[arg(long, value_name = "N")]
    pub session: Option<usize>,

    /// While the program runs, print a line for each compile, and rewrite the report when its logs rest for 2 seconds; Ctrl-C ends it
    #[arg(long, conflicts_with_all = ["serve", "json", "format", "latest", "session"])]
    pub watch: bool,

    /// Serve the report over HTTP to this machine, until Ctrl-C
    #[arg(long)]
    pub serve: bool,

    /// Port to serve it on [default: any free one]
    #[arg(long, value_name = "N", requires = "serve")]
    pub port: Option<u16>,
}

/// What the program can do besides.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Make the report of a job from rank_<n>/ folders that were written before
    #[command(after_help = Combine::HELP)]
    Combine(Combine),

    /// Hold logs or finished reports against a budget, for CI
    #[command(after_help = Check::HELP)]
    Check(Check),

    /// Compare two runs: what is new, gone, worse and better
    #[command(after_help = Diff::HELP)]
    Diff(Diff),

    /// Run a command, record what torch.compile does in it, and make the report
    #[command(after_help = Run::HELP)]
    Run(Run),

    /// Print facts of a report or a log in the terminal
    #[command(after_help = Show::HELP)]
    Show(Show),

    /// Serve a finished report over HTTP to this machine, until Ctrl-C
    #[command(after_help = Serve::HELP)]
    Serve(Serve),

    /// Print a script that completes commands in a shell
    #[command(after_help = Completions::HELP)]
    Completions(Completions),

    /// Print the manual page
    #[command(after_help = Man::HELP)]
    Man(Man),
}

const LONG_ABOUT: &str = "Read a TORCH_TRACE log and report what torch.compile did: what was compiled, what broke, \
                          what was compiled again and why, and where the time went.\n\nRun a program with \
                          TORCH_TRACE=DIR to record one.";

const AFTER_HELP: &str = "Exit codes: 0 report written; 1 not written; 2 wrong usage; 3 report written, but --strict \
                          or --strict-compile-id found something.";

impl Cli {
    /// The command line, or a sentence on what is wrong with it that clap would not say. Any other mistake, and `--help`,
    /// ends the program here.
    pub fn read() -> Result<Cli, String> {
        let cli = match Cli::try_parse() {
            Ok(cli) => cli,
            Err(error) => error.exit(),
        };
        match cli.misplaced_options().or_else(|| cli.conflict().map(str::to_owned)) {
            Some(why) => Err(why),
            None => Ok(cli),
        }
    }

    /// What to say where options stand before a subcommand, which makes a path of its name.
    fn misplaced_options(&self) -> Option<String> {
        let mut names = self.paths.iter().filter_map(|path| path.to_str());
        let name = names.find(|name| Command::has_subcommand(name) && !Path::new(name).exists())?;
        Some(format!(
            "give the options of tlparse {name} after it: tlparse {name} .. --overwrite; to read a log or folder called \
             {name}, give ./{name}"
        ))
    }

    /// Why two flags cannot be used together, where clap would only say that they cannot.
    fn conflict(&self) -> Option<&'static str> {
        if self.augment.is_some() && self.profile.len() > 1 {
            return Some(
                "--augment writes one trace, and --profile names several; run tlparse once for each of them",
            );
        }
        if self.to_standard_output()
            && (self.watch || self.serve || self.printing.is_asked_for() || self.verbose)
        {
            return Some(
                "-o - writes a zip to standard output and leaves no folder, so it cannot be used with --watch, --serve, --json, \
                 --format or --verbose",
            );
        }
        if self.to_standard_output() && std::io::stdout().is_terminal() {
            return Some(
                "-o - writes a zip, and standard output is a terminal; write it to a file: tlparse LOG -o - > report.zip",
            );
        }
        match (self.latest, self.all_ranks_html, self.session) {
            (true, true, _) => Some(
                "--latest cannot be used with --all-ranks-html: it reads the one log that was written last, and the report \
                 of a job wants the logs of all ranks; without --latest the newest run of the folder is read",
            ),
            (true, _, Some(_)) => Some(
                "--latest cannot be used with --session: it reads the log that was written last, whichever run it belongs to",
            ),
            _ => None,
        }
    }

    /// Whether the zip of the report is written to standard output, and nothing else.
    pub fn to_standard_output(&self) -> bool {
        self.out.as_os_str() == "-"
    }

    /// What is to be done once the report is written.
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

    /// The name of a device, or the text of the file that `--device` names.
    fn device_figures(&self) -> anyhow::Result<Option<String>> {
        match &self.device {
            Some(file) if file.ends_with(".json") => {
                let text = std::fs::read_to_string(file);
                text.map(Some).map_err(|error| anyhow::anyhow!("cannot read the figures in {file}: {error}"))
            }
            given => Ok(given.clone()),
        }
    }

    /// What the library is told.
    ///
    /// # Errors
    /// When there is no path and `TORCH_TRACE` does not give one, or `--latest` names no folder.
    pub fn options(&self) -> anyhow::Result<Options> {
        let inputs = match self.paths.as_slice() {
            [] => vec![tlparse::default_input()?],
            paths => paths.to_vec(),
        };
        if let Some(file) = inputs.iter().find(|input| self.latest && !input.is_dir()) {
            anyhow::bail!("--latest wants a folder of logs, and {} is none", file.display());
        }
        Ok(Options {
            overwrite: self.overwrite,
            zip: self.zip,
            redact: self.redact,
            latest: self.latest,
            all_ranks: self.all_ranks_html,
            session: self.session,
            profiles: self.profile.clone(),
            device: self.device_figures()?,
            clock_mhz: self.clock,
            augment: self.augment.clone(),
            settings: Settings {
                plain_text: self.plain_text,
                provenance: self.inductor_provenance,
                custom_header: self.custom_header_html.clone(),
                export: self.export,
                editor: self.editor.clone(),
            },
            max_unpacked: self.max_unpacked,
            inputs,
            ..Options::new("", &self.out)
        })
    }
}
