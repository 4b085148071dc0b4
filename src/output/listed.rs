//! The files that a report says it has.

use crate::limits::LARGEST_REPORT;
use crate::rel_path::RelPath;
use crate::report_folder::ReportFolder;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;

/// The ending of a page that shows the artifact of the same name.
const READABLE: &str = "_readable.html";

/// The files of compiles that a report says it has, and those that parsers of a library user placed.
pub(super) struct Listed {
    /// Sorted.
    files: Vec<String>,
    /// Whether this program wrote the list. Upstream's names links of the log as it names files.
    pub is_ours: bool,
}

#[derive(Deserialize)]
struct Report {
    tool: Tool,
    #[serde(default)]
    compiles: Vec<Compile>,
}

#[derive(Deserialize)]
pub(super) struct Tool {
    pub name: String,
}

/// A compile of this program's list, or an attempt of upstream's.
#[derive(Deserialize)]
struct Compile {
    #[serde(default)]
    artifacts: Vec<Artifact>,
}

#[derive(Deserialize)]
struct Artifact {
    #[serde(alias = "url")]
    path: String,
    /// Upstream's list has the page that shows it.
    readable_url: Option<String>,
}

impl Listed {
    /// What the report in a folder lists in `report.json`, or upstream's in `compile_directory.json`; None if neither can be
    /// read.
    pub fn read(report: &ReportFolder) -> Option<Listed> {
        let ours = parsed::<Report>(report, "report.json").filter(|report| report.tool.name == "tlparse");
        let is_ours = ours.is_some();
        let compiles = match ours {
            Some(ours) => ours.compiles,
            None => {
                let attempts: BTreeMap<String, Compile> = parsed(report, "compile_directory.json")?;
                attempts.into_values().collect()
            }
        };
        let artifacts = compiles.into_iter().flat_map(|compile| compile.artifacts);
        let mut files: Vec<String> =
            artifacts.flat_map(|one| std::iter::once(one.path).chain(one.readable_url)).collect();
        files.retain(|file| RelPath::new(file).is_some());
        files.sort_unstable();
        Some(Listed { files, is_ours })
    }

    /// Whether it lists a file, or the artifact that a page shows in readable form.
    pub fn has(&self, path: &str) -> bool {
        let is_listed = self.files.binary_search_by(|file| file.as_str().cmp(path)).is_ok();
        let shown = path.strip_suffix(READABLE).map(|artifact| format!("{artifact}."));
        is_listed || shown.is_some_and(|artifact| self.has_beginning(&artifact))
    }

    /// Whether it lists a file whose path begins so.
    pub fn has_beginning(&self, beginning: &str) -> bool {
        let at = self.files.partition_point(|file| file.as_str() < beginning);
        self.files.get(at).is_some_and(|file| file.starts_with(beginning))
    }
}

fn parsed<T: DeserializeOwned>(report: &ReportFolder, file: &str) -> Option<T> {
    let mut bytes = Vec::new();
    report.read(file, LARGEST_REPORT, &mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}
