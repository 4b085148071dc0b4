//! Where a failure happened: the user's frames in the open, torch's folded between them.

use crate::analysis::is_library;
use crate::limits::SHORT_TABLE;
use crate::model::{Compile, TextFrame};
use crate::report::doc::Block;
use crate::report::kit::failure_reasons::Reason;
use crate::report::subject::Report;

/// The frames that led to the failure: who called the function, the compiler, and what it called or was reading.
pub(super) fn traceback<'m>(
    report: Report<'m>,
    reason: &Reason<'_>,
    compiles: &[&Compile],
) -> Option<Block<'m>> {
    let mut frames = frames(report, reason, compiles);
    if frames.is_empty() || frames.len() == 1 && reason.cause.place.file.is_none() {
        return None;
    }
    let hit = frames.iter().rposition(|frame| reason.cause.place.is_of(frame));
    let from = frames.len().saturating_sub(SHORT_TABLE);
    Some(Block::Frames { frames: frames.split_off(from), hit: hit.and_then(|hit| hit.checked_sub(from)) })
}

fn frames(report: Report<'_>, reason: &Reason<'_>, compiles: &[&Compile]) -> Vec<TextFrame> {
    let cause = &reason.cause;
    let mut frames = callers(report, compiles);
    let Some(trace) = cause.trace else {
        frames.extend(cause.stack.iter().cloned());
        return frames;
    };
    let is_own = |frame: &TextFrame| !is_library(&frame.file);
    let raised = trace.raised.iter().find(|frames| frames.iter().any(is_own)).or(trace.raised.first());
    let raised = raised.map(Vec::as_slice).unwrap_or_default();
    // What Dynamo was reading stands before what it called there; without that, it is what failed.
    let (before, after): (&[TextFrame], &[TextFrame]) = match raised.iter().any(is_own) {
        true => (&trace.frames, raised),
        false => (raised, &trace.frames),
    };
    frames.extend(before.iter().chain(after).cloned());
    frames
}

/// The user's frames that called the function, without the function itself.
fn callers(report: Report<'_>, compiles: &[&Compile]) -> Vec<TextFrame> {
    let Some(stack) = compiles.iter().find_map(|compile| compile.stack.as_ref()) else { return Vec::new() };
    let above = stack.len().saturating_sub(1);
    let frames = stack.iter().take(above).map(|frame| TextFrame {
        file: report.model.strings.get(frame.file).unwrap_or_default().to_owned(),
        line: frame.line.unwrap_or(0),
        function: frame.name.to_string(),
        loc: frame.loc.as_ref().map(ToString::to_string),
    });
    frames.filter(|frame| !frame.file.is_empty() && !is_library(&frame.file)).collect()
}
