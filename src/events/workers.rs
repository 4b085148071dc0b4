//! Compile workers: processes that compile kernels, and what torch reports when they stall or die.

use super::{Event, Flow, RankContext};
use crate::model::{AdviceKind, Cell, Form, Unit, WorkerStall};
use crate::trace::CompileId;

/// `compile_worker_status`: a job that has run for a minute or more. Only the payload has its compile id.
pub(super) fn parse_worker_status(event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
    let text = event.payload_text().unwrap_or_default();
    let payload = crate::model::Fields::parse(&text).unwrap_or_default();
    let id = payload.text("compile_id").and_then(|id| CompileId::parse(&id));
    if id.is_some() {
        cx.compile(id.as_ref(), event.attempt);
    }
    cx.artifact_of_payload(event, "compile_worker_status", Form::Json);
    let seconds = |field| Cell::number(payload.number(field).map(|s| s * 1e6), Unit::Micros);
    let stall = WorkerStall {
        compile: cx.compile_at_hand(),
        phase: payload.text("phase"),
        elapsed_s: payload.number("elapsed_s"),
        job: payload.raw("job_id").map(|id| id.get().to_owned()),
    };
    cx.model().worker_stalls.push(stall);
    let row = vec![
        Cell::code(payload.raw("job_id").map(|v| v.get())),
        Cell::text(payload.text("phase")),
        seconds("phase_elapsed_s"),
        seconds("elapsed_s"),
        Cell::code(payload.raw("worker_pid").map(|v| v.get())),
    ];
    cx.table("worker-status").row(row);
    Ok(Flow::Handled)
}

pub(super) fn parse_worker_death(event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
    cx.artifact_of_payload(event, "compile_worker_sidecar_death", Form::Text);
    let text = event.payload_text().unwrap_or_default().into_owned();
    cx.notice(AdviceKind::WorkerDeath, "The compile worker process died", text);
    Ok(Flow::Handled)
}
