//! Changes in words.

use super::chain::{Disagreement, Step};
use super::change::Change;
use super::kind::ChangeKind;
use super::subject::ChangedThing;
use crate::analysis::user_place::UserPlace;
use crate::facts::safe::dtype_named;
use crate::limits::{IN_ROW, QUOTE, SHORT_LIST};
use crate::model::sentence::{code, sentence, value};
use crate::model::words::{ends_of, file_name};
use crate::model::{Sentence, stable};

/// What changed, for a title: ``size `x.shape[1]`: 4 -> 6``.
pub(in crate::analysis) fn what_changed(subject: &ChangedThing<'_>) -> Sentence {
    let Some(kind) = subject.kind else { return "no reason recorded".into() };
    let first = subject.changes.first().copied();
    let dynamic = if subject.became_dynamic() { ", then made dynamic" } else { "" };
    let sentence = first.and_then(|change| of_kind(kind, change));
    let text = sentence.unwrap_or_else(|| {
        let named = subject.name.as_deref();
        let of_call = arguments(named).filter(|_| matches!(kind, ChangeKind::Length | ChangeKind::Keys));
        if let Some(thing) = of_call {
            return sentence![thing, values_in_words(subject)];
        }
        if named.is_some_and(is_left_by_break) {
            let noun = kind.facts().noun.trim_end_matches(" of");
            let of = if noun.is_empty() { "" } else { " of " };
            return sentence![noun, of, LEFT_BY_BREAK, values_in_words(subject)];
        }
        if let Some(module) = named.and_then(with_hook) {
            return sentence!["what a hook of ", code(module), " holds", values_in_words(subject)];
        }
        let thing = match (kind.facts().noun.as_str(), named.map(code)) {
            ("", Some(name)) => name.into(),
            ("", None) => "a guard".into(),
            (noun, Some(name)) => sentence![noun, " ", name],
            (noun, None) => noun.into(),
        };
        sentence![thing, values_in_words(subject)]
    });
    sentence![text, dynamic]
}

/// Changes of one thing as a redacted report tells them, without names: `size of dimension 1: 4 -> 6`.
pub fn kind_and_sizes(changes: &[&Change]) -> String {
    let Some(first) = changes.first() else { return "no reason recorded".to_owned() };
    let mut words = first.kind.word().to_owned();
    if let Some(dimension) = first.dimension {
        words.push_str(&format!(" of dimension {dimension}"));
    }
    let old = first.old.as_deref().and_then(|old| size_or_dtype(first.kind, old));
    let new = changes.iter().map(|change| size_or_dtype(change.kind, change.new.as_deref()?));
    let values: Option<Vec<&str>> = std::iter::once(old).chain(new).collect();
    if let Some(mut values) = values {
        values.dedup();
        words.push_str(&format!(": {}", ends_of(values, SHORT_LIST).join(" -> ")));
    }
    if changes.last().is_some_and(|last| last.became_dynamic) {
        words.push_str(", then made dynamic");
    }
    words
}

fn size_or_dtype(kind: ChangeKind, text: &str) -> Option<&str> {
    match kind {
        ChangeKind::Dtype => dtype_named(text),
        _ => Some(text).filter(|text| kind.is_of_tensor() && text.parse::<u64>().is_ok()),
    }
}

/// The module of which a hook holds a value: `m` of `m._forward_hooks[key 0].__closure__[0].cell_contents`.
fn with_hook(name: &str) -> Option<&str> {
    let (module, hooks) = name.split_once("_hooks[")?.0.rsplit_once('.')?;
    hooks.starts_with('_').then_some(module)
}

/// Containers of a call's arguments, in words.
fn arguments(name: Option<&str>) -> Option<&'static str> {
    match name? {
        "len(kwargs)" => Some("number of keyword arguments"),
        "len(args)" => Some("number of positional arguments"),
        "kwargs" => Some("keyword arguments"),
        _ => None,
    }
}

/// `: 4 -> 6`, ` is no longer 2`, ` changed`.
fn values_in_words(subject: &ChangedThing<'_>) -> Sentence {
    let mut values = subject.values();
    values.retain(|value| value.chars().count() <= QUOTE);
    let arrows = |values: &[String]| Sentence::joined(values.iter().map(|one| value(one).into()), " -> ");
    match values.as_slice() {
        [] => " changed".into(),
        [only] if subject.changes.iter().all(|change| change.old.is_some()) => {
            sentence![" is no longer ", value(only)]
        }
        [only] => sentence![" is ", value(only), " now"],
        [first @ .., last] if values.len() > IN_ROW => {
            let first = first.get(..IN_ROW - 2).unwrap_or_default();
            sentence![": ", arrows(first), " -> .. -> ", value(last)]
        }
        values => sentence![": ", arrows(values)],
    }
}

/// The line in words: ``model.py:33, `code` ``.
pub(super) fn line_of(place: &UserPlace) -> String {
    let line = place.line.map_or_else(String::new, |line| format!(":{line}"));
    let file = place.file.as_deref().map_or("A line", file_name);
    let code = place.loc.as_deref().map_or_else(String::new, |loc| format!(", `{}`,", loc.trim()));
    format!("{file}{line}{code}")
}

/// `4 compiles become 1`
pub(super) fn compiles_become(before: usize, after: usize) -> String {
    let noun = if before == 1 { "compile becomes" } else { "compiles become" };
    format!("{before} {noun} {after}")
}

/// The sentence for kinds that noun, name and values do not describe.
fn of_kind(kind: ChangeKind, change: &Change) -> Option<Sentence> {
    let source = change.source.as_deref();
    let named = match source {
        None => "an input".into(),
        Some(source) if is_left_by_break(source) => Sentence::from(LEFT_BY_BREAK),
        Some(source) => code(source).into(),
    };
    let condition = change.condition.as_deref();
    let in_brackets = |text: &str| sentence![" (", value(text), ")"];
    Some(match kind {
        ChangeKind::ZeroOne => {
            let size = change.subject().filter(|name| !is_left_by_break(name));
            let size = size.map_or_else(|| "of an input".into(), |name| Sentence::from(code(name)));
            let now = change.new.as_deref().filter(|new| matches!(*new, "0" | "1"));
            let now = now.map_or_else(|| "0 or 1 in some calls".into(), |new| Sentence::from(value(new)));
            sentence!["size ", size, " is ", now, ", and sizes 0 and 1 have versions of their own"]
        }
        ChangeKind::EqualSizes => sentence!["two sizes are no longer equal: ", code(condition?)],
        ChangeKind::NumberRelation if source.is_some_and(is_left_by_break) => {
            "a relation of a value from before the graph break no longer holds".into()
        }
        ChangeKind::Relation | ChangeKind::NumberRelation => {
            sentence![code(condition?), " no longer holds", now(change)]
        }
        ChangeKind::Stride | ChangeKind::StorageOffset => {
            sentence!["layout of ", named, ": ", code(condition?), " no longer holds"]
        }
        ChangeKind::DispatchKeys => {
            sentence!["dispatch keys of ", named, " changed", condition.map(in_brackets)]
        }
        ChangeKind::Autocast if condition.is_none() => sentence![named, " changed"],
        ChangeKind::Autocast => sentence!["autocast changed for ", named, condition.map(in_brackets)],
        ChangeKind::GradMode => match source.and_then(|source| source.strip_prefix("grad_mode, ")) {
            Some(others) => sentence!["grad mode changed, and with it ", code(others)],
            None => "grad mode changed".into(),
        },
        ChangeKind::Object => match change.old.as_deref() {
            Some(class) => sentence!["another object of class ", code(class), " as ", named],
            None => sentence!["another object as ", named],
        },
        ChangeKind::Function => sentence!["another function as ", named],
        ChangeKind::Backend if change.old.is_some() && change.old == change.new => {
            sentence!["another backend object named ", value(change.old.as_deref()?)]
        }
        ChangeKind::EnumMember => sentence!["another enum member as ", named],
        ChangeKind::Alias => alias(change),
        ChangeKind::Number | ChangeKind::Value if source.is_some_and(is_left_by_break) => {
            "a value from before the graph break changed".into()
        }
        ChangeKind::Marks if source.is_none() => "the dynamic marks of an input changed".into(),
        ChangeKind::Race => "torch found no failed guard: a race of threads, or a fault of torch".into(),
        ChangeKind::Unnamed => "torch names no failed guard: another backend, or a race of threads".into(),
        ChangeKind::Other => match condition {
            Some(text) if text.contains("___stack") => sentence![LEFT_BY_BREAK, " changed"],
            Some(text) => sentence![code(stable(text)), " failed"],
            None => "a guard failed".into(),
        },
        _ => return None,
    })
}

/// ` (x.shape[0] is 17)`, for a relation.
fn now(change: &Change) -> Option<Sentence> {
    let (source, new) = (change.source.as_ref()?, change.new.as_ref()?);
    let size = match change.dimension {
        Some(dimension) => format!("{source}.shape[{dimension}]"),
        None => source.clone(),
    };
    Some(sentence![" (", code(size), " is ", value(new), ")"])
}

fn alias(change: &Change) -> Sentence {
    let names = match change.source.as_deref() {
        Some(names) => Sentence::joined(names.split(", ").map(|name| code(name).into()), " and "),
        None => code("two inputs").into(),
    };
    let is_same = change.new.as_deref().is_some_and(|new| new.starts_with("the same"));
    let verb = if is_same { " are the same tensor now" } else { " are no longer the same object" };
    sentence!["inputs ", names, verb]
}

/// What a value on the stack of a resumed function is.
pub(in crate::analysis) const LEFT_BY_BREAK: &str = "a value from before the graph break";

/// Whether the value is on the stack of a resumed function: `___stack0`.
pub(in crate::analysis) fn is_left_by_break(source: &str) -> bool {
    source.starts_with("___stack")
}

/// A guard with words for values on the stack of a resumed function, whose names nobody can write.
pub(in crate::analysis) fn without_stack_values(guard: &str) -> String {
    let mut pieces = guard.split("___stack");
    let mut text = pieces.next().unwrap_or_default().trim_end_matches("L['").to_owned();
    for piece in pieces {
        let rest = piece.trim_start_matches(|c: char| c.is_ascii_digit());
        text.push_str(LEFT_BY_BREAK);
        text.push_str(rest.strip_prefix("']").unwrap_or(rest).trim_end_matches("L['"));
    }
    text
}

/// `no version fits: flag is True for 2, k differs for 1`; None if all versions failed for the same thing.
pub fn disagreement(step: &Step<'_>) -> Option<String> {
    let groups = step.disagreement();
    // Nobody can write the name of a value that a break left behind.
    let names = |group: &&Disagreement<'_>| !group.change.source.as_deref().is_some_and(is_left_by_break);
    let parts: Vec<String> = groups.iter().filter(names).map(group).collect();
    (!parts.is_empty()).then(|| format!("no version fits: {}", parts.join(", ")))
}

fn group(group: &Disagreement<'_>) -> String {
    let change = group.change;
    let name = change.subject().map_or_else(|| change.kind.word().to_owned(), |name| format!("`{name}`"));
    let what = match (&change.old, &change.condition) {
        (_, Some(condition)) => format!("`{condition}` fails"),
        (Some(old), None) if group.one_value && change.kind != ChangeKind::Object => match change.kind {
            ChangeKind::Keys => format!("a key of {name} is {old}"),
            ChangeKind::Type => format!("the type of {name} is {old}"),
            _ => format!("{name} is {old}"),
        },
        _ => format!("{name} differs"),
    };
    format!("{what} for {}", group.versions)
}
