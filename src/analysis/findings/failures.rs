//! Failures: which compiles ended with an exception, at which line of the user.

use super::Place;
use super::{Finding, Kind, Severity, Value, breaks, defined_at, function_of, own_frame, place_of, prose};
use crate::analysis::recompiles::is_limit;
use crate::model::{Failure, Model, TextFrame};
use indexmap::IndexMap;

/// One finding a type, first line and place. Failures at the recompile limit are told with the recompiles.
pub(super) fn of_log(model: &Model) -> Vec<Finding> {
    type Key = (String, String, Option<String>, Option<u64>);
    let mut groups: IndexMap<Key, Vec<&Failure>> = IndexMap::new();
    for failure in model.failures.iter().filter(|f| !is_limit(f)) {
        let place = place(model, failure);
        let first = prose::first_line(failure.reason.as_deref().unwrap_or_default());
        groups.entry((failure.error.clone(), first, place.file, place.line)).or_default().push(failure);
    }
    groups.into_values().filter_map(|same| finding(model, &same)).collect()
}

fn finding(model: &Model, same: &[&Failure]) -> Option<Finding> {
    let failure = same.first()?;
    let text = failure.reason.as_deref().unwrap_or_default();
    let mut compiles: Vec<usize> = Vec::new();
    for one in same {
        compiles.extend(model.by_id.get(&one.compile).filter(|index| !compiles.contains(index)));
    }
    let index = compiles.first().copied().unwrap_or(usize::MAX);
    let function = function_of(model, index).unwrap_or_else(|| "a function".to_owned());
    let first = prose::first_line(text);
    let first = if first.is_empty() { "no reason recorded".to_owned() } else { first };
    // What Dynamo calls unsupported says so itself; of other exceptions the class is half of the reason.
    let why = match failure.error.rsplit('.').next().unwrap_or_default() {
        "Unsupported" | "ConstraintViolationError" => first,
        error => format!("{error}: {first}"),
    };
    let mut found =
        Finding::new(Kind::Failure, Severity::Error, format!("{function} was not compiled: {why}"));
    found.reason = format!("{}: {why}", failure.error);
    found.count = same.len() as u64;
    found.detail = prose::explanation(text).or_else(|| rest(text));
    found.hints = prose::hints(text);
    found.read_more = prose::read_more(text);
    found.place = place(model, failure);
    found.stack = frames(model, failure);
    let lost = same.iter().filter_map(|one| lost_us(model, one)).sum();
    found.costs(lost, "in compilations that failed".to_owned(), Vec::new());
    found.fact("Exception", Value::Code(vec![failure.error.clone()]));
    if let Some(one) = breaks::of_failure(model, failure) {
        found.fact(
            "At a graph break",
            Value::Prose(one.context.as_ref().unwrap_or(&one.reason).trim_end_matches(':').to_owned()),
        );
        if found.hints.is_empty() {
            found.hints = prose::useful(one.hints.clone());
        }
        if let (None, Some(url)) = (&found.read_more, &one.url) {
            found.read_more = Some((one.gb_id.clone().unwrap_or_else(|| url.clone()), url.clone()));
        }
    }
    found.compiles = compiles;
    Some(found)
}

/// Lines after the first, where there is no explanation among them.
fn rest(text: &str) -> Option<String> {
    let (first, mut rest) = text.trim().split_once('\n')?;
    if first.trim_end().ends_with(':') {
        rest = rest.trim_start().split_once('\n')?.1;
    }
    let rest = rest.trim();
    (!rest.is_empty()).then(|| rest.to_owned())
}

/// Microseconds that the compile of a failure took.
pub(super) fn lost_us(model: &Model, failure: &Failure) -> Option<f64> {
    let compile = model.compile(failure.compile.as_ref())?;
    compile.metrics.iter().find(|record| record.line == failure.record)?.total_us()
}

/// The user's frames: of the traceback that torch recorded, else of the break that failed.
fn frames(model: &Model, failure: &Failure) -> Vec<TextFrame> {
    let index = model.by_id.get(&failure.compile);
    let trace = model.error_traces.iter().rev().find(|trace| Some(&trace.compile) == index);
    match trace {
        Some(trace) => trace.frames.clone(),
        None => breaks::of_failure(model, failure).map(|one| one.stack.clone()).unwrap_or_default(),
    }
}

/// The reader's own line, else what the record says, else where the function is defined.
fn place(model: &Model, failure: &Failure) -> Place {
    let frames = frames(model, failure);
    let at = |frame: &&TextFrame| Some(&frame.0) == failure.file.as_ref() && Some(frame.1) == failure.line;
    let own = failure.file.as_deref().is_some_and(|file| !super::super::is_library(file));
    if own {
        return match frames.iter().rev().find(at) {
            Some(frame) => place_of(frame),
            None => Place { file: failure.file.clone(), line: failure.line, ..Place::default() },
        };
    }
    if let Some(frame) = own_frame(&frames) {
        return place_of(frame);
    }
    if failure.file.is_some() {
        return Place { file: failure.file.clone(), line: failure.line, ..Place::default() };
    }
    let index = model.by_id.get(&failure.compile).copied().unwrap_or(usize::MAX);
    defined_at(model, index)
}
