//! `failures_and_restarts.html`: what failed and why, and which attempts were discarded.

use crate::analysis::failures::{FailureCause, failed_us, failure_causes};
use crate::analysis::findings::{Cost, Topic, of_entry};
use crate::model::{Compile, Content, TextFrame};
use crate::report::kit::formats::{cost_words, is_library};
use crate::report::kit::markup::{fold, long_text};
use crate::report::kit::prelude::*;
use crate::report::kit::reasons::first_line;
use fxhash::FxHashMap;
use indexmap::IndexMap;

/// Causes with an entry; the table below has all failures.
const ENTRIES: usize = 40;

/// Larger tracebacks are not read for frames; recorded ones have 10 KB.
const LONGEST_TRACEBACK: u64 = 64 << 10;

/// Frames of the reader's own code in an entry; the file has all.
const FRAMES: usize = 12;

/// Rows of a table; further ones are in report.json only.
const LISTED: usize = 1_000;

/// Compiles that the head of an entry names, and those that its body links.
const SHOWN: usize = 8;
const LINKED: usize = 40;

/// Characters of a failure's first line in the head of its entry.
const LONGEST_HEAD: usize = 160;

#[derive(Serialize)]
struct Entry {
    id: String,
    open: bool,
    error: String,
    function: Html,
    head: Html,
    place: Html,
    /// The source line, if the log has it.
    source: Option<String>,
    pills: Html,
    cost: String,
    count: String,
    /// The whole message, folded, unless the head has it.
    message: Html,
    frames: Html,
    facts: Html,
}

/// A cause, and the cost of the finding about it.
struct Reason<'m> {
    cause: FailureCause<'m>,
    cost: Option<&'m Cost>,
}

pub(crate) fn page<'m>(report: Report<'m>) -> Page<'m, Worker> {
    Page::rendered(RelPath::of_parts(&["failures_and_restarts.html"]), move |worker, out| {
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
            restarts(view, out)
        })
    })
}

/// Failures by cause, most time lost first.
fn reasons(report: Report<'_>) -> Vec<Reason<'_>> {
    let findings = &report.found.findings;
    let causes = failure_causes(report.model).into_iter().enumerate();
    let reason = |(number, cause)| {
        let finding = of_entry(findings, Topic::Failures, number);
        Reason { cause, cost: finding.and_then(|finding| finding.cost.as_ref()) }
    };
    let mut reasons: Vec<Reason<'_>> = causes.map(reason).collect();
    let lost = |one: &Reason<'_>| one.cost.map_or(0.0, |cost| cost.us);
    reasons.sort_by(|one, other| lost(other).total_cmp(&lost(one)));
    reasons
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
    lost: Option<String>,
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
        lost: lost(view.report).map(micros),
        restarts: (!model.restarts.is_empty()).then(|| counted(model.restarts.len(), "restart", "restarts")),
    };
    Ok(write_line(out, &view.render("failures_verdict", &verdict)?)?)
}

fn failures(view: View<'_>, out: &mut dyn Write, reasons: Vec<Reason<'_>>) -> anyhow::Result<()> {
    if reasons.is_empty() {
        return Ok(());
    }
    let all = &view.report.model.failures;
    let note = "one entry per cause, most time lost first";
    let tools = view.fold_button("failures-list");
    view.open_section(out, ("failures", "Failures", note), Some(whole(all.len())), tools)?;
    open_box(out, "failures-list")?;
    for (index, reason) in reasons.iter().take(ENTRIES).enumerate() {
        write_line(out, &entry(view, index, reason)?)?;
    }
    close(out, "div")?;
    // The entries of a few failures are complete.
    if reasons.len() > ENTRIES || reasons.iter().any(|reason| reason.cause.failures.len() > LINKED) {
        heading(out, "All failures, in the order of the log")?;
        table(view, out, &reasons)?;
    }
    Ok(close_section(out)?)
}

fn entry(view: View<'_>, index: usize, reason: &Reason<'_>) -> anyhow::Result<Html> {
    let cause = &reason.cause;
    let Some(failure) = cause.first() else { return Ok(Html::default()) };
    let compiles = view.compiles(&cause.compiles);
    let compile = compiles.first();
    let text = failure.reason.as_deref().unwrap_or_default().trim();
    let head = first_line(text);
    let (head, cut) = clipped(&head, LONGEST_HEAD);
    let (frames, evidence) = traceback(view, &compiles, text)?.unwrap_or_default();
    let mut facts = vec![
        ("Compiles", view.some_pills(&compiles, LINKED)),
        ("Exception", view.code(&failure.error)),
        ("Reported by", reported(cause).into()),
    ];
    if !evidence.is_empty() {
        facts.push(("Traceback", evidence));
    }
    let said = !cut && text.lines().map(str::trim).eq(head.lines());
    let entry = Entry {
        id: format!("failure-{}", index + 1),
        open: index == 0,
        error: short_error(&failure.error).to_owned(),
        function: compile.map_or_else(Html::default, |compile| view.named(compile)),
        head: view.prose(head),
        place: view.plain_place(cause.place.file.as_deref(), cause.place.line),
        source: cause.place.loc.as_deref().map(|line| clipped(line.trim(), LONGEST_HEAD).0.to_owned()),
        pills: view.plain_pills(&compiles, SHOWN),
        cost: reason.cost.map_or_else(|| UNKNOWN.to_owned(), |cost| cost_words(cost.kind, cost.us)),
        count: counted(cause.failures.len(), "time", "times"),
        message: if said || text.is_empty() { Html::default() } else { message(text) },
        frames,
        facts: view.facts(facts),
    };
    view.render("failure", &entry)
}

/// The whole text of an exception, folded, as the head shows only its first line.
fn message(text: &str) -> Html {
    let lines = counted(text.lines().count(), "line", "lines");
    fold(format!("The whole message, {lines}"), &long_text(text))
}

/// The records that report it: `the metrics of the compilation, line 2,310`.
fn reported(cause: &FailureCause<'_>) -> String {
    let Some(first) = cause.first() else { return String::new() };
    let lines = cause.failures.iter().take(LINKED).map(|failure| whole(failure.record));
    let lines = lines.collect::<Vec<_>>().join("; ");
    let word = if cause.failures.len() == 1 { "line" } else { "lines" };
    format!("{}, {word} {lines} of the log", record_words(first.kind))
}

/// The origin of a failure, if the exception's name implies it; else its short name, such as `Unsupported` for
/// `torch._dynamo.exc.Unsupported`.
fn short_error(error: &str) -> &str {
    match error.rsplit('.').next().unwrap_or(error) {
        "BackendCompilerFailed" => "Backend",
        "InductorError" => "Inductor",
        "TorchRuntimeError" => "Fake tensors",
        name => clipped(name, 24).0,
    }
}

fn record_words(kind: &str) -> &str {
    match kind {
        "forward" => "the metrics of the compilation",
        "backward" | "aot_backward" => "the metrics of the backward compilation",
        "runtime" | "backward_runtime" => "the metrics of work done while the model ran",
        other => other,
    }
}

/// The reader's own frames in the traceback that torch recorded for one of these failures, unless the reason has them,
/// and a link to its file.
fn traceback(view: View<'_>, compiles: &[&Compile], text: &str) -> anyhow::Result<Option<(Html, Html)>> {
    let error = compiles.iter().find_map(|compile| {
        Some((compile, compile.artifacts.iter().rev().find(|a| &*a.name == "dynamo_error")?))
    });
    let Some((compile, artifact)) = error else { return Ok(None) };
    let path = paths::artifact(compile, artifact, view.report.settings);
    let link = view.link(&view.href(&path), &format!("{}_{}", artifact.name, artifact.number));
    let Content::Payload(at, _) = &artifact.content else { return Ok(Some((Html::default(), link))) };
    if at.text_len > LONGEST_TRACEBACK {
        return Ok(Some((Html::default(), link)));
    }
    let all = view.report.payload(at)?;
    let lines = format!(", {}", counted(all.lines().count(), "line", "lines"));
    let own = crate::model::traceback(&all).into_iter().filter(|frame| {
        let place = format!("\"{}\", line {},", frame.file, frame.line);
        !is_library(&frame.file) && !text.contains(&place)
    });
    let mut own: Vec<TextFrame> = own.collect();
    own.drain(..own.len().saturating_sub(FRAMES));
    let frames =
        if own.is_empty() { Html::default() } else { view.traceback(&own, own.len().checked_sub(1)) };
    Ok(Some((frames, Html::joined([link, lines.into()], ""))))
}

fn table(view: View<'_>, out: &mut dyn Write, reasons: &[Reason<'_>]) -> anyhow::Result<()> {
    let all = &view.report.model.failures;
    let shown = (1..).zip(reasons.iter().take(ENTRIES));
    let entries: FxHashMap<u64, usize> = shown
        .flat_map(|(number, reason)| {
            reason.cause.failures.iter().map(move |failure| (failure.record, number))
        })
        .collect();
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
            Some(number) => view.link(&format!("#failure-{number}"), clipped(&head, LONGEST_HEAD).0),
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

/// Restarts for one reason.
#[derive(Default)]
struct Restarted<'a> {
    compiles: Vec<&'a Compile>,
    times: usize,
}

fn restarts(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let model = view.report.model;
    if model.restarts.is_empty() {
        return Ok(());
    }
    let mut reasons: IndexMap<&str, Restarted<'_>> = IndexMap::new();
    for restart in &model.restarts {
        let one = reasons.entry(&restart.reason).or_default();
        one.times += 1;
        // The restarts of a compile are adjacent.
        let known = |known: &&Compile| known.id == restart.compile;
        one.compiles.extend(
            model.compile(restart.compile.as_ref()).filter(|_| !one.compiles.last().is_some_and(known)),
        );
    }
    let note = "attempts that Dynamo discarded to start over; usual at a graph break";
    let count = Some(whole(model.restarts.len()));
    view.open_section(out, ("restarts", "Restarts", note), count, Html::default())?;
    let wasted = |one: &Restarted<'_>| {
        let times = one.compiles.iter().filter_map(|c| c.outcome().and_then(|m| m.wasted_us));
        times.fold(None, |sum: Option<f64>, us| Some(sum.unwrap_or(0.0) + us))
    };
    let columns = vec![
        TableColumn::text("Reason"),
        TableColumn::unsorted("Compiles"),
        TableColumn::number("Times"),
        TableColumn::number("Discarded")
            .about("time of all attempts of these compiles except the last")
            .absent_if(!reasons.values().any(|one| wasted(one).is_some())),
    ];
    let table = Table { id: "restarts-table", label: "Restarts", columns };
    let rows = reasons.iter().take(LISTED).map(|(reason, one)| {
        Row::of(vec![
            TableCell::html(view.prose(reason)),
            TableCell::html(view.some_pills(&one.compiles, LINKED)),
            TableCell::count(one.times),
            TableCell::maybe(wasted(one), micros),
        ])
    });
    view.table(out, &table, rows)?;
    view.beyond(out, reasons.len(), LISTED, "reasons")?;
    Ok(close_section(out)?)
}

/// The numbers of failures and restarts: `2, restarts 14`.
pub(crate) fn count(report: Report<'_>) -> String {
    let failures = whole(report.model.failures.len());
    match report.model.restarts.len() {
        0 => failures,
        restarts => format!("{failures}, restarts {}", whole(restarts)),
    }
}
