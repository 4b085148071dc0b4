//! Where a compile begins, and what torch remembers of its sizes.

use super::{Event, Flow, RankContext};
use crate::model::{Cell, Form, ProblemKind};
use anyhow::bail;
use serde_json::value::RawValue;

/// `dynamo_start`: the stack that led to a compile; its last frame is the compiled function.
pub(super) fn parse_dynamo_start(event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
    let fields = event.fields();
    let stack = fields.raw("stack").and_then(|raw| cx.stack(event.pid, raw));
    if let Some(compile) = cx.here() {
        compile.occurrences += u64::from(event.attempt == 0);
        if compile.stack.is_none() {
            compile.stack = stack.clone();
        }
    }
    if stack.is_none() {
        bail!("it has no stack");
    }
    if let Some(missing) = fields.raw("stack").and_then(missing_field) {
        cx.diagnostic(
            ProblemKind::ParserErrors,
            event.line,
            format!("dynamo_start: a frame has no {missing}"),
        );
    }
    Ok(Flow::Handled)
}

/// A field that torch always writes and a frame of `stack` does not have.
fn missing_field(stack: &RawValue) -> Option<&'static str> {
    let frames: Vec<crate::model::Fields<'_>> = serde_json::from_str(stack.get()).ok()?;
    ["line", "name", "filename"]
        .into_iter()
        .find(|field| frames.iter().any(|frame| !frame.iter().any(|(key, _)| key == *field)))
}

pub(super) fn parse_code_state(event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
    cx.artifact_of_payload(event, event.name.unwrap_or("code_state"), Form::Text);
    let text = event.payload_text().unwrap_or_default();
    let mut section = cx.table("code-state");
    let mut function = String::new();
    for line in text.lines() {
        if let Some((source, state)) = line.strip_prefix("  ").and_then(|l| l.split_once(": ")) {
            section.row(vec![
                Cell::Code(function.clone()),
                Cell::Code(source.to_owned()),
                Cell::Code(state.to_owned()),
            ]);
        } else if let Some(name) = line.strip_suffix(':') {
            function = name.split_once(")/").map_or(name, |(_, rest)| rest).to_owned();
        }
    }
    if let Some((_, sources)) = text.split_once("TORCH_COMPILE_DYNAMIC_SOURCES=") {
        let value = sources.lines().next().unwrap_or_default().trim_end();
        section.row(vec![
            Cell::Text("Setting".to_owned()),
            Cell::Text("makes them dynamic from the first call".to_owned()),
            Cell::Code(format!("TORCH_COMPILE_DYNAMIC_SOURCES={value}")),
        ]);
        let compile = cx.compile_at_hand();
        cx.model().dynamic_sources.push((compile, value.to_owned()));
    }
    Ok(Flow::Handled)
}
