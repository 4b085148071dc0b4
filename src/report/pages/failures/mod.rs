//! `failures_and_restarts.html`: what failed and why, and which attempts were discarded.

mod entry;
mod restarts;
mod traceback;

use crate::analysis::failed_in::Reached;
use crate::analysis::failures::failed_us;
use crate::limits::{LISTED, SHORT_LINE, SHOWN};
use crate::report::kit::failure_reasons::{Reason, numbered, reasons};
use crate::report::kit::prelude::*;
use crate::report::kit::reasons::first_line;
use crate::report::words::failures::REACHED;

pub(crate) fn page<'m>(report: Report<'m>) -> Page<'m, Worker> {
    Page::rendered(RelPath::of_parts(&[links::FAILURES]), move |worker, out| {
        let model = report.model;
        let mut shell = Shell::top(report, "Failures and restarts");
        let sections =
            [("failures", "Failures", model.failures.len()), ("restarts", "Restarts", model.restarts.len())];
        let tab = |(id, title, count)| Tab::section(id, title, Some(whole(count)));
        shell.tabs = sections.into_iter().filter(|(.., count)| *count > 0).map(tab).collect();
        write_page(worker, out, &shell, |worker, out| {
            let view = View::new(report, worker, 0);
            let reasons = reasons(report);
            verdict(view, out, &reasons)?;
            failures(view, out, reasons)?;
            restarts::write(view, out)
        })
    })
}

/// Microseconds that failed compilations took; None if no record says.
fn lost(report: Report<'_>) -> Option<f64> {
    let times = report.model.failures.iter().filter_map(|failure| failed_us(report.model, failure));
    times.fold(None, |sum: Option<f64>, us| Some(sum.unwrap_or(0.0) + us))
}

#[derive(Serialize)]
struct Verdict {
    failed: Option<String>,
    compiles: String,
    reasons: String,
    /// How many failed in each part of the compiler, if in several: `5 while Dynamo read your code, 1 in Inductor`.
    parts: Option<String>,
    lost: Option<String>,
    /// How many have no hint, if any.
    without_hint: Option<String>,
    restarts: Option<String>,
}

fn verdict(view: View<'_>, out: &mut dyn Write, reasons: &[Reason<'_>]) -> anyhow::Result<()> {
    let model = view.report.model;
    let mut failed: Vec<_> =
        model.failures.iter().map(|f| f.compile.as_ref().map(ToString::to_string)).collect();
    failed.sort_unstable();
    failed.dedup();
    let verdict = Verdict {
        failed: (!failed.is_empty()).then(|| whole(failed.len())),
        compiles: counted(model.identified().count(), "compilation", "compilations"),
        reasons: counted(reasons.len(), "reason", "different reasons"),
        parts: parts(reasons),
        lost: lost(view.report).map(micros),
        without_hint: without_hint(reasons),
        restarts: (!model.restarts.is_empty()).then(|| counted(model.restarts.len(), "restart", "restarts")),
    };
    Ok(write_line(out, &view.render("failures_verdict", &verdict)?)?)
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

fn failures(view: View<'_>, out: &mut dyn Write, reasons: Vec<Reason<'_>>) -> anyhow::Result<()> {
    if reasons.is_empty() {
        return Ok(());
    }
    let all = &view.report.model.failures;
    let note =
        "one row per reason, most time lost first; the bars are Dynamo, backend, Inductor, code generation";
    let tools = view.fold_button("failures-list");
    view.open_section(out, ("failures", "Failures", note), Some(whole(all.len())), tools)?;
    open_box(out, "failures-list")?;
    write_line(out, &entry::column_titles())?;
    for (index, reason) in reasons.iter().take(SHOWN).enumerate() {
        write_line(out, &entry::entry(view, index, reason)?)?;
    }
    close(out, "div")?;
    // The entries of a few failures are complete.
    if reasons.len() > SHOWN || reasons.iter().any(|reason| reason.cause.failures.len() > SHOWN) {
        heading(out, "All failures, in the order of the log")?;
        table(view, out, &reasons)?;
    }
    Ok(close_section(out)?)
}

fn table(view: View<'_>, out: &mut dyn Write, reasons: &[Reason<'_>]) -> anyhow::Result<()> {
    let all = &view.report.model.failures;
    let entries = numbered(reasons);
    let columns = vec![
        TableColumn::compiles("Compile"),
        TableColumn::text("Type").mono(),
        TableColumn::text("Description"),
        TableColumn::text("Source").absent_if(!all.iter().any(|f| f.file.is_some())),
        TableColumn::number("Line of the log"),
    ];
    let table = Table { id: "failures-table", label: "Failures", columns };
    let rows = all.iter().take(LISTED).map(|failure| {
        let reason = failure.reason.as_deref();
        let head = first_line(reason.unwrap_or_default());
        let description = match entries.get(&failure.record) {
            Some(number) => {
                view.link(&format!("#{}", links::failure_anchor(*number)), clipped(&head, SHORT_LINE).0)
            }
            None => view.folded(reason.unwrap_or(&head), false),
        };
        let order = view.report.model.by_id.get(&failure.compile).copied().unwrap_or_default();
        Row::of(vec![
            TableCell::html(view.pill_of(failure.compile.as_ref())).sorted(order),
            TableCell::text(&failure.error),
            TableCell::html(description),
            TableCell::html(view.place(failure.file.as_deref(), failure.line)),
            TableCell::count(failure.record),
        ])
    });
    view.table(out, &table, rows)?;
    view.beyond(out, all.len(), LISTED, "failures")
}

/// The numbers of failures and restarts: `2, restarts 14`.
pub(crate) fn count(report: Report<'_>) -> String {
    let failures = whole(report.model.failures.len());
    match report.model.restarts.len() {
        0 => failures,
        restarts => format!("{failures}, restarts {}", whole(restarts)),
    }
}
