//! Failures: which compiles ended with an exception, at which line of the user.

use super::basis::{Basis, Family};
use super::cost::{ChargeOrder, Claim, Work};
use super::finding::{Finding, FurtherReading, Severity, Value};
use super::kind::{CostDetail, EntryStyle, KindOfFinding, Topic, shared_part};
use super::{breaks, prose};
use crate::analysis::is_library;
use crate::analysis::recompiles::is_limit;
use crate::analysis::user_place::{UserPlace, function_words, own_frame};
use crate::model::words::headline;
use crate::model::{CompileIndex, Failure, Model, TextFrame};
use indexmap::IndexMap;

/// Failures.
pub(super) const FAMILY: Family = Family { kinds: &[&FAILURE], of_log };

/// A compile failed.
static FAILURE: KindOfFinding = KindOfFinding {
    checked: Some("failure"),
    topic: Some(Topic::Failures),
    records: &["dynamo_error"],
    charged: ChargeOrder::Failure,
    grouped_title: |title, places| format!("{places} functions were not compiled: {}", shared_part(title)),
    // The head says what it cost: the compilations that failed.
    entry: EntryStyle { costs: CostDetail::SumOnly, ..EntryStyle::USUAL },
    ..KindOfFinding::of("failure", "Failure")
};

/// What failures have in common that are one finding.
#[derive(PartialEq, Eq, Hash)]
struct Cause {
    error: String,
    headline: String,
    file: Option<String>,
    line: Option<u64>,
}

/// One finding per cause. Failures at the recompile limit are told with the recompiles.
fn of_log(Basis { model, .. }: Basis<'_>) -> Vec<Finding> {
    let mut groups: IndexMap<Cause, Vec<&Failure>> = IndexMap::new();
    for failure in model.failures.iter().filter(|f| !is_limit(f)) {
        let place = place(model, failure);
        let cause = Cause {
            error: failure.error.clone(),
            headline: headline(failure.reason.as_deref().unwrap_or_default()),
            file: place.file,
            line: place.line,
        };
        groups.entry(cause).or_default().push(failure);
    }
    groups.into_values().filter_map(|same| finding(model, &same)).collect()
}

fn finding(model: &Model, same: &[&Failure]) -> Option<Finding> {
    let failure = same.first()?;
    let text = failure.reason.as_deref().unwrap_or_default();
    let mut compiles: Vec<CompileIndex> = Vec::new();
    for one in same {
        compiles.extend(model.by_id.get(&one.compile).filter(|index| !compiles.contains(index)));
    }
    let function = compiles.first().and_then(|&index| function_words(model, index));
    let function = function.unwrap_or_else(|| "a function".to_owned());
    let first = headline(text);
    let first = if first.is_empty() { "no reason recorded".to_owned() } else { first };
    // What Dynamo calls unsupported says so itself; of other exceptions the class is half of the reason.
    let why = match failure.error.rsplit('.').next().unwrap_or_default() {
        "Unsupported" | "ConstraintViolationError" => first,
        error => format!("{error}: {first}"),
    };
    let mut found = Finding::new(&FAILURE, Severity::Error, format!("{function} was not compiled: {why}"));
    found.reason = format!("{}: {why}", failure.error);
    found.count = same.len() as u64;
    found.detail = prose::explanation(text).or_else(|| rest(text));
    found.hints = prose::hints(text);
    found.read_more = prose::read_more(text);
    found.place = place(model, failure);
    found.stack = frames(model, failure);
    for one in same {
        let compile = model.by_id.get(&one.compile).copied();
        let us = lost_us(model, one).unwrap_or_default();
        let compile = compile.into_iter().collect();
        found.claim(Claim::wasted(Work::Whole, compile, "in compilations that failed").at_most(us));
    }
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
            let name = one.gb_id.clone().unwrap_or_else(|| url.clone());
            found.read_more = Some(FurtherReading { name, url: url.clone() });
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
fn place(model: &Model, failure: &Failure) -> UserPlace {
    let frames = frames(model, failure);
    let recorded = UserPlace::of_line(failure.file.as_ref(), failure.line);
    let own = failure.file.as_deref().is_some_and(|file| !is_library(file));
    if own {
        return match frames.iter().rev().find(|frame| recorded.is_of(frame)) {
            Some(frame) => UserPlace::of_frame(frame),
            None => recorded,
        };
    }
    if let Some(frame) = own_frame(&frames) {
        return UserPlace::of_frame(frame);
    }
    if failure.file.is_some() {
        return recorded;
    }
    let index = model.by_id.get(&failure.compile);
    index.map_or_else(UserPlace::default, |&index| UserPlace::of_definition(model, index))
}
