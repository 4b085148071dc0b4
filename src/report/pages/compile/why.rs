//! Why a compile happened and what went wrong in it: recompile reasons, graph breaks, failures, restarts.

use crate::analysis::disagreement;
use crate::analysis::findings::Advice;
use crate::limits::NAMED;
use crate::model::{Failure, GraphBreak, Reason};
use crate::report::kit::changes::change_of;
use crate::report::kit::prelude::*;
use crate::report::pages::compile::metrics::{lines, text};
use crate::report::pages::compile::subject::{Recompiled, ShownCompile};

pub(crate) fn has_recompilation(subject: ShownCompile<'_>) -> bool {
    !subject.of.recompiles.at(subject.index).is_empty() || subject.chain.len() > 1
}

/// The heading of the section; without recompile reasons it shows only the versions.
pub(crate) fn title(subject: ShownCompile<'_>) -> &'static str {
    if subject.of.recompiles.at(subject.index).is_empty() { "Versions" } else { "Recompilation" }
}

pub(crate) fn write(view: View<'_>, subject: ShownCompile<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    if has_recompilation(subject) {
        write_recompilation(view, subject, out)?;
    }
    if !subject.of.breaks.at(subject.index).is_empty() {
        write_breaks(view, subject, out)?;
    }
    if !subject.of.failures.at(subject.index).is_empty() {
        write_failures(view, subject, out)?;
    }
    if !subject.of.restarts.at(subject.index).is_empty() {
        write_restarts(view, subject, out)?;
    }
    Ok(())
}

fn write_recompilation(view: View<'_>, subject: ShownCompile<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let reasons: Vec<&Reason> =
        subject.of.recompiles.at(subject.index).iter().flat_map(|r| &r.reasons).collect();
    view.open_section(out, ("recompilation", title(subject), ""), None, Html::default())?;
    paragraph_below(out, versions(view, subject))?;
    if let Some(recompiled) = subject.step {
        write_change(view, recompiled, out)?;
    }
    if let Some(first) = subject.chain.first().and_then(|first| view.report.model.compiles.get(*first)) {
        let link = links::recompilations(view, first, "What changed each time, with the guards compared");
        paragraph_below(out, link)?;
    }
    view.while_room(out, &reasons, "reasons", |out, _, reason| Ok(write_line(out, &view.reason(reason)?)?))?;
    Ok(close_section(out)?)
}

/// What changed since the closest earlier version, and what to do, worded as on the page of all recompilations.
fn write_change(
    view: View<'_>,
    Recompiled { chain, step }: Recompiled<'_>,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let against = step.against.and_then(|against| view.report.model.compiles.get(against));
    let against = against.map(|compile| view.pill(compile));
    if let Some(change) = &step.change {
        let thing = change.subject().map(|subject| view.folded(&subject, true));
        let thing = Html::joined([Some(change.kind.word().into()), thing].into_iter().flatten(), " ");
        let since = against.map(|pill| Html::wrapped("Since ", &pill, ": "));
        let expected = step.cause.is_some_and(|cause| cause.expected).then(|| soft(" (expected)"));
        let pieces = [since, Some(thing), Some(" ".into()), Some(change_of(change)), expected];
        paragraph_below(out, Html::joined(pieces.into_iter().flatten(), ""))?;
    }
    if let Some(words) = disagreement(step) {
        paragraph_below(out, view.prose(&words))?;
    }
    if step.over_limit {
        paragraph_below(out, span("err", "The recompile limit was reached: nothing was compiled."))?;
    }
    if !chain.advice.is_empty() {
        let cards = chain.advice.iter().map(|one| view.fix_card(one));
        let cards = stacked(cards.collect::<anyhow::Result<Vec<_>>>()?);
        let is_card = chain.advice.iter().any(Advice::has_card);
        let class = if is_card { "space-above" } else { "advice space-above" };
        write_line(out, &Element::new("div").class(class).around(cards))?;
    }
    Ok(())
}

/// The versions of the function around this one.
fn versions(view: View<'_>, subject: ShownCompile<'_>) -> Html {
    let chain = subject.chain;
    let here = chain.binary_search(&subject.index).unwrap_or(0);
    let from = here.saturating_sub(NAMED / 2).min(chain.len().saturating_sub(NAMED));
    let shown = view.compiles(chain.get(from..).unwrap_or_default());
    view.some_pills(&shown, NAMED)
}

fn write_breaks(view: View<'_>, subject: ShownCompile<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let count = Some(whole(subject.of.breaks.at(subject.index).len()));
    view.open_section(out, ("breaks", "Graph breaks", ""), count, Html::default())?;
    view.while_room(out, subject.of.breaks.at(subject.index), "graph breaks", |out, _, index| {
        let Some(found) = view.report.model.graph_breaks.get(*index) else { return Ok(()) };
        let facts = view.facts(of_break(view, *index, found));
        heading(out, view.folded(&found.reason, true))?;
        Ok(write_line(out, &facts)?)
    })?;
    Ok(close_section(out)?)
}

fn of_break(view: View<'_>, index: usize, found: &GraphBreak) -> Vec<(&'static str, Html)> {
    let mut facts = vec![("Where", view.place(found.file.as_deref(), found.line))];
    facts.push(("In full", links::graph_break(view, index, "cause, advice, traceback and cost")));
    facts
}

fn write_failures(view: View<'_>, subject: ShownCompile<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let failures = subject.of.failures.at(subject.index);
    let note = "unless errors are suppressed, the program saw the exception";
    view.open_section(out, ("failures", "Failures", note), Some(whole(failures.len())), Html::default())?;
    view.while_room(out, failures, "failures", |out, _, failure| {
        Ok(write_line(out, &view.facts(of_failure(view, subject, failure)))?)
    })?;
    Ok(close_section(out)?)
}

fn of_failure(view: View<'_>, subject: ShownCompile<'_>, failure: &Failure) -> Vec<(&'static str, Html)> {
    let mut facts = vec![("Type", view.code(&failure.error))];
    facts.extend(failure.file.as_deref().map(|file| ("Where", view.place(Some(file), failure.line))));
    facts.extend(failure.reason.as_deref().map(|reason| ("Reason", text(reason))));
    let record = format!("{}, line {} of the log", failure.kind.word(), whole(failure.record));
    facts.push(("Record", record.into()));
    let entry = subject.failure_entries.get(&failure.record);
    facts.extend(entry.map(|number| ("What to do", links::failure(view, *number, "advice and traceback"))));
    facts
}

fn write_restarts(view: View<'_>, subject: ShownCompile<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let restarts = subject.of.restarts.at(subject.index);
    let note = "tracing restarted; the work of all attempts except the last was discarded";
    view.open_section(out, ("restarts", "Restarts", note), Some(whole(restarts.len())), Html::default())?;
    view.while_room(out, restarts, "restarts", |out, attempt, restart| {
        // torch._dynamo.reset() reuses ids, so the restarts may belong to several compiles.
        let numbered = restarts.len() < subject.compile.attempts.len();
        let title = numbered.then(|| soft(format!("Attempt {attempt} ended:")));
        let reason = Html::joined(title.into_iter().chain([lines(&restart.reason, 1)]), " ");
        Ok(write_line(out, &Element::new("div").class("space-above mono").around(reason))?)
    })?;
    Ok(close_section(out)?)
}
