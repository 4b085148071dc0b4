//! Entries for findings, phases, caches, export, vLLM and provenance.

use crate::analysis::vllm::Vllm;
use crate::analysis::{Finding, Topic};
use crate::limits::{IN_ROW, KERNELS_LISTED, LONG_TABLE};
use crate::model::{CacheLookup, Compile, CompileIndex, ExportKind, ExportProblem, Model, VllmFact};
use crate::report::data::{self, ENTRIES};
use crate::report::kit::collect_kernels::kernels_of_log;
use crate::report::kit::formats::{cost_words, counted, micros, short_path};
use crate::report::kit::links::{self, encoded};
use crate::report::kit::search_index::Fact;
use crate::report::kit::{inductor_runs, paths};
use crate::report::lists::{self, measured_kernels};
use crate::report::pages::search::parts::{joined, page_of, place, rows};
use crate::report::subject::Report;
use crate::report::words::phases::phase_meaning;

/// Findings and the members of groups; a member links to its group.
pub(crate) fn findings(report: Report<'_>) -> impl Iterator<Item = Fact> {
    report.found.findings.iter().enumerate().flat_map(move |(index, one)| {
        let href = match (index < ENTRIES, one.compiles.first()) {
            (false, Some(first)) => of_compile(report, *first, ""),
            _ => format!("{}#finding-{}", paths::landing(report.settings), index.min(ENTRIES - 1) + 1),
        };
        let members = one.members.iter().map(|member| finding(report, member));
        let facts: Vec<Fact> = std::iter::once(finding(report, one))
            .chain(members)
            .map(|fact| Fact { href: href.clone(), ..fact })
            .collect();
        facts
    })
}

fn finding(report: Report<'_>, one: &Finding) -> Fact {
    let cost = one.cost.as_ref().map_or_else(String::new, |cost| cost_words(cost.kind, cost.us));
    let ids: Vec<String> = one.compiles.iter().take(6).map(|index| label(report, *index)).collect();
    let place = place(one.place.file.as_deref(), one.place.line);
    let change = one.change().unwrap_or_default();
    let hints = one.hints().collect::<Vec<_>>().join(" · ");
    let parts = [one.kind.label(), &cost, change, &ids.join(" "), &place, &hints, one.kind.word()];
    Fact { main: one.title.plain(), detail: joined(&parts).replace('`', ""), href: String::new() }
}

fn label(report: Report<'_>, index: CompileIndex) -> String {
    report.model.compiles.get(index).map_or_else(String::new, Compile::label)
}

fn of_compile(report: Report<'_>, index: CompileIndex, anchor: &str) -> String {
    let compile = report.model.compiles.get(index);
    compile.map_or_else(
        || paths::landing(report.settings).to_owned(),
        |compile| page_of(report, compile, anchor),
    )
}

/// Phases of the compiler with their times; the link leads to the longest span on the chart.
pub(crate) fn phases(report: Report<'_>) -> impl Iterator<Item = Fact> {
    report.found.time.phases.iter().enumerate().map(move |(index, phase)| {
        let (own, total) = (micros(phase.self_s * 1e6), micros(phase.total_s * 1e6));
        let times = format!("self {own}, total {total}, {}", counted(phase.count, "time", "times"));
        Fact {
            main: phase.name.to_string(),
            detail: joined(&["phase", phase_meaning(&phase.name), &times]),
            href: links::phase(report, index),
        }
    })
}

/// Kernels of the generated code, with their time where it was measured.
pub(crate) fn kernels(report: Report<'_>) -> anyhow::Result<impl Iterator<Item = Fact>> {
    let runs = inductor_runs::all(report);
    let found = kernels_of_log(report)?;
    Ok(found.kernels.iter().take(KERNELS_LISTED).map(move |kernel| {
        let is_measured = kernel.measured.count > 0;
        let time = if is_measured { micros(kernel.measured.sum_us) } else { String::new() };
        let run = runs.get(kernel.run).map(inductor_runs::Run::label).unwrap_or_default();
        let lines = kernel.lines.iter().filter_map(|line| found.lines.get_index(*line));
        let lines = lines.take(IN_ROW).map(|((file, line), _)| format!("{}:{line}", short_path(file)));
        let lines = lines.collect::<Vec<_>>().join(", ");
        let anchor = links::kernel_of_code_anchor(kernel.run, kernel.first_place);
        Fact {
            main: kernel.name.clone(),
            detail: joined(&[&time, kernel.language.unwrap_or("library kernel"), &run, &lines]),
            href: format!("{}#{anchor}", links::KERNELS),
        }
    }))
}

/// What a trace measured.
pub(crate) fn measured(report: Report<'_>) -> impl Iterator<Item = Fact> {
    let kernels = report.found.performance.iter().flat_map(|found| &found.kernels);
    let list = measured_kernels(kernels.map(|kernel| &**kernel).take(LONG_TABLE).collect());
    // The last column is its name.
    let name = list.heads.last().map(|head| head.title.clone()).unwrap_or_default();
    let without = [&*name];
    let mains =
        (0..list.count()).map(|at| list.in_words(at).pop().map(|cell| cell.shown).unwrap_or_default());
    let entries = mains.zip(rows(&list, &without)).enumerate().map(|(place, (main, detail))| {
        let anchor = links::measured_kernel_anchor(place);
        Fact { main, detail, href: format!("{}#{anchor}", links::KERNELS) }
    });
    entries.collect::<Vec<_>>().into_iter()
}

/// Cache lookups with their outcome.
pub(crate) fn caches(report: Report<'_>) -> Vec<Fact> {
    let facts: Vec<_> = data::caches(report).collect();
    let list = lists::cache_lookups(facts.iter().collect());
    let rows = report.model.caches.iter().zip(rows(&list, &["Cache", "Outcome"]));
    let fact = |(one, row): (&CacheLookup, String)| Fact {
        main: format!("{} cache {}", one.cache, one.outcome.word()),
        detail: joined(&[&row, one.key.as_deref().unwrap_or_default()]),
        href: "caches.html".to_owned(),
    };
    rows.map(fact).collect()
}

/// Problems of an export.
pub(crate) fn export(report: Report<'_>) -> Vec<Fact> {
    let Some((page, _)) = report.topic_page(Topic::Export) else { return Vec::new() };
    let model = report.model;
    let problems = report.found.export.failures.iter().filter_map(|one| {
        let first: &ExportProblem = model.export.problems.get(*one.problems.first()?)?;
        let place = one.place.as_ref().map(|frame| place(Some(&frame.file), Some(frame.line)));
        let times = counted(one.problems.len(), "time", "times");
        let result = first.result.as_deref().unwrap_or_default();
        Some(Fact {
            main: first.subject.clone(),
            detail: joined(&["export", of_export(one.kind), result, &place.unwrap_or_default(), &times]),
            href: page.clone(),
        })
    });
    problems.collect()
}

/// A kind of export problem in a few words.
fn of_export(kind: ExportKind) -> &'static str {
    match kind {
        ExportKind::MissingFakeKernel => "operator without a fake kernel",
        ExportKind::MismatchedFakeKernel => "operator with a wrong fake kernel",
        ExportKind::Assumed => "data-dependent expression, assumed",
        ExportKind::Undecided => "data-dependent expression, undecided",
        ExportKind::GuardEvaluated => "guard on sizes",
    }
}

/// Modules that vLLM compiled, with their pieces and passes.
pub(crate) fn vllm(model: &Model) -> Vec<Fact> {
    let all = Vllm::of(model);
    let pieces = all.modules.iter().flat_map(|module| {
        let label = model.compiles.get(module.compile).map_or_else(String::new, Compile::label);
        module.pieces.iter().map(move |piece| {
            let passes: Vec<&str> = piece.passes.iter().map(|(pass, _)| pass.name.as_str()).collect();
            let sizes = match (piece.start.from, piece.start.to) {
                (Some(from), Some(to)) => format!("sizes {from} to {to}"),
                _ => String::new(),
            };
            let us = piece.us.map_or_else(String::new, micros);
            let main = piece.start.submodule.clone().unwrap_or_else(|| "unnamed piece".to_owned());
            Fact {
                main,
                detail: joined(&["vLLM piece", &label, &sizes, &us, &passes.join(" ")]),
                href: links::VLLM.to_owned(),
            }
        })
    });
    let parts = model.vllm.iter().flat_map(|event| {
        let parts = match &event.fact {
            VllmFact::Split(parts) => parts.as_slice(),
            _ => &[],
        };
        parts.iter().map(|part| Fact {
            main: part.name.clone(),
            detail: joined(&[
                "part of a split graph",
                &counted(part.calls, "call", "calls"),
                &part.operators.join(" "),
            ]),
            href: links::VLLM.to_owned(),
        })
    });
    pieces.chain(parts).collect()
}

/// Pages of provenance.
pub(crate) fn provenance(report: Report<'_>) -> Vec<Fact> {
    let runs = inductor_runs::all(report).into_iter().filter(|run| run.shown);
    let fact = |run: inductor_runs::Run<'_>| {
        let name = run.compile.function.as_ref().map_or("", |function| function.name.as_str());
        let files = counted(run.run.code.len(), "file of generated code", "files of generated code");
        Fact {
            main: format!("provenance of {}", run.label()),
            detail: joined(&["which source line became which kernel", name, &files]),
            href: encoded(run.path("html").as_str()),
        }
    };
    runs.map(fact).collect()
}
