//! `tlparse combine`: the report of a job from the reports of its ranks.

use super::exit;
use super::printing::Printing;
use super::report::Afterwards;
use super::terminal::Bar;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;
use tlparse::{Editor, Settings};

/// Write the report of a job from finished reports of its ranks
#[derive(Args, Debug)]
#[command(
    after_help = "Example, the first line for each rank, on any machine:\n  tlparse /tmp/trace -o OUT/rank_0\n  \
    tlparse combine OUT\n\nTo read a log or folder named combine, pass ./combine."
)]
pub struct Combine {
    /// The folder that holds rank_0, rank_1 and so on
    pub out: Option<PathBuf>,

    /// Replace the files of an earlier combine
    #[arg(long, help_heading = "Output")]
    pub overwrite: bool,

    /// Exit with 3 if a rank is damaged
    #[arg(long, help_heading = "Exit code")]
    pub strict: bool,

    /// Do not open the report in a browser
    #[arg(long, help_heading = "Reading the report")]
    pub no_browser: bool,

    /// HTML for the top of the landing page
    #[arg(long, value_name = "HTML", help_heading = "Output")]
    pub custom_header_html: Option<String>,

    /// Link places in your code to an editor: vscode, pycharm, or a URL with {file} and {line}
    #[arg(long, value_name = "EDITOR", value_parser = Editor::parse, help_heading = "Output")]
    pub editor: Option<Editor>,

    #[command(flatten)]
    pub printing: Printing,
}

impl Combine {
    /// Writes the report of the job, and prints the findings.
    pub fn run(&self) -> anyhow::Result<ExitCode> {
        let Some(out) = &self.out else {
            return Err(exit::usage(
                "tlparse combine needs the folder that holds rank_0, rank_1 and so on; to read a log or folder named \
                 combine, pass ./combine",
            ));
        };
        let settings = Settings {
            custom_header: self.custom_header_html.clone(),
            editor: self.editor.clone(),
            ..Settings::default()
        };
        let written = Bar::during(|bar| tlparse::combine(out, self.overwrite, &settings, bar))?;
        let afterwards = Afterwards {
            strict: self.strict,
            no_browser: self.no_browser,
            printing: self.printing.clone(),
            ..Afterwards::default()
        };
        Ok(afterwards.conclude(&written))
    }
}
