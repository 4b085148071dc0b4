//! The verdict: one sentence with the numbers, where the time went, and how far to trust both.

use crate::analysis::findings::KindOfFinding;
use crate::analysis::{Finding, FunctionName, Segment, Severity, is_capture, order_of_time};
use crate::limits::NAMED_BRIEFLY;
use crate::model::{Compile, CompilerPart, Parts, ProblemKind, Status};
use crate::report::kit::prelude::*;
use crate::report::kit::verdict::{Hero, Words};
use crate::report::pages::landing::log::damaged;
use crate::report::pages::landing::order::strip;
use crate::report::pages::landing::slow::{self, outlook};
use crate::report::words::export::sentence_of;
use crate::report::words::performance::sentence_of as sentence_of_trace;

/// The costliest compile is named only if it took at least this share of the time.
const NOTABLE_SHARE: f64 = 0.1;

/// Commands on the page of a log without records.
#[derive(Serialize)]
struct Empty {
    record: Html,
    report: Html,
}

pub(crate) fn hero(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let report = view.report;
    if let Some(measured) = report.found.performance.as_ref().filter(|_| report.is_trace_alone()) {
        let kernels = ": which took the time, and how close each comes to the limits of the device.";
        let about = "This is a torch.profiler trace, read without a log. With the log of the same run, each kernel \
                     links to its source line: ";
        let command = view.command("tlparse LOG --profile TRACE");
        let notes = vec![
            Html::joined([performance_link(view), kernels.into()], ""),
            Html::joined([about.into(), command], ""),
        ];
        return Ok(write_line(out, &view.verdict(sentence_of_trace(measured).into(), notes)?)?);
    }
    if report.model.log.records == 0 {
        let record = view.command("TORCH_TRACE=/tmp/trace python train.py");
        let report = view.command("tlparse --latest /tmp/trace");
        return Ok(write_line(out, &view.render("empty", &Empty { record, report })?)?);
    }
    let parts = report.found.split.whole;
    let slow = slow::comes_first(report);
    let (pieces, bar) = match slow {
        true => {
            let order = order_of_time(&report.found.spans);
            let bar = if report.times_phases() { strip(view, &order)? } else { view.bar(&parts, true) };
            (slow_sentence(view, &parts, &order), bar)
        }
        false => (compiled(view).into_iter().chain(outcome(view)).collect(), view.bar(&parts, true)),
    };
    let hero = Hero { pieces, notes: notes(view, &parts), bar };
    Ok(write_line(out, &view.hero(&hero)?)?)
}

/// The sentence for a log in which nothing went wrong but compiling was slow: what took the time, and what a warm run
/// saves.
fn slow_sentence(view: View<'_>, parts: &Parts, order: &[Segment]) -> Vec<Words> {
    let mut pieces = match single_function(view) {
        Some(name) => vec![
            Words::linked("Compiling ", name, "#functions", ""),
            Words::linked(" took ", micros(view.report.found.time.total_s * 1e6), "#functions", ""),
        ],
        None => compiled(view),
    };
    if let Some((part, us)) = parts.most() {
        pieces.push(Words::linked(", of which ", micros(us), "#time", ""));
        pieces.push(Words::linked(" went into ", doing(view, part, order), "#time", ""));
    }
    pieces.push(Words::plain("."));
    if let Some(us) = outlook(view.report).warm_us {
        pieces.push(Words::linked(" A warm run saves ", format!("up to {}", micros(us)), "#other-runs", ""));
        pieces.push(Words::plain("."));
    }
    pieces
}

/// The name of the function if only one was compiled, once.
fn single_function(view: View<'_>) -> Option<String> {
    let mut compiles = view.report.model.identified();
    let only = compiles.next().filter(|_| compiles.next().is_none())?;
    view.function_name(only).map(FunctionName::plain)
}

/// What was compiled, and how long it took, if the log says.
fn compiled(view: View<'_>) -> Vec<Words> {
    let found = view.report.found;
    let compiles = view.report.model.identified().count();
    let libraries = found.builds.libraries();
    let took = (found.time.total_s > 0.0).then(|| micros(found.time.total_s * 1e6));
    if compiles == 0 && libraries > 0 {
        let mut pieces = vec![
            Words::linked("", counted(libraries, "model", "models"), "#artifacts", ""),
            Words::plain(" compiled ahead of time"),
        ];
        pieces.extend(took.map(|took| Words::linked(" in ", took, "#time", "")));
        pieces
    } else if compiles == 0 {
        vec![
            Words::linked("", "No compilation", "#artifacts", ""),
            Words::plain(" was recorded under a compile id"),
        ]
    } else {
        let functions = found.functions.len();
        let mut pieces = vec![
            Words::linked("", counted(compiles, "compilation", "compilations"), "#functions", ""),
            Words::linked(" of ", counted(functions, "function", "functions"), "#functions", ""),
        ];
        pieces.extend(took.map(|took| Words::linked(" took ", took, "#functions", "")));
        pieces
    }
}

/// What happened: failures, graph breaks, recompilations, damage.
fn outcome(view: View<'_>) -> Vec<Words> {
    let model = view.report.model;
    let mut pieces = Vec::new();
    let failures = model.failures.len();
    pieces.push(match failures {
        0 => Words::plain(": no failure"),
        n => Words::linked(": ", counted(n, "failure", "failures"), links::FAILURES, "err"),
    });
    pieces.push(match model.graph_breaks.len() {
        0 => Words::plain(", no graph break"),
        n => Words::linked(
            ", ",
            counted(n, "distinct graph break", "distinct graph breaks"),
            "#findings",
            "warn",
        ),
    });
    pieces.push(match model.recompiles.len() {
        0 => Words::plain(", no recompilation"),
        n => Words::linked(", ", counted(n, "recompilation", "recompilations"), "#findings", "warn"),
    });
    // That nothing is damaged goes without saying.
    let damage = match damaged(view.report) {
        0 => return pieces.into_iter().chain([Words::plain(".")]).collect(),
        1 => ("1 record".to_owned(), " is damaged or of another rank."),
        n => {
            let all = counted(all_records(view), "record", "records");
            (format!("{} of {all}", whole(n)), " are damaged or of another rank.")
        }
    };
    let (records, state) = damage;
    pieces.extend([Words::linked(". ", records, "#log", "err"), Words::plain(state)]);
    pieces
}

/// Records that were read, plus lines that should have been records.
fn all_records(view: View<'_>) -> u64 {
    let integrity = &view.report.model.integrity;
    let lost = integrity.count(ProblemKind::BadPrefix) + integrity.count(ProblemKind::BadJson);
    view.report.model.log.records + lost
}

fn notes(view: View<'_>, parts: &Parts) -> Vec<Html> {
    let mut notes = Vec::new();
    if damaged(view.report) > 0 {
        notes.push("The numbers count readable records only, so they may be too low.".into());
    }
    notes.extend(export_note(view));
    notes.extend(report_of_trace(view));
    if slow::comes_first(view.report) {
        notes.push(beside_the_time(view));
    }
    notes.extend(where_time_went(view, parts));
    notes.extend(without_metrics(view));
    notes
}

/// What happened, where the verdict itself says where the time went.
fn beside_the_time(view: View<'_>) -> Html {
    let outcome: String = outcome(view).iter().map(Words::text).collect();
    let outcome = outcome.trim_start_matches(": ");
    // The verdict that names the only function does not count it.
    let counted = if single_function(view).is_some() { "1 compilation, " } else { "" };
    let problem = |one: &&Finding| one.severity != Severity::Info && one.kind != KindOfFinding::SerialBuilds;
    let beginning =
        match view.report.found.findings.iter().filter(problem).map(Finding::lost_us).reduce(|a, b| a + b) {
            None if view.report.found.end.as_ref().is_some_and(|end| end.inside) => {
                "The log ends while something is compiled".to_owned()
            }
            None => "The log shows no problem".to_owned(),
            Some(us) if us > 0.0 => format!("What went wrong cost {} of it", micros(us)),
            Some(_) => "The log does not say how long this took".to_owned(),
        };
    Html::escaped(&format!("{beginning}: {counted}{outcome}"))
}

/// What the compiler did in a part; builds are counted if each has a span.
fn doing(view: View<'_>, part: CompilerPart, order: &[Segment]) -> String {
    let is_building = part == CompilerPart::KernelBuilds;
    let builds = order.iter().filter(|one| one.build.is_some()).count();
    if is_building && view.report.found.builds.libraries() > 0 {
        return "building the library of the model".to_owned();
    }
    if !is_building || builds == 0 {
        return work_in(part).to_owned();
    }
    let serial = view.report.model.inductor.compile_threads == Some(1) && builds > 1;
    let found = view.report.found;
    let (one, many) =
        if found.on_device.uses_gpu { ("build", "builds") } else { ("C++ build", "C++ builds") };
    let work_us = found.builds.work_of_part_us(Some(part), found.split.whole.time_in(part));
    let how = match work_us {
        Some(us) => format!(" side by side ({} of work)", micros(us)),
        None if serial => ", one at a time".to_owned(),
        None => String::new(),
    };
    format!("{}{how}", counted(builds, one, many))
}

/// What the compiler does in a part.
fn work_in(part: CompilerPart) -> &'static str {
    match part {
        CompilerPart::Dynamo => "tracing Python into graphs (Dynamo)",
        CompilerPart::AotAutograd => "splitting and lowering graphs (AOTAutograd)",
        CompilerPart::Inductor => "rewriting and scheduling graphs (Inductor)",
        CompilerPart::CodeGeneration => "generating code",
        CompilerPart::KernelBuilds => "building kernels and checking the C++ compiler",
        CompilerPart::Autotuning => "autotuning kernels",
    }
}

/// Which part of the compiler took most, and which compile.
fn where_time_went(view: View<'_>, parts: &Parts) -> Option<Html> {
    let total = parts.total();
    let (part, us) = parts.most()?;
    let doing = work_in(part);
    let share = percent(us, total, false);
    let source = match view.report.found.split.of_spans {
        true => "",
        false => {
            " (according to the metrics, which do not time kernel builds; the log has no spans of phases)"
        }
    };
    let mut pieces = Vec::new();
    // The verdict of a slow log says this already.
    if !slow::comes_first(view.report) {
        pieces.push(Html::escaped(&format!("{share} of the compile time went into {doing}{source}.")));
    }
    let time = |compile: &Compile| compile.compile_us().unwrap_or(0.0);
    let costly = view.report.model.identified().max_by(|a, b| time(a).total_cmp(&time(b)));
    let several = view.report.model.identified().count() > 1;
    if let Some(compile) = costly.filter(|c| several && time(c) >= NOTABLE_SHARE * total) {
        let cost = format!("took {}.", micros(time(compile)));
        pieces.extend(["The costliest compile,".into(), view.pill(compile), cost.as_str().into()]);
    }
    (!pieces.is_empty()).then(|| Html::joined(pieces, " "))
}

/// What is known about the time of compiles without metrics.
fn without_metrics(view: View<'_>) -> Option<Html> {
    let exports = &view.report.found.export.compiles;
    let compiles = view.report.model.compiles.indexed();
    let compiles = compiles.filter(|(index, c)| c.id.is_some() && !exports.contains(index)).map(|(_, c)| c);
    let missing: Vec<&Compile> = compiles.filter(|c| c.status == Status::Missing && !is_capture(c)).collect();
    if missing.is_empty() {
        return None;
    }
    let named = view.pills(missing.iter().copied().take(NAMED_BRIEFLY));
    let more = and_more(missing.len(), NAMED_BRIEFLY);
    let spans = &view.report.found.spans;
    let has_phases = |compile: &&Compile| {
        view.report.model.by_id.get(&compile.id).is_some_and(|index| !spans.of_compile.at(*index).is_empty())
    };
    let (have, their) = if missing.len() == 1 { ("has", "its") } else { ("have", "their") };
    let time = match missing.iter().all(has_phases) {
        true => format!("{more} {have} no metrics: {their} time is known from {their} phases only."),
        false => format!("{more} {have} no metrics, so the sums do not include {their} time."),
    };
    let text = format!("{time} The program ended first, or the log does not record them.");
    Some(Html::joined([named, text.into()], ""))
}

/// What a trace measured, with a link to its page.
fn report_of_trace(view: View<'_>) -> Option<Html> {
    let measured = view.report.found.performance.as_ref()?;
    Some(Html::joined([performance_link(view), format!(": {}", sentence_of_trace(measured)).into()], ""))
}

fn performance_link(view: View<'_>) -> Html {
    view.link(links::KERNELS, "Measured kernels")
}

/// The outcome of an export, with a link to its report.
fn export_note(view: View<'_>) -> Option<Html> {
    let link = || view.link(&view.href_of(paths::export(view.report.settings)), "Export");
    let sentence = || format!(": {}", sentence_of(view.report)).into();
    view.report.shows_export().then(|| Html::joined([link(), sentence()], ""))
}
