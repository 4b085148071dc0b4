//! Artifacts that no other parser handles: one file each, under the name that torch gave it.

use super::{Event, Flow, RankContext};
use crate::model::{Fields, Form, Torch};

pub(super) fn parse_torch_version(event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
    cx.artifact_of_payload(event, "torch_version", Form::Json);
    let text = event.payload_text().unwrap_or_default();
    let payload = Fields::parse(&text).unwrap_or_default();
    if let Some(version) = payload.text("pytorch_version") {
        cx.model().torch = Some(Torch { version, commit: payload.text("commit") });
    }
    Ok(Flow::Handled)
}

pub(super) fn parse_artifact(event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
    cx.artifact_of_payload(event, event.name.unwrap_or("artifact"), event.form());
    Ok(Flow::Handled)
}

pub(super) fn parse_memoizer(event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
    let name = match event.fields().text("sub_key") {
        Some(sub_key) => format!("memoizer_artifacts_{sub_key}"),
        None => "memoizer_artifacts".to_owned(),
    };
    cx.artifact_of_payload(event, &name, Form::Json);
    Ok(Flow::Handled)
}
