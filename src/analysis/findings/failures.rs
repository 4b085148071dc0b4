//! Failures: which compiles ended with an exception, at which line of the user.

use super::basis::{Basis, Family};
use super::cost::{ChargeOrder, Claim, Work};
use super::finding::{Finding, FurtherReading, Severity, Value};
use super::kind::{CostDetail, EntryStyle, KindOfFinding, Topic, shared_part};
use super::prose;
use crate::analysis::failures::{FailureCause, FailureEffect, failed_us, failure_causes};
use crate::analysis::names::function_words;
use crate::analysis::recompiles::is_limit;
use crate::model::Model;
use crate::model::words::headline;

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

/// Functions that a title names; of more it says how many.
const NAMED: usize = 3;

/// One finding per cause. Failures at the recompile limit are told with the recompiles.
fn of_log(Basis { model, .. }: Basis<'_>) -> Vec<Finding> {
    let causes = failure_causes(model);
    let told = causes.iter().enumerate().filter(|(_, cause)| !cause.first().is_some_and(is_limit));
    told.filter_map(|(index, cause)| Some(Finding { topic_entry: Some(index), ..finding(model, cause)? }))
        .collect()
}

fn finding(model: &Model, cause: &FailureCause<'_>) -> Option<Finding> {
    let failure = cause.first()?;
    let text = failure.reason.as_deref().unwrap_or_default();
    let why = why(&failure.error, text);
    let mut found = Finding::new(&FAILURE, Severity::Error, title(model, cause, &why));
    found.reason = format!("{}: {why}", failure.error);
    found.count = cause.failures.len() as u64;
    found.detail = prose::explanation(text).or_else(|| rest(text));
    found.hints = prose::hints(text);
    found.read_more = prose::read_more(text);
    found.place = cause.place.clone();
    found.stack = cause.stack.clone();
    for one in &cause.failures {
        let compile = model.by_id.get(&one.compile).copied().into_iter().collect();
        let us = failed_us(model, one).unwrap_or_default();
        found.claim(Claim::wasted(Work::Whole, compile, "in compilations that failed").at_most(us));
    }
    found.fact("Exception", Value::Code(vec![failure.error.clone()]));
    if let Some(one) = cause.at_break {
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
    found.compiles = cause.compiles.clone();
    Some(found)
}

/// The reason in the words of the exception.
fn why(error: &str, text: &str) -> String {
    let first = headline(text);
    let first = if first.is_empty() { "no reason recorded".to_owned() } else { first };
    // What Dynamo calls unsupported says so itself; of other exceptions the class is half of the reason.
    match error.rsplit('.').next().unwrap_or_default() {
        "Unsupported" | "ConstraintViolationError" => first,
        error => format!("{error}: {first}"),
    }
}

/// What happened to which functions, then why.
fn title(model: &Model, cause: &FailureCause<'_>, why: &str) -> String {
    let mut names: Vec<String> = Vec::new();
    for name in cause.compiles.iter().filter_map(|&index| function_words(model, index)) {
        let name = name.trim_end_matches(',').to_owned();
        names.extend((!names.contains(&name)).then_some(name));
    }
    let function = match names.as_slice() {
        [] => "a function".to_owned(),
        [one] => one.clone(),
        [others @ .., last] if names.len() <= NAMED => format!("{} and {last}", others.join(", ")),
        [first, ..] => format!("{first} and {} other functions", names.len() - 1),
    };
    let (is, was) = if names.len() > 1 { ("run", "were") } else { ("runs", "was") };
    match cause.effect {
        FailureEffect::NotCompiled => format!("{function} {was} not compiled: {why}"),
        FailureEffect::BrokeInLoop => {
            let whole = if names.len() > 1 { "these functions run" } else { "the whole function runs" };
            format!("{function}: graph break inside a loop, so {whole} in eager mode: {why}")
        }
        FailureEffect::BrokeForGood => {
            format!("{function} {is} in eager mode, because Dynamo cannot go on behind a graph break: {why}")
        }
    }
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
