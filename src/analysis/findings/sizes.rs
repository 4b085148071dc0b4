//! Sizes that could have varied and were fixed to one value.

use super::basis::Basis;
use super::cost::{Claim, Work};
use super::finding::{Finding, Severity, Value};
use super::kind::KindOfFinding;
use super::recompiles::{Again, Changing};
use crate::analysis::failures::fixed_against_mark;
use crate::analysis::names::in_functions;
use crate::analysis::own_code::is_library;
use crate::analysis::recompiles::{LEFT_BY_BREAK, is_left_by_break, without_stack_values};
use crate::analysis::user_place::{UserPlace, text_frames};
use crate::model::sentence::{self, count, sentence};
use crate::model::words::counted;
use crate::model::{CompileIndex, Model, Sentence, SentencePart, Specialization};
use crate::read::expr::size_as_written;
use crate::trace::{CompileId, TextMap, TextSet};
use indexmap::{IndexMap, IndexSet};

/// One finding per line of the user: what a line needs as a number is fixed there, be it one size or many. All that code
/// fixes which torch itself generated is one finding. Sizes that made a compile fail are part of the failure's finding.
pub(super) fn of_log(Basis { model, chains, .. }: Basis<'_>) -> Vec<Finding> {
    let failed = model.failures.iter().flat_map(|failure| fixed_against_mark(model, failure));
    let failed: TextSet<(CompileIndex, &[String])> =
        failed.map(|one| (one.at.compile, &*one.sources)).collect();
    let fixed = |one| Fixed { one, place: UserPlace::of_specialization(model, one) };
    let all: Vec<Fixed<'_>> = model.shapes.specializations.iter().map(fixed).collect();
    // The first line that fixed a number, for what was found to be equal to it where torch names no line for that.
    let mut lines: TextMap<(CompileIndex, &str), &UserPlace> = TextMap::default();
    for Fixed { one, place } in all.iter().filter(|fixed| fixed.place.loc.is_some()) {
        lines.entry((one.at.compile, &one.value)).or_insert(place);
    }
    let generated = UserPlace { loc: Some("generated".to_owned()), ..UserPlace::default() };
    let mut groups: IndexMap<UserPlace, Vec<&Specialization>> = IndexMap::new();
    for Fixed { one, place } in &all {
        if failed.contains(&(one.at.compile, &*one.sources)) {
            continue;
        }
        let is_equal = one.reason.as_deref() == Some("find") && place.loc.is_none();
        let line = lines.get(&(one.at.compile, &*one.value)).filter(|_| is_equal);
        // All lines of generated functions are one.
        let place = line.copied().unwrap_or(place);
        let is_own = place.file.as_deref().is_none_or(|file| !is_generated(file));
        let line = if is_own { UserPlace { function: None, ..place.clone() } } else { generated.clone() };
        groups.entry(line).or_default().push(one);
    }
    let again = Again::of(chains);
    groups.into_values().filter_map(|same| finding(model, &again, &same)).collect()
}

/// A size that was fixed, and the user's line.
struct Fixed<'m> {
    one: &'m Specialization,
    place: UserPlace,
}

fn finding(model: &Model, versions: &Again, same: &[&Specialization]) -> Option<Finding> {
    // Nobody can write the name of a value that a graph break left behind.
    let one = same.iter().find(|one| !is_left_by_break(&name(one))).or_else(|| same.first())?;
    let place = UserPlace::of_specialization(model, one);
    let mut sizes: IndexMap<(String, &str), &Specialization> = IndexMap::new();
    for one in same {
        sizes.entry((name(one), &one.value)).or_insert(one);
    }
    let first = name(one);
    let generated = place.file.as_deref().is_some_and(is_generated);
    let (size, plural) =
        if same.iter().all(|one| is_size(one)) { ("size", "sizes") } else { ("number", "numbers") };
    let has_name = !is_left_by_break(&first);
    let names: IndexSet<&str> = sizes.keys().map(|(name, _)| name.as_str()).collect();
    let things = count(names.len(), size, plural);
    let title = title(one, names.len(), things.into(), sizes.len(), generated);
    let title = without_value(title, model, same);
    let changing = same.iter().filter_map(|one| versions.changing(one.at.compile, name(one)));
    let changing: TextSet<Changing> = changing.collect();
    let mut again: Vec<CompileIndex> =
        changing.iter().flat_map(|one| versions.because_of(one)).copied().collect();
    again.sort_unstable();
    again.dedup();
    // A resulting recompile has its own finding; compiled autograd's functions are not the user's.
    let is_weights = same.iter().all(|one| is_of_weight(model, one));
    // An assertion is there to hold for one size.
    let is_asserted = place.loc.as_deref().is_some_and(|loc| loc.trim().starts_with("assert "));
    let is_known = generated || is_weights || is_asserted || !has_name || !again.is_empty();
    let severity = if is_known { Severity::Info } else { Severity::Warning };
    let mut found = Finding::new(KindOfFinding::Specialization, severity, title);
    let is_own = place.loc.is_some() && place.file.as_deref().is_some_and(|file| !is_library(file));
    if generated {
        let id = model.compiles.get(one.at.compile).and_then(|compile| compile.id.as_ref());
        let of_autograd = id.is_some_and(CompileId::is_of_compiled_autograd);
        found.say("generated", &[("who", if of_autograd { "Compiled autograd" } else { "Torch" })]);
    } else if is_weights {
        found.say("of_weight", &[]);
    } else {
        let line = if place.loc.is_some() { "The line" } else { "Something" };
        found.say(size, &[("line", line)]);
    }
    if is_own && !is_weights && has_name {
        found.say("own_line", &[("thing", size), ("name", &first)]);
    }
    found.stack = one.user_stack.as_deref().map(|s| text_frames(model, s)).unwrap_or_default();
    let lines = sizes.iter().map(|((name, value), one)| {
        let reason = one.reason.as_deref().unwrap_or("no reason recorded");
        let line = format!("{name} = {value}  ({}, {}, {reason})", one.symbol, one.sources.join(", "));
        without_stack_values(&line)
    });
    found.fact("Sizes", Value::Code(lines.collect()));
    found.compiles = same.iter().map(|one| one.at.compile).collect::<IndexSet<_>>().into_iter().collect();
    let words = format!("compiling {} again", counted(again.len(), "version", "versions"));
    found.claim(Claim::avoidable(Work::Compile, again, words).listed());
    // Lines of several generated functions have no place in common.
    found.place = if generated { UserPlace::default() } else { place.clone() };
    found.count = same.len() as u64;
    found.reason = format!("{} fixed", found.place.loc.as_deref().unwrap_or_default().trim());
    Some(found)
}

/// ``3 sizes were fixed to constants, among them `x.shape[0]` to 4``: of so many names, in words too, and so many values.
fn title(one: &Specialization, names: usize, things: Sentence, values: usize, generated: bool) -> Sentence {
    let first = name(one);
    let has_name = !is_left_by_break(&first);
    let fixed: Sentence =
        if has_name { sentence::code(&first).into() } else { Sentence::from(LEFT_BY_BREAK).capitalized() };
    let constant = if is_size(one) { sentence::value(value(one)) } else { sentence::quoted(value(one)) };
    let place = if generated { " in code that torch generated" } else { "" };
    match (names, values) {
        (1, 1) => sentence![fixed, " was fixed to ", constant, place],
        (1, _) => {
            let all = sentence![" was fixed to ", count(values, "constant", "constants"), place];
            sentence![fixed, all, ", first to ", constant]
        }
        _ if has_name => {
            sentence![things, " were fixed to constants", place, ", among them ", fixed, " to ", constant]
        }
        _ => sentence![things, " were fixed to constants", place],
    }
}

/// The title, which in a redacted report does not tell the value of a number of the program.
fn without_value(title: Sentence, model: &Model, same: &[&Specialization]) -> Sentence {
    if !title.parts().iter().any(|part| matches!(part, SentencePart::Quoted(_))) {
        return title;
    }
    let functions = in_functions(model, same.iter().map(|one| one.at.compile));
    title.or_redacted(sentence![KindOfFinding::Specialization.label(), functions])
}

/// Lines that multiply a tensor by a weight.
const PRODUCTS: [&str; 7] = ["linear(", " @ ", "matmul(", "mm(", "einsum(", "conv", "layer_norm("];

/// Whether a size is that of a weight: the line multiplies, and a parameter of the compile has the same size.
fn is_of_weight(model: &Model, one: &Specialization) -> bool {
    let lines = one.user_stack.iter().chain(&one.stack).flat_map(|stack| stack.iter());
    let multiplies = lines
        .filter_map(|frame| frame.loc.as_deref())
        .any(|line| PRODUCTS.iter().any(|product| line.contains(product)));
    let inputs =
        model.compiles.get(one.at.compile).map(|compile| compile.inputs.as_slice()).unwrap_or_default();
    is_size(one)
        && multiplies
        && inputs.iter().any(|input| input.tensor.parameter && input.tensor.sizes.contains(&one.value))
}

/// Whether a line is of a function that compiled autograd wrote.
fn is_generated(file: &str) -> bool {
    file.starts_with("<eval_with_key>")
}

/// Whether what was fixed is a size, a stride or an offset of a tensor, not a number of Python.
fn is_size(one: &Specialization) -> bool {
    let of_tensor = |source: &String| {
        [".size()", ".stride()", ".storage_offset()"].iter().any(|call| source.contains(call))
    };
    one.sources.is_empty() || one.sources.iter().any(of_tensor)
}

/// The constant: torch writes 15 decimals of a number that has fewer.
fn value(one: &Specialization) -> String {
    match one.value.contains('.').then(|| one.value.parse::<f64>()) {
        Some(Ok(number)) => number.to_string(),
        _ => one.value.clone(),
    }
}

/// What was fixed, as a user writes it.
fn name(one: &Specialization) -> String {
    one.sources.first().map_or_else(|| one.symbol.clone(), |source| size_as_written(source))
}
