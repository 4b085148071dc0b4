//! Guards on the identity or type of a value.

use crate::analysis::recompiles::change::Change;
use crate::analysis::recompiles::kind::ChangeKind;
use crate::read::expr::{as_written, call, check, checked_class, comparison, split, unwrapped};

/// `___check_current_backend(140244125423088)`, in 2.4 and before `___current_backend() == ___lookup_backend(..)`.
pub(super) fn backend(text: &str) -> Option<Change> {
    let names = ["___lookup_backend(", "___current_backend(", "___check_current_backend("];
    names.iter().any(|name| text.contains(name)).then(|| Change::new(ChangeKind::Backend, None))
}

/// `___check_type_id(x, 94506458411648)`, `isinstance(x, int)`, `type(x) is ..`.
pub(super) fn type_check(text: &str) -> Option<Change> {
    let first = split(text, ",").first().copied().unwrap_or(text);
    if let Some((callee, arguments)) = call(first) {
        let source = arguments.first().copied();
        return match callee {
            "___check_type_id" => Some(Change::new(ChangeKind::Type, source)),
            "isinstance" => {
                Some(Change::new(ChangeKind::Type, source).with_values(arguments.get(1).copied(), None))
            }
            _ => None,
        };
    }
    let (left, operator, right) = comparison(first)?.pair()?;
    let ("type", arguments) = call(left)? else { return None };
    let is_same = matches!(operator, "is" | "==");
    is_same.then(|| Change::new(ChangeKind::Type, arguments.first().copied()).with_values(Some(right), None))
}

/// `___check_obj_id(c, 140696905928208), type=<class '__main__.Color'>`. The address is not part of the subject, so
/// that two objects in one variable are one subject.
pub(super) fn object_check(text: &str) -> Option<Change> {
    let (callee, arguments) = check(text)?;
    if callee != "___check_obj_id" {
        return None;
    }
    let source = as_written(arguments.first()?);
    let (kind, source) = match source.strip_suffix(".__code__") {
        Some(function) => (ChangeKind::Function, function.to_owned()),
        None if source.ends_with(".training") => (ChangeKind::Training, source),
        None => (ChangeKind::Object, source),
    };
    let address = arguments.get(1).and_then(|address| address.parse().ok());
    Some(Change { address, ..Change::new(kind, Some(&source)) })
}

/// Adds the class that torch 2.15 writes after an object or type check.
pub(super) fn add_class(change: &mut Change, text: &str) {
    let Some(class) = checked_class(text) else { return };
    if change.kind == ChangeKind::Object {
        let is_function = ["function", "builtin_function_or_method", "method", "code", "functools.partial"];
        if is_function.contains(&class) {
            change.kind = ChangeKind::Function;
        }
    }
    if matches!(change.kind, ChangeKind::Object | ChangeKind::Type) {
        change.old = Some(class.to_owned());
    }
    if class == "bool" && change.kind == ChangeKind::Object {
        change.kind = ChangeKind::Flag;
        change.old = None;
    }
}

/// `x is y`: two inputs that were one object; `check_no_aliasing(x, y)`: inputs that were not.
pub(super) fn alias(text: &str) -> Option<Change> {
    if let Some(("check_no_aliasing", arguments)) = call(text) {
        let names: Vec<String> = arguments.iter().map(|name| as_written(name)).collect();
        let source = (!names.is_empty()).then(|| names.join(", "));
        return Some(Change::of_alias(source, ["different tensors", "the same tensor"]));
    }
    let (left, operator, right) = comparison(unwrapped(text))?.pair()?;
    let is_constant = |side: &str| matches!(side, "None" | "True" | "False" | "Ellipsis" | "NotImplemented");
    if !matches!(operator, "is" | "is not") || is_constant(left) || is_constant(right) {
        return None;
    }
    let source = format!("{}, {}", as_written(left), as_written(right));
    let mut values = ["the same object", "different objects"];
    if operator == "is not" {
        values.reverse();
    }
    Some(Change::of_alias(Some(source), values))
}
