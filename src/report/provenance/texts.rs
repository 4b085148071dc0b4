//! The texts of a run, read again from the log, and the file of its maps.

use super::Run;
use crate::analysis::provenance::{CodeKind, Coverage, LineMap, Provenance, SourceLine, Texts, provenance};
use crate::model::Content;
use crate::report::Report;
use serde::Serialize;
use std::io::Write;

/// Bytes of a text that is read; the largest graph recorded has 2 MB. What is larger stays a file.
const LARGEST_READ: u64 = 16 << 20;

/// The texts of a run.
#[derive(Default)]
pub(in crate::report) struct RunTexts {
    pub(super) pre: Option<String>,
    pub(super) post: Option<String>,
    pub(super) code: Vec<(CodeKind, String)>,
    mappings: Vec<String>,
    stacks: Option<String>,
}

impl RunTexts {
    /// Reads them.
    pub fn read(report: Report<'_>, run: &Run<'_>) -> anyhow::Result<RunTexts> {
        let text = |index: Option<usize>| -> anyhow::Result<Option<String>> {
            let artifact = index.and_then(|index| run.compile.artifacts.get(index));
            Ok(match artifact.map(|artifact| &artifact.content) {
                Some(Content::Payload(at, _)) if at.text_len <= LARGEST_READ => Some(report.payload(at)?),
                Some(Content::Text(text, _)) => Some(text.clone()),
                _ => None,
            })
        };
        let mut texts = RunTexts {
            pre: text(run.run.pre)?,
            post: text(run.run.post)?,
            stacks: text(run.run.stacks)?,
            ..RunTexts::default()
        };
        for file in &run.run.code {
            texts.code.extend(text(Some(file.artifact))?.map(|text| (file.kind, text)));
        }
        for index in &run.run.mappings {
            texts.mappings.extend(text(Some(*index))?);
        }
        Ok(texts)
    }

    /// What follows from them.
    pub fn provenance(&self) -> Provenance {
        provenance(&Texts {
            pre: self.pre.as_deref(),
            post: self.post.as_deref(),
            code: self.code.iter().map(|(kind, text)| (*kind, text.as_str())).collect(),
            mappings: self.mappings.iter().map(String::as_str).collect(),
            stacks: self.stacks.as_deref(),
        })
    }
}

/// The file beside a page.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MapsFile<'p> {
    pre_to_post: &'p LineMap,
    post_to_pre: &'p LineMap,
    py_code_to_post: &'p LineMap,
    post_to_py_code: &'p LineMap,
    cpp_code_to_post: &'p LineMap,
    post_to_cpp_code: &'p LineMap,
    source: &'p [SourceLine],
    coverage: Coverage,
}

/// Writes the maps of a run as JSON.
pub(super) fn write_maps(report: Report<'_>, run: &Run<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let found = RunTexts::read(report, run)?.provenance();
    let file = MapsFile {
        pre_to_post: &found.maps.pre_to_post,
        post_to_pre: &found.maps.post_to_pre,
        py_code_to_post: &found.maps.py_code_to_post,
        post_to_py_code: &found.maps.post_to_py_code,
        cpp_code_to_post: &found.maps.cpp_code_to_post,
        post_to_cpp_code: &found.maps.post_to_cpp_code,
        source: &found.source,
        coverage: found.coverage,
    };
    serde_json::to_writer(&mut *out, &file)?;
    Ok(out.write_all(b"\n")?)
}
