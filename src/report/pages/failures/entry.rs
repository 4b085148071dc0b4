//! A reason why compiles failed: one row, and below it what to do, where it happened, and what torch says.

use crate::analysis::failed_in::FailedIn;
use crate::analysis::failures::{FailureCause, FailureEffect};
use crate::analysis::findings::plain_words;
use crate::limits::{IN_HEAD, NAMED_BRIEFLY, SHORT_LINE, SHOWN};
use crate::model::{Compile, MetricsKind};
use crate::report::kit::failure_reasons::Reason;
use crate::report::kit::formats::cost_words;
use crate::report::kit::markup::long_text;
use crate::report::kit::prelude::*;
use crate::report::kit::record_files::record_files;
use crate::report::pages::failures::traceback;
use crate::report::words::failures::{REACHED, where_to_look};

/// Longer messages are cut; the log has all of them.
const LONGEST_MESSAGE: usize = 20_000;

#[derive(Serialize)]
struct Entry {
    id: String,
    open: bool,
    pills: Html,
    functions: Html,
    /// Why, in plain words.
    why: Html,
    place: Html,
    /// The source line, if the log has it.
    source: Option<String>,
    /// How far it came, as a bar and in words.
    bar: Html,
    reached: String,
    cost: String,
    count: String,
    /// What to do; whether that is only where to look.
    advice: Html,
    no_hint: bool,
    traceback: Option<Html>,
    message: Html,
    facts: Html,
}

/// The titles of the columns, for readers who see them.
pub(super) fn column_titles() -> Html {
    let titles = ["Compile", "Function", "Why, and your line", "Failed in", "Time"];
    let titles = titles.map(|title| Element::new("span").around(title));
    Element::new("div")
        .class("failure-titles")
        .attribute("aria-hidden", "true")
        .around(Html::joined(titles, ""))
}

pub(super) fn entry(view: View<'_>, index: usize, reason: &Reason<'_>) -> anyhow::Result<Html> {
    let cause = &reason.cause;
    let Some(failure) = cause.first() else { return Ok(Html::default()) };
    let compiles = view.compiles(&cause.compiles);
    let text = failure.reason.as_deref().unwrap_or_default().trim();
    let why = plain_words(view.report.model, cause, &reason.failed_in).capitalized();
    let cost = reason.finding.and_then(|finding| finding.cost.as_ref());
    let entry = Entry {
        id: links::failure_anchor(index + 1),
        open: index == 0,
        pills: view.plain_pills(&compiles, IN_HEAD),
        functions: functions(view, &compiles),
        why: view.sentence(&why),
        place: match &cause.place.file {
            Some(file) => view.plain_place(Some(file), cause.place.line),
            None => Html::default(),
        },
        source: cause.place.loc.as_deref().map(|line| clipped(line.trim(), SHORT_LINE).0.to_owned()),
        bar: reached(&reason.failed_in),
        reached: reason.failed_in.words(),
        cost: cost.map_or_else(|| UNKNOWN.to_owned(), |cost| cost_words(cost.kind, cost.us)),
        count: counted(cause.failures.len(), "time", "times"),
        advice: advice(view, reason, &compiles)?,
        no_hint: reason.has_no_hint(),
        traceback: traceback::traceback(view, reason, &compiles),
        message: message(&failure.error, text),
        facts: facts(view, cause, &compiles),
    };
    view.render("failure", &entry)
}

/// The functions that failed; several compiles may be of one.
fn functions(view: View<'_>, compiles: &[&Compile]) -> Html {
    let mut names: Vec<Html> = Vec::new();
    for compile in compiles {
        let name = view.function_name(compile).map(|name| view.title_of(name));
        names.extend(name.filter(|name| !names.iter().any(|known| known.as_str() == name.as_str())));
    }
    let more = and_more(names.len(), NAMED_BRIEFLY);
    names.truncate(NAMED_BRIEFLY);
    Html::joined([Html::joined(names, ", "), more.into()], "")
}

/// The parts of the compiler up to the one that failed; the words beside it say the same.
fn reached(failed_in: &FailedIn) -> Html {
    let parts = REACHED.map(|part| {
        let class = match part.cmp(&failed_in.reached) {
            std::cmp::Ordering::Less => "done",
            std::cmp::Ordering::Equal => "failed",
            std::cmp::Ordering::Greater => "not-reached",
        };
        Element::new("span").class(class).empty()
    });
    Element::new("span").class("reached-bar").attribute("aria-hidden", "true").around(Html::joined(parts, ""))
}

/// What to do: tried advice and torch's hints; without any, the stage, pass or operator to look at.
fn advice(view: View<'_>, reason: &Reason<'_>, compiles: &[&Compile]) -> anyhow::Result<Html> {
    let mut pieces = Vec::new();
    if let Some(consequence) = consequence(reason.cause.effect) {
        pieces.push(Element::new("p").around(consequence));
    }
    let Some(finding) = reason.finding else {
        let page = view.link(links::RECOMPILATIONS, "what changed each time, and what to do");
        pieces.push(Element::new("p").around(Html::wrapped("See ", &page, ".")));
        return Ok(Html::joined(pieces, "\n"));
    };
    for one in &finding.advice {
        let card = view.fix_card(one)?;
        // A card is a block of its own; a sentence is not.
        let is_card = one.code.is_some() || one.promise.is_some() || one.tried.is_some();
        pieces.push(if is_card { card } else { Element::new("p").around(card) });
    }
    if finding.advice.is_empty() {
        pieces.extend(look_at(view, reason, compiles));
    }
    Ok(Html::joined(pieces, "\n"))
}

/// Where to look, with the graph that the failed step was given.
fn look_at(view: View<'_>, reason: &Reason<'_>, compiles: &[&Compile]) -> Vec<Html> {
    let mut sentences: Vec<Html> = where_to_look(&reason.cause, &reason.failed_in)
        .iter()
        .map(|sentence| view.advice(sentence))
        .collect();
    let graph = reason.failed_in.graphs.split(' ').find_map(|name| {
        let first = reason.cause.compiles.first()?;
        record_files(view.report, &[*first], &[name]).into_iter().next()
    });
    if let (Some(graph), Some(first)) = (graph, sentences.first_mut()) {
        let link = view.record(&graph);
        *first =
            Html::joined([first.clone(), Html::wrapped(" The graph that it was given: ", &link, ".")], "");
    }
    if compiles.is_empty() {
        return sentences.into_iter().map(|one| Element::new("p").around(one)).collect();
    }
    let none = Element::new("p").class("soft").around("torch gives no hint.");
    sentences.into_iter().map(|one| Element::new("p").around(one)).chain([none]).collect()
}

/// What became of the function, where it is more than that it was not compiled.
fn consequence(effect: FailureEffect) -> Option<&'static str> {
    match effect {
        FailureEffect::NotCompiled => None,
        FailureEffect::BrokeInLoop => Some(
            "The graph breaks inside a loop, where Dynamo cannot resume: the whole function runs uncompiled.",
        ),
        FailureEffect::BrokeForGood => {
            Some("Dynamo cannot resume after a graph break here: the whole function runs uncompiled.")
        }
    }
}

/// The exception in torch's words.
fn message(error: &str, text: &str) -> Html {
    let short = error.rsplit('.').next().unwrap_or(error);
    let (shown, cut) = clipped(text, LONGEST_MESSAGE);
    let rest = if cut { "\n… raw.log has all of it" } else { "" };
    match text.is_empty() {
        true => long_text(short),
        false => long_text(format!("{short}: {shown}{rest}")),
    }
}

fn facts(view: View<'_>, cause: &FailureCause<'_>, compiles: &[&Compile]) -> Html {
    let mut facts = vec![
        ("Compiles", view.some_pills(compiles, SHOWN)),
        (
            "Exception",
            Html::joined(
                [view.code(cause.first().map_or("", |one| &one.error)), reported(cause).into()],
                ", ",
            ),
        ),
    ];
    if let Some(file) = &cause.place.file
        && let Some(href) = view.source_href(file, cause.place.line)
    {
        facts.push(("Where", view.place_in(file, cause.place.line, Some(href))));
    }
    let records = record_files(view.report, &cause.compiles, &["dynamo_error"]);
    if !records.is_empty() {
        facts.push(("Whole traceback", Html::joined(records.iter().map(|record| view.record(record)), ", ")));
    }
    view.facts(facts)
}

/// The records that report it: `in the metrics of the compilation, line 2,310 of the log`.
fn reported(cause: &FailureCause<'_>) -> String {
    let Some(first) = cause.first() else { return String::new() };
    let lines = cause.failures.iter().take(SHOWN).map(|failure| whole(failure.record));
    let lines = lines.collect::<Vec<_>>().join("; ");
    let word = if cause.failures.len() == 1 { "line" } else { "lines" };
    format!("in {}, {word} {lines} of the log", record_words(first.kind))
}

fn record_words(kind: MetricsKind) -> &'static str {
    match kind {
        MetricsKind::Forward => "the metrics of the compilation",
        MetricsKind::Backward | MetricsKind::AotBackward => "the metrics of the backward compilation",
        MetricsKind::Runtime | MetricsKind::BackwardRuntime => "the metrics of work done while the model ran",
    }
}
