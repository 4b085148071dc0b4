//! What a guard requires, in fewer words than torch uses.

use std::borrow::Cow;

/// Places of at least this many bytes are abbreviated as `…` below them: `L['x']` is readable, but the path of a nested
/// module has 100 characters, of which only the end is new in each line.
const SHORTEST_ABOVE: usize = 8;

/// The kind of guard, five per tensor, about marks that its dimensions do not have.
const MARKS: &str = "DIMENSION_DYNAMIC_MARKING_GUARD";

/// What a kind of guard requires, in words; None for unknown kinds.
pub(crate) fn kind_words(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "BOOL_MATCH" | "CONSTANT_MATCH" | "EQUALS_MATCH" => "value",
        "LAMBDA_GUARD" | "SHAPE_ENV" => "condition",
        "BUILTIN_MATCH" | "CLOSURE_MATCH" | "FUNCTION_MATCH" => "same function",
        "CLASS_MATCH" => "same class",
        "DATA_PTR_MATCH" => "same memory",
        "DEFAULT_DEVICE" => "same default device",
        "DICT_CONTAINS" | "DICT_KEYS" | "DICT_KEYS_MATCH" => "keys",
        "DICT_LENGTH" | "LENGTH_CHECK" | "SEQUENCE_LENGTH" | "SET_LENGTH" | "TUPLE_ITERATOR_LEN" => "length",
        "DICT_VERSION" => "dictionary unchanged",
        "DYNAMIC_INDICES" => "same dimensions marked as dynamic",
        "FAKE_SCRIPT_TYPE_MATCH" => "same script object type",
        "FALSE_MATCH" => "is False",
        "GLOBAL_STATE" => "same global state: grad mode, autocast, default dtype, threads and the like",
        "HASATTR" | "NO_HASATTR" => "attributes",
        "ID_MATCH" => "same object",
        "MODULE_MATCH" | "NN_MODULE" => "same module",
        "NONE_MATCH" => "is None",
        "NO_TENSOR_ALIASING" => "different tensors",
        "OBJECT_ALIASING" => "one object in two places",
        "RANGE_ITERATOR_MATCH" => "same range",
        "SET_CONTAINS" => "items of the set",
        "STORAGE_OVERLAPPING" => "same overlap of storages",
        "TENSOR_MATCH" => "tensor",
        "TORCH_FUNCTION_MODE_STACK" => "same torch function modes",
        "TRUE_MATCH" => "is True",
        "TYPE_MATCH" => "same type",
        "WEAKREF_ALIVE" => "object still alive",
        MARKS => "no dimension marked as dynamic, static or unbacked",
        _ => return None,
    })
}

/// The explanation of a kind, for a list of kinds.
pub(crate) fn gloss(kind: &str) -> String {
    kind_words(kind).map_or_else(String::new, |words| format!(" ({words})"))
}

/// The name of a type without its modules.
pub(crate) fn class_name(class: &str) -> &str {
    class.rsplit('.').next().unwrap_or(class)
}

/// What a guard requires beyond its kind, its place and the type there; empty if those say it all. Addresses are left
/// out, as they mean nothing in another process.
pub(crate) fn condition((kind, text): (&str, &str), (above, class): (&str, Option<&str>)) -> String {
    let of_above = |text: &str| text.strip_prefix(above).filter(|_| !above.is_empty()).map(str::to_owned);
    if let Some((what, rest)) = text.split_once('(').filter(|(what, _)| what.starts_with("___check_")) {
        let (arguments, behind) = rest.split_once(", type=<class '").unwrap_or((rest, ""));
        let arguments = arguments.trim_end_matches(')');
        let address = |last: &str| !last.is_empty() && last.bytes().all(|b| b.is_ascii_digit());
        match arguments.rsplit_once(", ") {
            Some((place, last)) if place == above && address(last) => {
                let found = behind.trim_end_matches("'>");
                let said = found.is_empty() || class == Some(found);
                return if said { String::new() } else { format!("is {}", class_name(found)) };
            }
            _ if arguments.is_empty() || what == "___check_global_state" => return String::new(),
            _ => {}
        }
    }
    let in_dict = |text: &str| Some(text.strip_prefix("___dict_contains(")?.rsplit_once(", ")?.0.to_owned());
    let no = text.strip_prefix("not ");
    if let Some(key) = no.and_then(in_dict) {
        return format!("no {key}");
    }
    if let Some(key) = in_dict(text) {
        return format!("has {key}");
    }
    // `not hasattr(..)` since 2.15.
    let older = || text.strip_prefix("hasattr(").and_then(|rest| rest.strip_suffix(") == False"));
    let newer = || no.and_then(|text| text.strip_prefix("hasattr(")?.strip_suffix(')'));
    let attribute = older().or_else(newer);
    if let Some((place, name)) = attribute.and_then(|rest| rest.split_once(", '"))
        && place == above
    {
        let name = name.trim_end_matches('\'');
        // `_dynamo_dynamic_indices`: torch keeps the marks of dimensions there.
        let mark = name.strip_prefix("_dynamo_").and_then(|name| name.strip_suffix("_indices"));
        return match mark {
            Some(_) if kind == MARKS => String::new(),
            mark => format!("no {}", mark.unwrap_or(name)),
        };
    }
    if let Some(rest) = text.strip_prefix("check_tensor(").and_then(|rest| rest.strip_prefix(above)) {
        return tensor(rest.trim_start_matches(", ").trim_end_matches(')'));
    }
    if let Some(length) = length_of(kind, text, above) {
        return length.to_owned();
    }
    match (kind, of_above(text)) {
        ("NONE_MATCH" | "FALSE_MATCH" | "TRUE_MATCH", Some(_)) => String::new(),
        (_, Some(rest)) if rest.starts_with(' ') => rest.trim_start().to_owned(),
        _ => below(above, text).into_owned(),
    }
}

/// The required length of a place: 2 for `len(L['x']) == 2`, 0 for `not L['x']`.
fn length_of<'t>(kind: &str, text: &'t str, above: &str) -> Option<&'t str> {
    if kind_words(kind) != Some("length") || above.is_empty() {
        return None;
    }
    if text.strip_prefix("not ") == Some(above) {
        return Some("0");
    }
    text.strip_prefix("len(")?.strip_prefix(above)?.strip_prefix(") == ")
}

/// `float32, size [8, any], no gradient` for `Tensor, torch.float32, device=None, requires_grad=False, size=[8, None]`,
/// without the dispatch keys, which follow from the rest.
fn tensor(arguments: &str) -> String {
    let without = arguments.split_once(", DispatchKeySet(").and_then(|(before, rest)| {
        let (_, after) = rest.split_once(')')?;
        Some(format!("{before}{after}"))
    });
    let arguments = without.as_deref().unwrap_or(arguments);
    let mut words: Vec<String> = Vec::new();
    for argument in arguments.split_inclusive(", ") {
        match words.last_mut().filter(|last| last.matches('[').count() > last.matches(']').count()) {
            Some(list) => list.push_str(argument),
            None => words.push(argument.to_owned()),
        }
    }
    let words = words.into_iter().filter_map(|word| tensor_word(word.trim_end_matches(", ")));
    words.collect::<Vec<_>>().join(", ")
}

/// One property of a tensor; None for properties of every plain tensor.
fn tensor_word(word: &str) -> Option<String> {
    let sizes = |list: &str| list.replace("None", "any");
    Some(match word.split_once('=') {
        None if word == "Tensor" => return None,
        None => word.strip_prefix("torch.").unwrap_or(word).to_owned(),
        Some(("device", "None")) => return None,
        Some(("device", index)) => format!("device {index}"),
        Some(("requires_grad", "False")) => "no gradient".to_owned(),
        Some(("requires_grad", "True")) => "needs a gradient".to_owned(),
        Some((name @ ("size" | "stride"), list)) => format!("{name} {}", sizes(list)),
        Some(_) => word.to_owned(),
    })
}

/// A text in which `…` replaces the place that it is below.
pub(crate) fn below<'t>(above: &str, text: &'t str) -> Cow<'t, str> {
    if above.len() < SHORTEST_ABOVE || text == above {
        return text.into();
    }
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let (mut short, mut from) = (String::new(), 0);
    for (at, found) in text.match_indices(above) {
        let (Some(before), Some(after)) = (text.get(from..at), text.get(at + found.len()..)) else {
            continue;
        };
        // A longer name that contains it is not replaced.
        if !before.ends_with(word) && !after.starts_with(word) {
            short.push_str(before);
            short.push('…');
            from = at + found.len();
        }
    }
    if from == 0 { text.into() } else { (short + text.get(from..).unwrap_or_default()).into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn below_a_place_its_name_is_not_repeated() {
        let place = "G['nn'].functional";
        assert_eq!(
            below(place, "___check_obj_id(G['nn'].functional, 14), type=x"),
            "___check_obj_id(…, 14), type=x"
        );
        assert_eq!(below(place, "type(G['nn'].functional.gelu)"), "type(….gelu)");
        assert_eq!(
            below(place, "G['nn'].functional_x is a.G['nn'].functional"),
            "G['nn'].functional_x is a.…"
        );
        assert_eq!(below(place, place), place);
        assert_eq!(below("L['x']", "L['x'] is None"), "L['x'] is None");
    }

    #[test]
    fn a_condition_says_what_its_kind_and_place_do_not() {
        let place = ("L['f']", Some("function"));
        for (kind, text, words) in [
            ("ID_MATCH", "___check_obj_id(L['f'], 140484560331344), type=<class 'function'>", ""),
            ("ID_MATCH", "___check_obj_id(L['f'], 140484560331344)", ""),
            ("ID_MATCH", "___check_obj_id(L['f'], 140484572183776), type=<class 'a.b.C'>", "is C"),
            ("ID_MATCH", "___check_obj_id(L['g'], 7)", "___check_obj_id(L['g'], 7)"),
            ("EQUALS_MATCH", "L['f'] == 'a b'", "== 'a b'"),
            ("NONE_MATCH", "L['f'] is None", ""),
            ("DICT_CONTAINS", "not ___dict_contains('k, v', L['f'].__dict__)", "no 'k, v'"),
            ("DICT_CONTAINS", "___dict_contains('k', L['f'].__dict__)", "has 'k'"),
            ("NO_HASATTR", "hasattr(L['f'], '_dynamo_x') == False", "no _dynamo_x"),
            ("NO_HASATTR", "hasattr(L['f'], '_dynamo_weak_dynamic_indices') == False", "no weak_dynamic"),
            (MARKS, "hasattr(L['f'], '_dynamo_static_input_indices') == False", ""),
            ("GLOBAL_STATE", "___check_global_state() against {\"a\": (0)}", ""),
            ("LENGTH_CHECK", "len(L['f']) == 2", "2"),
            ("LENGTH_CHECK", "not L['f']", "0"),
            ("NO_HASATTR", "not hasattr(L['f'], 'is_causal')", "no is_causal"),
            (
                "TENSOR_MATCH",
                "check_tensor(L['f'], Tensor, DispatchKeySet(CPU, Autograd), torch.int64, size=[2])",
                "int64, size [2]",
            ),
            (
                "TENSOR_MATCH",
                "check_tensor(L['f'], Parameter, DispatchKeySet(CUDA), torch.float32, device=0, requires_grad=True, size=[None, 2], stride=[2, 1])",
                "Parameter, float32, device 0, needs a gradient, size [any, 2], stride [2, 1]",
            ),
        ] {
            assert_eq!(condition((kind, text), place), words, "{text}");
        }
        assert_eq!(condition(("LAMBDA_GUARD", "2 <= L['x'].size()[0]"), ("", None)), "2 <= L['x'].size()[0]");
    }
}
