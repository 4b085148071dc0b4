//! A layer that occurs many times in one graph, with the same shapes: compiled on its own, it would be compiled once.

use super::basis::Basis;
use super::finding::{Finding, Severity, Value};
use super::kind::KindOfFinding;
use crate::analysis::names::FunctionWords;
use crate::analysis::user_place::UserPlace;
use crate::model::sentence::sentence;
use crate::model::words::counted;
use crate::model::{Compile, CompileIndex, RepeatedLines, Sentence, SentencePart};
use indexmap::IndexMap;

/// Microseconds of a compile from which compiling the layer alone is worth a change.
const LEAST_US: f64 = 5e6;

/// A compile with the layer that its graph repeats.
struct Repeating<'m> {
    compile: CompileIndex,
    lines: &'m RepeatedLines,
    us: f64,
}

/// One finding per layer; the longest compile represents all that repeat the same lines.
pub(super) fn of_log<'m>(Basis { model, .. }: Basis<'m>) -> Vec<Finding> {
    let of = |(compile, one): (CompileIndex, &'m Compile)| {
        // Layers of other shapes would be a graph each, and take longer than the whole.
        let lines = one.repeated.as_deref().filter(|lines| lines.alike)?;
        Some(Repeating { compile, lines, us: one.compile_us().filter(|us| *us >= LEAST_US)? })
    };
    let mut repeating: Vec<Repeating<'_>> = model.compiles.indexed().filter_map(of).collect();
    repeating.sort_by(|one, other| other.us.total_cmp(&one.us));
    let words = FunctionWords::of(model);
    let mut found: IndexMap<UserPlace, Finding> = IndexMap::new();
    for Repeating { compile, lines, us } in repeating {
        let place = UserPlace::of_frame(&lines.first);
        if let Some(known) = found.get_mut(&place) {
            known.compiles.push(compile);
            continue;
        }
        let graph = match words.at(compile) {
            Some(function) => sentence!["the graph of ", function],
            None => "one graph".into(),
        };
        let repeated = sentence!["A layer is repeated ", lines.times, " times in ", graph];
        let title = sentence![repeated, ", which took ", SentencePart::Duration(us), " to compile"];
        let one = Finding { place: place.clone(), compiles: vec![compile], ..finding(title, lines) };
        found.insert(place, one);
    }
    found.into_values().collect()
}

fn finding(title: Sentence, lines: &RepeatedLines) -> Finding {
    let mut found = Finding::new(KindOfFinding::RepeatedLayers, Severity::Info, title);
    let number = counted(lines.lines, "line occurs", "lines occur");
    found.explain(format!(
        "{number} {} times each in the graph; `{}` has the first of them. In one graph, each copy is compiled \
         separately.",
        lines.times, lines.first.function
    ));
    found.fact("Copies", Value::Prose(lines.times.to_string()));
    found
}
