//! Paths that cannot be a log, as far as that can be seen without reading it, each with a sentence that says what to give.

use crate::limits::NAMED;
use crate::model::words::first_of;
use crate::report_folder::ReportFolder;
use crate::trace;
use anyhow::{Context, bail};
use std::path::{Path, PathBuf};

/// Why a program may have recorded nothing, the likeliest reason first.
pub const NOTHING_COMPILED: &str = "the program does not call what torch.compile(model) returns (the model itself stays as it \
     is; model.compile() changes it); TORCH_COMPILE_DISABLE=1, TORCHDYNAMO_DISABLE=1 or the stance force_eager turns compilation \
     off; or TORCH_TRACE is not set in the process that compiles, as in a container or on another machine";

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
    check_content(path)
}

/// Refuses a folder that holds neither a log nor a report itself; says what it holds instead.
fn check_content(folder: &Path) -> anyhow::Result<()> {
    let shown = folder.display();
    let entries = trace::entries(folder).with_context(|| format!("cannot read the folder {shown}"))?;
    let folders: Vec<&PathBuf> = entries.iter().filter(|entry| entry.is_dir()).collect();
    let has_facts = |folder: &&PathBuf| ReportFolder::at(folder).has(FACTS);
    let (reports, others): (Vec<_>, Vec<_>) = folders.into_iter().partition(has_facts);
    let with_logs: Vec<_> =
        others.into_iter().filter(|folder| !trace::log_files(folder).is_empty()).collect();
    let names = |folders: &[&PathBuf]| {
        let names: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
        first_of(&names, NAMED)
    };
    match (reports.as_slice(), with_logs.as_slice()) {
        ([one, other, ..], _) => bail!(
            "{shown} holds reports, not logs: {}. tlparse show findings {} reads one; tlparse diff {} {} compares two",
            names(&reports),
            one.display(),
            one.display(),
            other.display()
        ),
        ([report], _) => {
            bail!("{shown} holds a report, not a log; give the folder of the report: {}", report.display())
        }
        ([], [only]) => {
            bail!("no log in the folder {shown}, but below it; give that folder: tlparse {}", only.display())
        }
        ([], [_, ..]) => bail!(
            "no log in the folder {shown}, but in folders below it; give one of them: {}",
            names(&with_logs)
        ),
        ([], []) if entries.is_empty() => {
            bail!("nothing was recorded: the folder {shown} is empty. Likely reasons: {NOTHING_COMPILED}")
        }
        // Files with names that torch does not give are looked at by whoever reads them.
        ([], []) => Ok(()),
    }
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
