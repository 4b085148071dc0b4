//! What limits the whole report: a damaged log, missing metrics and names, failed workers, mismatching ranks.

use super::basis::Basis;
use super::finding::{Finding, Severity, Value};
use super::kind::KindOfFinding;
use crate::analysis::names::function_words;
use crate::analysis::user_place::UserPlace;
use crate::analysis::{is_capture, log_end, part_of_phase};
use crate::limits::FEW;
use crate::model::sentence::{count, own, quoted, sentence};
use crate::model::words::duration;
use crate::model::{
    Advice, AdviceKind, CompileIndex, CompilerPart, Model, ProblemKind, Sentence, Status, TraceSpan,
    WorkerStall,
};
use indexmap::IndexMap;

/// All of them.
pub(super) fn of_log(Basis { model, .. }: Basis<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    found.extend(damage(model));
    found.extend(names(model));
    if model.log.console.is_some() {
        // Neither ends nor metrics of compiles are printed.
        return found;
    }
    let open = open_at_end(model);
    found.extend(cut_off(model, &open).filter(|_| !model.still_runs));
    found.extend(missing_metrics(model, &open));
    found.extend(model.advice.iter().map(advice));
    found.extend(stalls(model));
    found
}

/// What one is, and what several are.
fn words(kind: ProblemKind) -> (&'static str, &'static str) {
    match kind {
        ProblemKind::BadPrefix => ("line is not a record", "lines are not records"),
        ProblemKind::BadJson => ("record is not valid JSON", "records are not valid JSON"),
        ProblemKind::BadPayloadMd5 => ("payload does not match its hash", "payloads do not match their hash"),
        ProblemKind::Truncated => ("record is cut short", "records are cut short"),
        ProblemKind::NonUtf8 => ("line is not UTF-8", "lines are not UTF-8"),
        ProblemKind::OtherRank => ("record belongs to another rank", "records belong to another rank"),
        ProblemKind::ParserErrors => ("record could not be parsed", "records could not be parsed"),
        ProblemKind::UnresolvedStrings => ("name is not defined", "names are not defined"),
    }
}

fn damage(model: &Model) -> Option<Finding> {
    let integrity = &model.integrity;
    let counts: Vec<(ProblemKind, u64)> = ProblemKind::ALL
        .iter()
        .filter(|kind| kind.is_damage())
        .map(|kind| (*kind, integrity.records(*kind)))
        .filter(|(_, n)| *n > 0)
        .collect();
    let total: u64 = counts.iter().map(|(_, n)| n).sum();
    let first = integrity.problems.iter().find(|problem| problem.kind.is_damage())?;
    let listed = counts.iter().map(|(kind, n)| count(*n as usize, words(*kind).0, words(*kind).1).into());
    let listed = Sentence::joined(listed, ", ");
    let at = if total == 1 { ", at line " } else { "; first at line " };
    let title = sentence!["The log is damaged: ", listed, at, first.line];
    let mut found = Finding::new(KindOfFinding::DamagedLog, Severity::Error, title);
    let case = match counts.as_slice() {
        [(ProblemKind::OtherRank, _)] => "of_other_rank",
        [(ProblemKind::Truncated, _)] => "truncated",
        _ => "damaged",
    };
    found.say(case, &[]);
    let quoted = integrity.problems.iter().filter(|p| p.kind.is_damage()).take(FEW);
    let lines = quoted.map(|p| format!("line {}: {} ({})", p.line, p.detail, p.kind.name()));
    found.fact("First of them", Value::Code(lines.collect()));
    found.count = total;
    Some(found)
}

fn names(model: &Model) -> Option<Finding> {
    let missing = model.integrity.count(ProblemKind::UnresolvedStrings);
    if missing == 0 {
        return None;
    }
    let title = sentence![count(missing as usize, "file name is", "file names are"), " missing in stacks"];
    let mut found = Finding::new(KindOfFinding::MissingNames, Severity::Info, title);
    found.count = missing;
    Some(found)
}

/// The phases that were open when the log ended, the outermost first.
fn open_at_end(model: &Model) -> Vec<usize> {
    let end = log_end(model).filter(|end| end.inside);
    end.into_iter().flat_map(|end| end.phases).map(|phase| phase.span).collect()
}

/// A log that ends while something is compiled: the program was stopped there, or the log was copied meanwhile.
fn cut_off(model: &Model, open: &[usize]) -> Option<Finding> {
    let spans = || open.iter().rev().filter_map(|span| model.spans.get(*span));
    let innermost = spans().next()?;
    let compile = spans().find_map(|span| span.compile);
    let is_inside = |span: &&TraceSpan| span.parent() == open.last().copied();
    let mut inside = model.spans.iter().filter(is_inside).chain([innermost]);
    let loads_triton = inside.any(|span| span.name.starts_with("async_compile"));
    let of = compile.and_then(|compile| function_words(model, compile));
    let of = of.map(|function| sentence![" for ", function]);
    let title = sentence!["The log ends while ", doing(&innermost.name, loads_triton), of];
    let mut found = Finding::new(KindOfFinding::CutOff, Severity::Warning, title);
    let names = open.iter().filter_map(|span| model.spans.get(*span)).map(|span| span.name.to_string());
    found.fact("Open phases", Value::Code(names.collect()));
    found.place = compile.map(|compile| UserPlace::of_call(model, compile)).unwrap_or_default();
    found.compiles.extend(compile);
    Some(found)
}

/// What a phase does, as part of a sentence.
fn doing(phase: &str, loads_triton: bool) -> &'static str {
    match part_of_phase(phase) {
        _ if loads_triton => "Triton kernels were loaded and built",
        _ if phase.starts_with("PyCodeCache") => "the generated code was loaded and its kernels were built",
        Some(CompilerPart::KernelBuilds) => "kernels were built",
        Some(CompilerPart::Autotuning) => "kernels were tuned",
        Some(CompilerPart::CodeGeneration) => "code was generated",
        Some(CompilerPart::Inductor) => "Inductor worked on the graph",
        Some(CompilerPart::AotAutograd) => "AOTAutograd worked on the graph",
        Some(CompilerPart::Dynamo) => "Dynamo traced the code",
        None => "something was compiled",
    }
}

/// Compiles that began and have no metrics, though the log does not end in them. Captures of compiled autograd never have any; export and AOTInductor begin
/// none.
fn missing_metrics(model: &Model, open: &[usize]) -> Option<Finding> {
    let at_end: Vec<CompileIndex> = open.iter().filter_map(|span| model.spans.get(*span)?.compile).collect();
    let missing: Vec<CompileIndex> = model
        .compiles
        .indexed()
        .filter(|(_, c)| c.id.is_some() && c.status == Status::Missing && !is_capture(c))
        .filter(|(index, c)| c.stack.is_some() && !at_end.contains(index))
        .map(|(index, _)| index)
        .collect();
    let first = *missing.first()?;
    if has_no_metrics_at_all(model) {
        let title =
            "This version of torch records no metrics: times, failures and graph breaks are not known";
        let mut found = Finding::new(KindOfFinding::MissingMetrics, Severity::Info, title);
        found.say("not_recorded", &[]);
        found.compiles = missing;
        return Some(found);
    }
    let title = match missing.len() {
        1 => {
            let function = function_words(model, first).unwrap_or_else(|| "One compile".into());
            sentence![function, " has no metrics"]
        }
        several => sentence![several, " compiles have no metrics"],
    };
    let mut found = Finding::new(KindOfFinding::MissingMetrics, Severity::Warning, title);
    let has_phases =
        model.spans.iter().any(|span| span.compile.is_some_and(|one| missing.binary_search(&one).is_ok()));
    found.say(if has_phases { "has_phases" } else { "has_no_time" }, &[]);
    found.count = missing.len() as u64;
    found.place = UserPlace::of_definition(model, first);
    found.compiles = missing;
    Some(found)
}

/// Whether torch wrote guards, with which a compile ends well, and no metrics, as version 2.3 does.
fn has_no_metrics_at_all(model: &Model) -> bool {
    let mut artifacts = model.compiles.indexed().flat_map(|(_, one)| &one.artifacts);
    model.torch.is_none()
        && model.chromium.iter().next().is_none()
        && model.compiles.indexed().all(|(_, one)| one.metrics.is_empty())
        && artifacts.any(|artifact| artifact.name.starts_with("dynamo_guards"))
}

fn advice(one: &Advice) -> Finding {
    let own = || own(one.title.clone());
    let (kind, severity, title) = match one.kind {
        AdviceKind::WorkerDeath => (KindOfFinding::WorkerDeath, Severity::Error, own()),
        AdviceKind::SpmdMismatch => (KindOfFinding::SpmdMismatch, Severity::Error, own()),
        // A parser of the library's user may quote the log in its title.
        AdviceKind::Notice => (KindOfFinding::Notice, Severity::Warning, quoted(&one.title)),
    };
    let mut found = Finding::new(kind, severity, title);
    found.compiles.extend(one.compile);
    let lines = one.text.lines().take(40).map(str::to_owned).collect();
    found.fact("The log says", Value::Code(lines));
    found.fact("Line of the log", Value::Prose(one.line.to_string()));
    found
}

/// One finding per compile with slow jobs; the longest time of each job counts.
fn stalls(model: &Model) -> Vec<Finding> {
    let mut by_compile: IndexMap<CompileIndex, Vec<&WorkerStall>> = IndexMap::new();
    for stall in &model.worker_stalls {
        by_compile.entry(stall.compile).or_default().push(stall);
    }
    let found = by_compile.into_iter().map(|(compile, stalls)| {
        let longest = stalls.iter().filter_map(|s| s.elapsed_s).fold(0.0_f64, f64::max);
        let mut jobs: Vec<_> = stalls.iter().map(|s| s.job.as_deref()).collect();
        jobs.sort_unstable();
        jobs.dedup();
        let title = sentence![count(jobs.len(), "compile job", "compile jobs"), " took a minute or more"];
        let mut found = Finding::new(KindOfFinding::WorkerStall, Severity::Warning, title);
        let phases: Vec<String> = stalls.iter().rev().filter_map(|s| s.phase.clone()).take(1).collect();
        if !phases.is_empty() {
            found.fact("Last seen in", Value::Code(phases));
        }
        // A compile waits for its jobs, so their time is part of the compile's and not a cost of its own.
        if longest > 0.0 {
            found.fact("Longest of them", Value::Prose(duration(longest * 1e6)));
        }
        found.count = stalls.len() as u64;
        found.place = UserPlace::of_definition(model, compile);
        found.compiles = vec![compile];
        found
    });
    found.collect()
}
