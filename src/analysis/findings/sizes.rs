//! Sizes that could have varied and were fixed to one value.

use super::{Finding, Kind, Place, Severity, Value, change, own_frame, place_of};
use crate::model::{Model, Specialization};
use indexmap::IndexMap;

/// One finding a source, value and user line.
pub(super) fn of_log(model: &Model) -> Vec<Finding> {
    let mut groups: IndexMap<(Vec<String>, String, Option<String>, Option<u64>), Vec<&Specialization>> =
        IndexMap::new();
    for one in &model.specializations {
        let place = place(model, one);
        groups.entry((one.sources.clone(), one.value.clone(), place.file, place.line)).or_default().push(one);
    }
    groups.into_values().filter_map(|same| finding(model, &same)).collect()
}

fn finding(model: &Model, same: &[&Specialization]) -> Option<Finding> {
    let one = same.first()?;
    let subject = one.sources.first().map_or_else(|| one.symbol.clone(), |source| subject(source));
    let title = format!("`{subject}` was fixed to {}", one.value);
    let mut found = Finding::new(Kind::Specialization, Severity::Warning, title);
    found.place = place(model, one);
    found.stack = one.user_stack.as_deref().map(|s| super::frames(model, s)).unwrap_or_default();
    let line =
        if found.place.loc.is_some() { "The line needed the number" } else { "Something needed the number" };
    found.detail = Some(format!(
        "{line}, so the dynamic size `{}` became a constant. Another size compiles again, or fails where the dimension \
         was marked as dynamic.",
        one.symbol
    ));
    found.hints = vec![format!(
        "If the size should stay dynamic, do not compare or combine `{subject}` with a fixed number at this line."
    )];
    found.fact("Symbol", Value::Code(vec![one.symbol.clone()]));
    found.fact("Source", Value::Code(one.sources.clone()));
    if let Some(reason) = &one.reason {
        let words = match reason.as_str() {
            "range_refined_to_singleton" => "guards left only this value (range_refined_to_singleton)",
            reason => reason,
        };
        found.fact("Reason", Value::Prose(words.to_owned()));
    }
    for other in same {
        if !found.compiles.contains(&other.compile) {
            found.compiles.push(other.compile);
        }
    }
    found.count = same.len() as u64;
    found.reason = format!("{subject} {}", one.value);
    Some(found)
}

/// `L['x'].size()[0]` as `x.shape[0]`
fn subject(source: &str) -> String {
    change::plain(source).replace(".size()[", ".shape[")
}

fn place(model: &Model, one: &Specialization) -> Place {
    let frames = one.user_stack.as_deref().map(|stack| super::frames(model, stack)).unwrap_or_default();
    own_frame(&frames).or(frames.last()).map_or_else(|| super::defined_at(model, one.compile), place_of)
}
