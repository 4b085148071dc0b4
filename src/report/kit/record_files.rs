//! Files of the report that hold given records: the evidence of a finding.

use crate::limits::NAMED;
use crate::model::{Artifact, Compile, CompileIndex};
use crate::rel_path::RelPath;
use crate::report::kit::html::Html;
use crate::report::kit::paths;
use crate::report::kit::view::View;
use crate::report::subject::Report;

/// A record with a file of its own.
pub(crate) struct RecordFile<'m> {
    /// What it is.
    pub artifact: &'m Artifact,
    /// Where it is in the report.
    pub path: RelPath,
}

/// The first records of these names in these compiles.
pub(crate) fn record_files<'m>(
    report: Report<'m>,
    compiles: &[CompileIndex],
    names: &[impl AsRef<str>],
) -> Vec<RecordFile<'m>> {
    let compiles = compiles.iter().filter_map(|&index| report.model.compiles.get(index));
    let files = compiles.filter(|compile| compile.id.is_some()).flat_map(|compile| {
        let named = compile
            .artifacts
            .iter()
            .filter(|artifact| names.iter().any(|name| name.as_ref() == &*artifact.name));
        named.map(move |artifact| (compile, artifact))
    });
    let file = |(compile, artifact): (&'m Compile, &'m Artifact)| RecordFile {
        artifact,
        path: paths::artifact(compile, artifact, report.settings),
    };
    files.take(NAMED).map(file).collect()
}

impl View<'_> {
    /// A link to a record.
    pub fn record(&self, record: &RecordFile<'_>) -> Html {
        let artifact = record.artifact;
        self.link(&self.href(&record.path), &format!("{}_{}", artifact.name, artifact.number))
    }
}
