//! Why a compile was made, what went wrong in it, and what to do: the sections that come first.

use crate::analysis::findings::EntryKey;
use crate::analysis::{disagreement, is_library};
use crate::model::{Failure, GraphBreak, Reason};
use crate::report::doc::{Block, Card, Cell, Fact, Section, cost_of_card, log, own, place, place_of_card};
use crate::report::kit::changes::change_of;
use crate::report::kit::formats::{counted, whole};
use crate::report::kit::links;
use crate::report::kit::markup::write_line;
use crate::report::kit::reasons::first_line;
use crate::report::pages::compile::subject::{Recompiled, ShownCompile};

pub(super) fn blocks<'m>(subject: ShownCompile<'m>) -> Vec<Block<'m>> {
    let sections = [why(subject), breaks(subject), failures(subject), restarts(subject)];
    sections.into_iter().flatten().map(Block::Section).collect()
}

/// Why it was compiled: a guard that failed, a graph break before it, or the first call.
fn why<'m>(subject: ShownCompile<'m>) -> Option<Section<'m>> {
    let reasons: Vec<&Reason> =
        subject.of.recompiles.at(subject.index).iter().flat_map(|one| &one.reasons).collect();
    let again = !reasons.is_empty() || subject.chain.first().is_some_and(|first| *first != subject.index);
    let mut blocks = Vec::new();
    match (subject.step, subject.resumes) {
        (Some(recompiled), _) => blocks.extend(change(subject, recompiled)),
        (None, Some(place)) => blocks.extend(resumed(subject, place)),
        (None, None) if again => blocks.push(Block::Paragraph(
            "The function was compiled before. The log has no reason why it was compiled again.".into(),
        )),
        (None, None) => blocks.extend(called(subject).map(Block::Paragraph)),
    }
    if !reasons.is_empty() {
        blocks.push(Block::Drawn(Box::new(move |view, out| {
            view.while_room(out, &reasons, "reasons", |out, _, reason| {
                Ok(write_line(out, &view.reason(reason)?)?)
            })
        })));
    }
    if subject.step.is_some() {
        blocks.extend(all_of_function(subject).map(Block::Paragraph));
    }
    // Other pages lead to why a compile was made again.
    let id = if again { "recompilation" } else { "why" };
    (!blocks.is_empty()).then(|| Section::new(id, "Why it was compiled", blocks))
}

/// What changed since the closest earlier version, and what to do, worded as on the page of all recompilations.
fn change<'m>(subject: ShownCompile<'m>, Recompiled { chain, step }: Recompiled<'m>) -> Vec<Block<'m>> {
    let compiles = &subject.report.model.compiles;
    let mut blocks = Vec::new();
    if let Some(change) = &step.change {
        let mut pieces = Vec::new();
        if let Some(compile) = step.against.and_then(|against| compiles.get(against)) {
            pieces.extend(["Since ".into(), Cell::Compile { compile, after: ": ".to_owned() }]);
        }
        pieces.push(own(format!("{} ", change.kind.word())));
        pieces.extend(change.subject().map(|it| Cell::Beside(vec![Cell::Code(it.into()), " ".into()], "")));
        pieces.push(change_of(change));
        let expected = step.cause.is_some_and(|cause| cause.expected);
        pieces.extend(expected.then(|| Cell::from(" (expected)").class("soft")));
        blocks.push(Block::Paragraph(Cell::Beside(pieces, "")));
    }
    blocks.extend(disagreement(step).map(|words| Block::Paragraph(Cell::Prose(words.into()))));
    let limit = Cell::from("The recompile limit was reached: nothing was compiled.").class("err");
    blocks.extend(step.over_limit.then_some(Block::Paragraph(limit)));
    blocks.extend(chain.advice.iter().map(Block::Advice));
    blocks
}

/// A link to all recompiles of the function.
fn all_of_function<'m>(subject: ShownCompile<'m>) -> Option<Cell<'m>> {
    let first = subject.report.model.compiles.get(*subject.chain.first()?)?;
    let page = format!("{}#{}", links::RECOMPILATIONS, links::recompilations_anchor(first));
    Some(Cell::from("What changed each time, with the guards compared").linked(page))
}

/// The graph break after which a resume function goes on.
fn resumed<'m>(subject: ShownCompile<'m>, place: usize) -> Option<Block<'m>> {
    let found = subject.report.model.graph_breaks.get(place)?;
    let reason = Cell::Prose(found.reason.as_str().into());
    let reason = reason.linked(format!("{}#{}", links::GRAPH_BREAKS, links::graph_break_anchor(place)));
    let at =
        found.file.as_deref().map(|file| Cell::Beside(vec![" at ".into(), line(Some(file), found.line)], ""));
    let words = "It is a resume function, the rest of a function behind a graph break, which Dynamo compiles by itself: ";
    let pieces = [Some(words.into()), Some(reason), at, Some(".".into())];
    Some(Block::Paragraph(Cell::Beside(pieces.into_iter().flatten().collect(), "")))
}

/// The frame of the user's own code that called the function first.
fn called<'m>(subject: ShownCompile<'m>) -> Option<Cell<'m>> {
    let (_, callers) = subject.compile.stack.as_deref()?.split_last()?;
    let strings = &subject.report.model.strings;
    let file = |at: usize| callers.get(at).and_then(|frame| strings.get(frame.file)).unwrap_or_default();
    let own = (0..callers.len()).rev().find(|at| !file(*at).is_empty() && !is_library(file(*at)))?;
    let frame = callers.get(own)?;
    let mut pieces = vec![
        "It is the first compile of this function, called by".into(),
        Cell::Function((&*frame.name).into()),
        line(Some(file(own)), frame.line),
    ];
    let code = frame.loc.as_deref().filter(|loc| !loc.is_empty());
    pieces.extend(code.map(|loc| Cell::Code(loc.into())));
    Some(Cell::Beside(pieces, " "))
}

fn line(file: Option<&str>, line: Option<u64>) -> Cell<'_> {
    place(file, line.and_then(|line| line.try_into().ok()))
}

fn breaks<'m>(subject: ShownCompile<'m>) -> Option<Section<'m>> {
    let breaks = subject.of.breaks.at(subject.index);
    let all = &subject.report.model.graph_breaks;
    let cards = breaks.iter().filter_map(|place| Some(of_break(subject, *place, all.get(*place)?)));
    let cards = Block::Cards { id: "breaks-list", cards: cards.collect() };
    let section = || Section::new("breaks", "Graph breaks", vec![cards]).counted(breaks.len());
    (!breaks.is_empty()).then(section)
}

fn of_break<'m>(subject: ShownCompile<'m>, index: usize, found: &'m GraphBreak) -> Card<'m> {
    let finding = subject.findings.get(&EntryKey::Break(index)).copied();
    let page = format!("{}#{}", links::GRAPH_BREAKS, links::graph_break_anchor(index));
    let mut body: Vec<Block<'m>> =
        finding.into_iter().flat_map(|one| &one.advice).map(Block::Advice).collect();
    if finding.is_none() && !found.hints.is_empty() {
        body.push(Block::Paragraph(Cell::Hints((&*found.hints).into())));
    }
    body.push(Block::Paragraph(Cell::from("In full: cause, traceback and cost").linked(page)));
    Card {
        id: links::graph_break_anchor(index),
        kind: "Graph break",
        class: "warning",
        title: match finding {
            Some(finding) => Cell::Sentence(finding.title.clone()),
            None => Cell::Prose(found.reason.as_str().into()),
        },
        below: place_of_card(found.file.as_deref(), found.line),
        compiles: Vec::new(),
        cost: cost_of_card(finding.and_then(|one| one.cost.as_ref())),
        count: counted(found.count, "time in the log", "times in the log"),
        body,
    }
}

fn failures<'m>(subject: ShownCompile<'m>) -> Option<Section<'m>> {
    let failures = subject.of.failures.at(subject.index);
    let cards = failures.iter().map(|failure| of_failure(subject, failure)).collect();
    let note = "unless errors are suppressed, the program saw the exception";
    let section = Section::new("failures", "Failures", vec![Block::Cards { id: "failures-list", cards }]);
    (!failures.is_empty()).then(|| section.about(note).counted(failures.len()))
}

fn of_failure<'m>(subject: ShownCompile<'m>, failure: &'m Failure) -> Card<'m> {
    let number = subject.failure_entries.get(&failure.record).copied();
    let entry = number.and_then(|number| subject.reasons.get(number - 1));
    let finding = entry.and_then(|entry| entry.finding);
    let record = format!("{}, line {} of the log", failure.kind.word(), whole(failure.record));
    let mut body = entry.map(|entry| entry.what_to_do(subject.report)).unwrap_or_default();
    body.extend(failure.reason.as_deref().map(|reason| Block::Text(reason.trim_matches('\n').into())));
    body.push(Block::Facts(vec![
        Fact::new("Type", Cell::Code((&*failure.error).into())),
        Fact::new("Record", own(record)),
    ]));
    body.extend(number.map(|number| {
        let page = format!("{}#{}", links::FAILURES, links::failure_anchor(number));
        Block::Paragraph(Cell::from("In full: where it happened, with the traceback").linked(page))
    }));
    Card {
        id: format!("failed-{}", failure.record),
        kind: "Failure",
        class: "error",
        title: match finding {
            Some(finding) => Cell::Sentence(finding.title.clone()),
            None => log(first_line(failure.reason.as_deref().unwrap_or(&failure.error))),
        },
        below: match finding {
            Some(finding) => place_of_card(finding.place.file.as_deref(), finding.place.line),
            None => place_of_card(failure.file.as_deref(), failure.line),
        },
        compiles: Vec::new(),
        cost: cost_of_card(finding.and_then(|one| one.cost.as_ref())),
        count: String::new(),
        body,
    }
}

fn restarts<'m>(subject: ShownCompile<'m>) -> Option<Section<'m>> {
    let restarts = subject.of.restarts.at(subject.index);
    // torch._dynamo.reset() reuses ids, so the restarts may belong to several compiles.
    let numbered = restarts.len() < subject.compile.attempts.len();
    let blocks = restarts.iter().enumerate().map(|(attempt, restart)| {
        let ended = if numbered { format!("Attempt {attempt} ended: ") } else { String::new() };
        let reason = Cell::Prose(first_line(&restart.reason).into());
        Block::Paragraph(Cell::Beside(vec![own(ended), reason], ""))
    });
    let note = "tracing restarted; the work of all attempts except the last was discarded";
    let section = Section::new("restarts", "Restarts", blocks.collect());
    (!restarts.is_empty()).then(|| section.about(note).counted(restarts.len()).without_tab())
}
