//! What torch.export found wanting: operators without a right fake kernel, expressions that only data decides.

use super::{Finding, Kind, Severity, Value, own_frame, place_of};
use crate::model::{ExportProblem, Model};
use indexmap::IndexMap;

/// One finding an event, subject and place.
pub(super) fn of_log(model: &Model) -> Vec<Finding> {
    type Key<'m> = (&'m str, &'m str, Option<(String, u64)>, Option<&'m str>);
    let mut groups: IndexMap<Key<'_>, Vec<&ExportProblem>> = IndexMap::new();
    for one in &model.export_problems {
        let frames = one.user_stack.as_deref().map(|s| super::frames(model, s)).unwrap_or_default();
        let place = own_frame(&frames).map(|frame| (frame.0.clone(), frame.1));
        groups.entry((&one.event, &one.subject, place, one.result.as_deref())).or_default().push(one);
    }
    groups.into_values().filter_map(|same| finding(model, &same)).collect()
}

fn finding(model: &Model, same: &[&ExportProblem]) -> Option<Finding> {
    let one = same.first()?;
    let subject = &one.subject;
    let (title, detail, hint) = match one.event.as_str() {
        "missing_fake_kernel" => (
            format!("`{subject}` has no fake kernel"),
            "Export has to know the shape of what an operator returns without running it.",
            "Register one: `torch.library.register_fake`.",
        ),
        "mismatched_fake_kernel" => (
            format!("the fake kernel of `{subject}` disagrees with the real one"),
            "What export assumes of the operator is not what it does.",
            "Make the fake kernel return what the operator returns.",
        ),
        _ => (
            format!("`{subject}` depends on data"),
            "Only the data of a tensor tells the value. Export assumed the one that it saw.",
            "State what always holds with `torch._check(..)`, so that nothing has to be assumed.",
        ),
    };
    let mut found = Finding::new(Kind::Export, Severity::Warning, title);
    found.detail = Some(detail.to_owned());
    found.hints = vec![hint.to_owned()];
    if let Some(result) = &one.result {
        let label = if one.event.ends_with("fake_kernel") { "Reason" } else { "Assumed" };
        found.fact(label, Value::Code(vec![result.clone()]));
    }
    found.stack = one.user_stack.as_deref().map(|s| super::frames(model, s)).unwrap_or_default();
    if let Some(frame) = own_frame(&found.stack) {
        found.place = place_of(frame);
    }
    found.count = same.len() as u64;
    for other in same {
        if !found.compiles.contains(&other.compile) {
            found.compiles.push(other.compile);
        }
    }
    Some(found)
}
