//! The artifacts that have a page of code.

use crate::model::{Artifact, Compile, Content, Form, Place, Readable};
use crate::output::Page;
use crate::report::kit::paths;
use crate::report::kit::templates::Worker;
use crate::report::pages::code::{Code, Text, dump_files, kernel_stacks, page};
use crate::report::subject::Report;

/// All pages of code, kernel stacks and generated modules.
pub(crate) fn pages(report: Report<'_>) -> Vec<Page<'_, Worker>> {
    let mut pages = Vec::new();
    for compile in &report.model.compiles {
        for artifact in &compile.artifacts {
            pages.extend(code_page(report, compile, artifact));
            pages.extend(readable_page(report, compile, artifact));
        }
    }
    pages.extend(dump_files::pages(report));
    pages
}

/// The page of a code artifact; its text if plain text was requested.
fn code_page<'m>(
    report: Report<'m>,
    compile: &'m Compile,
    artifact: &'m Artifact,
) -> Option<Page<'m, Worker>> {
    let path = paths::artifact(compile, artifact, report.settings);
    let (text, language) = match &artifact.content {
        _ if artifact.place == Place::Payloads => return None,
        Content::Text(text, Form::Code(_)) if report.settings.plain_text => {
            return Some(Page::bytes(path, text.as_bytes()));
        }
        Content::Payload(_, Form::Code(_)) if report.settings.plain_text => return None,
        Content::Payload(at, Form::Code(language)) => (Text::Payload(*at), *language),
        Content::Text(text, Form::Code(language)) => (Text::Made(text), *language),
        _ => return None,
    };
    Some(page(report, path, Code { compile, artifact, text, language }))
}

/// The readable page of an artifact, next to its file.
fn readable_page<'m>(
    report: Report<'m>,
    compile: &'m Compile,
    artifact: &'m Artifact,
) -> Option<Page<'m, Worker>> {
    let path = paths::readable(compile, artifact, report.settings)?;
    let text = match &artifact.content {
        Content::Payload(at, _) => Text::Payload(*at),
        Content::Text(text, _) => Text::Made(text),
        _ => return None,
    };
    match artifact.readable? {
        Readable::KernelStacks => Some(kernel_stacks::page(report, path, (compile, artifact), text)),
        Readable::Code(language) => Some(page(report, path, Code { compile, artifact, text, language })),
    }
}
