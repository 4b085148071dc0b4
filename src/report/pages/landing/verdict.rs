//! The verdict: one sentence with the numbers, the time in order, and how far to trust both.

use crate::analysis::vllm::Vllm;
use crate::analysis::{Segment, order_of_time};
use crate::model::CompilerPart;
use crate::report::kit::prelude::*;
use crate::report::kit::verdict::{Hero, Words};
use crate::report::kit::vllm_modules;
use crate::report::pages::landing::order::strip;
use crate::report::words::export::sentence_of;
use crate::report::words::performance::sentence_of as sentence_of_trace;
use crate::report::words::problems::damaged;
use crate::report::words::run_console;
use crate::report::words::verdict::CONSOLE;

/// Commands on the page of a log without records.
#[derive(Serialize)]
struct Empty {
    record: Html,
    report: Html,
}

pub(crate) fn hero(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let report = view.report;
    if report.model.log.records == 0 {
        let record = view.command("TORCH_TRACE=/tmp/trace python train.py");
        let report = view.command("tlparse --latest /tmp/trace");
        return Ok(write_line(out, &view.render("empty", &Empty { record, report })?)?);
    }
    let order = order_of_time(&report.found.spans);
    let bar = match report.times_phases() {
        true => strip(view, &order)?,
        false => view.bar(&report.found.split.whole, true),
    };
    let problems = problems(report);
    let mut notes = Vec::new();
    let costliest = costliest(report, &order);
    let mut pieces: Vec<Words> = report.ended().map(Words::plain).into_iter().collect();
    pieces.extend(compiled(report));
    if problems.is_empty() {
        pieces.extend(costliest.map(|words| Words::plain(format!(", of which {words}"))));
        notes.push(match report.model.log.console {
            Some(_) => "The console output names no graph break or recompilation.".into(),
            None if report.model.has_only_inputs() => "No graph break or recompilation is in the log.".into(),
            None => "No failure, graph break or recompilation is in the log.".into(),
        });
    } else {
        notes.extend(costliest.map(|words| Html::escaped(&format!("Of the time, {words}."))));
    }
    pieces.extend(problems);
    pieces.push(Words::plain("."));
    notes.extend(run_console::sentence(report).map(|text| view.prose(&text)));
    notes.extend(about_the_numbers(report));
    notes.extend(beside(view));
    Ok(write_line(out, &view.hero(&Hero { pieces, notes, bar })?)?)
}

/// What was compiled, and how long it took, if the log says.
fn compiled(report: Report<'_>) -> Vec<Words> {
    let found = report.found;
    let (compiles, libraries) = (report.model.identified().count(), found.builds.libraries());
    let strong = |before, text| Words::strong(before, text);
    let mut pieces = match (compiles, libraries) {
        (0, 0) => return vec![Words::plain("No compilation was recorded under a compile id")],
        (0, _) => {
            vec![strong("", counted(libraries, "model", "models")), Words::plain(" compiled ahead of time")]
        }
        _ => vec![
            strong("", counted(compiles, "compilation", "compilations")),
            strong(" of ", counted(found.functions.len(), "function", "functions")),
        ],
    };
    let before = if compiles == 0 { " in " } else { " took " };
    let took = Some(found.time.total_s * 1e6).filter(|us| *us > 0.0);
    pieces.extend(took.map(|us| strong(before, micros(us))));
    pieces
}

/// What went wrong; what did not is not said.
fn problems(report: Report<'_>) -> Vec<Words> {
    let model = report.model;
    let kinds = [
        (model.failures.len(), "failure", "failures", links::FAILURES, "err"),
        (
            model.graph_breaks.len(),
            "distinct graph break",
            "distinct graph breaks",
            links::GRAPH_BREAKS,
            "warn",
        ),
        (model.recompiles.len(), "recompilation", "recompilations", links::RECOMPILATIONS, "warn"),
    ];
    let mut pieces = Vec::new();
    for (count, one, many, href, class) in kinds.into_iter().filter(|kind| kind.0 > 0) {
        let before = if pieces.is_empty() { ": " } else { ", " };
        pieces.push(Words::linked(before, counted(count, one, many), href, class));
    }
    if damaged(report) > 0 {
        let before = if pieces.is_empty() { ": " } else { ", " };
        let records = counted(damaged(report), "record", "records");
        pieces.push(Words::plain(format!("{before}{records} damaged or of another rank")));
    }
    pieces
}

/// What most of the time went into: `10.9 s went into 22 C++ builds, one at a time`.
fn costliest(report: Report<'_>, order: &[Segment]) -> Option<String> {
    let (part, us) = report.found.split.whole.most()?;
    Some(format!("{} went into {}", micros(us), doing(report, part, order)))
}

/// What the compiler did in a part; builds are counted if each has a span.
fn doing(report: Report<'_>, part: CompilerPart, order: &[Segment]) -> String {
    let is_building = part == CompilerPart::KernelBuilds;
    let builds = order.iter().filter(|one| one.build.is_some()).count();
    if is_building && report.found.builds.libraries() > 0 {
        return "building the library of the model".to_owned();
    }
    if !is_building || builds == 0 {
        return work_in(part).to_owned();
    }
    let serial = report.model.inductor.compile_threads == Some(1) && builds > 1;
    let (one, many) =
        if report.found.on_device.uses_gpu { ("build", "builds") } else { ("C++ build", "C++ builds") };
    let work_us = report.found.builds.work_of_part_us(Some(part), report.found.split.whole.time_in(part));
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
        CompilerPart::KernelBuilds => "building kernels",
        CompilerPart::Autotuning => "autotuning kernels",
    }
}

/// Where the numbers may be too low.
fn about_the_numbers(report: Report<'_>) -> Option<Html> {
    let split = &report.found.split;
    if report.model.log.console.is_some() {
        return Some(CONSOLE.into());
    }
    if damaged(report) > 0 {
        return Some("The numbers count readable records only, so they may be too low.".into());
    }
    let is_of_metrics = !split.of_spans && split.whole.total() > 0.0;
    is_of_metrics.then(|| {
        "The log has no chromium events, which time each phase: times are from the metrics of the compiles, without kernel \
         builds."
            .into()
    })
}

/// What pages beside this one are about, with links: export, measured kernels, vLLM.
fn beside(view: View<'_>) -> Vec<Html> {
    let report = view.report;
    let note = |link: Html, text: Html| Html::joined([link, ": ".into(), text], "");
    let mut notes = Vec::new();
    if report.shows_export() {
        let link = view.link(&view.href_of(paths::export(report.settings)), "Export");
        notes.push(note(link, sentence_of(report).into()));
    }
    if let Some(measured) = &report.found.performance {
        notes.push(note(view.link(links::KERNELS, "Measured kernels"), sentence_of_trace(measured).into()));
    }
    if !report.model.vllm.is_empty() {
        let sentence = vllm_modules::sentence(view, &Vllm::of(report.model));
        notes.push(note(view.link(links::VLLM, "vLLM"), sentence));
    }
    notes
}
