//! Artifacts and payloads as files: texts that are copied from the log without being kept in memory.

use crate::model::{Artifact, Compile, Content, Form, Place};
use crate::output::Page;
use crate::report::kit::json::indent;
use crate::report::kit::paths;
use crate::report::kit::templates::Worker;
use crate::report::subject::Report;
use crate::trace::PayloadRef;
use indexmap::IndexMap;

/// JSON up to this size is indented; larger JSON is copied unchanged, so that one payload cannot fill the memory.
const LARGEST_INDENTED: u64 = 64 << 20;

/// Files that hold a text of the log, and the payloads that no such file holds.
pub(crate) fn pages(report: Report<'_>) -> Vec<Page<'_, Worker>> {
    let mut pages = Vec::new();
    let mut payloads: IndexMap<_, PayloadRef> = report.model.payloads.clone();
    for compile in &report.model.compiles {
        for artifact in &compile.artifacts {
            pages.extend(file(report, compile, artifact));
            if let Content::Payload(at, _) = artifact.content
                && (report.settings.export || !paths::holds_text(artifact, report.settings))
            {
                payloads.entry(at.md5).or_insert(at);
            }
        }
    }
    let kept = payloads.into_iter().map(|(md5, at)| copy(report, paths::payload(md5), at));
    pages.extend(kept);
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
        Content::Payload(at, Form::Text) => Some(copy(report, path, *at)),
        Content::Payload(at, Form::Json) if at.text_len > LARGEST_INDENTED => Some(copy(report, path, *at)),
        Content::Payload(at, Form::Json) => Some(indented(report, path, *at)),
        Content::Payload(at, Form::Code(_)) if report.settings.plain_text => Some(copy(report, path, *at)),
        _ => None,
    }
}

fn copy<'m>(report: Report<'m>, path: crate::output::RelPath, at: PayloadRef) -> Page<'m, Worker> {
    Page::rendered(path, move |_, out| Ok(report.source.copy_payload(&at, out)?))
}

fn indented<'m>(report: Report<'m>, path: crate::output::RelPath, at: PayloadRef) -> Page<'m, Worker> {
    Page::rendered(path, move |_, out| {
        let mut bytes = Vec::new();
        report.source.read_payload(&at, &mut bytes)?;
        match serde_json::from_slice::<serde::de::IgnoredAny>(&bytes) {
            Ok(_) => indent(&bytes, out)?,
            // A text that is declared as JSON and is not, such as a single recompile reason, is copied unchanged.
            Err(_) => out.write_all(&bytes)?,
        }
        Ok(())
    })
}
