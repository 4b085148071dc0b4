//! Problems of the export: an entry per problem, and a table of all.

use crate::analysis::ExportFailure;
use crate::limits::{LISTED, SHORT_LINE, SHOWN};
use crate::model::{Compile, ExportKind, ExportProblem, Stack, TextFrame};
use crate::output::RelPath;
use crate::report::kit::formats::{UNKNOWN, clipped, counted, is_library, whole};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{
    Element, block, close, close_section, fold_below, heading, open_box, write_line,
};
use crate::report::kit::paths;
use crate::report::kit::tables::{Row, Table, TableCell, TableColumn};
use crate::report::kit::view::View;
use crate::report::pages::export::{advice, program};
use serde::Serialize;
use std::io::Write;

#[derive(Serialize)]
struct Entry {
    id: String,
    open: bool,
    class: &'static str,
    kind: &'static str,
    title: Html,
    small: Html,
    pills: Html,
    count: String,
    trace: Html,
    explained: Html,
    facts: Html,
    advice: Html,
    links: Html,
}

/// The section; empty if there are no problems.
pub(crate) fn write(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let all = &view.report.found.export.failures;
    if all.is_empty() {
        return Ok(());
    }
    let about = "each listed once, in log order";
    let tools = view.fold_button("failure-list");
    view.open_section(out, ("failures", "Failures", about), Some(whole(all.len())), tools)?;
    open_box(out, "failure-list")?;
    for (index, failure) in all.iter().enumerate().take(SHOWN) {
        if let Some(problem) = first(view, failure) {
            write_line(out, &entry(view, index, (failure, problem))?)?;
        }
    }
    close(out, "div")?;
    heading(out, "All failures")?;
    table(view, all, out)?;
    close_section(out)?;
    Ok(())
}

/// The first problem of a failure; the others are equal.
fn first<'v>(view: View<'v>, failure: &ExportFailure) -> Option<&'v ExportProblem> {
    view.report.model.export.problems.get(*failure.problems.first()?)
}

fn entry(
    view: View<'_>,
    index: usize,
    (failure, problem): (&ExportFailure, &ExportProblem),
) -> anyhow::Result<Html> {
    let (kind, class, _) = advice::words(failure.kind);
    let page = page_of(view, problem);
    // The explanation of a kind is in its first entry only.
    let before = view.report.found.export.failures.iter().take(index);
    let is_first = before.into_iter().all(|other| other.kind != failure.kind);
    // The page of the expression has further frames.
    let trace = if page.is_some() { own_frames(view, problem) } else { trace(view, problem) };
    // The compile is shown only if there are several.
    let several = view.report.model.identified().nth(1).is_some();
    let compile = view.report.model.compiles.get(problem.compile).filter(|c| c.id.is_some() && several);
    let (title, small) = head(view, (failure, problem));
    let entry = Entry {
        id: format!("failure-{}", index + 1),
        open: index == 0,
        class,
        kind,
        title,
        small,
        pills: view.plain_pills(compile.as_slice(), 1),
        count: counted(failure.problems.len(), "time", "times"),
        trace,
        explained: if is_first || problem.kind.of_operator() {
            view.prose(&advice::explanation(problem))
        } else {
            Html::default()
        },
        facts: if page.is_some() { Html::default() } else { view.facts(facts(view, problem)) },
        advice: advice::advice(view, problem, failure.place.as_ref()),
        links: Html::joined(links(view, problem, is_first), ", "),
    };
    view.render("export_failure", &entry)
}

/// The problem, and below it the place and the result.
fn head(view: View<'_>, (failure, problem): (&ExportFailure, &ExportProblem)) -> (Html, Html) {
    let place = failure.place.as_ref();
    let line = place.and_then(|frame| frame.loc.as_deref()).filter(|loc| !loc.is_empty());
    let subject = view.code(clipped(&problem.subject, SHORT_LINE).0);
    let result = view.code(clipped(problem.result.as_deref().unwrap_or("nothing"), SHORT_LINE).0);
    let text = |text: &'static str| Html::escaped(text);
    let said = match failure.kind {
        ExportKind::MissingFakeKernel => Html::joined([subject, text(" has no fake kernel")], ""),
        ExportKind::MismatchedFakeKernel => {
            Html::joined([text("the fake kernel of "), subject, text(" disagrees with the real one")], "")
        }
        ExportKind::Assumed => Html::joined([text("took "), subject, text(" to be "), result], ""),
        ExportKind::Undecided => Html::joined([text("could not decide "), subject], ""),
        ExportKind::GuardEvaluated => Html::joined([text("evaluated "), subject], ""),
    };
    let place = place.map(|frame| view.plain_place(Some(&frame.file), Some(frame.line)));
    let line = line.map(|line| view.code(clipped(line, SHORT_LINE).0));
    let (title, second) = match line {
        Some(line) if !failure.kind.of_operator() => (line, Some(said)),
        line => (said, line),
    };
    let small = place.into_iter().chain(second);
    (title, Html::joined(small, " · "))
}

/// The user's frames, if there are more than the one in the head of the entry.
fn own_frames(view: View<'_>, problem: &ExportProblem) -> Html {
    let user = problem.user_stack.as_ref().map(|stack| frames(view, stack)).unwrap_or_default();
    let own: Vec<TextFrame> = user.into_iter().filter(|frame| !is_library(&frame.file)).collect();
    if own.len() > 1 { view.traceback(&own, own.len().checked_sub(1)) } else { Html::default() }
}

/// The user's frames first, then all of them folded.
pub(crate) fn trace(view: View<'_>, problem: &ExportProblem) -> Html {
    if problem.kind.of_operator() {
        return match problem.calls.is_empty() {
            true => Html::default(),
            false => view.traceback(&problem.calls, Some(0)),
        };
    }
    let user = problem.user_stack.as_ref().map(|stack| frames(view, stack)).unwrap_or_default();
    let all = problem.stack.as_ref().map(|stack| frames(view, stack)).unwrap_or_default();
    let own: Vec<TextFrame> = user.iter().filter(|frame| !is_library(&frame.file)).cloned().collect();
    let shown = if own.is_empty() { &user } else { &own };
    let mut pieces = Vec::new();
    if shown.is_empty() {
        pieces.push(Element::new("p").class("soft").around("The record has no stack of the user's code."));
    } else {
        pieces.push(view.traceback(shown, shown.len().checked_sub(1).filter(|_| !own.is_empty())));
    }
    let longer = if all.len() >= user.len() { &all } else { &user };
    if longer.len() > shown.len() {
        let count = counted(longer.len(), "frame", "frames");
        let whole = view.traceback(longer, longer.iter().rposition(|frame| !is_library(&frame.file)));
        pieces.push(fold_below(format!("Framework stack, {count}"), &whole));
    }
    block(Html::joined(pieces, ""))
}

fn frames(view: View<'_>, stack: &Stack) -> Vec<TextFrame> {
    let frame = stack.iter().map(|frame| {
        let file = match view.file(frame) {
            "" => "unknown file".to_owned(),
            file => file.to_owned(),
        };
        let loc = frame.loc.as_ref().map(ToString::to_string);
        TextFrame { file, line: frame.line.unwrap_or_default(), function: frame.name.to_string(), loc }
    });
    frame.collect()
}

/// The fields of the record, as labels and values.
pub(crate) fn facts<'l>(view: View<'_>, problem: &ExportProblem) -> Vec<(&'l str, Html)> {
    let mut facts = vec![("Type", Html::escaped(advice::words(problem.kind).2))];
    let label = if problem.kind.of_operator() { "Operator" } else { "Expression" };
    let subject = view.folded(&problem.subject, true);
    let result = problem.result.as_deref().map(|text| view.folded(text, !problem.kind.of_operator()));
    match (problem.kind, result) {
        (ExportKind::Assumed, Some(result)) => {
            facts.push((label, Html::joined([subject, Html::escaped(" was assumed to be "), result], "")));
        }
        (_, result) => {
            facts.push((label, subject));
            facts.extend(result.map(|result| ("Reason", result)));
        }
    }
    if problem.kind == ExportKind::MissingFakeKernel && problem.result.is_none() {
        facts.push(("Reason", Html::escaped("unknown: the event only names the operator")));
    }
    if problem.kind.of_operator() {
        let told = match problem.calls.is_empty() {
            true => "unknown: the event has no stack, and no program in the log calls the operator",
            false => "from the exported program, as the event has no stack",
        };
        facts.push(("Where", Html::escaped(told)));
    }
    facts.push(("Record", Html::escaped(&format!("line {} of the log", whole(problem.line)))));
    if let Some(compile) = view.report.model.compiles.get(problem.compile).filter(|c| c.id.is_some()) {
        facts.push(("Compile", view.pill(compile)));
    }
    facts
}

/// Links to PyTorch's pages, the page of the expression and the program.
fn links(view: View<'_>, problem: &ExportProblem, docs: bool) -> Vec<Html> {
    let page = page_of(view, problem).into_iter();
    let words = "all stacks of the expression";
    let mut links: Vec<Html> = page.map(|path| view.link(&view.href(&path), words)).collect();
    links.extend(program::link(view, problem));
    links.extend(advice::docs(view, problem.kind).into_iter().filter(|_| docs));
    links
}

fn page_of(view: View<'_>, problem: &ExportProblem) -> Option<RelPath> {
    let compile: &Compile = view.report.model.compiles.get(problem.compile)?;
    let artifact = compile.artifacts.get(problem.page?)?;
    Some(paths::artifact(compile, artifact, view.report.settings))
}

fn table(view: View<'_>, all: &[ExportFailure], out: &mut dyn Write) -> anyhow::Result<()> {
    let nowhere = all.iter().all(|one| one.place.is_none());
    let columns = vec![
        TableColumn::text("Type"),
        TableColumn::text("Reason"),
        TableColumn::text("Line").absent_if(nowhere),
        TableColumn::number("Times"),
        TableColumn::unsorted("Details"),
        TableColumn::unsorted("Program"),
    ];
    let table = Table { id: "failures-table", label: "Failures of the export", columns };
    let rows = all.iter().take(LISTED).enumerate().map(|(index, failure)| {
        let Some(problem) = first(view, failure) else { return Row::default() };
        let unknown = || Html::escaped(UNKNOWN);
        let place = failure.place.as_ref().map(|frame| view.place(Some(&frame.file), Some(frame.line)));
        let details = match page_of(view, problem) {
            Some(page) => view.link(&view.href(&page), "details"),
            None if index < SHOWN => view.link(&format!("#failure-{}", index + 1), "what to do"),
            None => unknown(),
        };
        Row::of(vec![
            TableCell::text(advice::words(failure.kind).2),
            TableCell::html(reason(view, problem)),
            TableCell::html(place.unwrap_or_else(unknown)).class("nowrap"),
            TableCell::count(failure.problems.len()),
            TableCell::html(details),
            TableCell::html(program::link(view, problem).unwrap_or_else(unknown)),
        ])
    });
    view.table(out, &table, rows)?;
    view.left_out(out, all.len(), LISTED, "failures are in the tables of their compiles")
}

/// A cell that describes the problem.
fn reason(view: View<'_>, problem: &ExportProblem) -> Html {
    let subject = view.folded(&problem.subject, true);
    match (&problem.result, problem.kind) {
        (Some(result), ExportKind::Assumed) => {
            Html::joined([subject, Html::escaped(" was assumed to be "), view.folded(result, true)], "")
        }
        (Some(result), _) => {
            Html::joined([subject, Html::escaped(": "), view.folded(result.trim(), false)], "")
        }
        (None, _) => subject,
    }
}
