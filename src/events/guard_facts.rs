//! What is kept of a guard tree: hashes, to compare compiled versions, and the values that a recompile guards on.

use crate::limits::{KEPT, KEPT_OF_ONE, SENTENCE};
use crate::model::{GuardFacts, GuardPrint, PlaceType, hash_stable};
use crate::read::guard_tree::{compared, is_kind};
use std::hash::Hasher;

/// What the last line of a tree begins with.
const LAST_LINE: &str = "Guard latency";

/// Reads a tree. The texts of values are kept only if `with_values` is set, for recompiles.
pub(super) fn guard_facts(tree: &str, with_values: bool) -> GuardFacts {
    let has_end = tree.lines().next_back().is_some_and(|line| line.starts_with(LAST_LINE));
    let mut facts = GuardFacts { has_end, ..GuardFacts::default() };
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
        let Some((kind, text)) = content.split_once(": ").filter(|(kind, _)| is_kind(kind)) else {
            continue;
        };
        let condition = text.split_once("  # ").map_or(text, |(condition, _)| condition).trim_end();
        if let Some(compared) = compared(kind, condition) {
            let mut print = fxhash::FxHasher64::default();
            print.write(kind.as_bytes());
            hash_stable(&compared, &mut print);
            // Their order is that of dictionaries.
            facts.of_process = facts.of_process.wrapping_add(print.finish());
        }
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
        if facts.prints.len() < KEPT {
            facts.prints.push(GuardPrint { place, condition: hash(condition) });
        }
        let is_value = kind != "TENSOR_MATCH" && kind != "DIMENSION_DYNAMIC_MARKING_GUARD";
        if with_values && is_value && condition.len() <= SENTENCE && facts.values.len() < KEPT_OF_ONE {
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
    if facts.types.len() < KEPT_OF_ONE && source.len() <= SENTENCE && class.len() <= SENTENCE {
        facts.types.push(PlaceType { source: source.to_owned(), class: class.to_owned() });
    }
}

/// The first argument of a function that takes any.
const FIRST_ARGUMENT: &str = "L['args'][0]";

/// Keeps the type of `L['self']`, or where the function has none, of `L['fn']` or of the first argument of a wrapper.
fn keep_receiver(facts: &mut GuardFacts, source: &str, class: &str) {
    let is_new = match source {
        "L['self']" => facts.receiver.as_ref().is_none_or(|known| known.source != source),
        "L['fn']" => facts.receiver.as_ref().is_none_or(|known| known.source == FIRST_ARGUMENT),
        FIRST_ARGUMENT => facts.receiver.is_none(),
        _ => false,
    };
    if is_new && class.len() <= SENTENCE {
        facts.receiver = Some(PlaceType { source: source.to_owned(), class: class.to_owned() });
    }
}

/// `<enum 'Color'>` of `FrameLocalsGuardAccessor(..), type=<enum 'Color'>, tag_safe=(False, False)`.
fn class_of(rest: &str) -> Option<&str> {
    let (_, class) = rest.split_once(", type=<")?;
    // The class of a function's own class has brackets within the quotes: `<class 'm.make.<locals>.Net'>`.
    class.find("'>").map(|quote| quote + 1).or_else(|| class.find('>')).and_then(|end| class.get(..end))
}

pub(super) fn hash(text: &str) -> u64 {
    let mut hasher = fxhash::FxHasher64::default();
    hasher.write(text.as_bytes());
    hasher.finish()
}
