//! Paths that cannot be a log, as far as that can be seen without reading it, each with a sentence that says what to give.

use crate::report_folder::ReportFolder;
use crate::trace;
use anyhow::{Context, bail};
use std::path::Path;

/// The file with the facts of a comparison, which has no `report.json`.
const COMPARISON: &str = "diff.html";
/// A file that every report has.
const FACTS: &str = "report.json";
/// Files of a report that are taken for the log.
const DATA: [&str; 4] = [FACTS, "report.md", "raw.jsonl", "compile_directory.json"];

/// Refuses what is no log.
pub(super) fn check(path: &Path) -> anyhow::Result<()> {
    if path == Path::new("-") {
        return Ok(());
    }
    let shown = path.display();
    if path.symlink_metadata().is_err() && path.to_string_lossy().contains("://") {
        bail!("cannot open {shown}: tlparse reads files; download it first and give the file");
    }
    match path.metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            bail!("cannot open {shown}: no such file or folder")
        }
        Err(error) => Err(error).with_context(|| format!("cannot open {shown}")),
        Ok(metadata) if metadata.is_dir() => check_folder(path),
        Ok(metadata) if metadata.is_file() => check_file(path),
        Ok(_) => Ok(()),
    }
}

fn check_folder(path: &Path) -> anyhow::Result<()> {
    let shown = path.display();
    let has = |name: &str| ReportFolder::at(path).has(name);
    if !trace::logs_of_report(path).is_empty() || !trace::log_files(path).is_empty() {
        return Ok(());
    }
    if has(FACTS) {
        bail!(
            "{shown} is a report that holds no log, as a redacted one; give the log, or read the report with tlparse show"
        );
    }
    if has(COMPARISON) {
        bail!(
            "{shown} is a comparison, which holds no log; give one of the two runs, or open {shown}/{COMPARISON}"
        );
    }
    Ok(())
}

fn check_file(path: &Path) -> anyhow::Result<()> {
    let shown = path.display();
    std::fs::File::open(path).with_context(|| format!("cannot read {shown}"))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_page = name.ends_with(".html") || DATA.contains(&&*name);
    let folder = path.ancestors().skip(1).find(|folder| ReportFolder::at(folder).has(FACTS));
    if let Some(folder) = folder.filter(|_| is_page) {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder }.display();
        bail!("{shown} is a file of a report, not a log; give the folder of the report: {folder}");
    }
    Ok(())
}
