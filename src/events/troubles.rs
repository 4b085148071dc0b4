//! Records about work that went wrong beside a compile, or that was done more than once: nested regions with several
//! backward passes, results that no cache could store, and compiles of kernels in languages within Python.

use super::{Event, Flow, RankContext};
use crate::model::{Cell, CompileIndex, Fields, Form, NativeCompile, Trouble, TroubleKind, Unit};

/// Characters of torch's text that are kept.
const TEXT: usize = 2_000;

/// Native compiles that are kept for findings; all are listed with their compile.
const NATIVE: usize = 20_000;

fn note(cx: &mut RankContext<'_>, kind: TroubleKind, subject: Option<String>, text: &str) {
    let compile = cx.compile_at_hand();
    let text = text.chars().take(TEXT).collect();
    cx.model().troubles.push(Trouble { kind, compile, subject, text });
}

/// `invoke_subgraph_backward_duplicate`: the region, and the gradients that made torch compile its backward again.
pub(super) fn parse_backward_variant(event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
    cx.artifact_of_payload(event, event.name.unwrap_or(event.key), Form::Json);
    let text = event.payload_text().unwrap_or_default();
    let payload = Fields::parse(&text).unwrap_or_default();
    let variant = payload.get::<serde_json::Value>("new_variant").unwrap_or_default();
    let tangents =
        variant.get("tangents").and_then(|list| list.as_array()).map(Vec::as_slice).unwrap_or_default();
    let lines: Vec<String> = tangents.iter().take(20).filter_map(tangent).collect();
    note(cx, TroubleKind::BackwardVariant, payload.text("forward_identifier"), &lines.join("\n"));
    Ok(Flow::Handled)
}

/// `shape [4, 8], stride [1, 4]` of a gradient.
fn tangent(one: &serde_json::Value) -> Option<String> {
    let of = |field: &str| one.get(field).map(ToString::to_string);
    Some(format!("shape {}, stride {}", of("shape")?, of("stride")?))
}

/// A record with an error, and a field that says what it is about.
pub(super) fn parse_error(
    event: &Event<'_>,
    cx: &mut RankContext<'_>,
    kind: TroubleKind,
    subject: &str,
) -> anyhow::Result<Flow> {
    cx.artifact_of_payload(event, event.name.unwrap_or(event.key), Form::Json);
    let text = event.payload_text().unwrap_or_default();
    let payload = Fields::parse(&text).unwrap_or_default();
    note(cx, kind, payload.text(subject), &payload.text("error").unwrap_or_default());
    Ok(Flow::Handled)
}

pub(super) fn parse_text(
    event: &Event<'_>,
    cx: &mut RankContext<'_>,
    kind: TroubleKind,
) -> anyhow::Result<Flow> {
    cx.artifact_of_payload(event, event.name.unwrap_or(event.key), Form::Text);
    let text = event.payload_text().unwrap_or_default();
    note(cx, kind, None, &text);
    Ok(Flow::Handled)
}

pub(super) fn parse_native(event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
    cx.artifact_of_payload(event, "native_dsl_compile", Form::Json);
    let text = event.payload_text().unwrap_or_default();
    let payload = Fields::parse(&text).unwrap_or_default();
    let us = payload.number("wall_ms").map(|ms| ms * 1e3);
    let compile: CompileIndex = cx.compile_at_hand();
    let native = NativeCompile {
        compile,
        op: payload.text("op").unwrap_or_default(),
        dsl: payload.text("dsl").unwrap_or_default(),
        compiled: payload.get::<bool>("compiled").unwrap_or_default(),
        key: payload.text("key").unwrap_or_default(),
        us: us.filter(|us| us.is_finite() && *us > 0.0).unwrap_or_default(),
    };
    if cx.model().native_compiles.len() < NATIVE {
        cx.model().native_compiles.push(native);
    }
    let row = vec![
        Cell::code(payload.text("op")),
        Cell::text(payload.text("dsl")),
        Cell::text(payload.text("outcome")),
        Cell::number(us, Unit::Micros),
        Cell::number(payload.number("hits"), Unit::Count),
        Cell::number(payload.number("misses"), Unit::Count),
        Cell::code(payload.text("key")),
    ];
    cx.table("native-compiles").row(row);
    Ok(Flow::Handled)
}
