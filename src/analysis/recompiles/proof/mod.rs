//! Sizes, proven by the log's own guards: which dimensions to mark before the first call, and what that saves.
//!
//! The guards of a version are all that its trace decided on sizes. If they hold for the sizes of an earlier call, a trace
//! that begins there with the same dimensions symbolic decides the same, and that version is saved.

mod marks;
mod serves;
mod version;

use super::advice::Fact;
use super::chain::Chain;
use super::words::line_of;
use crate::analysis::guard_texts::GuardTexts;
use crate::analysis::names::FunctionWords;
use crate::analysis::own_code::{is_library, resumed};
use crate::analysis::pattern::Groups;
use crate::analysis::user_place::{UserPlace, text_frames};
use crate::limits::IN_ROW;
use crate::model::{Compile, CompileIndex, Frame, Model, Specialization};
use crate::read::expr::{as_written, size_as_written};
use crate::trace::{FileRef, TextMap};
use marks::{Dimension, deciding_line, label, names};
use serves::{Refusal, is_of_sizes, refusal};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use version::Version;

/// Versions of one function that are compared, each with each.
const MOST_VERSIONS: usize = 40;

/// What the guards of a function that sizes compiled again show.
#[derive(Debug)]
pub(super) struct Verdict {
    pub fact: Fact,
    /// What texts about it name.
    pub names: Groups,
    /// The version whose guards prove it.
    pub proof: Option<CompileIndex>,
}

impl Verdict {
    fn new<const N: usize>(fact: Fact, names: [(&'static str, String); N]) -> Verdict {
        Verdict { fact, names: names.into(), proof: None }
    }
}

/// The verdict on a chain; None if no size or stride compiled it again, and it is not the rest of a function.
pub(super) fn verdict<'m>(
    callers: &Callers<'m>,
    texts: &'m GuardTexts,
    chain: &Chain<'m>,
) -> Option<Verdict> {
    let model = callers.model;
    let elsewhere = callers.elsewhere(chain);
    let is_rest = elsewhere.as_ref().is_some_and(|verdict| verdict.fact == Fact::BeforeBreak);
    let mut reasons = chain.steps.iter().flat_map(|step| &step.reasons);
    let of_sizes = reasons.any(|reason| is_of_sizes(&reason.guard));
    if elsewhere.is_some() || !of_sizes {
        return elsewhere.filter(|_| is_rest || of_sizes);
    }
    let steps = chain.steps.iter().filter(|step| !step.runs_eagerly).take(MOST_VERSIONS);
    let versions: Vec<Version<'_>> = steps.filter_map(|step| Version::at_step(model, texts, step)).collect();
    let best = best(&versions);
    let Some(best) = best.as_ref().filter(|best| !best.saved.is_empty()) else {
        return Some(why(model, texts, chain, &versions, best.as_ref()));
    };
    let open: Vec<Dimension> = best.version.open().map(dimension).collect();
    if let Some(unnamed) = open.iter().find(|one| !is_writable(&one.source)) {
        return Some(Verdict::new(Fact::NoName, [("thing", as_written(&unnamed.source))]));
    }
    let is_late = |one: &&Dimension| {
        let mut first = versions.iter().take(1);
        first.any(|first| !first.has_input(&one.source))
    };
    let late = open.iter().find(is_late).map(|one| ("thing", as_written(&one.source)));
    Some(Verdict {
        fact: if late.is_some() { Fact::MadeByFirstCall } else { Fact::Marks },
        names: names(model, chain, best.version.compile, &best.saved, &open, versions.len())
            .into_iter()
            .chain(late)
            .collect(),
        proof: Some(best.version.compile),
    })
}

/// The version that would have served most of the earlier calls.
struct Best<'v, 'm> {
    version: &'v Version<'m>,
    saved: Vec<CompileIndex>,
}

fn best<'v, 'm>(versions: &'v [Version<'m>]) -> Option<Best<'v, 'm>> {
    let mut best: Option<Best<'_, '_>> = None;
    for (at, version) in versions.iter().enumerate() {
        if version.failed || version.open().next().is_none() {
            continue;
        }
        let earlier = versions.get(..at).unwrap_or_default().iter();
        let saved = earlier.filter(|call| refusal(version, call).is_none());
        let saved: Vec<CompileIndex> = saved.map(|call| call.compile).collect();
        if best.as_ref().is_none_or(|best| saved.len() > best.saved.len()) {
            best = Some(Best { version, saved });
        }
    }
    best
}

fn dimension((source, dimension): (&str, usize)) -> Dimension {
    Dimension { source: source.to_owned(), dimension }
}

/// Whether the reader can write the variable: an argument, an attribute or a global, not what Dynamo made or what lives in
/// a module.
fn is_writable(source: &str) -> bool {
    let is_variable = source.starts_with("L[") || source.starts_with("G[");
    is_variable && !source.contains("___") && !is_of_module(source)
}

/// Whether a tensor is a parameter or buffer of a module.
fn is_of_module(source: &str) -> bool {
    ["_parameters", "_buffers"].iter().any(|part| source.contains(part))
}

/// The function of each compile, to find out which call others.
pub(super) struct Callers<'m> {
    pub(super) model: &'m Model,
    words: FunctionWords<'m>,
    /// The first compile of each function, by its own frame.
    compiles: TextMap<(FileRef, &'m str), CompileIndex>,
}

impl<'m> Callers<'m> {
    pub(super) fn of(model: &'m Model) -> Self {
        let mut compiles = TextMap::default();
        for (index, compile) in model.compiles.indexed() {
            if let Some(own) = compile.stack.as_deref().and_then(<[Frame]>::last) {
                compiles.entry((own.file, &*own.name)).or_insert(index);
            }
        }
        Callers { model, words: FunctionWords::of(model), compiles }
    }

    /// Where the inputs of a function are made, if it is compiled by itself because other code was not compiled with it.
    fn elsewhere(&self, chain: &Chain<'_>) -> Option<Verdict> {
        let function = chain.function?;
        if let Some((function, line)) = resumed(&function.name) {
            let names = [("function", function.to_owned()), ("line", line.to_owned())];
            return Some(Verdict::new(Fact::BeforeBreak, names));
        }
        let compile = self.caller(self.model.compiles.get(chain.steps.first()?.compile)?)?;
        let caller = self.words.at(compile).map_or_else(|| "compiled code".to_owned(), |words| words.text());
        let caller = caller.trim_matches('`').to_owned();
        Some(Verdict::new(Fact::InCaller, [("caller", caller), ("compile", label(self.model, compile))]))
    }

    /// A compile of another function that is among the callers of this one. A function that is called by compiled code is
    /// part of that code, unless it broke or gave up.
    fn caller(&self, compile: &Compile) -> Option<CompileIndex> {
        let (own, callers) = compile.stack.as_deref()?.split_last()?;
        let callers = callers.iter().filter(|frame| (frame.file, &frame.name) != (own.file, &own.name));
        callers.rev().find_map(|frame| self.compiles.get(&(frame.file, &*frame.name)).copied())
    }
}

/// The reason that there is nothing to mark; the first that applies.
fn why<'m>(
    model: &'m Model,
    texts: &GuardTexts,
    chain: &Chain<'m>,
    versions: &[Version<'m>],
    best: Option<&Best<'_, 'm>>,
) -> Verdict {
    if let Some((source, shapes)) = parameter_shapes(versions) {
        let names = [("thing", as_written(source)), ("shapes", shapes.to_string())];
        return Verdict::new(parameters_of(versions, source), names);
    }
    if let Some(one) = constant(model, chain) {
        return of_constant(model, one);
    }
    let is_off =
        |version: &Version<'_>| texts.settings(version.compile).automatic_dynamic_shapes == Some(false);
    if versions.iter().any(is_off) {
        let sizes: Vec<String> = changing(versions).iter().take(IN_ROW).map(Dimension::shape).collect();
        let sizes = (!sizes.is_empty()).then(|| ("sizes", sizes.join(", ")));
        return Verdict { names: sizes.into_iter().collect(), ..Verdict::new(Fact::DynamicFalse, []) };
    }
    let Some((best, first)) = best.zip(versions.first()) else {
        return Verdict::new(Fact::NothingDynamic, []);
    };
    if best.version.compile == first.compile {
        return Verdict::new(Fact::AlreadyDynamic, []);
    }
    match refusal(best.version, first) {
        Some(Refusal::Relation(text)) if text.starts_with("2 <= ") && has_small_size(first, text) => {
            Verdict::new(Fact::FirstHasOne, [("relation", size_as_written(text))])
        }
        Some(Refusal::Number { source }) => Verdict::new(Fact::NumberToo, [("thing", as_written(source))]),
        because => {
            let names = [("version", label(model, best.version.compile)), ("because", in_words(because))];
            let line = deciding_line(chain).map(|line| ("line", line));
            let verdict = Verdict::new(Fact::NotServed, names);
            Verdict { names: verdict.names.into_iter().chain(line).collect(), ..verdict }
        }
    }
}

/// A line makes a constant of a size: one that is traced, or that torch runs meanwhile.
fn of_constant(model: &Model, one: &Specialization) -> Verdict {
    let size = one.sources.first().map_or_else(|| one.symbol.clone(), |source| size_as_written(source));
    let place = UserPlace::of_specialization(model, one);
    let traced = one.user_stack.as_deref().map(|stack| text_frames(model, stack)).unwrap_or_default();
    let is_traced = traced.is_empty() || traced.iter().any(|frame| place.is_of(frame));
    let fact = match is_traced {
        _ if place.file.as_deref().is_some_and(is_library) => Fact::ConstantOfLibrary,
        true => Fact::Constant,
        false => Fact::ConstantOfFake,
    };
    Verdict::new(fact, [("size", size), ("line", line_of(&place))])
}

/// Whether a relation is about the size of an input that has 0 or 1 elements in a dimension.
fn has_small_size(call: &Version<'_>, relation: &str) -> bool {
    let mut sources = call.inputs.keys().chain(call.tensors.keys());
    sources.any(|source| {
        let is_meant = relation.contains(&format!("{source}.size()["));
        is_meant && call.sizes(source).unwrap_or_default().iter().any(|size| (0..2).contains(size))
    })
}

fn in_words(refusal: Option<Refusal<'_>>) -> String {
    match refusal {
        Some(Refusal::Relation(text)) => format!("`{}` does not hold there", size_as_written(text)),
        Some(Refusal::Unknown(text)) => format!("it requires `{}`", size_as_written(text)),
        Some(Refusal::FixedSize { source, dimension }) => {
            format!("it fixes `{}.shape[{dimension}]`", as_written(source))
        }
        Some(Refusal::FixedStride { source }) => format!("it fixes the layout of `{}`", as_written(source)),
        Some(Refusal::NoSizes) => "the log lacks the sizes of that call".to_owned(),
        Some(Refusal::MoreThanSizes | Refusal::Number { .. }) | None => {
            "the calls differ in more than sizes".to_owned()
        }
    }
}

/// A parameter that has several shapes, and how many.
fn parameter_shapes<'m>(versions: &[Version<'m>]) -> Option<(&'m str, usize)> {
    let mut shapes: BTreeMap<&str, BTreeSet<Cow<'_, str>>> = BTreeMap::new();
    for version in versions {
        // Console output has no inputs, but guards on them.
        let checked =
            version.tensors.iter().filter(|(source, _)| version.inputs.is_empty() && is_of_module(source));
        for (source, check) in checked {
            shapes.entry(source).or_default().insert(format!("{:?}", check.sizes).into());
        }
        for (source, input) in
            version.inputs.iter().filter(|(source, input)| input.tensor.parameter || is_of_module(source))
        {
            shapes.entry(source).or_default().insert(input.tensor.shape.as_str().into());
        }
    }
    shapes.into_iter().map(|(source, shapes)| (source, shapes.len())).find(|(_, shapes)| *shapes > 1)
}

/// Whose parameters have several shapes: one module's if its other parameters are the same objects in each version, a function's
/// if they are not a module's; else the log does not show whether there are several modules.
fn parameters_of(versions: &[Version<'_>], source: &str) -> Fact {
    let mut first = versions.iter().take(1).flat_map(|version| &version.inputs);
    let is_kept = first.any(|(source, input)| {
        let mut others = versions.iter().skip(1).map(|version| version.inputs.get(source));
        input.object.is_some() && others.all(|other| other.is_some_and(|other| other.object == input.object))
    });
    match is_of_module(source) {
        false => Fact::ParametersOfFunction,
        true if is_kept => Fact::ExchangedParameters,
        true => Fact::ParameterShapes,
    }
}

/// A size of an input that the code makes a constant.
fn constant<'m>(model: &'m Model, chain: &Chain<'_>) -> Option<&'m Specialization> {
    let is_size = |one: &&Specialization| {
        one.reason.as_deref() == Some("range_refined_to_singleton")
            && one.sources.iter().any(|source| source.contains(".size()["))
            && !one.sources.iter().any(|source| source.contains("_base"))
    };
    let fixed = chain.steps.iter().flat_map(|step| model.shapes.fixed_in(step.compile));
    fixed.filter(is_size).min_by_key(|one| one.at.line)
}

/// Sizes of the inputs that are not the same in all versions, in the order of the sources.
fn changing(versions: &[Version<'_>]) -> Vec<Dimension> {
    let mut seen: BTreeMap<(&str, usize), BTreeSet<i64>> = BTreeMap::new();
    for version in versions {
        let own =
            version.inputs.iter().filter(|(source, input)| !input.tensor.parameter && is_writable(source));
        for source in own.map(|(source, _)| source) {
            for (dimension, size) in version.sizes(source).unwrap_or_default().into_iter().enumerate() {
                seen.entry((source, dimension)).or_default().insert(size);
            }
        }
    }
    let several = seen.into_iter().filter(|(_, sizes)| sizes.len() > 1);
    several.map(|((source, at), _)| dimension((source, at))).collect()
}

#[cfg(test)]
mod tests;
