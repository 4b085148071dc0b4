//! Advice for each kind of change.

use super::super::cause::is_one_call_site;
use super::super::chain::Step;
use super::super::change::Change;
use super::super::kind::{AdviceCase, ChangeKind, KindAdvice};
use super::super::limit::unrecorded;
use super::situation::Situation;
use super::words::says;
use super::{layouts, numbers};
use crate::analysis::findings::Advice;
use crate::analysis::lab::tried;
use crate::analysis::pattern::{Groups, filled};
use crate::analysis::torch_version::TorchVersion;

/// What to do about one thing that changed. Sizes of which the guards say what helps are not among them.
pub(super) fn advice_of(at: &Situation<'_>) -> Vec<Advice> {
    let Some(kind) = at.subject.kind else {
        return if unrecorded(at.model).is_some() { Vec::new() } else { says("no_reason", &[]) };
    };
    let of_kind = match kind {
        ChangeKind::Number => of_row(at, kind).or_else(|| Some(numbers::of_number(at))),
        ChangeKind::NumberRelation => Some(numbers::of_relation(at)),
        ChangeKind::Stride => Some(layouts::of_stride(at)),
        _ if at.change().is_some_and(|change| change.is_own_effect) && !kind.is_state() => {
            Some(says("own_effect", &[("value", &at.subject("the value"))]))
        }
        _ if at.is_another_module() => Some(says("another_module", &[])),
        _ => of_state(at, kind).map(|text| vec![text.into()]).or_else(|| of_row(at, kind)),
    };
    of_kind.unwrap_or_default().into_iter().chain(limit(at, kind)).collect()
}

/// The first advice in `change_kinds.toml` that applies.
pub(super) fn of_row(at: &Situation<'_>, kind: ChangeKind) -> Option<Vec<Advice>> {
    let mut groups = Groups::new();
    if let Some(source) = at.subject.source() {
        groups.insert("source", format!("`{source}`"));
        groups.insert("inputs", format!("`{}`", source.replace(", ", "` and `")));
    }
    let dimension = at.change().and_then(|change| change.dimension);
    groups.extend(dimension.map(|dimension| ("dimension", dimension.to_string())));
    groups.insert("backends", (at.subject.changes.len() + 1).to_string());
    groups.insert("threads", threads(at));
    let mut rows = kind.facts().advice.iter();
    let row = rows.find(|row| applies(at, row, &mut groups))?;
    let text = filled(&row.text, &groups)?;
    let code = row.code.as_deref().and_then(|code| filled(code, &groups));
    Some(vec![Advice { code, tried: row.tried.as_deref().and_then(tried), ..Advice::from(text) }])
}

/// A limit that holds all values: torch keeps so many versions.
fn limit(at: &Situation<'_>, kind: ChangeKind) -> Vec<Advice> {
    let is_value = matches!(kind, ChangeKind::Text | ChangeKind::EnumMember | ChangeKind::Value);
    if is_value && at.chain.limit_hit() { says("few_values", &[]) } else { Vec::new() }
}

/// What concerns all kinds of containers and attributes.
fn of_state(at: &Situation<'_>, kind: ChangeKind) -> Option<String> {
    if !kind.is_state() {
        return None;
    }
    if at.subject.expected {
        let text = "The first step of an optimizer makes its state; the version without it is needed once. Expected.";
        return Some(text.to_owned());
    }
    let is_module = at.subject.source().is_some_and(|source| {
        ["._modules", "._parameters", "._buffers"].iter().any(|part| source.ends_with(part))
    });
    is_module.then(|| {
        "One compiled function is called for modules of different structure: a version for each is expected. Where the \
         modules follow each other, one compile of the function that calls them all serves them."
            .to_owned()
    })
}

/// Whether an advice applies; adds what its text names.
fn applies(at: &Situation<'_>, row: &'static KindAdvice, groups: &mut Groups) -> bool {
    let source = at.subject.source().unwrap_or_default();
    let torch = TorchVersion::of(at.model);
    row.since.is_none_or(|since| torch >= Some(since))
        && row.source.as_ref().is_none_or(|pattern| pattern.holds(source, groups))
        && row.case.is_none_or(|case| is_case(at, case, groups))
}

fn is_case(at: &Situation<'_>, case: AdviceCase, groups: &mut Groups) -> bool {
    match case {
        AdviceCase::Bound32 => is_32_bit(at.condition()),
        AdviceCase::OfParameter => at.change().is_some_and(|change| change.of_parameter),
        AdviceCase::Grows => {
            let values: Vec<u64> =
                at.subject.values().iter().filter_map(|value| value.parse().ok()).collect();
            at.chain.limit_hit() && values.len() > 2 && values.is_sorted_by(|one, next| one < next)
        }
        AdviceCase::LimitHit => at.chain.limit_hit(),
        AdviceCase::OwnEffect => at.change().is_some_and(|change| change.is_own_effect),
        AdviceCase::Key => {
            let sources = at.steps().filter_map(Step::reason).filter_map(|reason| reason.source.as_ref());
            let selected = at.subject.source().and_then(|key| {
                sources.map(|source| source.code.as_str()).find_map(|code| numbers::selected(code, key))
            });
            groups.extend(selected.map(|selected| ("selected", selected)));
            groups.contains_key("selected")
        }
        AdviceCase::ClassMadeAnew => class_made_anew(at, groups).is_some(),
        AdviceCase::OneCallSite => {
            let is_backend = |change: &Change| change.kind == ChangeKind::Backend;
            let mut steps = at.chain.steps.iter().filter(|step| step.change.as_ref().is_some_and(is_backend));
            steps.any(|step| is_one_call_site(at.model, step))
        }
    }
}

/// The largest 32-bit index: beyond it, kernels use 64-bit indices.
const LAST_32_BIT: f64 = 2_147_483_647.0;

fn is_32_bit(condition: &str) -> bool {
    let mut numbers =
        condition.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse::<f64>().ok());
    numbers.any(|number| number >= LAST_32_BIT)
}

/// The threads that recorded the recompiles, where they differ.
fn threads(at: &Situation<'_>) -> String {
    let mut threads: Vec<u64> = at.chain.steps.iter().filter_map(|step| step.writer).collect();
    threads.sort_unstable();
    threads.dedup();
    match threads.len() {
        0 | 1 => String::new(),
        _ => {
            let ids: Vec<String> = threads.iter().map(u64::to_string).collect();
            format!(" (here {})", ids.join(", "))
        }
    }
}

/// The class and the function that defines it, of `__main__.make.<locals>.Net`, where versions differ in a class of one name.
fn class_made_anew(at: &Situation<'_>, groups: &mut Groups) -> Option<()> {
    let values = at.subject.values();
    let [class] = values.as_slice() else { return None };
    let (function, class) = class.rsplit_once(".<locals>.")?;
    let function = function.rsplit('.').next().unwrap_or(function);
    groups.extend([("class", class.to_owned()), ("function", function.to_owned())]);
    (at.subject.changes.len() > 1).then_some(())
}

#[cfg(test)]
mod tests;
