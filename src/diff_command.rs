//! `tlparse diff`: compares two sides and prints what was asked for.

use crate::cli::Diff;
use std::io::Write;
use std::path::PathBuf;
use tlparse::{Compared, DiffOptions, Format, Progress, Registry};

/// Folder of the comparison where none is named.
const OUT: &str = "tl_diff";

/// What the library is told; a sentence where the command line does not name two sides.
pub fn options(diff: &Diff) -> Result<DiffOptions, String> {
    let (a, b) = match (diff.runs.as_slice(), diff.a.as_slice(), diff.b.as_slice()) {
        ([a, b], [], []) => (vec![a.clone()], vec![b.clone()]),
        ([], a, b) if !a.is_empty() && !b.is_empty() => (a.to_vec(), b.to_vec()),
        _ => {
            return Err("tlparse diff wants two runs (tlparse diff A B), or several a side (tlparse diff --a A1 A2 --b \
                        B1 B2); to read a log or folder called diff, give ./diff"
                .to_owned());
        }
    };
    // What only prints leaves no folder behind, unless one is named.
    let out = diff.out.clone().or_else(|| (diff.format() == Format::Text).then(|| PathBuf::from(OUT)));
    Ok(DiffOptions { a, b, out, overwrite: diff.overwrite, threshold: diff.threshold, threads: None })
}

/// Compares, and prints the comparison in the format that was asked for.
///
/// # Errors
/// As [`tlparse::diff`].
pub fn run(diff: &Diff, options: &DiffOptions, progress: &dyn Progress) -> anyhow::Result<Compared> {
    tlparse::diff(options, &Registry::default(), progress).inspect(|compared| {
        // Printing fails when the reader closes the pipe early, as `head` does.
        let _ = print(diff, compared);
    })
}

fn print(diff: &Diff, compared: &Compared) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    match diff.format() {
        Format::Json => {
            serde_json::to_writer_pretty(&mut out, &compared.json)?;
            writeln!(out)
        }
        Format::Markdown => write!(out, "{}", compared.markdown),
        // The command line takes no other form.
        _ => {
            for line in &compared.lines {
                writeln!(out, "{line}")?;
            }
            match &compared.page {
                Some(page) => writeln!(out, "Report: {}", page.display()),
                None => Ok(()),
            }
        }
    }
}
