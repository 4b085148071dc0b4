//! Parts of torch's messages.

use super::finding::FurtherReading;
use crate::model::Sentence;
use crate::model::break_block::{self, catalog_url};
use crate::model::sentence::{code, quoted, sentence};
use crate::model::words::{file_name, without_addresses};

/// The first paragraph of torch's explanation, on one line and without addresses of objects.
pub(super) fn explanation(text: &str) -> Option<String> {
    let explanation = break_block::explanation(text)?;
    let first = explanation.split("\n\n").next().unwrap_or(&explanation);
    Some(one_paragraph(&without_addresses(first)))
}

/// Characters from which a reason of several sentences is cut after the first.
const LONG_REASON: usize = 100;

/// A reason without details for torch's developers: torch 2.6 appends Dynamo's classes of the arguments, or an
/// explanation.
pub(super) fn short_reason(reason: &str) -> Sentence {
    let plain = reason.split(" [<class 'torch._dynamo.").next().unwrap_or(reason);
    if let Some((before, skipped)) = plain.split_once("'skip function ") {
        let function = skipped.split(" in file ").next().unwrap_or(skipped).trim_end_matches('\'');
        return sentence![quoted(before), code(function), " is a function that Dynamo skips"];
    }
    match plain.split_once(". ") {
        _ if plain.is_empty() => "no reason recorded".into(),
        Some((first, _)) if plain.chars().count() > LONG_REASON => quoted(first).into(),
        _ => quoted(plain).into(),
    }
}

/// The page of torch that the text links to.
pub(super) fn read_more(text: &str) -> Option<FurtherReading> {
    let url = catalog_url(text)?;
    let page = file_name(url).trim_end_matches(".html");
    Some(FurtherReading { name: format!("{page} in the graph break catalog"), url: url.to_owned() })
}

fn one_paragraph(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
