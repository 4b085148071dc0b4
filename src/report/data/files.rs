//! Artifacts and payloads as files: texts that are copied from the log without being kept in memory.

use crate::limits::LARGEST_FILE;
use crate::model::{Artifact, Compile, Content, Form, Place};
use crate::output::{Page, RelPath};
use crate::report::kit::json::indent;
use crate::report::kit::paths;
use crate::report::kit::templates::Worker;
use crate::report::subject::Report;
use crate::trace::{Md5, OrderedMap, PayloadRef, Source};

/// Files that hold a text of the log, and the payloads that no such file holds.
pub(crate) fn pages(report: Report<'_>) -> Vec<Page<'_, Worker>> {
    let mut pages = Vec::new();
    let kept = report.model.payloads.iter();
    let mut payloads: OrderedMap<Md5, &PayloadRef> = kept.map(|(md5, at)| (*md5, at)).collect();
    for compile in &report.model.compiles {
        for artifact in &compile.artifacts {
            pages.extend(file(report, compile, artifact));
            if let Content::Payload(at, _) = &artifact.content
                && (report.settings.export || !paths::holds_text(artifact, report.settings))
            {
                payloads.entry(at.md5).or_insert(at);
            }
        }
    }
    pages.extend(payloads.into_iter().map(|(md5, at)| copy(report.source, paths::payload(md5), at)));
    pages
}

/// The file of an artifact; None if the artifact is a page.
fn file<'m>(report: Report<'m>, compile: &Compile, artifact: &'m Artifact) -> Option<Page<'m, Worker>> {
    if artifact.place == Place::Payloads {
        return None;
    }
    let path = paths::artifact(compile, artifact, report.settings);
    match &artifact.content {
        Content::Empty(_) => Some(Page::bytes(path, Vec::new())),
        Content::Text(text, Form::Text | Form::Json) => Some(Page::bytes(path, text.as_bytes())),
        Content::Payload(at, Form::Text) => Some(copy(report.source, path, at)),
        Content::Payload(at, Form::Json) if at.text_len > LARGEST_FILE => Some(copy(report.source, path, at)),
        Content::Payload(at, Form::Json) => Some(indented(report.source, path, at)),
        Content::Payload(at, Form::Code(_)) if report.settings.plain_text => {
            Some(copy(report.source, path, at))
        }
        _ => None,
    }
}

// A log of ten thousand compiles has forty thousand such files: what each is made of is kept small until it is written.

fn copy<'m>(source: &'m Source, path: RelPath, at: &'m PayloadRef) -> Page<'m, Worker> {
    Page::rendered(path, move |_, out| Ok(source.copy_payload(at, out)?))
}

fn indented<'m>(source: &'m Source, path: RelPath, at: &'m PayloadRef) -> Page<'m, Worker> {
    Page::rendered(path, move |_, out| {
        let mut bytes = Vec::new();
        source.read_payload(at, &mut bytes)?;
        match serde_json::from_slice::<serde::de::IgnoredAny>(&bytes) {
            Ok(_) => indent(&bytes, out)?,
            // A text that is declared as JSON and is not, such as a single recompile reason, is copied unchanged.
            Err(_) => out.write_all(&bytes)?,
        }
        Ok(())
    })
}
