//! Artifacts that no other parser handles: one file each, under the name that torch gave it.

use super::{Event, Flow, RankContext, Stateless, StructuredLogParser};
use crate::model::{Fields, Form, Torch};

pub(super) fn parsers() -> Vec<Box<dyn StructuredLogParser>> {
    vec![
        Box::new(Stateless {
            name: "torch_version",
            about: "The version and commit of the torch that wrote the log.",
            keys: &["artifact:torch_version"],
            parse: parse_torch_version,
        }),
        Box::new(Stateless {
            name: "artifact",
            about: "Any other artifact, from torch or from another producer, as a file under its own name.",
            keys: &["artifact"],
            parse: parse_artifact,
        }),
        Box::new(Stateless {
            name: "memoizer_artifacts",
            about: "Contents of a memoizer, as JSON.",
            keys: &["memoizer_artifacts"],
            parse: parse_memoizer,
        }),
    ]
}

/// `torch_version`: which torch wrote the log.
fn parse_torch_version(event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
    cx.artifact_of_payload(event, "torch_version", Form::Json);
    let text = event.payload_text().unwrap_or_default();
    let payload = Fields::parse(&text).unwrap_or_default();
    if let Some(version) = payload.text("pytorch_version") {
        cx.model().torch = Some(Torch { version, commit: payload.text("commit") });
    }
    Ok(Flow::Handled)
}

/// Every other artifact.
fn parse_artifact(event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
    let json = event.fields().text("encoding").is_some_and(|encoding| encoding == "json");
    let form = if json { Form::Json } else { Form::Text };
    cx.artifact_of_payload(event, event.name.unwrap_or("artifact"), form);
    Ok(Flow::Handled)
}

/// `memoizer_artifacts`: what a memoizer kept.
fn parse_memoizer(event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
    let name = match event.fields().text("sub_key") {
        Some(sub_key) => format!("memoizer_artifacts_{sub_key}"),
        None => "memoizer_artifacts".to_owned(),
    };
    cx.artifact_of_payload(event, &name, Form::Json);
    Ok(Flow::Handled)
}
