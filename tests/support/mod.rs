//! What tests are made of: find a real log, change it, run the built program on it, look at its report.
//!
//! `report("01_inference")` is the report of a stored log, written once for all tests. `Run::of(path)` runs the program
//! with other flags or on another log. `Log` splits a log into records, to make a changed copy. `window()` is a window of a
//! browser.

pub mod address;
pub mod archive;
pub mod check;
pub mod devtools;
pub mod firefox;
pub mod html;
pub mod imports;
pub mod inputs;
pub mod job;
pub mod log;
pub mod report;
pub mod run;
pub mod site;
pub mod sources;
pub mod window;

pub use check::Check;
pub use html::{Page, select, text_of};
pub use inputs::{Input, input, input_of, inputs};
pub use job::{Job, combine, copy_rank, job, job_logs, rank_reports};
pub use log::{Log, Record};
pub use report::{Report, changed_report, report, reports};
pub use run::{Done, Run};

use std::path::{Path, PathBuf};

/// A file of the source tree.
pub fn source(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The text of a file of the source tree.
pub fn source_text(path: &str) -> String {
    let path = source(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// All files below a folder, as paths relative to it with `/` between their parts, sorted.
pub fn files_below(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
            } else {
                let path = entry.path();
                let parts = path.strip_prefix(root).unwrap().iter();
                found.push(parts.map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/"));
            }
        }
    }
    found.sort();
    found
}
