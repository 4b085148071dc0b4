//! Evidence for recompilations: all reasons, the guards compared, and the inputs before and after.

use super::function::Room;
use super::{guards, tensors};
use crate::analysis::{Chain, Step, disagreement};
use crate::limits::{LONG_LIST, SHORT_LIST};
use crate::model::{Compile, Reason};
use crate::report::doc::Block;
use crate::report::kit::prelude::*;

/// Bytes that are left for the tables of functions when no more evidence is shown.
const ROOM_FOR_TABLES: usize = 1_000_000;

/// The evidence for each recompile of a function, folded; `room` is how many bytes of guards may still be compared.
pub(super) fn of_chain<'m>(chain: &'m Chain<'m>, room: &'m Room) -> Option<Block<'m>> {
    let again = || chain.steps.iter().skip(1).take(LONG_LIST);
    again().any(|step| !step.reasons.is_empty()).then(|| Block::More {
        summary: "Each reason in full, with the guards and the inputs compared".into(),
        blocks: vec![Block::Drawn(Box::new(move |view, out| {
            for step in again() {
                if view.worker.room() < ROOM_FOR_TABLES {
                    let words = "More of it would make the page too large; report.json has it.";
                    return Ok(soft_paragraph(out, words)?);
                }
                write(view, step, room, out)?;
            }
            Ok(())
        }))],
    })
}

/// Whether two reasons differ only in the version and the text of its guard.
fn is_like(first: &Reason, other: &Reason) -> bool {
    let code = |reason: &Reason| reason.source.as_ref().map(|s| (s.code.clone(), s.file.clone(), s.line));
    let taken_apart = other.source.is_some() || other.text.trim() == other.guard;
    taken_apart
        && code(first) == code(other)
        && first.hint == other.hint
        && first.user_stack == other.user_stack
}

/// `3/0: tensor 'x' size mismatch at index 0. expected 2, actual 4`.
fn short(view: View<'_>, reason: &Reason) -> Html {
    let id = reason.against.as_deref().unwrap_or("another").into();
    Element::new("p").around(Html::joined([id, view.folded(&reason.guard, true)], ": "))
}

fn write(view: View<'_>, step: &Step<'_>, room: &Room, out: &mut dyn Write) -> anyhow::Result<()> {
    let compiles = &view.report.model.compiles;
    let Some(compile) = compiles.get(step.compile) else { return Ok(()) };
    let frame = Element::new("div").class("entry").id(&format!("why{}", compile.folder(0)));
    write_line(out, &frame.open())?;
    heading(out, view.pill_beside(compile))?;
    if let Some(words) = disagreement(step) {
        paragraph(out, view.prose(&words))?;
    }
    let first = step.reasons.first();
    for (index, reason) in step.reasons.iter().take(SHORT_LIST).enumerate() {
        let shown = match first.filter(|first| index > 0 && is_like(first, reason)) {
            // It fails like the first version, so only its guard is shown.
            Some(_) => short(view, reason),
            None => view.reason(reason)?,
        };
        write_line(out, &shown)?;
    }
    view.left_out(out, step.reasons.len(), SHORT_LIST, "reasons are in report.json")?;
    if let Some(old) = step.against.and_then(|index| compiles.get(index)) {
        write_line(out, &compared(view, step, [old, compile], room)?)?;
    }
    Ok(close(out, "div")?)
}

/// The guards and the inputs of the version that was not taken, and of the new one.
fn compared(view: View<'_>, step: &Step<'_>, [old, new]: [&Compile; 2], room: &Room) -> anyhow::Result<Html> {
    let wanted = step.change.as_ref().and_then(|change| change.source.as_deref());
    let guards = guards::compared(view, (old, new), wanted, room)?;
    Ok(Html::joined([guards, tensors::compared(old, new)], ""))
}
