//! Compiles by function.

use super::split::Split;
use crate::model::{Compile, CompileIndex, Function, Model, Outcome, Parts};
use crate::trace::{CompileId, FrameId, TextMap};
use fxhash::FxHashMap;
use indexmap::IndexMap;

/// A function with all its compiles.
#[derive(Debug, Default)]
pub struct FunctionGroup {
    /// Its name and place; None if unknown.
    pub function: Option<Function>,
    /// Its compiles, in order of first appearance.
    pub compiles: Vec<CompileIndex>,
    /// Microseconds of compile time; None if unknown.
    pub us: Option<f64>,
    /// The same by part of the compiler.
    pub parts: Parts,
}

/// The functions of a log, in order of first appearance. A compile without a function has the function of its frame.
pub(super) fn of_log(model: &Model, split: &Split) -> Vec<FunctionGroup> {
    #[derive(PartialEq, Eq, Hash)]
    enum Key<'a> {
        Function(&'a str, Option<&'a str>, Option<u64>),
        Frame(FrameId),
    }
    let mut groups: IndexMap<Key<'_>, FunctionGroup> = IndexMap::new();
    // Beyond the recompile limit torch writes metrics without the function's name, but the frame has it.
    let frames: TextMap<FrameId, &Function> = model
        .identified()
        .filter_map(|compile| Some((compile.id.as_ref()?.frame(), compile.function.as_deref()?)))
        .collect();
    for (index, compile) in model.compiles.indexed() {
        let Some(frame) = compile.id.as_ref().map(CompileId::frame) else { continue };
        let function = compile.function.as_deref().or_else(|| frames.get(&frame).copied());
        let key = match function {
            Some(f) => Key::Function(&f.name, f.file.as_deref(), f.line),
            None => Key::Frame(frame),
        };
        let group = groups.entry(key).or_default();
        if group.function.is_none() {
            group.function = function.cloned();
        }
        group.compiles.push(index);
        if let Some(us) = compile.compile_us() {
            *group.us.get_or_insert(0.0) += us;
        }
        group.parts = group.parts.plus(split.at(index));
    }
    groups.into_values().collect()
}

/// Whether a compile is the capture of a backward pass by compiled autograd: its id has no frame (`!0`), it has no metrics,
/// and the captured graph is compiled under an id of its own (`!0/1/0`).
pub fn is_capture(compile: &Compile) -> bool {
    compile.id.as_ref().is_some_and(|id| !id.has_frame())
}

/// The answer of the caches for each compile: a miss of any cache is a miss.
pub(super) fn cache_outcomes(model: &Model) -> FxHashMap<CompileIndex, Outcome> {
    let mut outcomes: FxHashMap<CompileIndex, Outcome> = FxHashMap::default();
    for lookup in &model.caches {
        let outcome = outcomes.entry(lookup.artifact.compile).or_insert(lookup.outcome);
        if rank(lookup.outcome) > rank(*outcome) {
            *outcome = lookup.outcome;
        }
    }
    outcomes
}

fn rank(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Hit => 0,
        Outcome::Bypass => 1,
        Outcome::Miss => 2,
    }
}

/// Number of compiles per status, in the order of the statuses.
pub fn by_status<'c>(compiles: impl IntoIterator<Item = &'c Compile>) -> Vec<(&'static str, usize)> {
    let mut counts: std::collections::BTreeMap<_, usize> = Default::default();
    for compile in compiles {
        *counts.entry(compile.status).or_default() += 1;
    }
    counts.into_iter().map(|(status, count)| (status.word(), count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Spans;
    use crate::analysis::builds::tests::span;

    #[test]
    fn compiles_are_grouped_by_function_or_by_frame() {
        let mut model = Model::default();
        for (id, name) in [("0/0", Some("f")), ("1/0", None), ("0/1", None), ("1/1", None), ("2/0", None)] {
            let index = model.compile_index(CompileId::parse(id).as_ref());
            model.compiles[index].function =
                name.map(|name| Function { name: name.to_owned(), file: None, line: Some(1) }.into());
        }
        let groups = of_log(&model, &Split::default());
        let compiles: Vec<_> = groups.iter().map(|g| g.compiles.clone()).collect();
        assert_eq!(compiles, [vec![0, 2], vec![1, 3], vec![4]]);
    }

    #[test]
    fn the_time_of_a_function_is_split_like_the_time_of_the_log() {
        let mut model = Model::default();
        model.compile_index(CompileId::parse("0/0").as_ref());
        model.spans =
            vec![span("entire_frame_compile", None, 0.0, 9.0), span("compile_file", Some(0), 2.0, 8.0)];
        let split = Split::of(&Spans::of(&model));
        let functions = of_log(&model, &split);
        assert_eq!(functions.len(), 1);
        assert_eq!(functions[0].parts, split.whole);
        assert_eq!(functions[0].parts.total(), 9e6);
    }
}
