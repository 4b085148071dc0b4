//! Advice on sizes, as the proof by guards decides.

use super::super::chain::{Chain, Step};
use super::super::kind::ChangeKind;
use super::super::limit::is_limit;
use super::super::proof::{Dimension, Elsewhere, Marks, Verdict, Why};
use super::words::{compiles_become, line_of, says};
use crate::analysis::findings::{Advice, Proof};
use crate::analysis::own_code::{is_library, is_wrapper};
use crate::analysis::torch_version::TorchVersion;
use crate::analysis::user_place::{UserPlace, text_frames};
use crate::limits::{IN_ROW, SHOWN};
use crate::model::words::file_name;
use crate::model::{CompileIndex, Model, ReasonSource};
use crate::read::expr::{as_written, size_as_written};
use indexmap::IndexSet;

/// What to do about sizes.
pub(super) fn of_verdict(model: &Model, chain: &Chain<'_>, verdict: &Verdict<'_>) -> Vec<Advice> {
    match verdict {
        Verdict::Marks(marks) => of_marks(model, chain, marks),
        Verdict::MadeElsewhere(place) => of_elsewhere(model, place),
        Verdict::NoMark(why) => of_why(model, chain, why),
    }
}

/// The inputs are made by code that broke or gave up.
pub(super) fn of_elsewhere(model: &Model, place: &Elsewhere) -> Vec<Advice> {
    match place {
        Elsewhere::BeforeBreak { function, line } => {
            says("before_break", &[("function", function), ("line", &line.to_string())])
        }
        Elsewhere::InCaller { compile, caller } => {
            let caller = caller.trim_matches('`');
            says("in_caller", &[("caller", caller), ("compile", &label(model, *compile))])
        }
    }
}

fn label(model: &Model, compile: CompileIndex) -> String {
    model.compiles.get(compile).map_or_else(|| "?".to_owned(), |compile| compile.label())
}

fn of_marks(model: &Model, chain: &Chain<'_>, marks: &Marks) -> Vec<Advice> {
    let left = marks.versions.saturating_sub(marks.saved.len());
    // Calls after the limit left no record of what else they differ in.
    let is_whole_record = !chain.limit_hit() || left == 1;
    let promise =
        (is_whole_record && !others_broke(model, chain)).then(|| compiles_become(marks.versions, left));
    let kind = lab_kind(&marks.dimensions);
    let proof = Some(Proof { compile: marks.version, record: "dynamo_cpp_guards_str" });
    let by_name = "It goes by name, so it applies to inputs of these names in every function.";
    let by_environment = |kind: &str, text: String| {
        let code = Some(environment(&marks.dimensions));
        Advice { proof, code, promise: promise.clone(), ..Advice::tried(kind, text) }
    };
    if let Some(late) = &marks.late {
        let late = as_written(late);
        if !has_dynamic_sources(model) {
            return says("made_by_first_call", &[("source", &late)]);
        }
        let text = format!(
            "Set `TORCH_COMPILE_DYNAMIC_SOURCES` before the program starts. A mark is not possible: the first call makes \
             `{late}`. {by_name}"
        );
        return vec![by_environment("empty_cache.1", text)];
    }
    let saved: Vec<String> = marks.saved.iter().take(IN_ROW).map(|compile| label(model, *compile)).collect();
    let more = marks.saved.len().saturating_sub(IN_ROW);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let is_one = marks.dimensions.len() == 1;
    let named = marks.dimensions.iter().take(IN_ROW).map(shape);
    let mut named: Vec<String> = named.collect();
    if marks.dimensions.len() > IN_ROW {
        named.push(format!("{} more", marks.dimensions.len() - IN_ROW));
    }
    let (all, are) = if is_one { ("", "it is") } else { ("all of ", "they are") };
    let mut text = format!(
        "Mark {all}{} as dynamic before the first call. The guards of {version}, where {are} dynamic, hold for the sizes of \
         {}{more}: it would have served {}.",
        named.join(", "),
        saved.join(", "),
        if marks.saved.len() == 1 { "that call" } else { "those calls" },
        version = label(model, marks.version),
    );
    text.push_str(&whose(model, chain));
    let code = (marks.dimensions.len() <= SHOWN).then(|| code(&marks.dimensions));
    let mut advice = vec![Advice { proof, code, promise: promise.clone(), ..Advice::tried(kind.mark, text) }];
    if has_dynamic_sources(model) {
        let text =
            "Or without a change of code: set `TORCH_COMPILE_DYNAMIC_SOURCES` before the program starts.";
        advice.push(by_environment(kind.environment, format!("{text} {by_name}")));
    }
    advice
}

/// Whose arguments they are, where the function is in a library.
fn whose(model: &Model, chain: &Chain<'_>) -> String {
    let function = chain.function.filter(|function| function.file.as_deref().is_some_and(is_library));
    let Some(function) = function else { return String::new() };
    let first = chain.steps.first().map(|step| step.compile).filter(|_| is_wrapper(function));
    if let Some(place) = first.map(|first| UserPlace::of_call(model, first))
        && let (Some(file), Some(line)) = (place.file, place.line)
    {
        return format!(" `args[0]` is the first argument of the call in {}:{line}.", file_name(&file));
    }
    let file = function.file.as_deref().map_or("a library", file_name);
    format!(" These are arguments of `{}` in {file}, which the program calls.", function.name)
}

/// The lines to write.
fn code(dimensions: &[Dimension]) -> String {
    if let [one] = dimensions {
        return format!("torch._dynamo.maybe_mark_dynamic({}, {})", as_written(&one.source), one.dimension);
    }
    let pairs = dimensions.iter().map(|one| format!("({}, {})", as_written(&one.source), one.dimension));
    let pairs: Vec<String> = pairs.collect();
    format!("for tensor, dim in [{}]:\n    torch._dynamo.maybe_mark_dynamic(tensor, dim)", pairs.join(", "))
}

/// `TORCH_COMPILE_DYNAMIC_SOURCES="L['x'],L['mask']"`
fn environment(dimensions: &[Dimension]) -> String {
    let sources: IndexSet<&str> = dimensions.iter().map(|one| one.source.as_str()).collect();
    let sources: Vec<&str> = sources.into_iter().collect();
    format!("TORCH_COMPILE_DYNAMIC_SOURCES=\"{}\"", sources.join(","))
}

/// Programs of the lab that mark such a set, by a line and by the setting.
struct LabKind {
    mark: &'static str,
    environment: &'static str,
}

fn lab_kind(dimensions: &[Dimension]) -> LabKind {
    let sources: IndexSet<&str> = dimensions.iter().map(|one| one.source.as_str()).collect();
    let is_attribute = |source: &&&str| source.contains("].") || source.starts_with("G[");
    let is_item = |source: &&&str| source.contains("][");
    let (mark, environment) = match sources.len() {
        _ if sources.iter().any(|source| is_attribute(&source)) => ("attribute_size.2", "attribute_size.4"),
        _ if sources.iter().any(|source| is_item(&source)) => ("kv_cache.3", "kv_cache.5"),
        1 if dimensions.len() == 1 => ("batch_size.2", "batch_size.4"),
        1 => ("square_images.2", "two_dims.4"),
        _ => ("input_and_mask.4", "input_and_mask.6"),
    };
    LabKind { mark, environment }
}

/// Whether this torch reads `TORCH_COMPILE_DYNAMIC_SOURCES`: since 2.8.
fn has_dynamic_sources(model: &Model) -> bool {
    TorchVersion::of(model) >= TorchVersion::parse("2.8")
}

/// Whether another function of the log broke or gave up: then functions are compiled by themselves that a mark does not
/// reach, and no number of compiles can be promised.
fn others_broke(model: &Model, chain: &Chain<'_>) -> bool {
    let own = |compile: Option<CompileIndex>| {
        compile.is_some_and(|one| chain.steps.binary_search_by_key(&one, |step| step.compile).is_ok())
    };
    let failed = model.failures.iter().any(|failure| {
        let compile = model.by_id.get(&failure.compile).copied();
        !(is_limit(failure) && own(compile))
    });
    failed || !model.graph_breaks.is_empty()
}

/// Why nothing is marked, and what helps instead.
fn of_why(model: &Model, chain: &Chain<'_>, why: &Why<'_>) -> Vec<Advice> {
    match why {
        Why::ParameterShapes { source, shapes, case } => {
            let tried = if chain.limit_hit() { "modules_limit.5" } else { "parameter_size.5" };
            says(case, &[("source", source), ("shapes", &shapes.to_string()), ("tried", tried)])
        }
        Why::Constant(one) => {
            let size =
                one.sources.first().map_or_else(|| one.symbol.clone(), |source| size_as_written(source));
            let place = UserPlace::of_specialization(model, one);
            let traced = one.user_stack.as_deref().map(|stack| text_frames(model, stack)).unwrap_or_default();
            let is_traced = traced.is_empty() || traced.iter().any(|frame| place.is_of(frame));
            let case = if is_traced { "constant_size" } else { "constant_size_of_fake" };
            says(case, &[("size", &size), ("line", &line_of(&place))])
        }
        Why::DynamicFalse { changing } => {
            let sizes: Vec<String> = changing.iter().take(IN_ROW).map(shape).collect();
            let case = if sizes.is_empty() { "dynamic_false" } else { "dynamic_false_with_sizes" };
            says(case, &[("sizes", &sizes.join(", "))])
        }
        Why::FirstHasOne { relation } => says("first_has_one", &[("relation", &size_as_written(relation))]),
        Why::NumberToo { source } => says("number_too", &[("source", source)]),
        Why::NotServed { version, because } => {
            let line = deciding_line(chain);
            let case = if line.is_some() { "not_served_at_line" } else { "not_served" };
            let line = line.unwrap_or_default();
            says(case, &[("version", &label(model, *version)), ("because", because), ("line", &line)])
        }
        Why::NoName { source } => says("no_name", &[("source", &as_written(source))]),
        Why::AlreadyDynamic => says("already_dynamic", &[]),
        Why::NothingDynamic if are_guards_unknown(model) => says("guards_unknown", &[]),
        Why::NothingDynamic => says("nothing_dynamic", &[]),
    }
}

/// Whether the log was made of console output that does not show guards.
pub(super) fn are_guards_unknown(model: &Model) -> bool {
    model.log.console.as_ref().is_some_and(|shown| shown.iter().all(|name| name != "guards"))
}

/// The first line that branches on a relation of sizes, as the guards of its two sides name it.
fn deciding_line(chain: &Chain<'_>) -> Option<String> {
    let of_relation =
        |step: &&Step<'_>| step.change.as_ref().is_some_and(|change| change.kind == ChangeKind::Relation);
    let mut sources =
        chain.steps.iter().filter(of_relation).filter_map(|step| step.reason()?.source.as_ref());
    let source = sources.find(|source| BRANCHES.iter().any(|start| source.code.trim().starts_with(start)))?;
    let ReasonSource { file, line, code, .. } = source;
    Some(format!("{}:{line}, `{}`,", file_name(file), code.trim()))
}

/// How a line begins that branches.
const BRANCHES: [&str; 3] = ["if ", "elif ", "while "];

fn shape(one: &Dimension) -> String {
    format!("`{}.shape[{}]`", as_written(&one.source), one.dimension)
}
