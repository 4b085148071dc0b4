//! Whether a dimension of an input is dynamic in each compile of a function, and since when.

use super::fate::{Fate, SymbolFate};
use crate::model::{CompileIndex, InputTensor, Model, Symbol};
use crate::read::guard_tree::tensor_check;
use crate::trace::{CompileId, FrameId, TextMap, TextSet};
use fxhash::FxHashMap;
use indexmap::IndexMap;
use std::collections::BTreeMap;

/// Sizes that the guards of a compile require of a tensor: None if any size passes.
pub type TensorSizes = TextMap<String, Vec<Option<i64>>>;

/// What one compile does with a dimension.
#[derive(Debug, Clone, Copy)]
pub enum State<'m> {
    /// It takes any size; with its symbol, if it has one of its own.
    Dynamic(Option<&'m Symbol>),
    /// It was symbolic and became a constant.
    Fixed(&'m SymbolFate<'m>),
    /// It was a constant from the start.
    Static,
    /// The log does not say: it has neither a symbol nor a guard, but an equal size has a symbol.
    Unclear,
}

impl State<'_> {
    /// Whether it takes any size.
    pub fn is_dynamic(self) -> bool {
        matches!(self, State::Dynamic(_))
    }
}

/// What one compile does with a dimension, and what it saw.
#[derive(Debug, Clone)]
pub struct Seen<'m> {
    pub compile: CompileIndex,
    /// The size of its input, if the log has it.
    pub size: Option<String>,
    /// What the compile does with it.
    pub state: State<'m>,
    /// Whether the program marked it as dynamic.
    pub marked: bool,
}

/// The answer to "is it dynamic?", as of the last compile of the function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// Yes, since the compile at that place of `seen`.
    Since(usize),
    No,
    /// The log does not say.
    Unclear,
}

/// A dimension of an input of one function, or a number that is an input.
#[derive(Debug, Clone)]
pub struct Dimension<'m> {
    /// `L['x']`
    pub source: String,
    /// Which dimension; None for a number.
    pub dim: Option<usize>,
    /// Each compile of the function with this dimension, in order.
    pub seen: Vec<Seen<'m>>,
}

impl Dimension<'_> {
    /// As of the last compile.
    pub fn answer(&self) -> Answer {
        let dynamic = self.seen.iter().rev().take_while(|seen| seen.state.is_dynamic()).count();
        match self.seen.last().map(|seen| seen.state) {
            Some(State::Dynamic(_)) => Answer::Since(self.seen.len() - dynamic),
            Some(State::Unclear) => Answer::Unclear,
            _ => Answer::No,
        }
    }
}

/// Dimensions of all inputs except parameters, grouped by frame id, in log order. `guards` has the known guarded sizes, by
/// compile.
pub fn dimensions<'m>(
    model: &'m Model,
    fates: &'m [SymbolFate<'m>],
    guards: &FxHashMap<CompileIndex, TensorSizes>,
) -> Vec<Dimension<'m>> {
    let symbols = symbols_of_last_attempts(model, fates);
    let mut found: IndexMap<OfFunction, BTreeMap<CompileIndex, Seen<'m>>> = IndexMap::new();
    let mut add = |source: &str, dim, seen: Seen<'m>| {
        let key = OfFunction { frame: frame(model, seen.compile), source: source.to_owned(), dim };
        found.entry(key).or_default().entry(seen.compile).or_insert(seen);
    };
    let none = Symbols::default();
    for (compile, input) in model.inputs().filter(|(_, input)| !input.tensor.parameter) {
        let of = symbols.get(&compile).unwrap_or(&none);
        let guarded = guards.get(&compile).and_then(|sizes| sizes.get(&*input.source));
        for dim in 0..input.tensor.sizes.len() {
            let guarded = guarded.and_then(|sizes| sizes.get(dim)).copied();
            add(&input.source, Some(dim), seen((compile, input), dim, of, guarded));
        }
    }
    // Only a symbol is known for numbers, which no event describes, and for tensors without a description (torch 2.5 and
    // older).
    for (compile, of) in &symbols {
        for fate in &of.all {
            let Some(source) = fate.symbol.source.as_deref() else { continue };
            // Tensors that torch creates while tracing are not inputs, and strides follow from sizes.
            if source.contains("__meta_utils_unknown_tensor") || source.contains(".stride()") {
                continue;
            }
            let (base, dim) = sized(source);
            let size = fate.symbol.hint.clone();
            add(base, dim, Seen { compile: *compile, size, state: by_symbol(fate), marked: false });
        }
    }
    let mut all: Vec<_> = found.into_iter().collect();
    all.sort_by_key(|(_, seen)| seen.keys().next().map(|compile| frame_order(model, *compile)));
    let dimensions = all.into_iter().map(|(of, seen)| Dimension {
        source: of.source,
        dim: of.dim,
        seen: seen.into_values().collect(),
    });
    dimensions.collect()
}

#[derive(PartialEq, Eq, Hash)]
struct OfFunction {
    /// None for records without an id.
    frame: Option<FrameId>,
    source: String,
    dim: Option<usize>,
}

/// Symbols of the last attempt of a compile with any.
#[derive(Default)]
struct Symbols<'m> {
    attempt: u32,
    all: Vec<&'m SymbolFate<'m>>,
    by_source: TextMap<(&'m str, Option<usize>), &'m SymbolFate<'m>>,
    /// Values of symbols that stay dynamic.
    hints: TextSet<&'m str>,
}

/// Symbols by compile, from its last attempt with any.
fn symbols_of_last_attempts<'m>(
    model: &'m Model,
    fates: &'m [SymbolFate<'m>],
) -> BTreeMap<CompileIndex, Symbols<'m>> {
    let mut last: BTreeMap<CompileIndex, Symbols<'m>> = BTreeMap::new();
    for fate in fates {
        let symbol = fate.symbol;
        if model.compiles.get(symbol.at.compile).is_none_or(|compile| compile.id.is_none()) {
            continue;
        }
        let known = last.entry(symbol.at.compile).or_default();
        if symbol.at.attempt > known.attempt {
            *known = Symbols { attempt: symbol.at.attempt, ..Symbols::default() };
        }
        if symbol.at.attempt < known.attempt {
            continue;
        }
        known.all.push(fate);
        if let Some(source) = symbol.source.as_deref() {
            known.by_source.entry(sized(source)).or_insert(fate);
        }
        if matches!(fate.fate, Fate::Dynamic) {
            known.hints.extend(symbol.hint.as_deref());
        }
    }
    last
}

/// What a compile does with a dimension of an input; `guarded` is what its guards require, if known.
fn seen<'m>(
    (compile, input): (CompileIndex, &InputTensor),
    dim: usize,
    of: &Symbols<'m>,
    guarded: Option<Option<i64>>,
) -> Seen<'m> {
    let size = input.tensor.sizes.get(dim).cloned();
    let own = of.by_source.get(&(&*input.source, Some(dim))).copied();
    let state = match (guarded, own) {
        (Some(None), own) => State::Dynamic(own.map(|fate| fate.symbol)),
        (Some(Some(_)), Some(own)) => State::Fixed(own),
        (Some(Some(_)), None) => State::Static,
        (None, Some(own)) => by_symbol(own),
        // torch gives inputs of equal size one symbol, created for the first of them.
        (None, None) if size.as_deref().is_some_and(|size| of.hints.contains(size)) => State::Unclear,
        (None, None) => State::Static,
    };
    Seen { compile, size, state, marked: input.tensor.marked.contains(&(dim as u64)) }
}

fn by_symbol<'m>(fate: &'m SymbolFate<'m>) -> State<'m> {
    match fate.fate {
        Fate::Fixed(_) => State::Fixed(fate),
        _ => State::Dynamic(Some(fate.symbol)),
    }
}

/// `L['x']` and dimension 0 of `L['x'].size()[0]`; a number has no dimension.
fn sized(source: &str) -> (&str, Option<usize>) {
    let dim = source
        .rsplit_once(".size()[")
        .and_then(|(base, dim)| Some((base, dim.strip_suffix(']')?.parse().ok()?)));
    dim.map_or((source, None), |(base, dim)| (base, Some(dim)))
}

/// The frame that the compiles of one function share.
fn frame(model: &Model, compile: CompileIndex) -> Option<FrameId> {
    model.compiles.get(compile)?.id.as_ref().map(CompileId::frame)
}

/// The first compile of the function.
fn frame_order(model: &Model, compile: CompileIndex) -> CompileIndex {
    let first = frame(model, compile).and_then(|frame| frame.first_compile());
    first.and_then(|id| model.by_id.get(&Some(id)).copied()).unwrap_or(compile)
}

/// Sizes that the tree of guards requires of tensors, by source:
/// `check_tensor(L['x'], .., size=[None, 5], ..)`.
pub fn guarded_sizes(guards: &str) -> TensorSizes {
    let checks = guards.lines().filter_map(|line| tensor_check(line.get(line.find("check_tensor(")?..)?));
    checks.map(|check| (check.source.to_owned(), check.sizes)).collect()
}
