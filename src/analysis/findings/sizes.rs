//! Sizes that could have varied and were fixed to one value.

use super::{Finding, Kind, Place, Severity, Value, counted, own_frame, place_of, recompiles, time_of};
use crate::analysis::recompile_advice::expression;
use crate::analysis::{Chain, recompile_chains};
use crate::model::{Model, Specialisation};
use indexmap::IndexMap;

/// One finding a user line: what a line needs as a number is fixed there, be it one size or many.
pub(super) fn of_log(model: &Model) -> Vec<Finding> {
    type Key = (Option<String>, Option<u64>, Option<String>);
    let mut groups: IndexMap<Key, Vec<&Specialisation>> = IndexMap::new();
    for one in &model.shapes.specialisations {
        let place = place(model, one);
        groups.entry((place.file, place.line, place.loc)).or_default().push(one);
    }
    let chains = recompile_chains(model);
    groups.into_values().filter_map(|same| finding(model, &chains, &same)).collect()
}

fn finding(model: &Model, chains: &[Chain<'_>], same: &[&Specialisation]) -> Option<Finding> {
    let one = same.first()?;
    let place = place(model, one);
    let mut sizes: IndexMap<(String, &str), &Specialisation> = IndexMap::new();
    for one in same {
        sizes.entry((name(one), &one.value)).or_insert(one);
    }
    let first = name(one);
    let title = match sizes.len() {
        1 => format!("`{first}` was fixed to {}", one.value),
        n => format!(
            "{} were fixed to constants, among them `{first}` to {}",
            counted(n, "size", "sizes"),
            one.value
        ),
    };
    // Compiled autograd writes its own functions: their lines are not the reader's.
    let generated = place.file.as_deref().is_some_and(|file| file.starts_with('<'));
    let severity = if generated { Severity::Info } else { Severity::Warning };
    let mut found = Finding::new(Kind::Specialization, severity, title);
    let line = if place.loc.is_some() { "The line needed the number" } else { "Something needed the number" };
    found.detail = Some(format!(
        "{line}, so a dynamic size became a constant. Another size compiles again, or fails where the dimension was \
         marked as dynamic."
    ));
    found.stack = one.user_stack.as_deref().map(|s| super::frames(model, s)).unwrap_or_default();
    if !generated {
        found.hints = vec![format!(
            "If the size should stay dynamic, do not compare or combine `{first}` with a fixed number at this line."
        )];
    }
    let lines = sizes.iter().map(|((name, value), one)| {
        let reason = one.reason.as_deref().unwrap_or("no reason recorded");
        format!("{name} = {value}  ({}, {}, {reason})", one.symbol, one.sources.join(", "))
    });
    found.fact("Sizes", Value::Code(lines.collect()));
    let mut again: Vec<usize> = Vec::new();
    for one in same {
        found.compiles.extend((!found.compiles.contains(&one.at.compile)).then_some(one.at.compile));
        again.extend(recompiles::caused_by(chains, one.at.compile, &name(one)));
    }
    again.sort_unstable();
    again.dedup();
    let words = format!("compiling {} again", counted(again.len(), "version", "versions"));
    found.costs(time_of(model, &again), words, again);
    found.place = place;
    found.count = same.len() as u64;
    found.reason = format!("{} fixed", found.place.loc.as_deref().unwrap_or_default().trim());
    Some(found)
}

/// What was fixed, as a user writes it.
fn name(one: &Specialisation) -> String {
    one.sources.first().map_or_else(|| one.symbol.clone(), |source| expression(source))
}

/// The user's line that needed the number.
pub(in crate::analysis) fn place(model: &Model, one: &Specialisation) -> Place {
    let frames = one.user_stack.as_deref().map(|stack| super::frames(model, stack)).unwrap_or_default();
    own_frame(&frames).or(frames.last()).map_or_else(|| super::defined_at(model, one.at.compile), place_of)
}
