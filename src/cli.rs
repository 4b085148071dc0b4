//! The command line: clap structs, and what they mean to the library.

use clap::Parser;
use std::path::PathBuf;
use tlparse::Options;
use tlparse::report::Settings;

/// Read a TORCH_TRACE log and report what torch.compile did.
#[derive(Parser, Debug)]
#[command(version, about, long_about = LONG_ABOUT, after_help = AFTER_HELP, max_term_width = 100)]
pub struct Cli {
    /// A log (plain, .gz or .zst), a folder of logs, or - for standard input [default: $TORCH_TRACE]
    pub path: Option<PathBuf>,

    /// Read the newest log of the folder
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

    /// Say how many records of each event were read
    #[arg(short, long)]
    pub verbose: bool,

    /// Print the findings as JSON, and nothing else, on standard output
    #[arg(long)]
    pub json: bool,

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

    /// Serve the report over HTTP
    #[arg(long)]
    pub serve: bool,

    /// Port to serve it on
    #[arg(long, value_name = "N", requires = "serve")]
    pub port: Option<u16>,
}

const LONG_ABOUT: &str = "Read a TORCH_TRACE log and report what torch.compile did: what was compiled, what broke, \
                          what was compiled again and why, and where the time went.\n\nRun a program with \
                          TORCH_TRACE=DIR to record one.";

const AFTER_HELP: &str = "Exit codes: 0 report written; 1 not written; 2 wrong usage; 3 report written, but --strict \
                          or --strict-compile-id found something.";

impl Cli {
    /// A flag that is given and whose feature does not exist yet.
    pub fn not_built(&self) -> Option<&'static str> {
        let flags =
            [(self.export, "--export"), (self.all_ranks_html, "--all-ranks-html"), (self.serve, "--serve")];
        flags.into_iter().find_map(|(given, flag)| given.then_some(flag))
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
            settings: Settings {
                plain_text: self.plain_text,
                provenance: self.inductor_provenance,
                custom_header: self.custom_header_html.clone(),
            },
            ..Options::new(input, &self.out)
        })
    }
}
