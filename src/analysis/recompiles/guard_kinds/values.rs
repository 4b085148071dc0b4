//! Guards on Python values: numbers, strings, flags, containers, settings.

use crate::analysis::recompiles::change::Change;
use crate::analysis::recompiles::kind::ChangeKind;
use crate::read::expr::{TokenKind, as_written, call, comparison, tokens, unwrapped};

/// Attributes that `mark_dynamic` and its relatives leave on a tensor.
const MARKS: [&str; 2] = ["_dynamo_", "_has_dynamo_dim_marking"];

/// `hasattr(x, '_dynamo_dynamic_indices') == False`, `getattr(x, '_dynamo_dynamic_range', None) == None`, ..
pub(super) fn marks(text: &str) -> Option<Change> {
    let found = tokens(text);
    let is_mark = |text: &str| {
        let name = text.trim_matches(['\'', '"']);
        MARKS.iter().any(|mark| name.starts_with(mark))
            && (name.ends_with("_indices") || name.ends_with("_range") || name.ends_with("_marking"))
    };
    let mark = found.iter().position(|token| token.kind == TokenKind::Text && is_mark(token.text))?;
    // The tensor is the first argument of hasattr or getattr.
    let comma = found.get(mark.checked_sub(1)?).filter(|token| token.is(","))?;
    let open = found.get(..mark)?.iter().rfind(|token| token.is("(") && token.depth + 1 == comma.depth)?;
    let source = text.get(open.end()..comma.start)?;
    let is_absent = text.trim_end().ends_with("== False") || text.starts_with("not hasattr");
    let (old, new) = if is_absent { (Some("not marked"), Some("marked")) } else { (None, None) };
    Some(Change::new(ChangeKind::Marks, Some(source)).with_values(old, new))
}

/// `utils_device.CURRENT_DEVICE == None`, `___check_torch_function_mode_stack()`, `.. top_saved_tensors_hooks ids ==
/// None`.
pub(super) fn setting(text: &str) -> Option<Change> {
    let forms = [
        ("___check_global_state", "global state"),
        ("CURRENT_DEVICE", "default device"),
        ("torch_function_mode_stack", "torch function modes"),
        ("top_saved_tensors_hooks", "saved tensor hooks"),
        ("maybe_current_level", "functorch transforms"),
        ("are_deterministic_algorithms_enabled", "deterministic_algorithms"),
        ("is_grad_enabled", "grad_mode"),
    ];
    let (_, name) = forms.iter().find(|(mark, _)| text.contains(mark))?;
    let kind = if *name == "grad_mode" { ChangeKind::GradMode } else { ChangeKind::Setting };
    let old = comparison(text).and_then(|compared| compared.operands.last().copied());
    Some(Change { kind, source: Some((*name).to_owned()), ..Change::default() }.with_values(old, None))
}

/// `len(xs) == 1`, `len(d) != 2` (which words the failure, not the condition), `not xs`, `___tuple_iterator_len(it) == 2`.
pub(super) fn length(text: &str) -> Option<Change> {
    if let Some((left, operator, right)) = comparison(text).and_then(|compared| compared.pair()) {
        let (callee, arguments) = call(left)?;
        let kind = match callee {
            "len" => ChangeKind::Length,
            name if name.ends_with("_iterator_len") => ChangeKind::IteratorLength,
            _ => return None,
        };
        let is_value = matches!(operator, "==" | "!=");
        return is_value
            .then(|| Change::new(kind, arguments.first().copied()).with_values(Some(right), None));
    }
    // A container without items is tested by its truth.
    let source = text.strip_prefix("not ")?.trim();
    let is_variable = !source.contains(' ') && call(source).is_none();
    is_variable.then(|| Change::new(ChangeKind::Length, Some(source)).with_values(Some("0"), None))
}

/// `KeyError on batch['author']`: a key that was there is absent, so the guard below it could not be asked.
pub(super) fn absent_key(text: &str) -> Option<Change> {
    let place = text.strip_prefix("KeyError on ")?.trim();
    let found = tokens(place);
    let close = found.last().filter(|token| token.is("]"))?;
    let open = found.iter().rfind(|token| token.is("[") && token.depth == close.depth)?;
    let (container, key) = (place.get(..open.start)?, place.get(open.end()..close.start)?);
    Some(Change::of_item(ChangeKind::Keys, container, key, true))
}

/// `list(dict.keys(d))[0] == 'a'`, `not ___dict_contains('a', d)`, `'a' in d`, `___dict_version(d) == 3`.
pub(super) fn keys(text: &str) -> Option<Change> {
    let item = |source: &str, key: &str, was_in| Change::of_item(ChangeKind::Keys, source, key, was_in);
    let (is_not, asked) = text.strip_prefix("not ").map_or((false, text), |asked| (true, asked));
    if let Some((callee, arguments)) = call(asked) {
        let [key, source] = arguments.as_slice() else { return None };
        return (callee == "___dict_contains").then(|| item(source, key, !is_not));
    }
    let (left, operator, right) = comparison(text)?.pair()?;
    if matches!(operator, "in" | "not in") {
        return Some(item(right, left, operator == "in"));
    }
    let source = dictionary_of_keys(left)?;
    Some(Change::new(ChangeKind::Keys, Some(&source)).with_values(Some(right), None))
}

/// The dictionary in `list(dict.keys(d))[0]`, `list(d.keys())[0]`, `d.keys()`, `___dict_version(d)`.
fn dictionary_of_keys(left: &str) -> Option<String> {
    let found = tokens(left);
    let at = found.iter().position(|token| token.is("keys") || token.is("___dict_version"))?;
    let open = found.get(at + 1).filter(|token| token.is("("))?;
    let close = found.iter().skip(at + 2).find(|token| token.is(")") && token.depth == open.depth)?;
    // What a key selects is not the key, nor is its attribute: `d[list(dict.keys(d))[0]]`, `list(dict.keys(d))[0].name`.
    let depth = found.get(at)?.depth;
    let selects = found.get(..at)?.iter().any(|token| token.is("[") && token.depth < depth);
    found.last().filter(|last| !selects && last.kind != TokenKind::Name)?;
    let inside = left.get(open.end()..close.start)?.trim();
    if !inside.is_empty() {
        return Some(as_written(inside));
    }
    let dot = found.get(at.checked_sub(1)?).filter(|token| token.is("."))?;
    let start = found.get(..at)?.iter().rfind(|token| token.is("(") && token.depth < dot.depth);
    Some(as_written(left.get(start.map_or(0, |open| open.end())..dot.start)?))
}

/// `set.__contains__(s, 'a')`; until 2.8 `s == {'a'}`.
pub(super) fn member(text: &str) -> Option<Change> {
    let (is_not, asked) = text.strip_prefix("not ").map_or((false, text), |asked| (true, asked));
    if let Some((callee, arguments)) = call(asked) {
        let [source, item] = arguments.as_slice() else { return None };
        let is_set = callee.ends_with(".__contains__");
        return is_set.then(|| Change::of_item(ChangeKind::Member, source, item, !is_not));
    }
    let (left, operator, right) = comparison(text)?.pair()?;
    let is_set =
        operator == "==" && right.starts_with('{') && !tokens(right).iter().any(|token| token.is(":"));
    is_set.then(|| Change::new(ChangeKind::Member, Some(left)).with_values(Some(right), None))
}

/// `hasattr(x, 'a')`, `not hasattr(x, 'a')`, `hasattr(x, 'a') == False`.
pub(super) fn attribute(text: &str) -> Option<Change> {
    let (is_not, asked) = text.strip_prefix("not ").map_or((false, text), |asked| (true, asked));
    let (asked, is_false) = match comparison(asked).and_then(|compared| compared.pair()) {
        Some((left, "==", "False")) => (left, true),
        Some((left, "==", "True")) => (left, false),
        Some(_) => return None,
        None => (asked, false),
    };
    let (callee, arguments) = call(unwrapped(asked))?;
    let [source, name] = arguments.as_slice() else { return None };
    let (old, new) = if is_not != is_false { ("absent", "present") } else { ("present", "absent") };
    let source = format!("{}.{}", as_written(source), name.trim_matches(['\'', '"']));
    (callee == "hasattr")
        .then(|| Change::new(ChangeKind::Attribute, Some(&source)).with_values(Some(old), Some(new)))
}

/// `k == 2`, `mode == 'add'`, `self.y is None`, `math.isnan(k)`, `k % 8 == 0`.
pub(super) fn value(text: &str) -> Option<Change> {
    let Some(compared) = comparison(text) else {
        let asks = call(text.strip_prefix("not ").unwrap_or(text))?;
        let (_, arguments) = asks;
        return Some(
            Change::new(ChangeKind::Value, arguments.first().copied()).with_condition(as_written(text)),
        );
    };
    let Some((left, operator, right)) = compared.pair().filter(|_| !is_arithmetic(&compared.operands)) else {
        return Some(number_relation(text, &compared.operands));
    };
    let left = unwrapped(left);
    let kind = match operator {
        "==" | "is" => kind_of_value(left, right),
        // It was anything but this value.
        "is not" | "!=" => {
            let change = Change::new(kind_of_value(left, right), Some(left));
            return Some(change.with_values(Some(&format!("not {right}")), Some(right)));
        }
        _ => return Some(number_relation(text, &[left, right])),
    };
    Some(Change::new(kind, Some(left)).with_values(Some(right), None))
}

fn kind_of_value(source: &str, value: &str) -> ChangeKind {
    let first = tokens(value).first().map(|token| token.kind);
    match value {
        "True" | "False" if source.ends_with(".training") => ChangeKind::Training,
        "True" | "False" => ChangeKind::Flag,
        "None" => ChangeKind::NoneOrNot,
        _ if is_number(value) => ChangeKind::Number,
        _ if first == Some(TokenKind::Text) => ChangeKind::Text,
        _ if is_enum(value) => ChangeKind::EnumMember,
        _ => ChangeKind::Value,
    }
}

fn is_number(value: &str) -> bool {
    value.parse::<f64>().is_ok() || value.trim_end_matches('j').parse::<f64>().is_ok()
}

/// `<Color.RED: 1>`, as Python shows a member.
fn is_enum(value: &str) -> bool {
    value
        .strip_prefix('<')
        .is_some_and(|rest| rest.contains('.') && rest.contains(": ") && rest.ends_with('>'))
}

/// A relation on a symbolic number: `k % 8 == 0`, `2 <= k`, `k <= 100`.
fn number_relation(text: &str, operands: &[&str]) -> Change {
    let variable = operands.iter().map(|side| unwrapped(side)).find(|side| !is_number(side));
    let name = variable.and_then(|side| {
        let found = tokens(side);
        found.iter().any(|token| token.kind == TokenKind::Name).then(|| first_variable(side))
    });
    Change::new(ChangeKind::NumberRelation, name.as_deref()).with_condition(as_written(unwrapped(text)))
}

/// `k` in `k % 8`: everything before the first operator.
fn first_variable(side: &str) -> String {
    let found = tokens(side);
    let end = found.iter().find(|token| {
        token.depth == 0 && token.kind == TokenKind::Operator && !token.is(".") && token.start > 0
    });
    as_written(side.get(..end.map_or(side.len(), |token| token.start)).unwrap_or(side))
}

/// Whether an operand is an arithmetic expression: `k % 8`, `k + 1`, but not `-1`.
fn is_arithmetic(operands: &[&str]) -> bool {
    operands.iter().any(|side| {
        let found = tokens(unwrapped(side));
        found.iter().skip(1).any(|token| {
            token.depth == 0 && ["+", "-", "*", "/", "//", "%", "**"].iter().any(|sign| token.is(sign))
        })
    })
}
