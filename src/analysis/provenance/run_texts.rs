//! The texts of an Inductor run, read from the log.

use super::{CodeKind, InductorRun};
use crate::limits::LARGEST_ARTIFACT;
use crate::model::{Compile, Content};
use crate::trace::PayloadRef;

#[derive(Debug, Default)]
pub struct RunTexts {
    /// The graph before AOTAutograd.
    pub pre: Option<String>,
    /// The graph that code was generated from.
    pub post: Option<String>,
    /// Generated code, by kind.
    pub code: Vec<CodeOfKind>,
    /// Node mappings.
    pub mappings: Vec<String>,
    /// Stack traces of kernels.
    pub stacks: Option<String>,
}

/// A file of generated code.
#[derive(Debug)]
pub struct CodeOfKind {
    /// What kind of file it is.
    pub kind: CodeKind,
    pub text: String,
}

impl RunTexts {
    /// Reads the texts; `read` reads the text of a payload.
    ///
    /// # Errors
    /// The errors of `read`.
    pub fn read(
        compile: &Compile,
        run: &InductorRun,
        read: impl Fn(&PayloadRef) -> anyhow::Result<String>,
    ) -> anyhow::Result<RunTexts> {
        let text = |index: Option<usize>| -> anyhow::Result<Option<String>> {
            let artifact = index.and_then(|index| compile.artifacts.get(index));
            Ok(match artifact.map(|artifact| &artifact.content) {
                Some(Content::Payload(at, _)) if at.text_len <= LARGEST_ARTIFACT => Some(read(at)?),
                Some(Content::Text(text, _)) => Some(text.clone()),
                _ => None,
            })
        };
        let mut texts = RunTexts {
            pre: text(run.pre)?,
            post: text(run.post)?,
            stacks: text(run.stacks)?,
            ..RunTexts::default()
        };
        for file in &run.code {
            texts.code.extend(text(Some(file.artifact))?.map(|text| CodeOfKind { kind: file.kind, text }));
        }
        for index in &run.mappings {
            texts.mappings.extend(text(Some(*index))?);
        }
        Ok(texts)
    }
}
