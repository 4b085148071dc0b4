//! Why a compile failed, in plain words: torch's names for it mean little to whoever wrote the function.

use super::failures::{kernel_words, marked_words, why};
use super::rules::Told;
use crate::analysis::failed_in::FailedIn;
use crate::analysis::failures::{FailureCause, FailureEffect, failed_kernel, fixed_against_mark};
use crate::model::sentence::{name, quoted, sentence};
use crate::model::words::headline;
use crate::model::{Model, NameOf, Sentence, SentencePart};

/// Characters of a line or of a message that a sentence quotes.
const LONGEST_QUOTE: usize = 90;

/// Why the compiles of a cause failed, in one sentence; for what is not known here, torch's first line.
pub fn plain_words(model: &Model, cause: &FailureCause<'_>, failed_in: &FailedIn) -> Sentence {
    let Some(failure) = cause.first() else { return Sentence::default() };
    let text = failure.reason.as_deref().unwrap_or_default().trim();
    let error = failure.error.rsplit('.').next().unwrap_or_default();
    if let Some(one) = fixed_against_mark(model, failure).first().filter(|_| failure.compile.is_some()) {
        return marked_words(one, 1);
    }
    if let Some(kernel) = failed_kernel(model, failure, cause.trace) {
        return kernel_words(&kernel);
    }
    let said = Told::of_compile(error, text).plain();
    said.map(|said| shortened(&said))
        .or_else(|| of_own_function(error, text, failed_in))
        .or_else(|| Some(without_a_break(cause, Told::of_failure(model, cause, text).plain()?)))
        .unwrap_or_else(|| why(error, text))
}

/// With what is quoted cut.
fn shortened(sentence: &Sentence) -> Sentence {
    let mut shorter = Sentence::default();
    for part in sentence.parts() {
        match part {
            SentencePart::Quoted(text) => shorter.add(quoted(short(text))),
            part => shorter.add(part.clone()),
        }
    }
    shorter
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

fn short(text: &str) -> String {
    match text.char_indices().nth(LONGEST_QUOTE) {
        Some((end, _)) => format!("{} …", text.get(..end).unwrap_or(text)),
        None => text.to_owned(),
    }
}
