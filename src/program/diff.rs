//! `tlparse diff`: compares two sides and prints the comparison.

use super::exit;
use super::printing::Printing;
use super::terminal::{self, Bar, visible};
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;
use tlparse::{Compared, DiffOptions, Progress, Registry, Threshold};

/// Compare two runs: what is new, gone, worse and better
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  tlparse diff before after\n  tlparse diff --a a1 a2 a3 --b b1 b2 b3 -o \
    comparison\n\nA and B are each a log, a folder of logs, or a finished report; A is the baseline.\nThe page is \
    DIR/diff.html; the report of a log is written beside it.\n\nExit codes: 0 compared; 1 not compared; 2 wrong \
    usage.\n\nTo read a log or folder named diff, pass ./diff."
)]
pub struct Diff {
    /// The two runs
    #[arg(value_name = "A B", num_args = 0..=2, conflicts_with_all = ["a", "b"])]
    pub runs: Vec<PathBuf>,

    /// Several runs of A, compared by median and spread
    #[arg(long, value_name = "A", num_args = 1.., requires = "b", help_heading = "Input")]
    pub a: Vec<PathBuf>,

    /// Several runs of B
    #[arg(long, value_name = "B", num_args = 1.., requires = "a", help_heading = "Input")]
    pub b: Vec<PathBuf>,

    /// A trace of torch.profiler of A, to compare kernels too; once per run of --a, or per rank of a job
    #[arg(long, value_name = "TRACE", help_heading = "Input")]
    pub profile_a: Vec<PathBuf>,

    /// The same for B
    #[arg(long, value_name = "TRACE", help_heading = "Input")]
    pub profile_b: Vec<PathBuf>,

    /// What A is called in the comparison
    #[arg(long, value_name = "NAME", default_value = "A", value_parser = name, help_heading = "Comparison")]
    pub name_a: String,

    /// What B is called in the comparison
    #[arg(long, value_name = "NAME", default_value = "B", value_parser = name, help_heading = "Comparison")]
    pub name_b: String,

    /// Folder to write the comparison to [default: tl_diff; none with --json and --format]
    #[arg(short, long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,

    /// Replace an existing comparison in the folder
    #[arg(long, help_heading = "Output")]
    pub overwrite: bool,

    /// Do not open the page in a browser
    #[arg(long, help_heading = "Reading the page")]
    pub no_browser: bool,

    /// Differences in time below this are noise: a share, a time, or both
    #[arg(long, value_name = "SHARE,TIME", default_value = "5%,50ms", value_parser = Threshold::parse, help_heading = "Comparison")]
    pub threshold: Threshold,

    #[command(flatten)]
    pub printing: Printing,
}

impl Diff {
    /// Compares, prints, and opens the page.
    pub fn run(&self) -> anyhow::Result<ExitCode> {
        let options = options(self)?;
        let compared = Bar::during(|bar| compared(self, &options, bar))?;
        terminal::notes(&compared.notes);
        if let Some(page) = compared.page.filter(|_| !self.no_browser) {
            terminal::open_in_browser(&page.display().to_string(), "page");
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Characters and words of the name of a side at most: it heads columns, and is part of the headline.
const LONGEST_NAME: usize = 24;
const MOST_WORDS: usize = 4;

/// A name of a side.
fn name(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("give a name".to_owned()),
        name if *visible(name) != *name => Err("give a name without control characters".to_owned()),
        name if name.chars().count() > LONGEST_NAME || name.split_whitespace().count() > MOST_WORDS => {
            Err(format!("give a name of at most {LONGEST_NAME} characters and {MOST_WORDS} words"))
        }
        name => Ok(name.to_owned()),
    }
}

/// Default folder of the comparison.
const OUT: &str = "tl_diff";

/// The options for the library, or an error if the command line does not name two sides.
fn options(diff: &Diff) -> anyhow::Result<DiffOptions> {
    let (a, b) = match (diff.runs.as_slice(), diff.a.as_slice(), diff.b.as_slice()) {
        ([a, b], [], []) => (vec![a.clone()], vec![b.clone()]),
        ([], a, b) if !a.is_empty() && !b.is_empty() => (a.to_vec(), b.to_vec()),
        _ => {
            return Err(exit::usage(
                "tlparse diff needs two runs (tlparse diff A B), or several runs per side (tlparse diff --a A1 A2 --b B1 \
                 B2); to read a log or folder named diff, pass ./diff",
            ));
        }
    };
    // Formats for programs are only printed, unless a folder is named.
    let out = diff.out.clone().or_else(|| diff.printing.is_text().then(|| PathBuf::from(OUT)));
    Ok(DiffOptions {
        a,
        b,
        profiles_a: diff.profile_a.clone(),
        profiles_b: diff.profile_b.clone(),
        names: [diff.name_a.clone(), diff.name_b.clone()],
        out,
        overwrite: diff.overwrite,
        threshold: diff.threshold,
        threads: None,
    })
}

/// Compares, and prints the comparison.
fn compared(diff: &Diff, options: &DiffOptions, progress: &dyn Progress) -> anyhow::Result<Compared> {
    let tree = diff.printing.source_tree()?;
    let compared = tlparse::diff(options, &Registry::default(), progress)?;
    let mut text = compared.show(diff.printing.form(), &tree)?;
    if let Some(page) = compared.page.as_ref().filter(|_| diff.printing.is_text()) {
        text.push_str(&format!("Report: {}\n", page.display()));
    }
    terminal::print(&text)?;
    Ok(compared)
}
