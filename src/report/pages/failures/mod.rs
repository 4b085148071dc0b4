//! `failures_and_restarts.html`: what failed and why, and which attempts were discarded.

mod entry;
mod restarts;
mod traceback;

use crate::analysis::failed_in::Reached;
use crate::analysis::failures::failed_us;
use crate::limits::{LISTED, SHORT_LINE, SHOWN};
use crate::model::Failure;
use crate::output::{Page, RelPath};
use crate::report::doc::{Block, Cell, Listing, Others, Rows, Section, log, own, page, place};
use crate::report::kit::failure_reasons::{Reason, numbered, reasons};
use crate::report::kit::formats::{clipped, counted, micros, whole};
use crate::report::kit::links;
use crate::report::kit::reasons::first_line;
use crate::report::kit::templates::Worker;
use crate::report::subject::Report;
use crate::report::words::failures::REACHED;

pub(crate) fn page<'m>(report: Report<'m>) -> Page<'m, Worker> {
    Page::rendered(RelPath::of_parts(&[links::FAILURES]), move |worker, out| {
        let reasons = reasons(report);
        let mut blocks = vec![verdict(report, &reasons)];
        blocks.extend((!reasons.is_empty()).then(|| failures(report, &reasons)));
        blocks.extend(restarts::section(report));
        page::write(report, "Failures and restarts", &blocks, worker, out)
    })
}

/// Microseconds that failed compilations took; None if no record says.
fn lost(report: Report<'_>) -> Option<f64> {
    let times = report.model.failures.iter().filter_map(|failure| failed_us(report.model, failure));
    times.fold(None, |sum: Option<f64>, us| Some(sum.unwrap_or(0.0) + us))
}

fn verdict<'m>(report: Report<'m>, reasons: &[Reason<'_>]) -> Block<'m> {
    let model = report.model;
    let mut failed: Vec<_> =
        model.failures.iter().map(|f| f.compile.as_ref().map(ToString::to_string)).collect();
    failed.sort_unstable();
    failed.dedup();
    let compiles = counted(model.identified().count(), "compilation", "compilations");
    let mut pieces = match failed.len() {
        0 => vec![own(format!("No failure among {compiles}. "))],
        count => {
            let parts = parts(reasons).map(|parts| format!(": {parts}")).unwrap_or_default();
            let lost = lost(report).map(|us| format!(", after {} of work", micros(us))).unwrap_or_default();
            let failed = own(format!("{} of {compiles}", whole(count))).class("err").linked("#failures");
            let why = counted(reasons.len(), "reason", "different reasons");
            vec![failed, own(format!(" failed, for {why}{parts}{lost}. "))]
        }
    };
    pieces.extend(match model.restarts.len() {
        0 => vec!["No restart.".into()],
        count => vec![own(counted(count, "restart", "restarts")).linked("#restarts"), ".".into()],
    });
    let mut notes = Vec::new();
    if !failed.is_empty() {
        let note = "A function whose compile fails runs uncompiled if `torch._dynamo.config.suppress_errors` is set, or if the \
                    failure is a graph break without `fullgraph=True`; otherwise the caller got the error. The log does not \
                    say which.";
        notes.push(Cell::Prose(note.into()));
        notes.extend(without_hint(reasons).map(own));
    }
    Block::Verdict { sentence: Cell::Beside(pieces, ""), notes }
}

/// How many compiles failed in each part of the compiler; None if all failed in the same.
fn parts(reasons: &[Reason<'_>]) -> Option<String> {
    let words = |reached: Reached| match reached {
        Reached::Dynamo => "while Dynamo read your code",
        Reached::Backend => "in the backend",
        Reached::Inductor => "in Inductor",
        Reached::CodeGeneration => "while Inductor generated code",
    };
    let count = |reached: Reached| -> usize {
        let here = reasons.iter().filter(|reason| reason.failed_in.reached == reached);
        here.map(|reason| reason.cause.compiles.len()).sum()
    };
    let parts = REACHED.map(|reached| (count(reached), words(reached)));
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, words)| format!("{} {words}", whole(count)))
        .collect();
    (parts.len() > 1).then(|| parts.join(", "))
}

/// How many compiles failed for a reason that torch has no hint for.
fn without_hint(reasons: &[Reason<'_>]) -> Option<String> {
    let all: usize = reasons.iter().map(|reason| reason.cause.compiles.len()).sum();
    let none: usize =
        reasons.iter().filter(|reason| reason.has_no_hint()).map(|reason| reason.cause.compiles.len()).sum();
    match none {
        0 => None,
        _ if none == all => Some("torch gives no hint; each row says where to look.".to_owned()),
        _ => Some(format!(
            "For {} of the {}, torch gives no hint; the rows say where to look.",
            whole(none),
            whole(all)
        )),
    }
}

fn failures<'m>(report: Report<'m>, reasons: &'m [Reason<'m>]) -> Block<'m> {
    let shown = reasons.iter().take(SHOWN).enumerate();
    let cards = shown.filter_map(|(index, reason)| entry::card(report, index, reason)).collect();
    let mut blocks = vec![Block::Cards { id: "failures-list", cards }];
    // The entries of a few failures are complete.
    if reasons.len() > SHOWN || reasons.iter().any(|reason| reason.cause.failures.len() > SHOWN) {
        blocks.push(Block::Heading("All failures, in the order of the log".into()));
        blocks.push(Block::Table(all(report, reasons)));
    }
    let section = Section::new("failures", "Failures", blocks);
    let about = "one row per reason, most time lost first";
    Block::Section(section.about(about).counted(report.model.failures.len()))
}

fn all<'m>(report: Report<'m>, reasons: &[Reason<'_>]) -> Listing<'m> {
    let entries = numbered(reasons);
    Rows::of(report.model.failures.iter().collect::<Vec<&'m Failure>>())
        .compile("Compile", move |failure| match report.model.compile(failure.compile.as_ref()) {
            Some(compile) => Cell::Compile { compile, after: String::new() },
            None => Cell::maybe(failure.compile.as_ref(), |id| Cell::Code(id.to_string().into())),
        })
        .text("Type", |failure| log(&*failure.error))
        .mono()
        .text("Description", move |failure| {
            let reason = failure.reason.as_deref().unwrap_or_default();
            let head = first_line(reason);
            match entries.get(&failure.record) {
                Some(number) => log(clipped(&head, SHORT_LINE).0.to_owned())
                    .linked(format!("#{}", links::failure_anchor(*number))),
                None if reason.is_empty() => log(head),
                None => log(reason),
            }
        })
        .text("Source", |failure| {
            place(failure.file.as_deref(), failure.line.and_then(|line| line.try_into().ok()))
        })
        .number("Line of the log", |failure| usize::try_from(failure.record).ok().into())
        .first(LISTED, Others::InFacts("failures"))
        .listing("failures", "Failures", "")
}

/// The numbers of failures and restarts: `2, restarts 14`.
pub(crate) fn count(report: Report<'_>) -> String {
    let failures = whole(report.model.failures.len());
    match report.model.restarts.len() {
        0 => failures,
        restarts => format!("{failures}, restarts {}", whole(restarts)),
    }
}
