//! Changes in words.

use super::chain::{Disagreement, Step};
use super::change::Change;
use super::kind::ChangeKind;
use super::subject::Subject;

/// Values that a sentence names; beyond that, the first ones and the last.
const VALUES: usize = 6;

/// Characters of a value that a sentence names.
const LONGEST_VALUE: usize = 80;

/// What changed, for a title: ``size `x.shape[1]`: 4 -> 6``.
pub(in crate::analysis) fn what_changed(subject: &Subject<'_>) -> String {
    let Some(kind) = subject.kind else { return "no reason recorded".to_owned() };
    let first = subject.changes.first().copied();
    let name = subject.name.as_deref().map(|name| format!("`{name}`"));
    let dynamic = if subject.became_dynamic() { ", then made dynamic" } else { "" };
    let sentence = first.and_then(|change| sentence(kind, change));
    let text = sentence.unwrap_or_else(|| {
        let thing = match (noun(kind), name) {
            ("", Some(name)) => name,
            ("", None) => "a guard".to_owned(),
            (noun, Some(name)) => format!("{noun} {name}"),
            (noun, None) => noun.to_owned(),
        };
        format!("{thing}{}", values_in_words(subject))
    });
    format!("{text}{dynamic}")
}

/// `: 4 -> 6`, ` is no longer 2`, ` changed`.
fn values_in_words(subject: &Subject<'_>) -> String {
    let mut values = subject.values();
    values.retain(|value| value.chars().count() <= LONGEST_VALUE);
    let count = values.len();
    match values.as_slice() {
        [] => " changed".to_owned(),
        [only] if subject.changes.iter().all(|change| change.old.is_some()) => {
            format!(" is no longer {only}")
        }
        [only] => format!(" is {only} now"),
        values if count > VALUES => {
            let (first, last) = (values.get(..VALUES - 2).unwrap_or_default(), values.last());
            format!(": {} -> .. -> {}", first.join(" -> "), last.map_or("", String::as_str))
        }
        values => format!(": {}", values.join(" -> ")),
    }
}

/// The noun before the name of a thing.
fn noun(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Size => "size",
        ChangeKind::ParameterSize => "size of the parameter or buffer",
        ChangeKind::Rank => "number of dimensions",
        ChangeKind::Stride => "stride",
        ChangeKind::StorageOffset => "storage offset",
        ChangeKind::Dtype => "dtype",
        ChangeKind::Device => "device",
        ChangeKind::Type | ChangeKind::NotATensor => "type of",
        ChangeKind::Number => "number",
        ChangeKind::Text => "string",
        ChangeKind::Flag => "flag",
        ChangeKind::IteratorLength => "length of the iterator",
        ChangeKind::Keys => "keys of",
        ChangeKind::Member => "items of the set",
        ChangeKind::Attribute => "attribute",
        ChangeKind::Backend => "backend",
        ChangeKind::Marks => "dynamic marks of",
        _ => "",
    }
}

/// The sentence for kinds that noun, name and values do not describe.
fn sentence(kind: ChangeKind, change: &Change) -> Option<String> {
    let source = change.source.as_deref();
    let named = source.map_or_else(|| "an input".to_owned(), |source| format!("`{source}`"));
    let condition = change.condition.as_deref();
    let now = now(change);
    Some(match kind {
        ChangeKind::ZeroOne => {
            let size = change.subject().map_or_else(|| "a size".to_owned(), |name| format!("`{name}`"));
            let value = change.new.as_deref().filter(|new| matches!(*new, "0" | "1"));
            let value = value.map_or_else(|| "0 or 1 in some calls".to_owned(), str::to_owned);
            format!("size {size} is {value}, and sizes 0 and 1 have versions of their own")
        }
        ChangeKind::EqualSizes => format!("two sizes are no longer equal: `{}`", condition?),
        ChangeKind::Relation => format!("`{}` no longer holds{now}", condition?),
        ChangeKind::Stride | ChangeKind::StorageOffset => {
            format!("layout of {named}: `{}` no longer holds", condition?)
        }
        ChangeKind::DispatchKeys => match condition {
            Some(condition) => format!("dispatch keys of {named} changed ({condition})"),
            None => format!("dispatch keys of {named} changed"),
        },
        ChangeKind::Autocast => match condition {
            Some(condition) => format!("autocast changed for {named} ({condition})"),
            None => format!("{named} changed"),
        },
        ChangeKind::GradMode => match source.and_then(|source| source.strip_prefix("grad_mode, ")) {
            Some(others) => format!("grad mode changed, and with it `{others}`"),
            None => "grad mode changed".to_owned(),
        },
        ChangeKind::Object => match change.old.as_deref() {
            Some(class) => format!("another object of class `{class}` as {named}"),
            None => format!("another object as {named}"),
        },
        ChangeKind::Function => format!("another function as {named}"),
        ChangeKind::EnumMember => format!("another enum member as {named}"),
        ChangeKind::Alias => alias(change),
        ChangeKind::Number | ChangeKind::Value if source.is_some_and(is_left_by_break) => {
            "a value from before the graph break changed".to_owned()
        }
        ChangeKind::Marks if source.is_none() => "the dynamic marks of an input changed".to_owned(),
        ChangeKind::Race => "torch found no failed guard: a race of threads, or a fault of torch".to_owned(),
        ChangeKind::Unnamed => {
            "torch names no failed guard: another backend, or a race of threads".to_owned()
        }
        ChangeKind::Other => {
            condition.map_or_else(|| "a guard failed".to_owned(), |text| format!("`{text}` failed"))
        }
        _ => return None,
    })
}

/// ` (x.shape[0] is 17)`, for a relation.
fn now(change: &Change) -> String {
    let (Some(source), Some(new)) = (&change.source, &change.new) else { return String::new() };
    match change.dimension {
        Some(dimension) => format!(" (`{source}.shape[{dimension}]` is {new})"),
        None => format!(" (`{source}` is {new})"),
    }
}

fn alias(change: &Change) -> String {
    let names = change.source.as_deref().unwrap_or("two inputs").split(", ");
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    let is_same = change.new.as_deref().is_some_and(|new| new.starts_with("the same"));
    let verb = if is_same { "are the same tensor now" } else { "are no longer the same object" };
    format!("inputs {} {verb}", names.join(" and "))
}

/// Whether the value is on the stack of a resumed function: `___stack0`.
pub(super) fn is_left_by_break(source: &str) -> bool {
    source.starts_with("___stack")
}

/// `no version fits: flag is True for 2, k differs for 1`; None if all versions failed for the same thing.
pub fn disagreement(step: &Step<'_>) -> Option<String> {
    let groups = step.disagreement();
    let parts: Vec<String> = groups.iter().map(group).collect();
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

/// One sentence on what a kind means for compiled code.
pub(in crate::analysis) fn meaning(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Size => {
            "The first compile is for one size only. A second size makes torch treat the dimension as dynamic, unless \
             `dynamic=False` is set."
        }
        ChangeKind::ParameterSize => "The sizes of parameters and buffers are part of the compiled code.",
        ChangeKind::Rank => "Compiled code is for one number of dimensions.",
        ChangeKind::ZeroOne => {
            "torch always compiles sizes 0 and 1 for themselves, also where a size is dynamic."
        }
        ChangeKind::EqualSizes => {
            "Sizes that are equal in the first call are taken for one symbol, so the compiled code relies on it."
        }
        ChangeKind::Relation => {
            "The compiled code relies on a relation of sizes that held in the first call."
        }
        ChangeKind::Stride | ChangeKind::StorageOffset => "Compiled code is for one memory layout.",
        ChangeKind::DispatchKeys => "Compiled code is for one kind of tensor.",
        ChangeKind::Dtype => "Each dtype needs a version of its own.",
        ChangeKind::Device => "Each device needs a version of its own.",
        ChangeKind::RequiresGrad | ChangeKind::GradMode => "Code with and without gradients differs.",
        ChangeKind::Autocast | ChangeKind::Setting => "Compiled code is for one state of torch's settings.",
        ChangeKind::Training => "Modules behave differently in training and in evaluation.",
        ChangeKind::Type | ChangeKind::NotATensor => "Compiled code is for one type of each input.",
        ChangeKind::Object | ChangeKind::Function => "Dynamo guards on which object it is.",
        ChangeKind::Alias => "Compiled code relies on which inputs are the same tensor.",
        ChangeKind::Length | ChangeKind::IteratorLength | ChangeKind::Keys | ChangeKind::Member => {
            "Dynamo unrolls containers, so what they hold is part of the compiled code."
        }
        ChangeKind::Backend => "Code that one backend compiled is not used for another.",
        ChangeKind::Marks => "Compiled code is for one set of dynamic marks.",
        ChangeKind::Race => {
            "Every guard held when torch looked for the one that failed. Another thread changed something in between, \
             or torch is at fault."
        }
        ChangeKind::Unnamed => {
            "torch versions before 2.9 write an empty reason where no guard failed: the backend is another one, or \
             several threads compiled at the same time."
        }
        ChangeKind::Number
        | ChangeKind::Text
        | ChangeKind::Flag
        | ChangeKind::NoneOrNot
        | ChangeKind::EnumMember
        | ChangeKind::Attribute
        | ChangeKind::Value => {
            "Dynamo makes Python values part of the compiled code and guards on them, so a new value compiles again."
        }
        ChangeKind::Other => "A guard of every older version failed.",
    }
}
