//! Problems of the export, each a card, and what the page of an expression says of its own.

use super::program;
use crate::analysis::findings::{Finding, Value, export_problem};
use crate::analysis::{ExportFailure, is_library};
use crate::limits::{LISTED, SHORT_LINE, SHOWN};
use crate::model::{ExportKind, ExportProblem, Stack, TextFrame};
use crate::output::RelPath;
use crate::report::doc::{
    Block, Card, Cell, Fact, FoundRow, Listing, Others, Rows, Section, own, place, place_of_card,
};
use crate::report::kit::formats::{clipped, counted, whole};
use crate::report::kit::paths;
use crate::report::subject::Report;

/// A problem, and what it means.
pub(super) struct Shown<'m> {
    /// Its number in the log, from 1.
    number: usize,
    problem: &'m ExportProblem,
    pub(super) finding: Finding,
}

impl<'m> Shown<'m> {
    /// The problem of a failure; its others are equal.
    pub(super) fn of(report: Report<'m>, number: usize, failure: &ExportFailure) -> Option<Shown<'m>> {
        let problem = report.model.export.problems.get(*failure.problems.first()?)?;
        Some(Shown { number, problem, finding: export_problem(report.model, failure)? })
    }
}

/// The problems: those that stop an export first, then in the order of the log.
pub(super) fn problems(report: Report<'_>) -> Vec<Shown<'_>> {
    let all = (1..).zip(&report.found.export.failures);
    let mut all: Vec<_> = all.filter_map(|(number, failure)| Shown::of(report, number, failure)).collect();
    all.sort_by_key(|one| kind_words(one.problem.kind).1 != "error");
    all
}

/// The words of a kind: in the head of an entry, its class, and in full.
fn kind_words(kind: ExportKind) -> (&'static str, &'static str, &'static str) {
    match kind {
        ExportKind::MissingFakeKernel => ("Fake kernel", "error", "missing fake kernel"),
        ExportKind::MismatchedFakeKernel => ("Fake kernel", "error", "mismatched fake kernel"),
        ExportKind::Assumed => ("Assumption", "warning", "data-dependent expression, assumed"),
        ExportKind::Undecided => ("Undecided", "error", "data-dependent expression, undecided"),
        ExportKind::Stopped => ("Stopped", "error", "the export stopped here"),
        ExportKind::GuardEvaluated => ("Guard", "warning", "guard evaluated"),
    }
}

pub(super) fn section<'m>(report: Report<'m>, problems: &'m [Shown<'m>]) -> Section<'m> {
    let (cards, rest) = problems.split_at(problems.len().min(SHOWN));
    let cards = cards.iter().map(|one| card(report, one)).collect();
    let mut blocks = vec![Block::Cards { id: "failure-list", cards }];
    if !rest.is_empty() {
        blocks.push(Block::Heading("Further problems".into()));
        blocks.push(Block::Table(listing(report, rest)));
    }
    Section::new("failures", "Problems", blocks).about("what stops an export first").counted(problems.len())
}

fn card<'m>(report: Report<'m>, one: &'m Shown<'m>) -> Card<'m> {
    let finding = &one.finding;
    let (kind, class, _) = kind_words(one.problem.kind);
    // The compile is shown only if there are several.
    let several = report.model.identified().nth(1).is_some();
    let compile = report.model.compiles.get(one.problem.compile).filter(|one| one.id.is_some() && several);
    let at = place_of_card(finding.place.file.as_deref(), finding.place.line);
    let line = finding.place.loc.as_deref().map(str::trim).filter(|line| !line.is_empty());
    let line = line.map(|line| Cell::Code(clipped(line, SHORT_LINE).0.into()));
    let below = line.map_or(at.clone(), |line| Cell::Beside(vec![at, line], " · "));
    Card {
        id: format!("failure-{}", one.number),
        kind,
        class,
        title: Cell::Sentence(finding.title.clone().capitalized()),
        below,
        compiles: compile.into_iter().collect(),
        cost: String::new(),
        count: counted(finding.count, "time", "times"),
        body: body(report, one, page_of(report, one.problem)),
    }
}

/// What is told of a problem; its own page, if it has one, has the stack of torch.
fn body<'m>(report: Report<'m>, one: &'m Shown<'m>, page: Option<RelPath>) -> Vec<Block<'m>> {
    let mut blocks = meaning(&one.finding);
    blocks.extend(one.finding.advice.iter().map(Block::Advice));
    blocks.push(Block::Facts(facts(report, one)));
    match page {
        Some(path) => {
            let file = Cell::File { path, name: "the stack of torch, and PyTorch's pages on it".into() };
            blocks.push(Block::Paragraph(file));
        }
        None => blocks.extend(trace(report, one.problem)),
    }
    blocks
}

/// What a problem means, in a sentence.
pub(super) fn meaning(finding: &Finding) -> Vec<Block<'_>> {
    finding.detail.iter().map(|text| Block::Paragraph(Cell::Prose(text.into()))).collect()
}

/// The fields of the record, as labels and values.
pub(super) fn facts<'m>(report: Report<'m>, one: &'m Shown<'m>) -> Vec<Fact<'m>> {
    let (problem, of) = (one.problem, &one.finding.place);
    let mut facts = vec![Fact::new("Type", kind_words(problem.kind).2.into())];
    let missing = problem.kind == ExportKind::MissingFakeKernel && problem.result.is_none();
    facts.extend(missing.then(|| Fact::new("Reason", "unknown: the event only names the operator".into())));
    for fact in &one.finding.facts {
        if let Value::Code(texts) = &fact.value {
            let texts = texts.iter().map(|text| Cell::Code(text.into())).collect();
            facts.push(Fact::new(fact.label, Cell::Stacked(texts)));
        }
    }
    match problem.kind.of_operator() && problem.calls.is_empty() {
        true => {
            let words = "unknown: the event has no stack, and no program in the log calls the operator";
            facts.push(Fact::new("Where", words.into()));
        }
        false => {
            let line = of.line.and_then(|line| line.try_into().ok());
            facts.push(Fact::new("Where", place(of.file.as_deref(), line)));
        }
    }
    facts.push(Fact::new("Record", own(format!("line {} of the log", whole(problem.line)))));
    if let Some(compile) = report.model.compiles.get(problem.compile).filter(|one| one.id.is_some()) {
        facts.push(Fact::new("Compile", Cell::Compile { compile, after: String::new() }));
    }
    facts.extend(program::of_problem(report, problem).map(|file| Fact::new("Program", file)));
    facts
}

/// The frames that led to a problem: the user's in the open, those of libraries folded between them.
pub(super) fn trace<'m>(report: Report<'m>, problem: &ExportProblem) -> Option<Block<'m>> {
    if problem.kind.of_operator() {
        let frames = problem.calls.clone();
        return (!frames.is_empty()).then_some(Block::Frames { frames, hit: Some(0) });
    }
    let all =
        |stack: &Option<Stack>| stack.as_ref().map(|stack| text_frames(report, stack)).unwrap_or_default();
    let (user, whole) = (all(&problem.user_stack), all(&problem.stack));
    let frames = if whole.len() >= user.len() { whole } else { user };
    if frames.is_empty() {
        return Some(Block::Paragraph(
            Cell::from("The record has no stack of the user's code.").class("soft"),
        ));
    }
    let hit = frames.iter().rposition(|frame| !is_library(&frame.file));
    Some(Block::Frames { frames, hit })
}

fn text_frames(report: Report<'_>, stack: &Stack) -> Vec<TextFrame> {
    let frame = stack.iter().map(|frame| TextFrame {
        file: report
            .model
            .strings
            .get(frame.file)
            .filter(|file| !file.is_empty())
            .unwrap_or("unknown file")
            .to_owned(),
        line: frame.line.unwrap_or_default(),
        function: frame.name.to_string(),
        loc: frame.loc.as_ref().map(ToString::to_string),
    });
    frame.collect()
}

fn page_of(report: Report<'_>, problem: &ExportProblem) -> Option<RelPath> {
    let compile = report.model.compiles.get(problem.compile)?;
    Some(paths::artifact(compile, compile.artifacts.get(problem.page?)?, report.settings))
}

/// Problems without an entry, or all of them for the search.
pub(super) fn listing<'m>(report: Report<'m>, rest: &'m [Shown<'m>]) -> Listing<'m> {
    Rows::of(rest)
        .text("Type", |one| kind_words(one.problem.kind).2.into())
        .text("Problem", |one| Cell::Sentence(one.finding.title.clone()))
        .text("Line", |one| {
            let line = one.finding.place.line.and_then(|line| line.try_into().ok());
            place(one.finding.place.file.as_deref(), line)
        })
        .number("Times", |one| usize::try_from(one.finding.count).ok().into())
        .unsorted("Details", move |one| {
            Cell::maybe(page_of(report, one.problem), |path| Cell::File { path, name: "details".into() })
        })
        .unsorted("Program", move |one| program::of_problem(report, one.problem).into())
        .found(move |_, one| {
            FoundRow::at(&*one.problem.subject, paths::export(report.settings))
                .more(&one.problem.result)
                .more(["export"])
        })
        .first(LISTED, Others::Elsewhere("problems are in the tables of their compiles"))
        .listing("failures", "Further problems of the export", "")
}
