//! From what the findings of a log claim to what each of them costs.

use super::cost::{Cost, CostKind, CostPart};
use super::finding::{Finding, Severity, Value};
use crate::analysis::ledger::{Held, Ledger};
use crate::model::{Compile, Model};
use indexmap::IndexMap;

/// Charges each finding what it claims and nobody was charged for before, in the order of [`ChargeOrder`], then of the
/// findings.
///
/// [`ChargeOrder`]: super::cost::ChargeOrder
pub(super) fn settle(mut ledger: Ledger, model: &Model, findings: &mut [Finding]) {
    let mut order: Vec<usize> = (0..findings.len()).collect();
    order.sort_by_key(|&index| findings.get(index).map(|one| one.kind.facts().charged));
    let titles: Vec<String> = findings.iter().map(|one| one.title.text()).collect();
    for index in order {
        let Some(one) = findings.get_mut(index) else { continue };
        let mut held: Vec<Held> = Vec::new();
        for claim in std::mem::take(&mut one.claims) {
            let granted = ledger.charge(index, &claim);
            held.extend(granted.held);
            if granted.us > 0.0 {
                let compiles = if claim.lists_compiles { claim.compiles } else { Vec::new() };
                let part = CostPart { us: granted.us, kind: claim.kind, what: claim.what, compiles };
                add_part(&mut one.cost_parts, part);
            }
        }
        one.cost = sum(&one.cost_parts);
        if one.cost.as_ref().is_some_and(|cost| cost.kind == CostKind::Expected)
            && one.severity == Severity::Warning
        {
            one.severity = Severity::Info;
        }
        if let Some(words) = elsewhere(model, &titles, &held) {
            one.fact("Counted elsewhere", Value::Prose(words));
        }
    }
}

/// Adds a part of a cost, merged with one that is the same work.
pub(super) fn add_part(parts: &mut Vec<CostPart>, part: CostPart) {
    match parts.iter_mut().find(|known| known.kind == part.kind && known.what == part.what) {
        Some(known) => {
            known.us += part.us;
            known.compiles.extend(part.compiles);
        }
        None => parts.push(part),
    }
}

/// What the parts of a finding are together: what was lost where there is any, else what was expected.
pub(super) fn sum(parts: &[CostPart]) -> Option<Cost> {
    let kinds = [CostKind::Avoidable, CostKind::Wasted, CostKind::Expected];
    let kind = kinds.into_iter().find(|kind| parts.iter().any(|part| part.kind == *kind))?;
    let counted = || parts.iter().filter(|part| part.kind.is_loss() == kind.is_loss());
    let mut why: Vec<&str> = counted().map(|part| part.what.as_str()).collect();
    why.dedup();
    Some(Cost { us: counted().map(|part| part.us).sum(), kind, why: why.join("; ") })
}

/// Which findings were charged for compiles that this one is about, too.
fn elsewhere(model: &Model, titles: &[String], held: &[Held]) -> Option<String> {
    let mut findings: IndexMap<usize, Vec<String>> = IndexMap::new();
    for one in held {
        let label = model.compiles.get(one.compile).map(Compile::label);
        findings.entry(one.finding).or_default().extend(label);
    }
    let sentence = |(finding, ids): (usize, Vec<String>)| {
        Some(format!("the time of {} is counted with \"{}\"", ids.join(", "), titles.get(finding)?))
    };
    let sentences: Vec<String> = findings.into_iter().filter_map(sentence).collect();
    (!sentences.is_empty()).then(|| sentences.join("; "))
}
