//! Whether a version would have served an earlier call: its guards, evaluated with the sizes of that call, all hold.

use super::version::{OtherGuard, Version};
use crate::read::expr::{Property, SizeOf, check, holds};

/// What speaks against it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Refusal<'m> {
    /// A relation of sizes does not hold for the call.
    Relation(&'m str),
    /// A relation of sizes cannot be evaluated.
    Unknown(&'m str),
    /// The calls differ in more than sizes.
    MoreThanSizes,
    /// A number, which the version takes as a symbol, is another one in the call: no mark makes a number dynamic.
    Number { source: &'m str },
    /// A size that the version fixes is another one in the call.
    FixedSize { source: &'m str, dimension: usize },
    /// A stride that the version fixes is another one in the call.
    FixedStride { source: &'m str },
    /// The log does not have the sizes of the call.
    NoSizes,
}

/// None if `version` would have served the call that `call` was compiled for.
pub(super) fn refusal<'m>(version: &Version<'m>, call: &Version<'m>) -> Option<Refusal<'m>> {
    // A relation that does not hold says more than that the calls differ.
    let fails = version.relations.iter().find_map(|text| match of_relation(text, call) {
        Some(refusal @ Refusal::Relation(_)) => Some(refusal),
        _ => None,
    });
    if fails.is_some() {
        return fails;
    }
    if version.reasons.get(&*call.label).is_some_and(|reason| !is_of_sizes(reason)) {
        return Some(Refusal::MoreThanSizes);
    }
    if let Some(refusal) = of_tensors(version, call) {
        return Some(refusal);
    }
    let is_other_object =
        |(source, address): (&&str, &&str)| call.objects.get(source).is_some_and(|other| other != address);
    if version.objects.iter().any(is_other_object) {
        return Some(Refusal::MoreThanSizes);
    }
    let mut number = None;
    for guard in version.others.symmetric_difference(&call.others) {
        match symbol(guard, version) {
            Some(source) if guard.kind == "EQUALS_MATCH" => number = number.or(Some(source)),
            Some(_) => {}
            None if is_of_no_account(guard, version, call) => {}
            None => return Some(Refusal::MoreThanSizes),
        }
    }
    if let Some(source) = number {
        return Some(Refusal::Number { source });
    }
    version.relations.iter().find_map(|text| of_relation(text, call))
}

/// Whether a failed guard is about a size or a stride.
pub(super) fn is_of_sizes(guard: &str) -> bool {
    ["size mismatch", "stride mismatch", "size()[", "stride()["].iter().any(|part| guard.contains(part))
}

fn of_tensors<'m>(version: &Version<'m>, call: &Version<'m>) -> Option<Refusal<'m>> {
    for (&source, check) in &version.tensors {
        let Some(there) = call.tensors.get(source) else { return Some(Refusal::MoreThanSizes) };
        if there.fixed != check.fixed {
            return Some(Refusal::MoreThanSizes);
        }
        let Some(sizes) = call.sizes(source).filter(|sizes| sizes.len() == check.sizes.len()) else {
            return Some(Refusal::NoSizes);
        };
        let is_other =
            |(required, size): (&Option<i64>, &i64)| required.is_some_and(|required| required != *size);
        if let Some(dimension) = check.sizes.iter().zip(&sizes).position(is_other) {
            return Some(Refusal::FixedSize { source, dimension });
        }
        let strides = call.strides(source).unwrap_or_default();
        // The stride of a dimension with one element is of no account.
        let strides = check.strides.iter().zip(&strides).zip(&sizes).filter(|(_, size)| **size != 1);
        for ((required, stride), _) in strides.filter(|((required, _), _)| required.is_some()) {
            if stride.is_none() {
                return Some(Refusal::NoSizes);
            }
            if stride != required {
                return Some(Refusal::FixedStride { source });
            }
        }
    }
    None
}

/// The number that a guard is about, if the version takes it as a symbol: its own guards ask for its type and fix no value.
fn symbol<'m>(guard: &OtherGuard<'m>, version: &Version<'_>) -> Option<&'m str> {
    let source = value_or_integer(guard)?;
    let mut about = version.others.iter().filter(|other| value_or_integer(other) == Some(source)).peekable();
    let is_named = about.peek().is_some();
    (is_named && about.all(|other| other.kind == "TYPE_MATCH")).then_some(source)
}

/// What a guard on a value, or on the type of an integer, is about.
fn value_or_integer<'m>(guard: &OtherGuard<'m>) -> Option<&'m str> {
    match guard.kind {
        "EQUALS_MATCH" => Some(guard.text.split_once(" == ")?.0),
        "TYPE_MATCH" if guard.text.ends_with("<class 'int'>") => check(guard.text)?.1.first().copied(),
        _ => None,
    }
}

/// Guards that only one of two versions has, and that say nothing about the call: one of them looked at a builtin of
/// torch, or asked for the type of what guards say is a tensor.
fn is_of_no_account(guard: &OtherGuard<'_>, version: &Version<'_>, call: &Version<'_>) -> bool {
    match guard.kind {
        "ID_MATCH" => guard.text.starts_with("___check_obj_id(G["),
        "TYPE_MATCH" => check(guard.text)
            .and_then(|(_, arguments)| arguments.first().copied())
            .is_some_and(|source| version.tensors.contains_key(source) && call.tensors.contains_key(source)),
        _ => is_named_anew(guard.text),
    }
}

/// Whether a guard is about a dictionary of builtins, which Dynamo numbers anew for each compile: `__builtins_dict___3`.
fn is_named_anew(guard: &str) -> bool {
    guard.contains("G['__builtins_dict___")
}

fn of_relation<'m>(text: &'m str, call: &Version<'m>) -> Option<Refusal<'m>> {
    let lookup = |size: SizeOf<'_>| {
        let list = match size.property {
            Property::Size => call.sizes(size.source)?.into_iter().map(Some).collect(),
            Property::Stride => call.strides(size.source)?,
            Property::StorageOffset => return None,
        };
        list.get(usize::try_from(size.dimension?).ok()?).copied()?
    };
    match holds(text, &lookup) {
        Some(true) => None,
        // What the call was compiled with holds for it.
        None if call.relations.contains(&text) => None,
        Some(false) => Some(Refusal::Relation(text)),
        None => {
            let is_about_inputs = text.contains("size()")
                && !["___", "storage_offset", "_base"].iter().any(|part| text.contains(part));
            is_about_inputs.then_some(Refusal::Unknown(text))
        }
    }
}
