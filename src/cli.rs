//! The command line: clap structs, and what they mean to the library.

use clap::error::ErrorKind;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;
use tlparse::{Editor, Format, Options, Settings, Threshold};

/// Read a TORCH_TRACE log and report what torch.compile did.
#[derive(Parser, Debug)]
#[command(version, about, long_about = LONG_ABOUT, after_help = AFTER_HELP, max_term_width = 100)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,

    /// A log (plain, .gz or .zst), a folder of logs, or - for standard input [default: $TORCH_TRACE]
    pub path: Option<PathBuf>,

    /// Read only the log of the folder that was written last
    #[arg(long)]
    pub latest: bool,

    /// Folder of the report
    #[arg(short, long, value_name = "DIR", default_value = "tl_out")]
    pub out: PathBuf,

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

    /// Print the findings as JSON, and nothing else, on standard output
    #[arg(long, conflicts_with = "format")]
    pub json: bool,

    /// Print the findings in this form: text, json, markdown, sarif, junit or github [default: text]
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    pub format: Option<Format>,

    /// Folder that paths of source files are relative to in those forms [default: the git work tree around the current folder]
    #[arg(long, value_name = "DIR", requires = "format", value_parser = folder)]
    pub root: Option<PathBuf>,

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
    #[command(after_help = "Write each rank's report first, on any machine: tlparse LOG -o OUT/rank_0\n\n\
                            To read a log or folder that is called combine, give it as ./combine.")]
    Combine(Combine),

    /// Hold logs or finished reports against a budget, for CI
    #[command(after_help = CHECK_HELP)]
    Check(Check),

    /// Compare two runs: what is new, gone, worse and better
    #[command(
        after_help = "A and B are each a log, a folder of logs, or a report that was written before; A is the baseline.\n\
                      The page stands in DIR/diff.html; the report of a log is written beside it.\n\n\
                      Exit codes: 0 compared; 1 not compared; 2 wrong usage.\n\n\
                      To read a log or folder that is called diff, give it as ./diff."
    )]
    Diff(Diff),
}

/// `tlparse diff`.
#[derive(Args, Debug)]
pub struct Diff {
    /// The two runs
    #[arg(value_name = "A B", num_args = 0..=2, conflicts_with_all = ["a", "b"])]
    pub runs: Vec<PathBuf>,

    /// Several runs of A: their medians and spread are compared
    #[arg(long, value_name = "A", num_args = 1.., requires = "b")]
    pub a: Vec<PathBuf>,

    /// Several runs of B
    #[arg(long, value_name = "B", num_args = 1.., requires = "a")]
    pub b: Vec<PathBuf>,

    /// Folder of the comparison [default: tl_diff; none with --json and --format]
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Replace a comparison that stands in the folder
    #[arg(long)]
    pub overwrite: bool,

    /// Do not open the page in a browser
    #[arg(long)]
    pub no_browser: bool,

    /// Smaller differences of times are noise: a share, a time, or both
    #[arg(long, value_name = "SHARE,TIME", default_value = "5%,50ms", value_parser = Threshold::parse)]
    pub threshold: Threshold,

    /// Print the differences as JSON, and nothing else: the same as --format json
    #[arg(long, conflicts_with = "format")]
    pub json: bool,

    /// What to print: text, json or markdown [default: text]
    #[arg(long, value_name = "FORMAT", value_parser = format_of_diff)]
    pub format: Option<Format>,
}

/// A form that a comparison has, by its name.
fn format_of_diff(name: &str) -> Result<Format, String> {
    match format(name) {
        Ok(format @ (Format::Text | Format::Json | Format::Markdown)) => Ok(format),
        Ok(_) => Err("a comparison is text, json or markdown; the others are for tlparse check".to_owned()),
        Err(_) => Err("known are text, json, markdown".to_owned()),
    }
}

impl Diff {
    /// What to print.
    pub fn format(&self) -> Format {
        self.format.unwrap_or(if self.json { Format::Json } else { Format::Text })
    }
}

const CHECK_HELP: &str = "Exit codes: 0 all budgets hold; 1 there is no report to check; 2 wrong usage; 3 a budget is \
                          exceeded.\n\nTo read a log or folder that is called check, give it as ./check.";

/// `tlparse check`.
#[derive(Args, Debug)]
pub struct Check {
    /// Finished reports, logs (plain, .gz or .zst), or folders of logs [default: $TORCH_TRACE]
    #[arg(value_name = "REPORT|LOG")]
    pub inputs: Vec<PathBuf>,

    /// TOML file of what is allowed, such as graph_breaks = 0
    #[arg(long, value_name = "FILE")]
    pub budget: Option<PathBuf>,

    /// File of what is known already and does not count
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,

    /// Write what is found into the baseline file, and check nothing
    #[arg(long, requires = "baseline", conflicts_with_all = ["budget", "format"])]
    pub update_baseline: bool,

    /// Say what counts towards each budget, and check nothing
    #[arg(long)]
    pub explain: bool,

    /// Print the verdict in this form: text, json, markdown, sarif, junit or github [default: text]
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    pub format: Option<Format>,

    /// Folder that paths of source files are relative to [default: the git work tree around the current folder]
    #[arg(long, value_name = "DIR", value_parser = folder)]
    pub root: Option<PathBuf>,

    /// Write the report of the log into this folder too, so that the verdict names its pages
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Replace a report that stands in the output folder
    #[arg(long, requires = "out")]
    pub overwrite: bool,
}

impl Check {
    /// The form of the verdict.
    pub fn format(&self) -> Format {
        self.format.unwrap_or(Format::Text)
    }
}

/// A folder that exists.
fn folder(path: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(path);
    if path.is_dir() { Ok(path) } else { Err("it is no folder".to_owned()) }
}

/// A form by its name.
fn format(name: &str) -> Result<Format, String> {
    let known = || Format::ALL.map(|(name, _)| name).join(", ");
    let found = Format::ALL.into_iter().find(|(one, _)| *one == name);
    found.map(|(_, format)| format).ok_or_else(|| format!("known are {}", known()))
}

/// `tlparse combine`.
#[derive(Args, Debug)]
pub struct Combine {
    /// The folder that holds rank_0, rank_1 and so on
    pub out: Option<PathBuf>,

    /// Replace the files of an earlier combine
    #[arg(long)]
    pub overwrite: bool,

    /// Exit with 3 if a rank is damaged
    #[arg(long)]
    pub strict: bool,

    /// Do not open the report in a browser
    #[arg(long)]
    pub no_browser: bool,

    /// HTML that stands at the top of the landing page
    #[arg(long, value_name = "HTML")]
    pub custom_header_html: Option<String>,

    /// Open places of your code in an editor: vscode, pycharm, or an address with {file} and {line}
    #[arg(long, value_name = "EDITOR", value_parser = Editor::parse)]
    pub editor: Option<Editor>,

    /// Print the findings as JSON, and nothing else, on standard output
    #[arg(long)]
    pub json: bool,
}

/// What to say where options stand before the subcommand: clap's own message helps only those who know clap.
fn about_misplaced_flags(error: &clap::Error) -> Option<&'static str> {
    let combine = std::env::args_os().any(|arg| arg == "combine");
    (error.kind() == ErrorKind::ArgumentConflict && combine).then_some(
        "give the options of tlparse combine after it: tlparse combine OUT --overwrite; to read a log or folder called \
         combine, give ./combine",
    )
}

const LONG_ABOUT: &str = "Read a TORCH_TRACE log and report what torch.compile did: what was compiled, what broke, \
                          what was compiled again and why, and where the time went.\n\nRun a program with \
                          TORCH_TRACE=DIR to record one.";

const AFTER_HELP: &str = "Exit codes: 0 report written; 1 not written; 2 wrong usage; 3 report written, but --strict \
                          or --strict-compile-id found something.";

impl Cli {
    /// The command line, or a sentence on what is wrong with it that clap would not say. Any other mistake, and `--help`,
    /// ends the program here.
    pub fn read() -> Result<Cli, &'static str> {
        let cli = match Cli::try_parse() {
            Ok(cli) => cli,
            Err(error) => return Err(about_misplaced_flags(&error).unwrap_or_else(|| error.exit())),
        };
        cli.conflict().map_or(Ok(cli), Err)
    }

    /// Why two flags cannot be used together, where clap would only say that they cannot.
    fn conflict(&self) -> Option<&'static str> {
        if self.augment.is_some() && self.profile.len() > 1 {
            return Some(
                "--augment writes one trace, and --profile names several; run tlparse once for each of them",
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
        let input = match &self.path {
            Some(path) => path.clone(),
            None => tlparse::default_input()?,
        };
        if self.latest && !input.is_dir() {
            anyhow::bail!("--latest wants a folder of logs, and {} is none", input.display());
        }
        Ok(Options {
            overwrite: self.overwrite,
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
            ..Options::new(input, &self.out)
        })
    }
}
