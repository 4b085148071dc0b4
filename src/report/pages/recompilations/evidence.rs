//! Evidence for a recompilation: all reasons, the guards compared, and the inputs before and after.

use crate::analysis::{Step, disagreement};
use crate::limits::SHORT_LIST;
use crate::model::Reason;
use crate::report::kit::prelude::*;
use crate::report::pages::recompilations::{guards, tensors};

#[derive(Serialize)]
struct Evidence {
    id: String,
    title: String,
    reasons: Html,
    left_out: Option<String>,
    guards: Html,
    tensors: Html,
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

/// Writes the evidence of a step; `room` is how many more bytes of guards may be compared.
pub(crate) fn fold(
    view: View<'_>,
    step: &Step<'_>,
    room: &mut u64,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let compiles = &view.report.model.compiles;
    let Some(compile) = compiles.get(step.compile) else { return Ok(()) };
    let first = step.reasons.first();
    let reasons = step.reasons.iter().take(SHORT_LIST).enumerate().map(|(index, reason)| {
        match first.filter(|first| index > 0 && is_like(first, reason)) {
            // It fails like the first version, so only its guard is shown.
            Some(_) => Ok(short(view, reason)),
            None => view.reason(reason),
        }
    });
    let disagreement = disagreement(step).map(|words| Ok(Element::new("p").around(view.prose(&words))));
    let reasons = disagreement.into_iter().chain(reasons);
    let reasons = Html::joined(reasons.collect::<anyhow::Result<Vec<_>>>()?, "");
    let left_out = step.reasons.len().saturating_sub(SHORT_LIST);
    let old = step.against.and_then(|index| Some((index, compiles.get(index)?)));
    let source = step.change.as_ref().and_then(|change| change.source.as_deref());
    let (guards, tensors) = match old {
        Some((against, old)) => (
            guards::compared(view, (old, compile), source, room)?,
            tensors::compared(view.report.model, against, step.compile),
        ),
        None => Default::default(),
    };
    if reasons.is_empty() && guards.is_empty() && tensors.is_empty() {
        return Ok(());
    }
    let mut parts = vec![match step.reasons.len() {
        1 => "the reason in full".to_owned(),
        count => format!("all {}", counted(count, "reason", "reasons")),
    }];
    parts.extend((!guards.is_empty()).then(|| "guards compared".to_owned()));
    parts.extend((!tensors.is_empty()).then(|| "inputs before and after".to_owned()));
    let context = Evidence {
        id: format!("why{}", compile.folder(0)),
        title: format!("{}: {}", compile.label(), parts.join(", ")),
        reasons,
        left_out: (left_out > 0)
            .then(|| format!("{} left out.", counted(left_out, "more reason", "more reasons"))),
        guards,
        tensors,
    };
    Ok(write_line(out, &view.render("recompile_evidence", &context)?)?)
}
