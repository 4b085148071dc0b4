//! What to do first where compiles failed: one step per finding, from its advice, or else where to look.

use crate::analysis::failed_in::failed_in;
use crate::analysis::failures::failure_causes;
use crate::analysis::findings::EntryKey;
use crate::analysis::{Finding, Severity, Topic};
use crate::limits::NAMED_BRIEFLY;
use crate::report::kit::formats::cost_words;
use crate::report::kit::prelude::*;
use crate::report::words::failures::where_to_look;

/// Characters of a finding's sentence in its step.
const LONGEST_TITLE: usize = 140;

#[derive(Serialize)]
struct Steps {
    steps: Vec<Step>,
}

/// What to do about a finding, and what that cost.
#[derive(Serialize)]
struct Step {
    what: String,
    why: Html,
    code: Html,
    saves: String,
    when: String,
}

/// How many steps there are.
pub(crate) fn count(report: Report<'_>) -> usize {
    errors(report).count()
}

/// Writes the steps, if the most important finding is an error.
pub(crate) fn section(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let steps: Vec<Step> = errors(view.report).filter_map(|(index, one)| step(view, index, one)).collect();
    if steps.is_empty() {
        return Ok(());
    }
    let head = ("next", "What to do first", "the costliest errors; the findings below have the evidence");
    view.open_section(out, head, None, Html::default())?;
    write_line(out, &view.render("steps", &Steps { steps })?)?;
    Ok(close_section(out)?)
}

/// The first errors that are no consequences, with their places among the findings.
fn errors<'m>(report: Report<'m>) -> impl Iterator<Item = (usize, &'m Finding)> {
    let findings = report.found.findings.iter().enumerate();
    let is_error =
        |one: &Finding| one.severity == Severity::Error && one.kind.facts().topic != Some(Topic::Log);
    let roots = findings.filter(move |(_, one)| one.caused_by.is_none() && is_error(one));
    roots.take(NAMED_BRIEFLY)
}

fn step(view: View<'_>, index: usize, one: &Finding) -> Option<Step> {
    let title = one.title.plain();
    let (title, cut) = clipped(&title, LONGEST_TITLE);
    let title = format!("{title}{}", if cut { " …" } else { "" });
    let why = view.link(&format!("#finding-{}", index + 1), &title);
    let to_do = to_do(view, one)?;
    let saves = one.cost.as_ref().map_or_else(|| UNKNOWN.to_owned(), |cost| cost_words(cost.kind, cost.us));
    Some(Step {
        what: format!("{}:", one.kind.label()),
        why,
        code: Element::new("div").class("space-above").around(to_do),
        saves,
        when: counted(one.count, "time", "times"),
    })
}

/// The first advice of a finding, or the first sentence on where to look.
fn to_do(view: View<'_>, one: &Finding) -> Option<Html> {
    if let Some(advice) = one.advice.first() {
        return Some(view.short_fix(advice));
    }
    where_to_look_for(view, one).into_iter().next()
}

/// Where to look for the cause of a failure that has no advice, in sentences.
pub(crate) fn where_to_look_for(view: View<'_>, one: &Finding) -> Vec<Html> {
    let model = view.report.model;
    let Some(EntryKey::Failure(place)) = one.entry else { return Vec::new() };
    let cause = failure_causes(model).into_iter().nth(place);
    let sentences = cause.map(|cause| where_to_look(&cause, &failed_in(&cause)));
    sentences.into_iter().flatten().map(|sentence| view.advice(&sentence)).collect()
}
