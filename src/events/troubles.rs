//! Records about work that went wrong beside a compile, or that was done more than once: nested regions with several
//! backward passes, results that no cache could store, and compiles of kernels in languages within Python.

use super::{Event, Flow, RankContext};
use crate::limits::{KEPT, LONGEST_LINE};
use crate::model::{Cell, Fields, Form, NativeCompile, Trouble, TroubleKind, Unit};
use std::borrow::Cow;

/// A record of its own about something that went wrong.
pub(super) fn parse_trouble(
    event: &Event<'_>,
    cx: &mut RankContext<'_>,
    kind: TroubleKind,
) -> anyhow::Result<Flow> {
    let is_text = matches!(kind, TroubleKind::MemoryEstimate | TroubleKind::OverlapCycle);
    let form = if is_text { Form::Text } else { Form::Json };
    cx.artifact_of_payload(event, event.name.unwrap_or(event.key), form);
    let payload = event.payload_text().unwrap_or_default();
    let fields = Fields::parse(&payload).unwrap_or_default();
    let error = || Cow::Owned(fields.text("error").unwrap_or_default());
    let (subject, text) = match kind {
        TroubleKind::BackwardVariant => (fields.text("forward_identifier"), Cow::Owned(tangents(&fields))),
        TroubleKind::NotStored => (fields.text("field"), error()),
        TroubleKind::NotLoaded => (fields.text("key"), error()),
        TroubleKind::MemoryEstimate | TroubleKind::OverlapCycle => (None, Cow::Borrowed(&*payload)),
    };
    let compile = cx.compile_at_hand();
    let text = text.chars().take(LONGEST_LINE).collect();
    cx.model().troubles.push(Trouble { kind, compile, subject, text });
    Ok(Flow::Handled)
}

/// The gradients that made torch compile the backward of a region again, a line each: `shape [4,8], stride [1,4]`.
fn tangents(fields: &Fields<'_>) -> String {
    let variant = fields.get::<serde_json::Value>("new_variant").unwrap_or_default();
    let all = variant.get("tangents").and_then(|list| list.as_array()).into_iter().flatten();
    let line = |one: &serde_json::Value| {
        let of = |field: &str| one.get(field).map(ToString::to_string);
        Some(format!("shape {}, stride {}", of("shape")?, of("stride")?))
    };
    all.take(20).filter_map(line).collect::<Vec<_>>().join("\n")
}

pub(super) fn parse_native(event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
    cx.artifact_of_payload(event, "native_dsl_compile", Form::Json);
    let text = event.payload_text().unwrap_or_default();
    let payload = Fields::parse(&text).unwrap_or_default();
    let us = payload.number("wall_ms").map(|ms| ms * 1e3);
    let native = NativeCompile {
        compile: cx.compile_at_hand(),
        op: payload.text("op").unwrap_or_default(),
        dsl: payload.text("dsl").unwrap_or_default(),
        compiled: payload.get::<bool>("compiled").unwrap_or_default(),
        key: payload.text("key").unwrap_or_default(),
        us: us.filter(|us| us.is_finite() && *us > 0.0).unwrap_or_default(),
    };
    if cx.model().native_compiles.len() < KEPT {
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
