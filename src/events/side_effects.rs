//! What compiled code changes outside of itself.

use super::{Event, Flow, RankContext};
use crate::limits::{IN_ROW, SEARCHED};
use crate::model::{CompileIndex, SideEffect, traceback};

/// `dynamo_side_effects`: objects that exist before the call and are changed by it.
pub(super) fn parse_side_effects(event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
    cx.artifact_of_payload(event, "dynamo_side_effects", event.form());
    let text = event.payload_text().unwrap_or_default();
    let compile = cx.compile;
    let effects = text.split("\n========================================\n").take(SEARCHED);
    for block in effects {
        cx.model().side_effects.extend(compile.and_then(|compile| side_effect(compile, block)));
    }
    Ok(Flow::Handled)
}

/// `Mutating object of type Counter (source name: L['self'])` with a traceback below. Objects that the compiled code
/// makes itself have no source; nothing guards on them.
pub(super) fn side_effect(compile: CompileIndex, block: &str) -> Option<SideEffect> {
    let block = block.trim_start();
    let rest = block.strip_prefix("Mutating object of type ")?;
    let (_, rest) = rest.split_once(" (source name: ")?;
    let source = rest.lines().next()?.trim_end().strip_suffix(')')?;
    let mut frames = traceback(block);
    frames.drain(..frames.len().saturating_sub(IN_ROW));
    Some(SideEffect { compile, source: source.to_owned(), frames })
}
