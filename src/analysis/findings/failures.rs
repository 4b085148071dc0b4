//! Failures: which compiles ended with an exception, at which line of the user.

use super::advice::Advice;
use super::basis::Basis;
use super::cost::{Claim, Work};
use super::export;
use super::finding::{EntryKey, Finding, FurtherReading, Severity, Value};
use super::kind::KindOfFinding;
use super::prose;
use super::rules::{About, Told};
use crate::analysis::failures::{
    FailureCause, FailureEffect, KernelFailure, failed_kernel, failed_us, failure_causes, fixed_against_mark,
};
use crate::analysis::names::FunctionWords;
use crate::analysis::recompiles::is_limit;
use crate::analysis::user_place::UserPlace;
use crate::facts::safe::catalog_entry;
use crate::limits::NAMED_BRIEFLY;
use crate::model::sentence::{code, count, name, own, quoted, sentence, value};
use crate::model::words::{file_name, headline, with_commas};
use crate::model::{Failure, GraphBreak, Model, NameOf, Sentence, Specialization};
use crate::read::exception::quoted_exception;
use crate::read::expr::size_as_written;
use crate::trace::TextSet;

/// One finding per cause. Failures at the recompile limit belong to the recompile's finding.
pub(super) fn of_log(Basis { model, .. }: Basis<'_>) -> Vec<Finding> {
    let causes = failure_causes(model);
    let told = causes.iter().enumerate().filter(|(_, cause)| !cause.first().is_some_and(is_limit));
    let words = FunctionWords::of(model);
    let of = |(index, cause)| {
        Some(Finding { entry: Some(EntryKey::Failure(index)), ..finding(model, &words, cause)? })
    };
    told.filter_map(of).collect()
}

fn finding(model: &Model, words: &FunctionWords<'_>, cause: &FailureCause<'_>) -> Option<Finding> {
    let failure = cause.first()?;
    let text = failure.reason.as_deref().unwrap_or_default();
    let marked = fixed_against_mark(model, failure);
    let kernel = failed_kernel(model, failure, cause.trace);
    let told = Told::of_failure(model, cause, text);
    let why = match marked.first() {
        // What a failed export calls its inputs is not the user's name for them.
        Some(one) if failure.compile.is_some() => marked_words(one, marked.len()),
        _ => match &kernel {
            Some(kernel) => kernel_words(kernel),
            None => {
                let plain = told.plain().filter(|_| failure.error.ends_with("Unsupported"));
                plain.unwrap_or_else(|| why(&failure.error, text))
            }
        },
    };
    let entry = catalog_entry(text).map(|entry| own(format!(", {entry}")));
    let why = why.or_redacted(sentence![name(NameOf::Exception, &failure.error), entry]);
    let mut found = titled(words, cause, &why);
    found.reason = format!("{}: {why}", failure.error);
    found.count = cause.failures.len() as u64;
    found.detail = prose::explanation(text).or_else(|| rest(text));
    match (marked.first(), &kernel) {
        (Some(one), _) => say_marked(model, one, &mut found),
        (None, Some(kernel)) => match (out_of_resource(kernel.message), kernel.code) {
            (Some(_), _) => found.say("kernel_too_large", &[]),
            (None, Some(code)) => found.say("kernel_line", &[("code", code)]),
            (None, None) => found.say("kernel", &[]),
        },
        (None, None) => found.advise_all(advice(model, failure, &told, text)),
    }
    if let Some(code) = kernel.and_then(|kernel| kernel.code) {
        found.fact("Line of the kernel", Value::Code(vec![code.to_owned()]));
    }
    found.read_more = prose::read_more(text);
    found.place = cause.place.clone();
    found.stack = cause.stack.clone();
    for one in &cause.failures {
        let compile = model.by_id.get(&one.compile).copied().into_iter().collect();
        let us = failed_us(model, one).unwrap_or_default();
        found.claim(Claim::wasted(Work::Whole, compile, "in compilations that failed").at_most(us));
    }
    found.fact("Exception", Value::Code(vec![failure.error.clone()]));
    let recorded = headline(text);
    if !found.title.text().ends_with(&recorded) {
        found.fact("Reason in the log", Value::Prose(recorded));
    }
    cause.at_break.into_iter().for_each(|one| say_break(one, &mut found));
    found.compiles = cause.compiles.clone();
    Some(found)
}

/// The graph break at which a compile failed.
fn say_break(one: &GraphBreak, found: &mut Finding) {
    let context = one.context.as_ref().unwrap_or(&one.reason).trim_end_matches(':');
    found.fact("At a graph break", Value::Prose(context.to_owned()));
    if let (None, Some(url)) = (&found.read_more, &one.url) {
        let name = one.gb_id.clone().unwrap_or_else(|| url.clone());
        found.read_more = Some(FurtherReading { name, url: url.clone() });
    }
}

/// What to do about a failure: what torch suggests for dimensions of an export; else about what could not be traced first, from
/// torch's words, the break that the compile failed at, and the line.
fn advice(model: &Model, failure: &Failure, told: &Told, text: &str) -> Vec<Advice> {
    if let Some((_, fixes)) = text.split_once("Suggested fixes:") {
        let fixes: Vec<&str> = fixes.lines().map(str::trim).filter(|fix| !fix.is_empty()).collect();
        return KindOfFinding::Failure.advice("suggested_dimensions", &[("fixes", &fixes.join("\n"))]);
    }
    let undecided = export::advice_on_failure(model, failure);
    if undecided.is_empty() { told.advice() } else { undecided }
}

/// What a dimension was marked as, and what the code makes of it.
pub(super) fn marked_words(one: &Specialization, sizes: usize) -> Sentence {
    let size = one.sources.first().map_or_else(|| one.symbol.clone(), |source| size_as_written(source));
    let more = (sizes > 1)
        .then(|| sentence![", and ", count(sizes - 1, "other dimension", "other dimensions"), " too"]);
    sentence![code(size), " is marked as dynamic, but the code fixes it to ", value(&one.value), more]
}

/// The line to change, then what allows the dimension to be fixed.
fn say_marked(model: &Model, one: &Specialization, found: &mut Finding) {
    let place = UserPlace::of_specialization(model, one);
    let line = match (place.file.as_deref().map(file_name), place.line) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        _ => "the line".to_owned(),
    };
    let code = place.loc.map_or_else(String::new, |loc| format!(", `{}`", loc.trim()));
    found.say("marked_as_dynamic", &[("value", &one.value), ("line", &line), ("code", &code)]);
}

/// The reason in the words of the exception.
pub(super) fn why(error: &str, text: &str) -> Sentence {
    if let Some(inner) = quoted_exception(text) {
        return sentence![name(NameOf::Exception, inner.class), ": ", prose::short_reason(inner.message)];
    }
    if let Some(expression) = undecided(text) {
        return sentence!["the code decides by data: ", code(expression)];
    }
    let first =
        Told::of_reason(About::Reason, text).plain().unwrap_or_else(|| prose::short_reason(&headline(text)));
    // What Dynamo calls unsupported says so itself; of other exceptions the class is half of the reason.
    match error.rsplit('.').next().unwrap_or_default() {
        "Unsupported" | "ConstraintViolationError" => first,
        error => sentence![name(NameOf::Exception, error), ": ", first],
    }
}

/// What Triton's compiler says about a kernel of the user, with its resources in the order of what is needed and what there
/// is.
pub(super) fn kernel_words(kernel: &KernelFailure<'_>) -> Sentence {
    let message = match (out_of_resource(kernel.message), kernel.message) {
        (Some(short), _) => {
            let amounts = format!(": {} of {}", with_commas(short.required), with_commas(short.limit));
            sentence![quoted(short.resource), own(amounts), short.unit()]
        }
        (None, "") => "it cannot be compiled".into(),
        (None, message) => quoted(unwrapped(message)).into(),
    };
    sentence!["Triton kernel ", code(kernel.name), ": ", message]
}

/// The message of an exception that is quoted with its class: `ValueError('no')`.
fn unwrapped(message: &str) -> &str {
    let inner = message.split_once("Error('").and_then(|(_, rest)| rest.strip_suffix("')"));
    inner.unwrap_or(message)
}

/// A resource of the device of which a kernel needs more than there is.
struct OutOfResource<'t> {
    resource: &'t str,
    required: f64,
    limit: f64,
}

impl OutOfResource<'_> {
    fn unit(&self) -> &'static str {
        if self.resource.contains("memory") { " bytes" } else { "" }
    }
}

/// `out of resource: shared memory, Required: 3145728, Hardware limit: 232448. Reducing block sizes ..`
fn out_of_resource(message: &str) -> Option<OutOfResource<'_>> {
    let (resource, rest) = message.split_once("out of resource: ")?.1.split_once(", Required: ")?;
    let (required, rest) = rest.split_once(", Hardware limit: ")?;
    let limit = rest.split(|c: char| !c.is_ascii_digit()).next()?;
    Some(OutOfResource { resource, required: required.parse().ok()?, limit: limit.parse().ok()? })
}

/// The expression that could not be decided: `Could not guard on data-dependent expression u0 > 2 (unhinted: ..)`.
fn undecided(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("Could not guard on data-dependent expression ")?;
    let expression = rest.split(" (unhinted").next()?.lines().next()?.trim();
    (!expression.is_empty()).then_some(expression)
}

/// A finding that says what happened to which functions, then why.
fn titled(words: &FunctionWords<'_>, cause: &FailureCause<'_>, why: &Sentence) -> Finding {
    let mut seen = TextSet::default();
    let mut names: Vec<Sentence> = cause.compiles.iter().filter_map(|&index| words.at(index)).collect();
    names.retain(|name| seen.insert(name.text()));
    let several = names.len() > 1;
    let more = names.len().saturating_sub(1);
    // Console output names no compile, but the lines that were traced.
    let traced = cause.stack.first().map(|frame| code(&*frame.function));
    let functions = match names.first() {
        None if is_export(cause) => "the exported program".into(),
        None => traced.map_or_else(|| "a function".into(), Into::into),
        Some(first) if more >= NAMED_BRIEFLY => sentence![first.clone(), " and ", more, " other functions"],
        Some(_) => Sentence::list(names),
    };
    let backward = cause.first().is_some_and(|failure| failure.kind.is_backward());
    let (run, were) = match (several, backward) {
        (true, true) => (" run", ": the backward passes were"),
        (false, true) => (" runs", ": the backward pass was"),
        (true, false) => (" run", " were"),
        (false, false) => (" runs", " was"),
    };
    let why = why.clone();
    let (happened, shared) = match cause.effect {
        FailureEffect::NotCompiled => (sentence![were, " not compiled: "], why),
        FailureEffect::BrokeInLoop => {
            let whole = if several { "these functions run" } else { "the whole function runs" };
            let broke = sentence!["graph break inside a loop, so ", whole, " in eager mode: ", why];
            (": ".into(), broke)
        }
        FailureEffect::BrokeForGood => {
            let because = " in eager mode, because Dynamo cannot resume after a graph break: ";
            (sentence![run, because], why)
        }
    };
    let title = sentence![functions, happened, shared.clone()];
    Finding { shared, ..Finding::new(KindOfFinding::Failure, Severity::Error, title) }
}

/// Whether it is an export that failed: its frames run through torch's code for it, or a constraint of its dimensions failed
/// outside of any compile.
fn is_export(cause: &FailureCause<'_>) -> bool {
    let Some(failure) = cause.first() else { return false };
    let text = failure.reason.as_deref().unwrap_or_default();
    let is_constraint = failure.compile.is_none() && failure.error.ends_with("ConstraintViolationError");
    is_constraint || text.contains("functional_export.py") || text.contains("/torch/export/")
}

/// The lines after the first, for a message without an explanation.
fn rest(text: &str) -> Option<String> {
    let (first, mut rest) = text.trim().split_once('\n')?;
    if first.trim_end().ends_with(':') {
        rest = rest.trim_start().split_once('\n')?.1;
    }
    // A single violated constraint is not shown as a list.
    let rest = rest.trim().trim_start_matches("- ");
    (!rest.is_empty()).then(|| rest.to_owned())
}
