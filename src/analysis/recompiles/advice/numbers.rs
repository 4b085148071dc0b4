//! Advice on numbers of Python that compiled a function again.

use super::super::subject::ChangedThing;
use super::literals::{Likeness, Operations, Values};
use super::marks::are_guards_unknown;
use super::situation::Situation;
use super::words::{line_of, says};
use crate::analysis::findings::Advice;
use crate::analysis::own_code::is_library;
use crate::analysis::user_place::{UserPlace, own_frame};
use crate::model::words::file_name;
use crate::model::{CompileIndex, Specialization, capital};
use crate::read::expr::{as_written, comparison};
use crate::read::guard_tree::{GuardLine, read_guard_tree};

/// A number was dynamic until a line fixed it.
pub(super) fn keep_dynamic(at: &Situation<'_>, one: &Specialization) -> Vec<Advice> {
    let place = UserPlace::of_specialization(at.model, one);
    let is_own = place.file.as_deref().is_some_and(|file| !is_library(file));
    // Where torch's own code fixes it, the user's line is the one that the guard names.
    let frames =
        at.steps().filter_map(|step| step.reason()).filter_map(|reason| own_frame(&reason.user_stack));
    let place = frames.map(UserPlace::of_frame).next().filter(|_| !is_own).unwrap_or(place);
    let line = line_of(&place);
    let name = at.named("the number");
    let source = at.subject.source().unwrap_or("the number");
    match place.loc.as_deref().and_then(|code| table_of(code, source)) {
        Some(table) => says("number_of_table", &[("line", &line), ("name", &name), ("table", table)]),
        None if place.file.as_deref().is_some_and(is_library) => {
            says("number_of_code", &[("name", &capital(&name))])
        }
        None => says("constant_number", &[("line", &line), ("name", &name)]),
    }
}

/// `self.betas` of `beta = self.betas[t]`, where a line takes its number as an index.
fn table_of<'c>(code: &'c str, index: &str) -> Option<&'c str> {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    let written = format!("[{index}]");
    let indexed = code.match_indices(&written).map(|(at, _)| code.get(..at).unwrap_or_default());
    let named = indexed.map(|before| before.rsplit(|c| !is_name(c)).next().unwrap_or_default());
    named.filter(|table| !table.is_empty()).last()
}

/// `state[self.key]` of a line that takes a value as a key. What the guard calls `layer.key` may be `self.key` there.
pub(super) fn selected(code: &str, source: &str) -> Option<String> {
    let attribute = |name: &str| name.rsplit_once('.').map(|(_, last)| last.to_owned());
    let is_it =
        |key: &&str| *key == source || attribute(key).is_some() && attribute(key) == attribute(source);
    let mut keys = code.match_indices('[').filter_map(|(at, _)| code.get(at + 1..)?.split(']').next());
    let key = keys.find(is_it)?;
    Some(format!("{}[{key}]", table_of(code, key)?))
}

/// What to do about a number.
pub(super) fn of_number(at: &Situation<'_>) -> Vec<Advice> {
    if at.subject.became_dynamic() {
        return dynamic(at);
    }
    let name = at.named("the number");
    let Some(number) = CapturedNumber::find(at) else { return one_version_per_value(at) };
    if number.is_global() {
        // Globals are constants of the compiled code.
        return match number.likeness {
            Likeness::Other => one_version_per_value(at),
            _ => says("global_number", &[("name", &name)]),
        };
    }
    if number.is_of_module() && number.is_whole() {
        return of_module(at, &number);
    }
    if number.is_float_by_setting(at) && number.likeness == Likeness::Direct {
        let promise = at.alone_becomes(2).unwrap_or_default();
        return says("float_by_setting", &[("name", &name), ("promise", &promise)]);
    }
    one_version_per_value(at)
}

fn one_version_per_value(at: &Situation<'_>) -> Vec<Advice> {
    if at
        .chain
        .steps
        .iter()
        .any(|step| at.texts.settings(step.compile).automatic_dynamic_shapes == Some(false))
    {
        return says("number_without_dynamic", &[("name", &at.named("the number"))]);
    }
    // After a second value, it may have become dynamic; a further one that is compiled shows that it did not.
    let is_unknown =
        are_guards_unknown(at.model) && at.steps().filter(|step| step.reason().is_some()).count() < 2;
    let case = if is_unknown { "number_guards_unknown" } else { "number_of_code" };
    says(case, &[("name", &capital(&at.named("the number")))])
}

/// The number is symbolic since the second value.
fn dynamic(at: &Situation<'_>) -> Vec<Advice> {
    let name = at.named("the number");
    let source = at.subject.source().unwrap_or_default();
    if source.ends_with("['lr']") && source.contains("param_groups") {
        return says("learning_rate", &[("name", &name)]);
    }
    says(if takes_tensor(at) { "number_as_tensor" } else { "dynamic_number" }, &[("name", &name)])
}

/// Whether a version has the value symbolic, no guard is on it, and no size in its graph depends on it.
fn takes_tensor(at: &Situation<'_>) -> bool {
    let Some(source) = at.subject.source() else { return false };
    at.chain.steps.iter().any(|step| {
        // The texts of few compiles are read, and the symbols of the others are not looked through.
        let (Some(graph), Some(tree)) = (at.texts.graph(step.compile), at.texts.tree(step.compile)) else {
            return false;
        };
        let mut symbols = at.model.shapes.symbols.iter().filter(|symbol| symbol.at.compile == step.compile);
        let symbol =
            symbols.find(|symbol| symbol.source.as_deref().is_some_and(|text| as_written(text) == source));
        let Some(symbol) = symbol else { return false };
        let of_source = symbol.source.as_deref().unwrap_or_default();
        let is_guarded = read_guard_tree(tree).into_iter().any(|node| {
            matches!(node.content, GuardLine::Guard { kind: "LAMBDA_GUARD", text, .. } if text.contains(of_source))
        });
        !is_guarded && !is_size(graph, &symbol.name)
    })
}

/// Whether a symbol is in the shape of a tensor of a graph: `"f32[2, s16][s16, 1]cpu"`.
fn is_size(graph: &str, symbol: &str) -> bool {
    let of_tensor = |text: &str| {
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        text.contains('[')
            && !text.starts_with("Sym(")
            && text.split(|c| !is_name(c)).any(|name| name == symbol)
    };
    graph.lines().filter(|line| !line.trim_start().starts_with('#')).any(|line| {
        // Annotations are the texts in double quotes.
        line.split('"').skip(1).step_by(2).any(of_tensor)
    })
}

/// The graph of a version, and the value that it was compiled for.
struct Captured<'t> {
    operations: Operations,
    value: &'t str,
}

/// A number that several versions guard on.
struct CapturedNumber<'t> {
    /// As torch writes it: `L['self'].step`.
    source: &'t str,
    values: Vec<&'t str>,
    likeness: Likeness,
    /// Whether some versions have equal graphs, or graphs that differ in the number alone.
    some_direct: bool,
}

/// The value that a version was compiled for.
struct Guarded<'t> {
    compile: CompileIndex,
    source: &'t str,
    value: &'t str,
}

impl<'t> CapturedNumber<'t> {
    /// Reads the guards on the number, and compares the graphs of the versions.
    fn find(at: &Situation<'t>) -> Option<CapturedNumber<'t>> {
        let name = at.subject.source()?;
        let guarded: Vec<Guarded<'t>> =
            at.chain.steps.iter().filter_map(|step| guarded(at, step.compile, name)).collect();
        let source = guarded.first()?.source;
        let graphs: Vec<Captured<'_>> = guarded
            .iter()
            .filter_map(|one| {
                Some(Captured {
                    operations: Operations::parse(at.texts.graph(one.compile)?)?,
                    value: one.value,
                })
            })
            .collect();
        let (first, others) = graphs.split_first()?;
        // A number may be in the graph as one that is larger by the same amount, as `index + 1` is. Two versions alone do not
        // show that, unless the code counts the number up.
        let is_shifted = graphs.len() > 2 || is_own_effect(at.subject);
        let compare = |one: &Captured<'_>, other: &Captured<'_>| {
            let values = Values { one: one.value, other: other.value, is_shifted };
            one.operations.likeness(&other.operations, values)
        };
        let likeness = others.iter().map(|other| compare(first, other)).min().unwrap_or(Likeness::Other);
        let some_direct = graphs.iter().enumerate().any(|(at, one)| {
            let later = graphs.get(at + 1..).unwrap_or_default();
            later.iter().any(|other| compare(one, other) == Likeness::Direct)
        });
        Some(CapturedNumber {
            source,
            values: guarded.iter().map(|one| one.value).collect(),
            likeness,
            some_direct,
        })
    }

    fn is_global(&self) -> bool {
        self.source.starts_with("G[")
    }

    /// Whether it is an attribute of a module: a plain argument or an item of a container is not.
    fn is_of_module(&self) -> bool {
        self.source.contains("].")
            && !self.source.contains("__closure__")
            && !self.source.contains("__defaults__")
    }

    fn is_whole(&self) -> bool {
        self.values.iter().all(|value| value.parse::<i64>().is_ok())
    }

    fn is_float_by_setting(&self, at: &Situation<'_>) -> bool {
        let is_set = |compile| at.texts.settings(compile).specialize_float == Some(true);
        !self.is_whole() && at.chain.steps.iter().any(|step| is_set(step.compile))
    }
}

fn guarded<'t>(at: &Situation<'t>, compile: CompileIndex, name: &str) -> Option<Guarded<'t>> {
    read_guard_tree(at.texts.tree(compile)?).into_iter().find_map(|node| {
        let GuardLine::Guard { text, .. } = node.content else { return None };
        // Most guards are of other things, and reading them takes time.
        let (left, "==", right) = comparison(text.contains("==").then_some(text)?)?.pair()? else {
            return None;
        };
        (right.parse::<f64>().is_ok() && as_written(left) == name).then_some(Guarded {
            compile,
            source: left,
            value: right,
        })
    })
}

/// A number of a module's attribute, such as a counter or the index of a layer.
fn of_module(at: &Situation<'_>, number: &CapturedNumber<'_>) -> Vec<Advice> {
    let name = at.named("the number");
    let is_counted = is_own_effect(at.subject);
    let counted = match is_counted {
        true => format!(" The compiled code counts up {name} itself."),
        false => String::new(),
    };
    let tried = if is_counted { "int_attribute_counted.1" } else { "int_attribute.1" };
    let promise = at.alone_becomes(2).unwrap_or_default();
    let case = match number.likeness {
        Likeness::Direct => "number_of_module",
        _ if number.some_direct => "number_of_some_modules",
        _ => "number_that_decides",
    };
    says(case, &[("name", &name), ("counted", &counted), ("tried", tried), ("promise", &promise)])
}

fn is_own_effect(subject: &ChangedThing<'_>) -> bool {
    subject.changes.iter().any(|change| change.is_own_effect)
}

/// A relation of a number that the code relies on.
pub(super) fn of_relation(at: &Situation<'_>) -> Vec<Advice> {
    let step = at.steps().next();
    let source = step.and_then(|step| step.reason()).and_then(|reason| reason.source.as_ref());
    let place = source.map_or_else(String::new, |source| {
        format!(" at {}:{}, `{}`", file_name(&source.file), source.line, source.code.trim())
    });
    says("number_of_branch", &[("this", &at.subject("this")), ("place", &place)])
}
