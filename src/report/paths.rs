//! Names of the report's files, each from a checked path.

use super::Settings;
use crate::model::{Artifact, Compile, Content, Form, Place};
use crate::output::{REPORT_ENTRIES, RelPath, is_compile_folder};
use crate::trace::Md5;

/// Characters of an artifact's name that its file keeps. With number and extension it stays below 120 bytes, what
/// unpackers and Windows still take inside a folder.
const LONGEST_NAME: usize = 96;

/// The landing page: what was compiled, and all that the report holds.
pub(super) fn landing(settings: &Settings) -> &'static str {
    if settings.export { "report.html" } else { "index.html" }
}

/// The export report.
pub(super) fn export(settings: &Settings) -> &'static str {
    if settings.export { "index.html" } else { "export.html" }
}

/// The file of an artifact.
pub(super) fn artifact(compile: &Compile, artifact: &Artifact, settings: &Settings) -> RelPath {
    if let Some(path) = &artifact.path {
        return path.clone();
    }
    match (&artifact.content, artifact.place) {
        (Content::DumpFile(_), _) => dump_file(&artifact.name),
        (Content::Payload(at, _), Place::Payloads) => payload(at.md5),
        _ => RelPath::of_parts(&[&compile.folder(artifact.attempt), &listed_name(artifact, settings)]),
    }
}

/// `<name>_<number>.<ext>`, what the directory calls an artifact; a generated module and a link keep their names.
pub(super) fn listed_name(artifact: &Artifact, settings: &Settings) -> String {
    if let Some(path) = &artifact.path {
        return path.as_str().to_owned();
    }
    match artifact.content {
        Content::DumpFile(_) => return format!("{}.html", stem(artifact)),
        Content::Link(_) => return artifact.name.clone(),
        _ => {}
    }
    format!("{}_{}.{}", stem(artifact), artifact.number, extension(artifact, settings))
}

/// The name without number and extension, as its file has it.
pub(super) fn stem(artifact: &Artifact) -> String {
    RelPath::safe_part(&artifact.name, LONGEST_NAME)
}

/// Whether the report itself writes, or may write, a file or folder of that path: no parser of the library's user may
/// place a file there. Upper and lower case count as the same.
pub fn is_own_path(path: &RelPath) -> bool {
    let path = path.as_str().to_lowercase();
    let (top, below) = path.split_once('/').map_or((path.as_str(), None), |(top, rest)| (top, Some(rest)));
    match below {
        Some(file) if is_compile_folder(top) => {
            matches!(file, "compile.html" | "graphs.html") || is_numbered(file)
        }
        _ => REPORT_ENTRIES.hold(top, true) || REPORT_ENTRIES.hold(top, false),
    }
}

/// Whether a file is called as files of a compile are: `x_12.txt`, `x_12_readable.html`.
fn is_numbered(file: &str) -> bool {
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let stem = stem.strip_suffix("_readable").unwrap_or(stem);
    let number = stem.rsplit_once('_').map(|(_, number)| number);
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The page that shows an artifact for people, where it has one.
pub(super) fn readable(compile: &Compile, artifact: &Artifact) -> Option<RelPath> {
    artifact.readable?;
    let file = format!("{}_{}_readable.html", stem(artifact), artifact.number);
    Some(RelPath::of_parts(&[&compile.folder(artifact.attempt), &file]))
}

fn extension(artifact: &Artifact, settings: &Settings) -> &'static str {
    match artifact.content {
        Content::Metrics(_)
        | Content::Guard(_)
        | Content::DumpFile(_)
        | Content::Link(_)
        | Content::Tables(_) => "html",
        Content::Payload(_, form) | Content::Text(_, form) | Content::Empty(form) => match form {
            Form::Text => "txt",
            Form::Json => "json",
            Form::Guards => "html",
            Form::Code(_) if settings.plain_text => "txt",
            Form::Code(_) => "html",
        },
    }
}

/// The page of a compile, in the folder of attempt 0.
pub(super) fn compile_page(compile: &Compile) -> RelPath {
    RelPath::of_parts(&[&compile.folder(0), "compile.html"])
}

/// The graphs of a compile side by side, in the folder of attempt 0.
pub(super) fn graphs_page(compile: &Compile) -> RelPath {
    RelPath::of_parts(&[&compile.folder(0), "graphs.html"])
}

/// The page of an Inductor run, or its maps: `provenance_tracking_-_0_0_0.html` for the first of a folder, and
/// `.._2.html` for the second.
pub(super) fn provenance(compile: &Compile, attempt: u32, order: usize, extension: &str) -> RelPath {
    let folder = compile.folder(attempt);
    let name = match order {
        0 | 1 => format!("provenance_tracking_{folder}.{extension}"),
        order => format!("provenance_tracking_{folder}_{order}.{extension}"),
    };
    RelPath::of_parts(&[&name])
}

/// A payload under its hash.
pub(super) fn payload(md5: Md5) -> RelPath {
    RelPath::of_parts(&["payloads", &format!("{md5}.txt")])
}

/// The page of a generated module's source.
pub(super) fn dump_file(stem: &str) -> RelPath {
    RelPath::of_parts(&["dump_file", &format!("{}.html", RelPath::safe_part(stem, LONGEST_NAME))])
}

/// Whether a payload has a file that holds it word for word, or as indented JSON.
pub(super) fn holds_text(artifact: &Artifact, settings: &Settings) -> bool {
    match artifact.content {
        Content::Payload(_, Form::Text | Form::Json) => true,
        Content::Payload(_, Form::Code(_)) => settings.plain_text,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_the_report_uses_are_its_own() {
        let is_own = |path: &str| is_own_path(&RelPath::new(path).unwrap());
        for path in [
            "index.html",
            "Report.json",
            "payloads",
            "payloads/x.txt",
            "rank_0/x",
            "-_0_0_0",
            "directory_3.html",
            "-_0_0_0/compile.html",
            "-_0_0_0/graph_12.txt",
            "-_0_0_0/code_3_readable.html",
            "process_7/mine.html",
        ] {
            assert!(is_own(path), "{path}");
        }
        for path in ["mine.html", "step_12.txt", "-_0_0_0/mine.html", "-_0_0_0/mine_x.txt", "mine/index.html"]
        {
            assert!(!is_own(path), "{path}");
        }
    }
}
