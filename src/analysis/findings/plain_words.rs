//! Why a compile failed, in plain words: torch's names for it mean little to whoever wrote the function.

use super::break_rules::Told;
use super::failures::{kernel_words, marked_words, why};
use crate::analysis::failed_in::FailedIn;
use crate::analysis::failures::{FailureCause, FailureEffect, failed_kernel, fixed_against_mark};
use crate::analysis::recompiles::is_limit;
use crate::model::sentence::{code, name, quoted, sentence};
use crate::model::words::headline;
use crate::model::{Model, NameOf, Sentence};

/// Characters of a line or of a message that a sentence quotes.
const LONGEST_QUOTE: usize = 90;

/// Why the compiles of a cause failed, in one sentence; for what is not known here, torch's first line.
pub fn plain_words(model: &Model, cause: &FailureCause<'_>, failed_in: &FailedIn) -> Sentence {
    let Some(failure) = cause.first() else { return Sentence::default() };
    let text = failure.reason.as_deref().unwrap_or_default().trim();
    let error = failure.error.rsplit('.').next().unwrap_or_default();
    if is_limit(failure) {
        return limit(text);
    }
    if let Some(one) = fixed_against_mark(model, failure).first().filter(|_| failure.compile.is_some()) {
        return marked_words(one, 1);
    }
    if let Some(kernel) = failed_kernel(model, failure, cause.trace) {
        return kernel_words(&kernel);
    }
    of_call(error, text)
        .or_else(|| of_backend(text))
        .or_else(|| of_own_function(error, text, failed_in))
        .or_else(|| Some(without_a_break(cause, Told::of_failure(model, cause, text).plain()?)))
        .unwrap_or_else(|| why(error, text))
}

/// The recompile limit, which torch's text names in parentheses.
fn limit(text: &str) -> Sentence {
    match between(text, "(currently set to ", ")") {
        Some(limit) => {
            sentence!["Compiled too often: the limit of ", quoted(limit), " versions is reached"]
        }
        None => "Compiled too often: the recompile limit is reached".into(),
    }
}

/// An operator that does not take these inputs, or an exception of the user's own code.
pub(super) fn of_call(error: &str, text: &str) -> Option<Sentence> {
    if text.starts_with("Observed exception") {
        let class = between(text, "raised exception ", "(")?;
        let class = name(NameOf::Exception, class.trim());
        return Some(sentence!["Your code raised ", class, ", and nothing in the function catches it"]);
    }
    if error != "TorchRuntimeError" && !text.contains("when making fake tensor call") {
        return None;
    }
    let said =
        between(text, "got RuntimeError('", "')").or_else(|| between(text, "got RuntimeError(\"", "\")"));
    let said = said.map(|said| said.split(". ").next().unwrap_or(said).trim_end_matches('.'));
    match (called_operator(text), said) {
        (Some(operator), Some(said)) => {
            Some(sentence![code(operator), " does not take these inputs: ", quoted(short(said))])
        }
        (Some(operator), None) => Some(sentence![code(operator), " does not take these inputs"]),
        (None, Some(said)) => Some(sentence!["An operator does not take its inputs: ", quoted(short(said))]),
        (None, None) => None,
    }
}

/// `matmul` of `call_function <built-in function matmul>(..)`, `view` of `call_method view(..)`.
pub(super) fn called_operator(text: &str) -> Option<&str> {
    let target =
        ["call_function ", "call_method ", "call_module "].iter().find_map(|call| text.split_once(call));
    let (_, target) = target?;
    let target = match target.strip_prefix('<') {
        Some(described) => {
            let described = described.split(['>', '\n']).next().unwrap_or(described);
            described.split(" at 0x").next().unwrap_or(described).rsplit(' ').next()?
        }
        None => target.split(['(', '\n']).next()?,
    };
    let target = target.trim();
    (!target.is_empty() && target.len() <= LONGEST_QUOTE).then_some(target)
}

/// A backend that raised: `backend='mine' raised:` and the exception on the next line.
pub(super) fn of_backend(text: &str) -> Option<Sentence> {
    let backend = between(text, "backend='", "'")?;
    let (_, said) = text.split_once(" raised:\n")?;
    let said = said.lines().next().map(message).filter(|said| !said.is_empty());
    let said = said.map(|said| sentence![": ", quoted(short(said))]);
    Some(sentence!["The backend ", code(backend), " raised an error", said])
}

/// A function of the user that the compiler called.
fn of_own_function(error: &str, text: &str, failed_in: &FailedIn) -> Option<Sentence> {
    let own = failed_in.own.as_ref()?;
    let line = headline(text);
    let said = match error {
        "InductorError" => message(&line),
        _ => line.as_str(),
    };
    let said = (!said.is_empty()).then(|| sentence![": ", quoted(short(said))]);
    if failed_in.setting.is_some() {
        return Some(sentence!["A pass of your own raised an error", said]);
    }
    let class = name(NameOf::Exception, error);
    Some(sentence!["Your ", name(NameOf::Function, own.function.clone()), " raised ", class, said])
}

/// The same, saying that the graph could not break there: with `fullgraph=True`, and in an export.
fn without_a_break(cause: &FailureCause<'_>, what: Sentence) -> Sentence {
    match cause.effect {
        FailureEffect::NotCompiled => sentence![what, ", and no graph break is allowed"],
        FailureEffect::BrokeInLoop | FailureEffect::BrokeForGood => what,
    }
}

/// The message of `RuntimeError: no`: the class says little.
fn message(line: &str) -> &str {
    match line.split_once(": ") {
        Some((class, said)) if class.ends_with("Error") && !class.contains(' ') => said.trim(),
        _ => line.trim(),
    }
}

fn between<'t>(text: &'t str, before: &str, after: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(before)?;
    let (found, _) = rest.split_once(after)?;
    (!found.contains('\n')).then_some(found)
}

fn short(text: &str) -> String {
    match text.char_indices().nth(LONGEST_QUOTE) {
        Some((end, _)) => format!("{} …", text.get(..end).unwrap_or(text)),
        None => text.to_owned(),
    }
}
