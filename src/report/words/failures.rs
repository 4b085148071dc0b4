//! Where to look after a failure that torch gives no hint about: the stage, the pass or operator, and the setting that
//! tells one cause from another.

use crate::analysis::failed_in::{FailedIn, Reached};
use crate::analysis::failures::FailureCause;
use crate::report::kit::formats::short_path;

/// Parts of the compiler on the bar of a failure, in order.
pub(crate) const REACHED: [Reached; 4] =
    [Reached::Dynamo, Reached::Backend, Reached::Inductor, Reached::CodeGeneration];

/// What to look at, the most specific first; each a sentence.
pub(crate) fn where_to_look(cause: &FailureCause<'_>, failed_in: &FailedIn) -> Vec<String> {
    let text = cause.first().and_then(|failure| failure.reason.as_deref()).unwrap_or_default();
    let mut sentences = vec![what_failed(cause, failed_in, text)];
    sentences.extend(what_tells_apart(failed_in));
    sentences
}

/// `Failed in Inductor, post-grad passes: fix bad_post_grad_pass, s06_errors.py:62.`
fn what_failed(cause: &FailureCause<'_>, failed_in: &FailedIn, text: &str) -> String {
    let stage = failed_in.words();
    if let Some(own) = &failed_in.own {
        let called = match failed_in.setting {
            Some(setting) => format!(" Inductor calls it as `{setting}`."),
            None if failed_in.reached == Reached::Dynamo => {
                " Dynamo ran it while it read the function.".to_owned()
            }
            None => String::new(),
        };
        let place = format!("{}:{}", short_path(&own.file), own.line);
        return format!("Failed in {stage}: fix `{}`, {place}.{called}", own.function);
    }
    if let Some(operator) = lowered_operator(text) {
        return format!("Failed in {stage}: the operator to look at is `{operator}`.");
    }
    match (&cause.place.file, cause.place.line) {
        (Some(file), Some(line)) => format!("Failed in {stage}: look at {}:{line}.", short_path(file)),
        _ => format!("Failed in {stage}."),
    }
}

/// The operator that Inductor was lowering: `target: aten.sort.stable` in the text of its exception.
fn lowered_operator(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("target: ")?;
    let operator = rest.split_whitespace().next()?;
    operator.contains('.').then_some(operator)
}

/// The one run or setting that tells where the cause is.
fn what_tells_apart(failed_in: &FailedIn) -> Option<String> {
    Some(match (failed_in.reached, failed_in.setting) {
        (_, Some(setting)) => format!(
            "To see whether everything else compiles, take it out: `torch._inductor.config.{setting} = None`."
        ),
        (Reached::Dynamo, _) if failed_in.own.is_some() => return None,
        (Reached::Dynamo, _) => {
            "Call the function once without `torch.compile`: an error there is the program's own, and otherwise Dynamo's."
                .to_owned()
        }
        (Reached::Backend, _) if failed_in.is_backend() => {
            "To see whether the graph is sound, run it with `torch.compile(backend=\"eager\")`: if that works, the \
             backend is at fault."
                .to_owned()
        }
        (Reached::Backend, _) => {
            "To see whether the graph is sound, run it with `torch.compile(backend=\"eager\")`: if that works, look at \
             the operators that AOTAutograd takes apart."
                .to_owned()
        }
        (Reached::Inductor | Reached::CodeGeneration, _) => {
            "To see whether only Inductor fails, run it with `torch.compile(backend=\"aot_eager\")`, which does all but \
             Inductor's work."
                .to_owned()
        }
    })
}
