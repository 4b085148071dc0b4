//! What is kept of a guard tree: hashes, to compare compiled versions, and the values that a recompile guards on.

use crate::model::{GuardFacts, GuardPrint, PlaceType};
use std::hash::Hasher;

/// How many values and types of one recompile are kept.
const MOST_VALUES: usize = 2_000;

/// How many bytes a condition may have to be kept: a longer one is not a value that people compare.
const LONGEST: usize = 240;

/// How many guards of a compile are compared.
const MOST_PRINTS: usize = 20_000;

/// Reads a tree. The texts of values are kept only if `with_values` is set, for recompiles.
pub(super) fn guard_facts(tree: &str, with_values: bool) -> GuardFacts {
    let mut facts = GuardFacts::default();
    // Hashes of the places above the current line, with their depths.
    let mut above: Vec<(usize, u64)> = Vec::new();
    for line in tree.lines() {
        let Some((indent, content)) = line.split_once("+- ") else { continue };
        let depth = indent.matches('|').count();
        above.retain(|(outer, _)| *outer < depth);
        if let Some((_, place)) = content.split_once(": source=") {
            let (source, rest) = place.split_once(", accessed_by=").unwrap_or((place, ""));
            above.push((depth, hash(source)));
            if let Some(class) = class_of(rest) {
                if with_values {
                    keep_type(&mut facts, source, class);
                }
                keep_receiver(&mut facts, source, class);
            }
            continue;
        }
        let Some((kind, text)) = content.split_once(": ").filter(|(kind, _)| is_guard(kind)) else {
            continue;
        };
        let condition = text.split_once("  # ").map_or(text, |(condition, _)| condition).trim_end();
        if kind == "GLOBAL_STATE" {
            // Before 2.15 the text is the same for every state.
            let allows = |value: &str| condition.contains(&format!("\"allow_tf32\":{value}"));
            facts.allow_tf32 = if allows("true") { Some(true) } else { allows("false").then_some(false) };
            facts.global_state = condition.contains(" against ").then(|| hash(condition));
            continue;
        }
        // That inputs are different tensors follows from their places, and its text lists them all.
        if kind == "NO_TENSOR_ALIASING" {
            continue;
        }
        // A condition at the root either names a variable, as conditions on symbolic sizes do, or is its own place.
        let at_root = || hash(variable(condition).unwrap_or(condition));
        let place = above.last().map_or_else(at_root, |(_, place)| *place);
        if facts.prints.len() < MOST_PRINTS {
            facts.prints.push(GuardPrint { place, condition: hash(condition) });
        }
        let is_value = kind != "TENSOR_MATCH" && kind != "DIMENSION_DYNAMIC_MARKING_GUARD";
        if with_values && is_value && condition.len() <= LONGEST && facts.values.len() < MOST_VALUES {
            facts.values.push(condition.to_owned());
        }
    }
    facts.prints.sort_unstable();
    facts
}

/// The first variable of a condition: `L['x']` of `2 <= L['x'].size()[0]`.
fn variable(condition: &str) -> Option<&str> {
    let start = condition.find("L['")?;
    let rest = condition.get(start..)?;
    rest.get(..rest.find("']")? + 2)
}

fn keep_type(facts: &mut GuardFacts, source: &str, class: &str) {
    if facts.types.len() < MOST_VALUES && source.len() <= LONGEST && class.len() <= LONGEST {
        facts.types.push(PlaceType { source: source.to_owned(), class: class.to_owned() });
    }
}

/// Keeps the type of `L['self']`, or of `L['fn']` where the function has no `self`.
fn keep_receiver(facts: &mut GuardFacts, source: &str, class: &str) {
    let is_new = match source {
        "L['self']" => facts.receiver.as_ref().is_none_or(|known| known.source != source),
        "L['fn']" => facts.receiver.is_none(),
        _ => false,
    };
    if is_new && class.len() <= LONGEST {
        facts.receiver = Some(PlaceType { source: source.to_owned(), class: class.to_owned() });
    }
}

/// `<enum 'Color'>` of `FrameLocalsGuardAccessor(..), type=<enum 'Color'>, tag_safe=(False, False)`.
fn class_of(rest: &str) -> Option<&str> {
    let (_, class) = rest.split_once(", type=<")?;
    // The class of a function's own class has brackets within the quotes: `<class 'm.make.<locals>.Net'>`.
    class.find("'>").map(|quote| quote + 1).or_else(|| class.find('>')).and_then(|end| class.get(..end))
}

fn is_guard(kind: &str) -> bool {
    !kind.is_empty() && kind.bytes().all(|b| b.is_ascii_uppercase() || b == b'_' || b.is_ascii_digit())
}

fn hash(text: &str) -> u64 {
    let mut hasher = fxhash::FxHasher64::default();
    hasher.write(text.as_bytes());
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From 25_guards (20/0), shortened.
    const TREE: &str = "\nTREE_GUARD_MANAGER:\n+- RootGuardManager\n\
        | +- GLOBAL_STATE: ___check_global_state() against {\"allow_tf32\":true,\"grad_mode\":true}\n\
        | +- GuardManager: source=L['c'], accessed_by=FrameLocalsGuardAccessor(key='c', framelocals_idx=1), type=<enum 'Color'>, tag_safe=(False, False)\n\
        | | +- ID_MATCH: ___check_obj_id(L['c'], 140696905928208), type=<class '__main__.Color'>  # def enum_member(x, c): ..  # s25_guards.py:76 in enum_member\n\
        | +- GuardManager: source=L['x'], accessed_by=FrameLocalsGuardAccessor(key='x', framelocals_idx=0), type=<class 'torch.Tensor'>, tag_safe=(False, False)\n\
        | | +- TENSOR_MATCH: check_tensor(L['x'], Tensor, torch.float32, size=[4, 4], stride=[4, 1])\n\
        +- LAMBDA_GUARD: 2 <= L['x'].size()[0]  # def f(x): ..\n\nGuard latency = 99.66 us\n";

    #[test]
    fn each_guard_is_kept_with_its_place_and_values_of_recompiles_as_text() {
        let facts = guard_facts(TREE, true);
        assert_eq!(facts.prints.len(), 3);
        let mut places = ["L['c']", "L['x']", "L['x']"].map(hash);
        places.sort_unstable();
        let found: Vec<u64> = facts.prints.iter().map(|print| print.place).collect();
        assert_eq!(found, places, "a condition on a size belongs to its tensor");
        assert!(facts.global_state.is_some());
        assert_eq!(facts.allow_tf32, Some(true));
        assert_eq!(
            facts.values,
            [
                "___check_obj_id(L['c'], 140696905928208), type=<class '__main__.Color'>",
                "2 <= L['x'].size()[0]"
            ]
        );
        assert_eq!(
            facts.types[0],
            PlaceType { source: "L['c']".to_owned(), class: "enum 'Color'".to_owned() }
        );
    }

    #[test]
    fn of_a_first_compile_only_hashes_are_kept() {
        let facts = guard_facts(TREE, false);
        assert_eq!((facts.prints.len(), facts.values.len(), facts.types.len()), (3, 0, 0));
    }

    #[test]
    fn the_object_that_a_function_works_for_is_kept_of_every_compile() {
        let place = |name: &str, class: &str| {
            format!(
                "| +- GuardManager: source=L['{name}'], accessed_by=F(key='{name}'), type=<class '{class}'>, tag_safe=(True)\n"
            )
        };
        let receiver = |tree: &str| guard_facts(tree, false).receiver.map(|of| (of.source, of.class));
        let both = place("fn", "function") + &place("self", "m.Net");
        assert_eq!(receiver(&both), Some(("L['self']".to_owned(), "class 'm.Net'".to_owned())));
        let of_function = receiver(&place("self", "m.make.<locals>.Net")).map(|(_, class)| class);
        assert_eq!(of_function.as_deref(), Some("class 'm.make.<locals>.Net'"));
        let wrapped = receiver(&place("fn", "m.Net")).map(|(source, _)| source);
        assert_eq!(wrapped.as_deref(), Some("L['fn']"));
        assert_eq!(receiver(&place("x", "torch.Tensor")), None);
    }

    #[test]
    fn the_global_state_is_unknown_where_its_text_does_not_tell_it() {
        assert_eq!(guard_facts("| +- GLOBAL_STATE: ___check_global_state()\n", true).global_state, None);
    }
}
