//! The values that arrived with a call and that failed guards do not name, from other records of the log.

use super::chain::Step;
use super::change::Change;
use super::guard_kinds::classify;
use super::kind::ChangeKind;
use crate::limits::{SEARCHED, TRIED};
use crate::model::{Compile, CompileIndex, Model, Reason, SideEffect, Symbol, TensorDescription};
use crate::read::expr::{TokenKind, as_written, size_condition, tokens};
use crate::trace::{TextMap, TextSet};
use fxhash::FxHashMap;
use std::cell::OnceCell;
use std::hash::Hash;

/// Facts of a log about the values that arrived, by compile.
pub(super) struct Evidence<'m> {
    model: &'m Model,
    symbols: FxHashMap<CompileIndex, Vec<&'m Symbol>>,
    effects: FxHashMap<CompileIndex, Vec<&'m SideEffect>>,
}

impl<'m> Evidence<'m> {
    pub fn of(model: &'m Model) -> Self {
        Evidence {
            model,
            symbols: by_compile(&model.shapes.symbols, |symbol| symbol.at.compile),
            effects: by_compile(&model.side_effects, |effect| effect.compile),
        }
    }

    /// The changes that the reasons of a compile report, completed with the values that arrived.
    pub fn changes(&self, compile: CompileIndex, reasons: &[&Reason]) -> Vec<Change> {
        let mut changes: Vec<Change> = reasons.iter().map(|reason| classify(&reason.text)).collect();
        let named = Named::default();
        for change in &mut changes {
            self.fill_size(&named, compile, change);
            self.fill_symbol(&named, compile, change);
            self.fill_guarded(compile, change);
            note_zero_and_one(change);
        }
        for (change, reason) in changes.iter_mut().zip(reasons) {
            note_enum(change, reason);
        }
        share_types(&mut changes);
        changes
    }

    /// Fills the size of the input that arrived.
    fn fill_size(&self, named: &Named<'m>, compile: CompileIndex, change: &mut Change) {
        let (Some(source), Some(dimension)) = (&change.source, change.dimension) else { return };
        let inputs = named.inputs.get_or_init(|| {
            let inputs = self.model.compiles.get(compile).into_iter().flat_map(|compile| &compile.inputs);
            first_of(inputs.map(|input| (as_written(&input.source), &*input.tensor)))
        });
        let Some(tensor) = inputs.get(source) else { return };
        if change.kind == ChangeKind::Size && tensor.parameter {
            change.kind = ChangeKind::ParameterSize;
        }
        let is_size = matches!(
            change.kind,
            ChangeKind::Size | ChangeKind::Relation | ChangeKind::EqualSizes | ChangeKind::ZeroOne
        );
        if is_size && change.new.is_none() {
            let size = usize::try_from(dimension).ok().and_then(|dimension| tensor.sizes.get(dimension));
            change.new = size.filter(|size| size.parse::<i64>().is_ok()).cloned();
        }
    }

    /// Notes whether the value became a symbol, and fills the symbol's value.
    fn fill_symbol(&self, named: &Named<'m>, compile: CompileIndex, change: &mut Change) {
        let Some(subject) = change.symbolic_subject() else { return };
        let symbols = named.symbols.get_or_init(|| {
            let symbols = self.symbols.get(&compile).into_iter().flatten();
            first_of(symbols.filter_map(|one| Some((size_condition(one.source.as_deref()?).written, *one))))
        });
        let symbol = symbols.get(&subject);
        let fixed = named.fixed.get_or_init(|| {
            let fixed = self.model.shapes.fixed_in(compile).filter(|one| one.value.parse::<f64>().is_ok());
            fixed.flat_map(|one| &one.sources).map(|source| size_condition(source).written).collect()
        });
        let is_fixed = fixed.contains(&subject);
        if let Some(symbol) = symbol {
            change.became_dynamic = !is_fixed;
            if change.new.is_none() {
                change.new.clone_from(&symbol.hint);
            }
        }
    }

    /// Fills the value that the new compile guards on.
    fn fill_guarded(&self, compile: CompileIndex, change: &mut Change) {
        let Some(facts) = self.model.guards.get(&compile) else { return };
        let Some(source) = change.source.clone() else { return };
        let last =
            tokens(&source).iter().rfind(|token| token.kind == TokenKind::Name).map(|token| token.text);
        let mentions = |text: &&String| last.is_none_or(|name| text.contains(name));
        for text in facts.values.iter().filter(mentions) {
            let guarded = classify(text);
            if guarded.is_of_the_same(change) {
                fill_from(change, guarded);
            }
        }
        let class =
            facts.types.iter().find(|place| as_written(&place.source) == source).map(|place| &*place.class);
        if let Some(class) = class {
            fill_class(change, class);
        }
    }

    /// Source lines with side effects in these compiles, by the object that they change.
    pub fn effects_of(&self, compiles: &[CompileIndex]) -> Effects<'m> {
        let mut effects = Effects::default();
        for effect in compiles.iter().filter_map(|compile| self.effects.get(compile)).flatten() {
            let lines = effects.entry(as_written(&effect.source)).or_default();
            for loc in effect.frames.iter().filter_map(|frame| frame.loc.as_deref()) {
                // Compiles of one function repeat the same lines.
                if lines.len() < TRIED && !lines.contains(&loc) {
                    lines.push(loc);
                }
            }
        }
        effects
    }
}

/// Source lines that change an object, by the object.
pub(super) type Effects<'m> = TextMap<String, Vec<&'m str>>;

/// Notes whether the compiled code changes what it guards on.
pub(super) fn note_own_effect(change: &mut Change, effects: &Effects<'_>) {
    let Some(source) = change.source.as_deref() else { return };
    if change.kind.is_state() && effects.contains_key(source) {
        change.is_own_effect = true;
        return;
    }
    let item = source.strip_suffix("']").and_then(|source| source.rsplit_once("['"));
    let Some((object, member)) = item.or_else(|| source.rsplit_once('.')) else { return };
    let is_name = member.chars().all(|c| c.is_alphanumeric() || c == '_');
    let lines = effects.get(object).filter(|_| is_name);
    change.is_own_effect = lines.into_iter().flatten().any(|loc| sets(loc, member));
}

/// Copies the type that arrived from the guard that names it to the guards of other versions that do not.
fn share_types(changes: &mut [Change]) {
    let names_type = |change: &&Change| {
        matches!(change.kind, ChangeKind::Type | ChangeKind::NotATensor) && change.new.is_some()
    };
    let found = first_of(changes.iter().filter(names_type).map(|one| (one.source.clone(), one.clone())));
    for change in changes.iter_mut().filter(|change| change.kind == ChangeKind::Type) {
        let Some(other) = found.get(&change.source) else { continue };
        change.kind = other.kind;
        if change.new.is_none() {
            change.new.clone_from(&other.new);
        }
    }
}

/// What a compile names, by how the user writes it, read when the first change asks for it.
#[derive(Default)]
struct Named<'m> {
    inputs: OnceCell<TextMap<String, &'m TensorDescription>>,
    symbols: OnceCell<TextMap<String, &'m Symbol>>,
    /// Sizes and numbers that became constants.
    fixed: OnceCell<TextSet<String>>,
}

/// The first thing of each name.
fn first_of<K: Eq + Hash, T>(things: impl Iterator<Item = (K, T)>) -> TextMap<K, T> {
    let mut first = TextMap::default();
    things.for_each(|(name, thing)| _ = first.entry(name).or_insert(thing));
    first
}

fn by_compile<T>(all: &[T], compile: impl Fn(&T) -> CompileIndex) -> FxHashMap<CompileIndex, Vec<&T>> {
    let mut map: FxHashMap<CompileIndex, Vec<&T>> = FxHashMap::default();
    for one in all {
        map.entry(compile(one)).or_default().push(one);
    }
    map
}

/// Fills the value that arrived from the new compile's guard on the same thing.
fn fill_from(change: &mut Change, guarded: Change) {
    let is_comparable =
        change.kind == guarded.kind || change.kind.facts().scalar && guarded.kind.facts().scalar;
    let is_other = guarded.old.is_some() && guarded.old != change.old;
    // True and False are two objects side by side in Python's memory; torch 2.6 checks them by their addresses.
    let addresses = change.address.zip(guarded.address);
    if addresses.is_some_and(|(was, is)| was.abs_diff(is) == DISTANCE_OF_FLAGS)
        && change.kind == ChangeKind::Object
    {
        change.kind = ChangeKind::Flag;
    }
    if guarded.kind == ChangeKind::Function && change.kind == ChangeKind::Object {
        change.kind = ChangeKind::Function;
    }
    let is_number = change.kind == ChangeKind::Number || change.kind == ChangeKind::Value;
    let is_type = guarded.kind == ChangeKind::Type;
    if is_type && is_number && change.new.is_none() {
        // The new compile no longer guards on the number itself.
        let number = guarded.old.as_deref().filter(|class| matches!(*class, "int" | "float"));
        change.became_dynamic |= number.is_some();
        change.new = number.map(|number| format!("any {number}"));
    } else if change.new.is_none() && change.kind == ChangeKind::Type {
        change.new = type_of(&guarded);
    } else if is_other && change.new.is_none() && is_comparable {
        change.new = guarded.old;
    }
}

/// Bytes between the objects `True` and `False` in CPython.
const DISTANCE_OF_FLAGS: u64 = 32;

/// The type of the value that a guard expects.
fn type_of(guarded: &Change) -> Option<String> {
    Some(match guarded.kind {
        ChangeKind::Flag | ChangeKind::Training => "bool".to_owned(),
        ChangeKind::Text => "str".to_owned(),
        ChangeKind::NoneOrNot => "None".to_owned(),
        ChangeKind::Number => {
            let is_int = guarded.old.as_deref().is_some_and(|value| value.parse::<i64>().is_ok());
            if is_int { "int".to_owned() } else { "float".to_owned() }
        }
        ChangeKind::Type => guarded.old.clone()?,
        _ => return None,
    })
}

/// Uses the class of the value at the guarded place: `enum 'Color'`, `class 'function'`.
fn fill_class(change: &mut Change, class: &str) {
    let name = class.split('\'').nth(1).unwrap_or(class);
    match change.kind {
        ChangeKind::Object if class.starts_with("enum ") => {
            change.kind = ChangeKind::EnumMember;
            change.old = None;
        }
        ChangeKind::Object if name == "function" || name == "builtin_function_or_method" => {
            change.kind = ChangeKind::Function;
            change.old = None;
        }
        ChangeKind::Type if change.new.is_none() => change.new = Some(name.to_owned()),
        _ => {}
    }
}

/// Recognizes an enum member by a source line that compares with one: `c is Color.RED`.
fn note_enum(change: &mut Change, reason: &Reason) {
    let (ChangeKind::Object, Some(class)) = (change.kind, change.old.as_deref()) else { return };
    let class = class.rsplit('.').next().unwrap_or(class);
    let code = reason.source.as_ref().map_or("", |source| &source.code);
    let found = tokens(code);
    let is_member = found.windows(3).any(|three| match three {
        [name, dot, member] => {
            let is_constant = member.text.chars().all(|c| !c.is_lowercase());
            name.is(class) && dot.is(".") && member.kind == TokenKind::Name && is_constant
        }
        _ => false,
    });
    if is_member {
        change.kind = ChangeKind::EnumMember;
        change.old = None;
    }
}

/// Sizes 0 and 1 are always compiled separately, whatever guard failed.
fn note_zero_and_one(change: &mut Change) {
    let is_special = |value: &Option<String>| matches!(value.as_deref(), Some("0" | "1"));
    match change.kind {
        ChangeKind::Size if is_special(&change.old) || is_special(&change.new) => {
            change.kind = ChangeKind::ZeroOne;
        }
        ChangeKind::Relation if is_special(&change.new) && starts_at_two(change.condition.as_deref()) => {
            change.kind = ChangeKind::ZeroOne;
            change.condition = None;
        }
        _ => {}
    }
}

/// `2 <= x.shape[0] <= 100`
fn starts_at_two(condition: Option<&str>) -> bool {
    condition.is_some_and(|condition| condition.starts_with("2 <= "))
}

/// Whether a line of Python sets an attribute or an item: `self.step += 1`, `stats["step"] += 1`.
fn sets(loc: &str, member: &str) -> bool {
    let found = tokens(loc);
    found.windows(2).enumerate().any(|(at, pair)| {
        let [before, name] = pair else { return false };
        let is_item = before.is("[") && name.text.trim_matches(['"', '\'']) == member && !name.is(member);
        let rest = found.get(at + if is_item { 3 } else { 2 }..).unwrap_or_default();
        let [sign, next, ..] = rest else { return false };
        let is_changed = sign.kind == TokenKind::Operator && sign.text.len() == 1 && next.is("=");
        let is_set = sign.is("=") || is_changed && next.start == sign.end();
        is_set && (is_item || before.is(".") && name.is(member))
    })
}

/// Fills what only the other steps of a chain know: the value that a version was compiled for, if its own guard failed
/// later, and the type that an older version was compiled for.
pub(super) fn complete(model: &Model, steps: &mut [Step<'_>]) {
    let mut guarded: TextMap<String, Vec<Change>> = TextMap::default();
    let mut arrived: TextMap<String, Vec<Change>> = TextMap::default();
    for step in steps.iter() {
        let label = model.compiles.get(step.compile).map(Compile::label).unwrap_or_default();
        for (reason, change) in step.reasons.iter().zip(&step.changes) {
            if let Some(against) = &reason.against {
                guarded.entry(against.clone()).or_default().push(change.clone());
            }
            arrived.entry(label.clone()).or_default().push(change.clone());
        }
    }
    let all = arrived.values().flatten().filter(|change| change.kind == ChangeKind::Function);
    let functions: TextSet<Option<String>> = all.map(|change| change.source.clone()).collect();
    for step in steps {
        let label = model.compiles.get(step.compile).map(Compile::label).unwrap_or_default();
        let later = guarded.get(&label).map_or(&[][..], Vec::as_slice);
        let later = later.get(..SEARCHED).unwrap_or(later);
        for (reason, change) in step.reasons.iter().zip(&mut step.changes) {
            if change.kind == ChangeKind::Object && functions.contains(&change.source) {
                change.kind = ChangeKind::Function;
            }
            let is_known = |value: &&Change| value.is_of_the_same(change);
            if change.new.is_none() {
                let mut same = later.iter().filter(is_known).filter(|later| later.kind == change.kind);
                let new =
                    same.find_map(|later| later.old.clone()).filter(|new| Some(new) != change.old.as_ref());
                change.new = new;
            }
            if change.old.is_none() && matches!(change.kind, ChangeKind::Type | ChangeKind::NotATensor) {
                let before = reason.against.as_ref().and_then(|against| arrived.get(against));
                let before = before.into_iter().flatten().take(SEARCHED);
                let mut same = before.filter(|before| before.source == change.source);
                let old = same.find_map(|before| match before.kind {
                    ChangeKind::Type | ChangeKind::NotATensor => before.new.clone(),
                    _ => type_of(&Change { old: before.new.clone(), ..before.clone() }),
                });
                change.old = old.filter(|old| Some(old) != change.new.as_ref());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn setting_an_attribute_differs_from_reading_it() {
        assert!(sets("self.step += 1", "step"));
        assert!(sets("self.config.problem_type = \"regression\"", "problem_type"));
        assert!(!sets("if self.step == 1:", "step"));
        assert!(!sets("self.steps = 1 + 2", "step"));
        assert!(!sets("f(step=1, x=2)", "step"));
        assert!(sets("stats['step'] += 1", "step") && !sets("stats[step] += 1", "step"));
        assert!(!sets("x = stats['step'] + 1", "step"));
    }
}
