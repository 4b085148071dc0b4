//! Names of the report's files, each from a checked path.

use crate::model::{Artifact, Compile, Content, Form, Place, Readable};
use crate::output::RelPath;
use crate::report::subject::Settings;
use crate::trace::Md5;
use std::borrow::Cow;

/// Characters of an artifact's name in its file name. With number and extension, it stays below 120 bytes, which
/// Windows and archivers still accept inside a folder.
const LONGEST_NAME: usize = 96;

/// The report as one text, of a log and of a job.
pub(crate) const REPORT_MD: &str = "report.md";

/// The landing page.
pub(crate) fn landing(settings: &Settings) -> &'static str {
    if settings.export { "report.html" } else { "index.html" }
}

/// The export report.
pub(crate) fn export(settings: &Settings) -> &'static str {
    if settings.export { "index.html" } else { "export.html" }
}

/// The file of an artifact.
pub(crate) fn artifact(compile: &Compile, artifact: &Artifact, settings: &Settings) -> RelPath {
    if let Some(path) = &artifact.path {
        return path.clone();
    }
    match (&artifact.content, artifact.place) {
        (Content::DumpFile(_), _) => dump_file(&artifact.name),
        (Content::Payload(at, _), Place::Payloads) => payload(at.md5),
        _ => in_folder(compile, artifact.attempt, &listed_name(artifact, settings)),
    }
}

/// A file in the folder of an attempt.
fn in_folder(compile: &Compile, attempt: u32, name: &str) -> RelPath {
    let mut folder = String::with_capacity(FOLDER_BYTES + name.len());
    compile.push_folder(attempt, &mut folder);
    RelPath::below(folder, name)
}

/// Bytes of a compile's folder with its slash, for up to 100,000 functions: `-_10000_0_0/`. Tight, as the list of pages
/// has a path per file.
const FOLDER_BYTES: usize = 12;

/// `<name>_<number>.<ext>`, an artifact's name in the directory; generated modules and links keep their names.
pub(crate) fn listed_name(artifact: &Artifact, settings: &Settings) -> String {
    if let Some(path) = &artifact.path {
        return path.as_str().to_owned();
    }
    match artifact.content {
        Content::DumpFile(_) => return format!("{}.html", stem(artifact)),
        Content::Link(_) => return artifact.name.to_string(),
        _ => {}
    }
    let mut number = itoa::Buffer::new();
    [&*stem(artifact), "_", number.format(artifact.number), ".", extension(artifact, settings)].concat()
}

/// The name in the file name, without number and extension.
pub(crate) fn stem(artifact: &Artifact) -> Cow<'_, str> {
    RelPath::safe_part(&artifact.name, LONGEST_NAME)
}

/// The readable page of an artifact, if it has one. Code has none where plain text was requested.
pub(crate) fn readable(compile: &Compile, artifact: &Artifact, settings: &Settings) -> Option<RelPath> {
    artifact.readable.filter(|form| *form == Readable::KernelStacks || !settings.plain_text)?;
    let file = format!("{}_{}_readable.html", stem(artifact), artifact.number);
    Some(in_folder(compile, artifact.attempt, &file))
}

/// The readable page of an artifact, or its file.
pub(crate) fn best(compile: &Compile, artifact: &Artifact, settings: &Settings) -> RelPath {
    readable(compile, artifact, settings).unwrap_or_else(|| self::artifact(compile, artifact, settings))
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
pub(crate) fn compile_page(compile: &Compile) -> RelPath {
    in_folder(compile, 0, "compile.html")
}

/// The graphs of a compile side by side, in the folder of attempt 0.
pub(crate) fn graphs_page(compile: &Compile) -> RelPath {
    in_folder(compile, 0, "graphs.html")
}

/// The drawing of a graph of a compile, in the folder of attempt 0.
pub(crate) fn drawn_page(compile: &Compile) -> RelPath {
    in_folder(compile, 0, "graph_drawn.html")
}

/// The page of an Inductor run, or its maps: `provenance_tracking_-_0_0_0.html` for the first of a folder, and
/// `.._2.html` for the second.
pub(crate) fn provenance(compile: &Compile, attempt: u32, number: usize, extension: &str) -> RelPath {
    let folder = compile.folder(attempt);
    let name = match number {
        0 | 1 => format!("provenance_tracking_{folder}.{extension}"),
        number => format!("provenance_tracking_{folder}_{number}.{extension}"),
    };
    RelPath::of_parts(&[&name])
}

/// A payload, named by its hash.
pub(crate) fn payload(md5: Md5) -> RelPath {
    RelPath::of_parts(&["payloads", &format!("{md5}.txt")])
}

/// The page of a generated module's source.
pub(crate) fn dump_file(stem: &str) -> RelPath {
    RelPath::of_parts(&["dump_file", &format!("{}.html", RelPath::safe_part(stem, LONGEST_NAME))])
}

/// Whether a payload has a file with its exact text, or its indented JSON.
pub(crate) fn holds_text(artifact: &Artifact, settings: &Settings) -> bool {
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
    fn the_files_of_a_later_attempt_stand_in_its_own_folder() {
        let compile = Compile { id: crate::trace::CompileId::parse("7/1"), ..Compile::default() };
        let graph =
            Artifact { attempt: 2, readable: Some(Readable::KernelStacks), ..Artifact::named("graph", 3) };
        let settings = Settings::default();
        assert_eq!(artifact(&compile, &graph, &settings).as_str(), "-_7_1_2/graph_3.txt");
        let page = readable(&compile, &graph, &settings).unwrap();
        assert_eq!(page.as_str(), "-_7_1_2/graph_3_readable.html");
        assert_eq!(graphs_page(&compile).as_str(), "-_7_1_0/graphs.html");
    }
}
