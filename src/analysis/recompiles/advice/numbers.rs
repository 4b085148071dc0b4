//! What guards and graphs show of numbers of Python that compiled a function again.

use super::literals::{Likeness, Operations, Values};
use super::situation::Situation;
use crate::model::CompileIndex;
use crate::read::expr::{as_written, comparison};
use crate::read::guard_tree::{GuardLine, read_guard_tree};

/// Whether a version has the value symbolic, no guard is on it, and no size in its graph depends on it.
pub(super) fn takes_tensor(at: &Situation<'_>) -> bool {
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
pub(super) struct CapturedNumber<'t> {
    /// As torch writes it: `L['self'].step`.
    source: &'t str,
    values: Vec<&'t str>,
    pub likeness: Likeness,
    /// Whether some versions have equal graphs, or graphs that differ in the number alone.
    pub some_direct: bool,
    /// Whether the graphs are equal: none has the number.
    pub is_unused: bool,
}

/// The value that a version was compiled for.
struct Guarded<'t> {
    compile: CompileIndex,
    source: &'t str,
    value: &'t str,
}

impl<'t> CapturedNumber<'t> {
    /// Reads the guards on the number, and compares the graphs of the versions.
    pub fn find(at: &Situation<'t>) -> Option<CapturedNumber<'t>> {
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
        let is_counted = at.subject.changes.iter().any(|change| change.is_own_effect);
        let is_shifted = graphs.len() > 2 || is_counted;
        let compare = |one: &Captured<'_>, other: &Captured<'_>| {
            let values = Values { one: one.value, other: other.value, is_shifted };
            one.operations.likeness(&other.operations, values)
        };
        let likeness = others.iter().map(|other| compare(first, other)).min().unwrap_or(Likeness::Other);
        let some_direct = graphs.iter().enumerate().any(|(at, one)| {
            let later = graphs.get(at + 1..).unwrap_or_default();
            later.iter().any(|other| compare(one, other) == Likeness::Direct)
        });
        let is_unused = graphs.len() > 1 && others.iter().all(|one| one.operations == first.operations);
        Some(CapturedNumber {
            source,
            is_unused,
            values: guarded.iter().map(|one| one.value).collect(),
            likeness,
            some_direct,
        })
    }

    pub fn is_global(&self) -> bool {
        self.source.starts_with("G[")
    }

    /// Whether it is an integer and an attribute of a module: a plain argument or an item of a container is not.
    pub fn is_integer_of_module(&self) -> bool {
        let is_attribute = self.source.contains("].") && !self.is_global();
        let is_of_function = ["__closure__", "__defaults__"].iter().any(|part| self.source.contains(part));
        is_attribute && !is_of_function && self.is_whole()
    }

    fn is_whole(&self) -> bool {
        self.values.iter().all(|value| value.parse::<i64>().is_ok())
    }

    pub fn is_float_by_setting(&self, at: &Situation<'_>) -> bool {
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
