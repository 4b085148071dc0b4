//! The verdict: one sentence in numbers, where the time went, and what limits both.

use crate::analysis::{Finding, FunctionName, PARTS, Parts, Severity, Stretch, is_capture, order_of_time};
use crate::model::{Compile, ProblemKind, Status};
use crate::report::kit::prelude::*;
use crate::report::kit::verdict::{Hero, Words};
use crate::report::pages::landing::log::damaged;
use crate::report::pages::landing::order::strip;
use crate::report::pages::landing::slow::{self, outlook};
use crate::report::words::export::sentence_of;
use crate::report::words::performance::sentence_of as sentence_of_trace;

/// Compiles without metrics that are named; more are counted.
const NAMED: usize = 3;

/// A compile with a smaller share of the time is not worth a word.
const NOTABLE_SHARE: f64 = 0.1;

fn piece(before: &'static str, text: String, href: &'static str, class: &'static str) -> Words {
    Words::linked(before, text, href, class)
}

fn words(text: &'static str) -> Words {
    Words::plain(text)
}

/// Commands on the page of a log without records.
#[derive(Serialize)]
struct Empty {
    record: Html,
    report: Html,
}

pub(crate) fn hero(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let report = view.report;
    if let Some(measured) = report.found.performance.as_ref().filter(|_| report.is_trace_alone()) {
        let kernels = Html::joined(
            [
                performance_link(view),
                ": which took the time, and how near each comes to what the device can do.".into(),
            ],
            "",
        );
        let about = Html::joined(
            [
                "This is a trace of torch.profiler, read without a log. With the log of the same run, each kernel leads to \
                 its line of the program: "
                    .into(),
                view.command("tlparse LOG --profile TRACE"),
            ],
            "",
        );
        let notes = vec![kernels, about];
        put(out, &view.verdict(Html::escaped(&sentence_of_trace(measured)), notes)?)?;
        return Ok(());
    }
    if report.model.log.records == 0 {
        let record = view.command("TORCH_TRACE=/tmp/trace python train.py");
        let report = view.command("tlparse --latest /tmp/trace");
        put(out, &view.render("empty", &Empty { record, report })?)?;
        return Ok(());
    }
    let parts = report.found.split.whole;
    let slow = slow::comes_first(report);
    let (pieces, bar) = match slow {
        true => {
            let order = order_of_time(report.model);
            let bar = if report.times_phases() { strip(view, &order)? } else { view.bar(&parts, true) };
            (slow_sentence(view, &parts, &order), bar)
        }
        false => (sentence(view), view.bar(&parts, true)),
    };
    let hero = Hero { pieces, notes: notes(view, &parts)?, bar };
    put(out, &view.hero(&hero)?)?;
    Ok(())
}

/// The sentence where nothing went wrong and it took long: what took the time, and what a warm run saves.
fn slow_sentence(view: View<'_>, parts: &Parts, order: &[Stretch]) -> Vec<Words> {
    let mut pieces = match single_function(view) {
        Some(name) => vec![
            piece("Compiling ", name, "#functions", ""),
            piece(" took ", micros(view.report.found.time.total_s * 1e6), "#functions", ""),
        ],
        None => compiled(view),
    };
    if let Some((us, part)) = costliest(parts) {
        pieces.push(piece(", of which ", micros(us), "#time", ""));
        pieces.push(piece(" went into ", doing(view, part, order), "#time", ""));
    }
    pieces.push(words("."));
    if let Some(us) = outlook(view.report).warm_us {
        pieces.push(piece(" A warm run saves ", format!("up to {}", micros(us)), "#other-runs", ""));
        pieces.push(words("."));
    }
    pieces
}

/// The name of the function, where only one was compiled, and once.
fn single_function(view: View<'_>) -> Option<String> {
    let mut compiles = view.report.model.identified();
    let only = compiles.next().filter(|_| compiles.next().is_none())?;
    view.function_name(only).map(FunctionName::plain)
}

/// What was compiled, and how long it took.
fn compiled(view: View<'_>) -> Vec<Words> {
    let found = view.report.found;
    let compiles = view.report.model.identified().count();
    if compiles == 0 {
        vec![piece("", "No compilation".into(), "#artifacts", ""), words(" was recorded under a compile id")]
    } else {
        let functions = found.functions.len();
        vec![
            piece("", counted(compiles, "compilation", "compilations"), "#functions", ""),
            piece(" of ", counted(functions, "function", "functions"), "#functions", ""),
            piece(" took ", micros(found.time.total_s * 1e6), "#functions", ""),
        ]
    }
}

fn sentence(view: View<'_>) -> Vec<Words> {
    let mut pieces = compiled(view);
    pieces.extend(outcome(view));
    pieces
}

/// What came of it: failures, graph breaks, recompilations, damage.
fn outcome(view: View<'_>) -> Vec<Words> {
    let model = view.report.model;
    let mut pieces = Vec::new();
    let failures = model.failures.len();
    pieces.push(match failures {
        0 => words(": no failure"),
        n => piece(": ", counted(n, "failure", "failures"), "failures_and_restarts.html", "err"),
    });
    pieces.push(match model.graph_breaks.len() {
        0 => words(", no graph break"),
        n => piece(", ", counted(n, "distinct graph break", "distinct graph breaks"), "#findings", "warn"),
    });
    pieces.push(match model.recompiles.len() {
        0 => words(", no recompilation"),
        n => piece(", ", counted(n, "recompilation", "recompilations"), "#findings", "warn"),
    });
    pieces.push(words(". "));
    match damaged(view.report) {
        0 => pieces.extend([piece("", "No record".into(), "#log", ""), words(" was damaged.")]),
        1 => pieces
            .extend([piece("", "1 record".into(), "#log", "err"), words(" is damaged or of another rank.")]),
        n => pieces.extend([
            piece(
                "",
                format!("{} of {}", whole(n), counted(all_records(view), "record", "records")),
                "#log",
                "err",
            ),
            words(" are damaged or of another rank."),
        ]),
    }
    pieces
}

/// Records that were read, and lines that should have been one.
fn all_records(view: View<'_>) -> u64 {
    let integrity = &view.report.model.integrity;
    let lost = integrity.count(ProblemKind::BadPrefix) + integrity.count(ProblemKind::BadJson);
    view.report.model.log.records + lost
}

fn notes(view: View<'_>, parts: &Parts) -> anyhow::Result<Vec<Html>> {
    let mut notes = Vec::new();
    if damaged(view.report) > 0 {
        notes.push(Html::escaped("The numbers are those of the readable records; they may be too low."));
    }
    notes.extend(export_note(view));
    notes.extend(report_of_trace(view));
    if slow::comes_first(view.report) {
        notes.push(beside_the_time(view));
    }
    notes.extend(where_time_went(view, parts)?);
    notes.extend(without_metrics(view)?);
    Ok(notes)
}

/// What came of it besides, where the verdict says where the time went.
fn beside_the_time(view: View<'_>) -> Html {
    let outcome: String = outcome(view).iter().map(Words::text).collect();
    let outcome = outcome.trim_start_matches(": ");
    // The verdict that names the only function does not count it.
    let counted = if single_function(view).is_some() { "1 compilation, " } else { "" };
    let problem = |one: &&Finding| one.severity != Severity::Info && one.kind.word != "serial_builds";
    let beginning =
        match view.report.found.findings.iter().filter(problem).map(Finding::lost_us).reduce(|a, b| a + b) {
            None => "Nothing went wrong".to_owned(),
            Some(us) if us > 0.0 => format!("What went wrong cost {} of it", micros(us)),
            Some(_) => "What went wrong cost no time that the log tells".to_owned(),
        };
    Html::escaped(&format!("{beginning}: {counted}{outcome}"))
}

/// What the compiler did in a part; builds are counted where each has a span.
fn doing(view: View<'_>, part: usize, order: &[Stretch]) -> String {
    let is_building = PARTS.get(part) == Some(&"Kernel builds");
    let builds = order.iter().filter(|one| one.build.is_some()).count();
    if !is_building || builds == 0 {
        return DOING.get(part).copied().unwrap_or_default().to_owned();
    }
    let serial = view.report.model.inductor.compile_threads == Some(1) && builds > 1;
    let how = if serial { ", one after the other" } else { "" };
    format!("{}{how}", counted(builds, "C++ build", "C++ builds"))
}

/// What the compiler does in each part.
const DOING: [&str; PARTS.len()] = [
    "tracing Python into graphs (Dynamo)",
    "splitting and lowering graphs (AOTAutograd)",
    "rewriting and scheduling graphs (Inductor)",
    "generating code",
    "building kernels and trying the C++ compiler",
    "autotuning kernels",
];

/// The part that took most; None without any time.
fn costliest(parts: &Parts) -> Option<(f64, usize)> {
    let timed = parts.0.into_iter().enumerate().map(|(part, us)| (us, part));
    timed.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(us, _)| *us > 0.0)
}

/// Which part of the compiler took most, and which compile.
fn where_time_went(view: View<'_>, parts: &Parts) -> anyhow::Result<Option<Html>> {
    let total = parts.total();
    let Some((us, part)) = costliest(parts) else { return Ok(None) };
    let doing = DOING.get(part).copied().unwrap_or_default();
    let share = percent(us, total, false);
    let source = match view.report.found.split.of_spans {
        true => "",
        false => " (as the metrics say; the log has no spans of phases, and metrics time no kernel builds)",
    };
    let mut pieces = Vec::new();
    // The verdict of a slow log has said it.
    if !slow::comes_first(view.report) {
        pieces.push(Html::escaped(&format!("{share} of the compile time went into {doing}{source}.")));
    }
    let time = |compile: &Compile| compile.compile_us().unwrap_or(0.0);
    let costly = view.report.model.identified().max_by(|a, b| time(a).total_cmp(&time(b)));
    let several = view.report.model.identified().count() > 1;
    if let Some(compile) = costly.filter(|c| several && time(c) >= NOTABLE_SHARE * total) {
        let cost = format!("took {}.", micros(time(compile)));
        pieces.extend(["The costliest compile,".into(), view.pill(compile)?, cost.as_str().into()]);
    }
    Ok((!pieces.is_empty()).then(|| Html::joined(pieces, " ")))
}

/// Compiles of which no metrics arrived: what is known of their time.
fn without_metrics(view: View<'_>) -> anyhow::Result<Option<Html>> {
    let exports = &view.report.found.export.compiles;
    let compiles = view.report.model.compiles.indexed();
    let compiles = compiles.filter(|(index, c)| c.id.is_some() && !exports.contains(index)).map(|(_, c)| c);
    let missing: Vec<&Compile> = compiles.filter(|c| c.status == Status::Missing && !is_capture(c)).collect();
    if missing.is_empty() {
        return Ok(None);
    }
    let named = view.pills(missing.iter().copied().take(NAMED))?;
    let more = missing.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {} more", whole(more)) } else { String::new() };
    let timed = &view.report.found.time;
    let has_phases = |compile: &&Compile| {
        view.report.model.by_id.get(&compile.id).is_some_and(|index| timed.has_phases(*index))
    };
    let (have, their) = if missing.len() == 1 { ("has", "its") } else { ("have", "their") };
    let time = match missing.iter().all(has_phases) {
        true => format!("{more} {have} no metrics: {their} time is known from {their} phases only."),
        false => format!("{more} {have} no metrics, so {their} time is not in the sums."),
    };
    let text = Html::escaped(&format!("{time} The program ended first, or the log does not record them."));
    Ok(Some(Html::joined([named, text], "")))
}

/// What a trace measured, with a link to its page.
fn report_of_trace(view: View<'_>) -> Option<Html> {
    let measured = view.report.found.performance.as_ref()?;
    let sentence = Html::escaped(&format!(": {}", sentence_of_trace(measured)));
    Some(Html::joined([performance_link(view), sentence], ""))
}

fn performance_link(view: View<'_>) -> Html {
    view.link("performance.html", "Measured kernels")
}

/// What came of an export, with a link to the report.
fn export_note(view: View<'_>) -> Option<Html> {
    let link = || view.link(&view.href_of(paths::export(view.report.settings)), "Export");
    let sentence = || Html::escaped(&format!(": {}", sentence_of(view.report)));
    view.report.shows_export().then(|| Html::joined([link(), sentence()], ""))
}
