//! `failures_and_restarts.html`: what failed and why, and which attempts were thrown away.

use super::parts::{Head, Row, Table, Td, View};
use super::shell::{Shell, Tab, write_page};
use super::units::{UNKNOWN, clipped, counted, micros, whole};
use super::{Html, Report, Worker, paths};
use crate::model::{Artifact, Compile, Content, Failure};
use crate::output::{Page, RelPath};
use indexmap::IndexMap;
use serde::Serialize;
use std::io::Write;

/// Reasons that get an entry; all failures stand in the table below them.
const ENTRIES: usize = 40;

/// Bytes of a traceback that an entry shows; a longer one is linked only. Recorded ones have 10 KB.
const LONGEST_TRACEBACK: u64 = 64 << 10;

/// Bytes of tracebacks on the page: further ones are linked only.
const ALL_TRACEBACKS: u64 = 1 << 20;

/// Rows of a table; what is beyond stands in report.json.
const LISTED: usize = 1_000;

/// Compiles that an entry names.
const SHOWN: usize = 8;

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
    pills: Html,
    cost: String,
    count: String,
    reason: String,
    facts: Html,
    traceback: String,
    lines: String,
}

/// One reason: its failures with the compile of each.
type Reason<'a> = Vec<(&'a Failure, Option<&'a Compile>)>;

pub(super) fn page<'m>(report: Report<'m>) -> Page<'m, Worker> {
    Page::rendered(RelPath::of_parts(&["failures_and_restarts.html"]), move |worker, out| {
        let model = report.model;
        let mut shell = Shell::top(report, "Failures and restarts");
        shell.tabs = vec![
            Tab::section("failures", "Failures", Some(whole(model.failures.len()))),
            Tab::section("restarts", "Restarts", Some(whole(model.restarts.len()))),
        ];
        write_page(worker, out, &shell, |worker, out| {
            let view = View::new(report, worker, 0);
            let reasons = reasons(report);
            verdict(view, out, &reasons)?;
            failures(view, out, reasons)?;
            restarts(view, out)
        })
    })
}

/// Failures of one exception and text are one reason; most time lost first.
fn reasons(report: Report<'_>) -> Vec<Reason<'_>> {
    let mut reasons: IndexMap<(&str, Option<&str>), Reason<'_>> = IndexMap::new();
    for failure in &report.model.failures {
        let compile = report.model.compile(failure.compile.as_ref());
        reasons.entry((&failure.error, failure.reason.as_deref())).or_default().push((failure, compile));
    }
    let mut reasons: Vec<Reason<'_>> = reasons.into_values().collect();
    reasons.sort_by(|a, b| lost(b).unwrap_or(0.0).total_cmp(&lost(a).unwrap_or(0.0)));
    reasons
}

/// Microseconds that failed compilations took; None where no record says.
fn lost(failures: &[(&Failure, Option<&Compile>)]) -> Option<f64> {
    let times = failures.iter().filter_map(|(failure, compile)| {
        compile.as_ref()?.metrics.iter().find(|m| m.line == failure.record)?.total_us()
    });
    times.fold(None, |sum: Option<f64>, us| Some(sum.unwrap_or(0.0) + us))
}

#[derive(Serialize)]
struct Verdict {
    failed: Option<String>,
    compiles: String,
    reasons: String,
    lost: Option<String>,
    restarts: String,
}

fn verdict(view: View<'_>, out: &mut dyn Write, reasons: &[Reason<'_>]) -> anyhow::Result<()> {
    let model = view.report.model;
    let mut failed: Vec<_> =
        model.failures.iter().map(|f| f.compile.as_ref().map(ToString::to_string)).collect();
    failed.sort_unstable();
    failed.dedup();
    let all: Reason<'_> = reasons.iter().flatten().copied().collect();
    let verdict = Verdict {
        failed: (!failed.is_empty()).then(|| whole(failed.len())),
        compiles: counted(model.identified().count(), "compilation", "compilations"),
        reasons: counted(reasons.len(), "reason", "different reasons"),
        lost: lost(&all).map(micros),
        restarts: match model.restarts.len() {
            0 => "No restart".to_owned(),
            n => counted(n, "restart", "restarts"),
        },
    };
    writeln!(out, "{}", view.render("failures_verdict", &verdict)?.as_str())?;
    Ok(())
}

fn failures(view: View<'_>, out: &mut dyn Write, reasons: Vec<Reason<'_>>) -> anyhow::Result<()> {
    let all = &view.report.model.failures;
    let note = "one entry a reason, most time lost first";
    let tools = if reasons.is_empty() { Html::default() } else { view.fold_button("failures-list") };
    view.open_section(out, ("failures", "Failures", note), Some(whole(all.len())), tools)?;
    if reasons.is_empty() {
        writeln!(out, "<p class=\"soft\">None: no compilation of this log failed.</p></section>")?;
        return Ok(());
    }
    let mut room = ALL_TRACEBACKS;
    writeln!(out, "<div class=\"box\" id=\"failures-list\">")?;
    for (index, reason) in reasons.iter().take(ENTRIES).enumerate() {
        writeln!(out, "{}", entry(view, index, reason, &mut room)?.as_str())?;
    }
    writeln!(out, "</div>\n<h3 class=\"after\">All failures, in the order of the log</h3>")?;
    table(view, out)?;
    writeln!(out, "</section>")?;
    Ok(())
}

fn entry(view: View<'_>, index: usize, reason: &Reason<'_>, room: &mut u64) -> anyhow::Result<Html> {
    let Some((failure, compile)) = reason.first() else { return Ok(Html::default()) };
    let mut compiles: Vec<&Compile> = Vec::new();
    for compile in reason.iter().filter_map(|(_, compile)| *compile) {
        if !compiles.iter().any(|known| known.id == compile.id) {
            compiles.push(compile);
        }
    }
    let function = compile.and_then(|c| c.function.as_ref());
    let text = failure.reason.as_deref().unwrap_or_default().trim();
    let head = first_line(text);
    let head = clipped(&head, LONGEST_HEAD).0;
    let defined = || function.map(|f| (f.file.as_deref(), f.line)).unwrap_or_default();
    let (file, line) =
        if failure.file.is_some() { (failure.file.as_deref(), failure.line) } else { defined() };
    let found = traceback(view, reason, room)?;
    let (traceback, evidence) = found.unwrap_or_default();
    let mut facts = vec![
        ("Compiles", view.some_pills(&compiles, 40)?),
        ("Exception", view.code(&failure.error)),
        ("Reported by", Html::escaped(record_words(failure.kind))),
    ];
    if !evidence.is_empty() {
        facts.push(("Evidence", evidence));
    }
    let entry = Entry {
        id: format!("failure-{}", index + 1),
        open: index == 0,
        error: short_error(&failure.error).to_owned(),
        function: function.map_or_else(Html::default, |f| view.function(&f.name)),
        head: view.prose(head),
        place: view.place(file, line)?,
        pills: view.plain_pills(&compiles, SHOWN)?,
        cost: lost(reason).map_or_else(|| UNKNOWN.to_owned(), micros),
        count: counted(reason.len(), "time", "times"),
        reason: text.to_owned(),
        facts: view.facts(facts)?,
        lines: counted(traceback.lines().count(), "line", "lines"),
        traceback,
    };
    view.render("failure", &entry)
}

/// Where a failure comes from, for the exceptions whose name says it; else the name: `torch._dynamo.exc.Unsupported`
/// is `Unsupported`.
fn short_error(error: &str) -> &str {
    match error.rsplit('.').next().unwrap_or(error) {
        "BackendCompilerFailed" => "Backend",
        "InductorError" => "Inductor",
        "TorchRuntimeError" => "Fake tensors",
        name => clipped(name, 24).0,
    }
}

/// The first line of a reason; where it only announces the next, that one too.
pub(super) fn first_line(text: &str) -> String {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or("no reason recorded");
    match lines.next() {
        Some(next) if first.ends_with(':') => format!("{first} {next}"),
        _ => first.to_owned(),
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

/// The traceback that torch recorded for one of these failures, and a link to its file.
fn traceback(view: View<'_>, reason: &Reason<'_>, room: &mut u64) -> anyhow::Result<Option<(String, Html)>> {
    let errors = reason.iter().filter_map(|(_, compile)| {
        let compile = (*compile)?;
        let artifact = compile.artifacts.iter().rev().find(|a| a.name == "dynamo_error")?;
        Some((compile, artifact))
    });
    let Some((compile, artifact)) = errors.into_iter().next() else { return Ok(None) };
    let link = evidence(view, compile, artifact);
    if let Content::Payload(at, _) = &artifact.content
        && at.text_len <= LONGEST_TRACEBACK.min(*room)
    {
        *room -= at.text_len;
        return Ok(Some((view.report.payload(at)?, link)));
    }
    Ok(Some((String::new(), link)))
}

fn evidence(view: View<'_>, compile: &Compile, artifact: &Artifact) -> Html {
    let path = paths::artifact(compile, artifact, view.report.settings);
    view.link(&view.href(&path), &format!("{}_{}", artifact.name, artifact.number))
}

fn table(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let all = &view.report.model.failures;
    let heads = vec![
        Head::compiles("Compile"),
        Head::text("Type"),
        Head::text("Description"),
        Head::text("Source").absent_if(!all.iter().any(|f| f.file.is_some())),
        Head::number("Line of the log"),
    ];
    let table = Table { id: "failures-table", label: "Failures", heads };
    let rows = all.iter().take(LISTED).map(|failure| {
        let description = failure.reason.as_deref().unwrap_or("no reason recorded");
        let order = view.report.model.by_id.get(&failure.compile).copied().unwrap_or_default();
        Ok(Row::of(vec![
            Td::html(view.pill_of(failure.compile.as_ref())?).sorted(order),
            Td::html(view.code(&failure.error)),
            Td::html(view.folded(description, false)),
            Td::html(view.place(failure.file.as_deref(), failure.line)?),
            Td::number(failure.record as f64, &whole(failure.record)),
        ]))
    });
    view.table(out, &table, rows)?;
    view.beyond(out, all.len(), LISTED, "failures")
}

fn restarts(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let all = &view.report.model.restarts;
    let note = "attempts that Dynamo threw away to begin again; usual at a graph break";
    view.open_section(out, ("restarts", "Restarts", note), Some(whole(all.len())), Html::default())?;
    if all.is_empty() {
        writeln!(out, "<p class=\"soft\">None: no compilation of this log started again.</p></section>")?;
        return Ok(());
    }
    let compile = |index: usize| all.get(index).and_then(|r| view.report.model.compile(r.compile.as_ref()));
    let wasted = |c: &Compile| c.outcome().and_then(|m| m.wasted_us);
    let heads = vec![
        Head::compiles("Compile"),
        Head::text("Function"),
        Head::text("Reason"),
        Head::text("Defined at"),
        Head::number("Attempts"),
        Head::number("Thrown away")
            .about("time of all attempts of the compile but the last")
            .absent_if(!(0..all.len()).any(|i| compile(i).is_some_and(|c| wasted(c).is_some()))),
    ];
    let table = Table { id: "restarts-table", label: "Restarts", heads };
    let rows = all.iter().take(LISTED).enumerate().map(|(index, restart)| {
        let compile = compile(index);
        let function = compile.and_then(|c| c.function.as_ref());
        let place = function.map(|f| view.place(f.file.as_deref(), f.line)).transpose()?;
        let order = view.report.model.by_id.get(&restart.compile).copied().unwrap_or_default();
        Ok(Row::of(vec![
            Td::html(view.pill_of(restart.compile.as_ref())?).sorted(order),
            Td::html(function.map_or_else(|| Html::escaped(UNKNOWN), |f| view.function(&f.name))),
            Td::html(view.prose(&restart.reason)),
            Td::html(place.unwrap_or_else(|| Html::escaped(UNKNOWN))),
            Td::maybe(compile.map(|c| c.attempts.len() as f64), |n| whole(n as u64)),
            Td::maybe(compile.and_then(wasted), micros),
        ]))
    });
    view.table(out, &table, rows)?;
    view.beyond(out, all.len(), LISTED, "restarts")?;
    writeln!(out, "</section>")?;
    Ok(())
}
