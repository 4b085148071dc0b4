//! Sizes that could have varied and were fixed to one value.

use super::basis::{Basis, Family};
use super::cost::{ChargeOrder, Claim, Work};
use super::finding::{Finding, Severity, Value};
use super::kind::{KindOfFinding, Topic};
use super::recompiles;
use crate::analysis::Chain;
use crate::analysis::recompiles::size_as_written;
use crate::analysis::user_place::{UserPlace, text_frames};
use crate::model::words::counted;
use crate::model::{CompileIndex, Model, Specialization};
use indexmap::IndexMap;

/// Sizes.
pub(super) const FAMILY: Family = Family { kinds: &[&SPECIALIZATION], of_log };

/// A size that could vary was fixed.
static SPECIALIZATION: KindOfFinding = KindOfFinding {
    checked: Some("specialized size"),
    topic: Some(Topic::Shapes),
    charged: ChargeOrder::Specialization,
    ..KindOfFinding::of("specialization", "Specialized")
};

/// The line that needed a size as a number.
#[derive(PartialEq, Eq, Hash)]
struct Line {
    file: Option<String>,
    number: Option<u64>,
    code: Option<String>,
}

/// One finding per line of the user: what a line needs as a number is fixed there, be it one size or many.
fn of_log(Basis { model, chains, .. }: Basis<'_>) -> Vec<Finding> {
    let mut groups: IndexMap<Line, Vec<&Specialization>> = IndexMap::new();
    for one in &model.shapes.specializations {
        let UserPlace { file, line, loc, .. } = UserPlace::of_specialization(model, one);
        groups.entry(Line { file, number: line, code: loc }).or_default().push(one);
    }
    groups.into_values().filter_map(|same| finding(model, chains, &same)).collect()
}

fn finding(model: &Model, chains: &[Chain<'_>], same: &[&Specialization]) -> Option<Finding> {
    let one = same.first()?;
    let place = UserPlace::of_specialization(model, one);
    let mut sizes: IndexMap<(String, &str), &Specialization> = IndexMap::new();
    for one in same {
        sizes.entry((name(one), &one.value)).or_insert(one);
    }
    let first = name(one);
    let title = match sizes.len() {
        1 => format!("`{first}` was fixed to {}", one.value),
        several => format!(
            "{} were fixed to constants, among them `{first}` to {}",
            counted(several, "size", "sizes"),
            one.value
        ),
    };
    // Compiled autograd writes its own functions: their lines are not the reader's.
    let generated = place.file.as_deref().is_some_and(|file| file.starts_with('<'));
    let severity = if generated { Severity::Info } else { Severity::Warning };
    let mut found = Finding::new(&SPECIALIZATION, severity, title);
    let line = if place.loc.is_some() { "The line needed the number" } else { "Something needed the number" };
    found.detail = Some(format!(
        "{line}, so a dynamic size became a constant. Another size compiles again, or fails where the dimension was \
         marked as dynamic."
    ));
    found.stack = one.user_stack.as_deref().map(|s| text_frames(model, s)).unwrap_or_default();
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
    let mut again: Vec<CompileIndex> = Vec::new();
    for one in same {
        found.compiles.extend((!found.compiles.contains(&one.at.compile)).then_some(one.at.compile));
        again.extend(recompiles::caused_by(chains, one.at.compile, &name(one)));
    }
    again.sort_unstable();
    again.dedup();
    let words = format!("compiling {} again", counted(again.len(), "version", "versions"));
    found.claim(Claim::avoidable(Work::Compile, again, words).listed());
    found.place = place;
    found.count = same.len() as u64;
    found.reason = format!("{} fixed", found.place.loc.as_deref().unwrap_or_default().trim());
    Some(found)
}

/// What was fixed, as a user writes it.
fn name(one: &Specialization) -> String {
    one.sources.first().map_or_else(|| one.symbol.clone(), |source| size_as_written(source))
}
