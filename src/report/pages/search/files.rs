//! The file names of all compiles, and which of the files are searched as text.

use crate::limits::LARGEST_TEXT;
use crate::model::{Artifact, Compile, CompileIndex, Content, Form, Language, Place, Readable};
use crate::report::kit::paths;
use crate::report::kit::search_index::{IndexWriter, write_text};
use crate::report::subject::Report;
use crate::trace::{Md5, PayloadRef};
use std::io;

/// A file in the index.
pub(crate) struct File<'m> {
    pub name: &'m str,
    /// Its index among the files.
    pub number: usize,
    /// Its text; None if it is not searched.
    pub text: Option<Text<'m>>,
    /// Priority of its text: the lowest rank is indexed first.
    pub rank: u8,
    /// Whether it is JSON, which is indexed with one field per line.
    pub json: bool,
}

/// Where a text is stored.
#[derive(Clone, Copy)]
pub(crate) enum Text<'m> {
    /// In the log.
    Payload(&'m PayloadRef),
    /// In the model, made by a parser.
    Made(&'m str),
}

impl Text<'_> {
    pub fn len(&self) -> u64 {
        match self {
            Text::Payload(at) => at.text_len,
            Text::Made(text) => text.len() as u64,
        }
    }

    /// Its hash, if known.
    pub fn md5(&self) -> Option<Md5> {
        match self {
            Text::Payload(at) => Some(at.md5),
            Text::Made(_) => None,
        }
    }
}

/// Writes the files in log order: `["name", anchored]`, with folder and compile whenever they change.
pub(crate) fn write<'m>(report: Report<'m>, index: &mut IndexWriter<'_>) -> io::Result<Vec<File<'m>>> {
    index.list("files")?;
    let mut files: Vec<File<'m>> = Vec::new();
    let mut last: Option<(String, CompileIndex)> = None;
    let mut json = Vec::new();
    for (at, compile) in report.model.compiles.indexed() {
        for artifact in compile.artifacts.iter().filter(|a| !matches!(a.content, Content::Link(_))) {
            let mut file = file(report, artifact);
            let (path, anchored) = page(report, compile, artifact, &file);
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
            json.clear();
            json.push(b'[');
            write_text(&mut json, name);
            json.extend_from_slice(if anchored { b",1" } else { b",0" });
            let changed = last.as_ref().is_none_or(|(known, of)| (known.as_str(), *of) != (folder, at));
            if changed {
                json.push(b',');
                write_text(&mut json, folder);
                json.push(b',');
                write_text(&mut json, &compile.label());
            }
            json.push(b']');
            if !index.entry(&json)? {
                index.dropped += 1;
                continue;
            }
            if changed {
                last = Some((folder.to_owned(), at));
            }
            file.number = files.len();
            files.push(file);
        }
    }
    Ok(files)
}

/// The file that shows an artifact best, and whether its lines have anchors.
fn page(report: Report<'_>, compile: &Compile, artifact: &Artifact, file: &File<'_>) -> (String, bool) {
    let small = file.text.as_ref().is_some_and(|text| text.len() <= LARGEST_TEXT);
    let anchored = small
        && match &artifact.content {
            _ if artifact.place == Place::Payloads => false,
            Content::DumpFile(_) => true,
            Content::Payload(_, Form::Code(_)) | Content::Text(_, Form::Code(_)) => {
                !report.settings.plain_text
            }
            _ => matches!(artifact.readable, Some(Readable::Code(_))) && !report.settings.plain_text,
        };
    let path = match anchored {
        true => paths::best(compile, artifact, report.settings),
        false => paths::artifact(compile, artifact, report.settings),
    };
    (path.as_str().to_owned(), anchored)
}

fn file<'m>(report: Report<'m>, artifact: &'m Artifact) -> File<'m> {
    let (text, form) = match &artifact.content {
        Content::Payload(at, form) => (Some(Text::Payload(at)), Some(*form)),
        Content::Text(text, form) => (Some(Text::Made(text)), Some(*form)),
        Content::DumpFile(index) => {
            let module = report.model.dump_files.get(*index);
            (module.map(|module| Text::Payload(&module.at)), Some(Form::Code(Language::Python)))
        }
        Content::Metrics(_)
        | Content::Guard(_)
        | Content::Empty(_)
        | Content::Link(_)
        | Content::Tables(_) => (None, None),
    };
    let json = matches!(form, Some(Form::Json | Form::Guards));
    let rank = rank(artifact, json);
    File { name: &artifact.name, number: 0, text, rank, json }
}

/// The rank of a text: what readers search for comes first, copies and dumps of settings last.
fn rank(artifact: &Artifact, json: bool) -> u8 {
    match &*artifact.name {
        name if name.contains("runnable") => 5,
        _ if artifact.cache.is_some() => 4,
        name if name.contains("guards") => 3,
        name if name.ends_with(".config") => 2,
        _ if json => 1,
        _ => 0,
    }
}

impl File<'_> {
    /// Whether its text is intact.
    pub fn is_readable(&self) -> bool {
        // JSON is parsed in memory.
        self.text.is_some_and(|text| !self.json || text.len() <= LARGEST_TEXT)
    }
}
