//! What a guard that failed says without names: its kind, and the sizes or dtypes where it is about those.

use super::operators::dtype;
use super::words::list;
use crate::analysis::{Change, ChangeKind, classify};
use serde_json::Value;

/// Values of one thing that are told: of more, the first ones and the last.
const VALUES: usize = 8;

/// `size of dimension 1: 4 -> 6`
pub fn words(reason: &Value) -> String {
    told(&[change(reason)])
}

/// The same of several compiles, one for each thing that changed: `size of dimension 1: 4 -> 6 -> 10; dtype: Float -> Half`.
pub fn of_recompiles<'v>(recompiles: impl Iterator<Item = &'v Value>) -> String {
    let mut things: Vec<(String, Vec<Change>)> = Vec::new();
    // The reason of the newest version is told first, and that is the one which the others follow from.
    for reason in recompiles.filter_map(|one| list(one, "reasons").first()) {
        let change = change(reason);
        let key = format!("{:?} {:?} {:?}", change.kind, change.source, change.dimension);
        match things.iter_mut().find(|(known, _)| *known == key) {
            Some((_, changes)) => changes.push(change),
            None => things.push((key, vec![change])),
        }
    }
    let mut told: Vec<String> = Vec::new();
    for words in things.iter().map(|(_, changes)| self::told(changes)) {
        if !told.contains(&words) {
            told.push(words);
        }
    }
    told.join("; ")
}

fn change(reason: &Value) -> Change {
    let guard = reason["guard"].as_str().filter(|guard| !guard.is_empty());
    classify(guard.or_else(|| reason["text"].as_str()).unwrap_or_default())
}

/// Changes of one thing.
fn told(changes: &[Change]) -> String {
    let Some(first) = changes.first() else { return "no reason recorded".to_owned() };
    let mut words = first.kind.word().to_owned();
    if let Some(dimension) = first.dimension {
        words.push_str(&format!(" of dimension {dimension}"));
    }
    let old = first.old.as_deref().and_then(|old| value(first.kind, old));
    let new = changes.iter().map(|change| value(change.kind, change.new.as_deref()?));
    let values: Option<Vec<&str>> = std::iter::once(old).chain(new).collect();
    let Some(mut values) = values else { return words };
    if values.len() > VALUES {
        let last = values.pop();
        values.truncate(VALUES - 2);
        values.push("..");
        values.extend(last);
    }
    words.push_str(&format!(": {}", values.join(" -> ")));
    words
}

/// A value that is a size or a dtype.
fn value(kind: ChangeKind, text: &str) -> Option<&str> {
    use ChangeKind::{Dtype, ParameterSize, Rank, Size, Stride, ZeroOne};
    match kind {
        Size | ParameterSize | Rank | Stride | ZeroOne => text.parse::<u64>().ok().map(|_| text),
        Dtype => dtype(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(texts: &[&str]) -> String {
        let recompiles: Vec<Value> =
            texts.iter().map(|text| json!({ "reasons": [{ "text": text, "guard": null }] })).collect();
        of_recompiles(recompiles.iter())
    }

    #[test]
    fn a_guard_tells_its_kind_with_sizes_and_dtypes_and_no_name() {
        let sizes = [
            "tensor 'secret' size mismatch at index 1. expected 4, actual 6",
            "tensor 'secret' size mismatch at index 1. expected 6, actual 10",
        ];
        assert_eq!(of(&sizes), "size of dimension 1: 4 -> 6 -> 10");
        let dtype = "tensor 'secret' dtype mismatch. expected Float, actual Double";
        assert_eq!(of(&[dtype, sizes[0]]), "dtype: Float -> Double; size of dimension 1: 4 -> 6");
        assert_eq!(of(&["tensor 'secret' dtype mismatch. expected Float, actual Secret"]), "dtype");
        for (text, told) in [
            ("k == 12345", "Python value"),
            ("cfg.mode == 'secret'  # secret line", "Python value"),
            ("GLOBAL_STATE changed: grad_mode ", "global or grad state"),
            ("secret of a later torch", "other"),
        ] {
            assert_eq!(of(&[text]), told, "{text}");
        }
    }
}
