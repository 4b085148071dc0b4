//! A reason why compiles failed: one row, and below it what to do, where it happened, and what torch says.

use crate::analysis::failed_in::Reached;
use crate::analysis::failures::FailureCause;
use crate::analysis::findings::plain_words;
use crate::limits::{NAMED_BRIEFLY, SHORT_LINE, SHOWN};
use crate::model::{Compile, Failure, MetricsKind};
use crate::report::doc::{Block, Card, Cell, Fact, cost_of_card, log, own, place, place_of_card};
use crate::report::kit::failure_reasons::{Reason, file};
use crate::report::kit::formats::{and_more, clipped, counted, whole};
use crate::report::kit::links;
use crate::report::kit::record_files::record_files;
use crate::report::pages::failures::traceback;
use crate::report::subject::Report;

/// Longer messages are cut; the log has all of them.
const LONGEST_MESSAGE: usize = 20_000;

pub(super) fn card<'m>(report: Report<'m>, index: usize, reason: &'m Reason<'m>) -> Option<Card<'m>> {
    let cause = &reason.cause;
    let failure = cause.first()?;
    let compiles: Vec<_> =
        cause.compiles.iter().filter_map(|index| report.model.compiles.get(*index)).collect();
    let why = Cell::Sentence(plain_words(report.model, cause, &reason.failed_in).capitalized());
    let mut title = functions(report, &compiles);
    title.extend([if title.is_empty() { "" } else { ": " }.into(), why]);
    let source = cause.place.loc.as_deref().map(|line| clipped(line.trim(), SHORT_LINE).0);
    title.extend(source.into_iter().flat_map(|line| [" ".into(), Cell::Code(line.into())]));
    let mut body = vec![Block::Heading("What to do".into())];
    body.extend(reason.what_to_do(report));
    if let Some(trace) = traceback::traceback(report, reason, &compiles) {
        body.extend([Block::Heading("Where it happened".into()), trace]);
    }
    body.extend([Block::Heading("What torch says".into()), message(failure)]);
    body.push(Block::Facts(facts(report, reason, &compiles)));
    Some(Card {
        id: links::failure_anchor(index + 1),
        kind: match reason.failed_in.reached {
            Reached::Dynamo => "Dynamo",
            Reached::Backend => "Backend",
            Reached::Inductor => "Inductor",
            Reached::CodeGeneration => "Code generation",
        },
        class: "error",
        title: Cell::Beside(title, ""),
        below: place_of_card(cause.place.file.as_deref(), cause.place.line),
        compiles,
        cost: cost_of_card(reason.finding.and_then(|finding| finding.cost.as_ref())),
        count: counted(cause.failures.len(), "time", "times"),
        body,
    })
}

/// The functions that failed; several compiles may be of one.
fn functions<'m>(report: Report<'m>, compiles: &[&Compile]) -> Vec<Cell<'m>> {
    let mut names: Vec<(String, bool)> = Vec::new();
    for compile in compiles {
        let name = report.model.by_id.get(&compile.id).and_then(|index| report.found.names.at(*index));
        let name = name.map(|name| (name.plain(), name.in_words));
        names.extend(name.filter(|name| !names.contains(name)));
    }
    let more = and_more(names.len(), NAMED_BRIEFLY);
    let mut cells = Vec::new();
    for (name, in_words) in names.into_iter().take(NAMED_BRIEFLY) {
        cells.extend((!cells.is_empty()).then(|| ", ".into()));
        cells.push(if in_words { log(name) } else { Cell::Code(name.into()) });
    }
    cells.extend((!more.is_empty()).then(|| own(more)));
    cells
}

/// The exception in torch's words.
fn message<'m>(failure: &Failure) -> Block<'m> {
    let text = failure.reason.as_deref().unwrap_or_default().trim();
    let short = failure.error.rsplit('.').next().unwrap_or(&failure.error);
    let (shown, cut) = clipped(text, LONGEST_MESSAGE);
    let rest = if cut { "\n… raw.log has all of it" } else { "" };
    let message = if text.is_empty() { short.to_owned() } else { format!("{short}: {shown}{rest}") };
    Block::Text(message.into())
}

fn facts<'m>(report: Report<'m>, reason: &'m Reason<'m>, compiles: &[&'m Compile]) -> Vec<Fact<'m>> {
    let cause = &reason.cause;
    let some = Cell::SomeCompiles { compiles: compiles.to_vec(), most: SHOWN, beside_names: false };
    let error = Cell::Code(cause.first().map_or("", |one| &one.error).into());
    let mut facts = vec![
        Fact::new("Compiles", some),
        Fact::new("Failed in", own(reason.failed_in.words())),
        Fact::new("Exception", Cell::Beside(vec![error, own(reported(cause))], ", ")),
    ];
    if let Some(file) = cause.place.file.as_deref() {
        let line = cause.place.line.and_then(|line| line.try_into().ok());
        facts.push(Fact::new("Where", place(Some(file), line)));
    }
    let records = record_files(report, &cause.compiles, &["dynamo_error"]);
    if !records.is_empty() {
        facts.push(Fact::new("Whole traceback", Cell::Beside(records.into_iter().map(file).collect(), ", ")));
    }
    facts
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
