//! The last parser: an event that no other parser handles is still kept, shown and counted.

use super::{Event, Flow, RankContext};
use crate::model::{Cell, UNKNOWN_EVENTS, Unit};

/// How many bytes of an unknown record's JSON its row shows; raw.jsonl has all of it.
const SHOWN: usize = 300;

pub(super) fn parse_fallback(event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
    *cx.model().integrity.unknown_events.entry(event.key.to_owned()).or_default() += 1;
    if let Some(payload) = event.payload {
        let id = cx.listed_payload(payload, event.name.unwrap_or(event.key));
        if let Some(artifact) = cx.artifact_mut(id) {
            artifact.unknown = true;
        }
    }
    let value = event.value.get();
    if value.len() > 2 || event.payload.is_none() {
        let end = (0..=SHOWN.min(value.len())).rev().find(|&at| value.is_char_boundary(at)).unwrap_or(0);
        let row = vec![
            Cell::Code(event.key.to_owned()),
            Cell::Number(event.line as f64, Unit::Count),
            Cell::Code(value.get(..end).unwrap_or_default().to_owned()),
        ];
        cx.table(UNKNOWN_EVENTS).row(row);
    }
    Ok(Flow::Handled)
}
