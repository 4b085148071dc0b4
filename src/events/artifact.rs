//! Artifacts that no other parser handles: one file each, under the name that torch gave it.

use super::{Event, Flow, RankContext, StructuredLogParser};
use crate::model::{Fields, Form, Torch};

pub(super) fn parsers() -> Vec<Box<dyn StructuredLogParser>> {
    vec![Box::new(TorchVersion), Box::new(Artifact), Box::new(Memoizer)]
}

/// `torch_version`: which torch wrote the log.
struct TorchVersion;

impl StructuredLogParser for TorchVersion {
    fn name(&self) -> &'static str {
        "torch_version"
    }

    fn about(&self) -> &'static str {
        "The version and commit of the torch that wrote the log."
    }

    fn keys(&self) -> &'static [&'static str] {
        &["artifact:torch_version"]
    }

    fn parse(&mut self, event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
        cx.artifact_of_payload(event, "torch_version", Form::Json);
        let text = event.payload_text().unwrap_or_default();
        let payload = Fields::parse(&text).unwrap_or_default();
        if let Some(version) = payload.text("pytorch_version") {
            cx.model().torch = Some(Torch { version, commit: payload.text("commit") });
        }
        Ok(Flow::Handled)
    }
}

/// Every other artifact.
struct Artifact;

impl StructuredLogParser for Artifact {
    fn name(&self) -> &'static str {
        "artifact"
    }

    fn about(&self) -> &'static str {
        "Any other artifact, from torch or from another producer, as a file under its own name."
    }

    fn keys(&self) -> &'static [&'static str] {
        &["artifact"]
    }

    fn parse(&mut self, event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
        let json = event.fields().text("encoding").is_some_and(|encoding| encoding == "json");
        let form = if json { Form::Json } else { Form::Text };
        cx.artifact_of_payload(event, event.name.unwrap_or("artifact"), form);
        Ok(Flow::Handled)
    }
}

/// `memoizer_artifacts`: what a memoizer kept.
struct Memoizer;

impl StructuredLogParser for Memoizer {
    fn name(&self) -> &'static str {
        "memoizer_artifacts"
    }

    fn about(&self) -> &'static str {
        "What a memoizer kept, as JSON."
    }

    fn keys(&self) -> &'static [&'static str] {
        &["memoizer_artifacts"]
    }

    fn parse(&mut self, event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
        let name = match event.fields().text("sub_key") {
            Some(sub_key) => format!("memoizer_artifacts_{sub_key}"),
            None => "memoizer_artifacts".to_owned(),
        };
        cx.artifact_of_payload(event, &name, Form::Json);
        Ok(Flow::Handled)
    }
}
