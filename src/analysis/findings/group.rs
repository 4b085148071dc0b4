//! Many findings with one reason become one.

use super::cost::Cost;
use super::finding::{Finding, Value};
use super::kind::{KindOfFinding, Topic};
use super::ranking::rank;
use super::settle;
use crate::limits::FIRST;
use crate::model::Sentence;
use crate::model::sentence::{count, sentence};
use crate::model::words::counted;
use indexmap::IndexMap;

/// Findings of one kind and reason are one where there are more than ten.
pub(super) fn same_reasons(findings: Vec<Finding>) -> Vec<Finding> {
    let mut groups: IndexMap<(KindOfFinding, String), Vec<Finding>> = IndexMap::new();
    for one in findings {
        groups.entry((one.kind, one.reason.clone())).or_default().push(one);
    }
    let joined = groups
        .into_values()
        .flat_map(|same| if same.len() > FIRST { Vec::from_iter(join(same)) } else { same });
    joined.collect()
}

/// Chains of one function that torch compiled anew, each with the same changes, are one finding.
pub(super) fn compiled_anew(findings: Vec<Finding>) -> Vec<Finding> {
    type Key = (KindOfFinding, String, Option<String>, Option<u64>);
    let mut chains: IndexMap<Key, Vec<Finding>> = IndexMap::new();
    let mut rest = Vec::new();
    for one in findings {
        match one.chain() {
            None => rest.push(one),
            Some(_) => {
                let key = (one.kind, one.title.text(), one.place.file.clone(), one.place.line);
                chains.entry(key).or_default().push(one);
            }
        }
    }
    rest.splice(0..0, chains.into_values().filter_map(anew));
    rest
}

/// The first of equal chains with what all of them cost and concern.
fn anew(mut same: Vec<Finding>) -> Option<Finding> {
    let times = same.len();
    if times < 2 {
        return same.pop();
    }
    let cost = cost(&same).map(|cost| Cost { why: format!("{}, {times} times", cost.why), ..cost });
    let count = same.iter().map(|one| one.count).sum();
    let compiles = same.iter().flat_map(|one| one.compiles.iter().copied()).collect();
    let mut parts = Vec::new();
    same.iter().flat_map(|one| &one.cost_parts).for_each(|part| settle::add_part(&mut parts, part.clone()));
    let mut first = same.into_iter().next()?;
    first.title = first.title.qualified(sentence![", in ", times, " chains"]);
    let anew = format!("{times}: torch compiled the function anew, each time with the same changes");
    first.fact("Chains", Value::Prose(anew));
    (first.cost, first.count, first.compiles, first.cost_parts) = (cost, count, compiles, parts);
    Some(first)
}

/// The most important one with what all of them cost and concern; None of no findings.
fn join(mut same: Vec<Finding>) -> Option<Finding> {
    rank(&mut same);
    let first = same.first()?;
    let mut group = first.clone();
    group.title = title(first, same.len());
    group.count = same.iter().map(|one| one.count).sum();
    group.facts.clear();
    group.stack.clear();
    group.cost_parts.clear();
    group.cost = cost(&same);
    group.concern(same.iter().flat_map(|one| one.compiles.iter().copied()));
    group.members = same;
    Some(group)
}

/// The title of many findings, from the most important of them.
fn title(first: &Finding, places: usize) -> Sentence {
    let facts = first.kind.facts();
    match &facts.grouped {
        Some(words) => sentence![places, words.as_str(), first.shared.clone()],
        None if facts.topic == Some(Topic::Performance) => {
            sentence![first.title.clone(), ", and ", count(places.saturating_sub(1), "other", "others")]
        }
        None => sentence![first.title.clone(), " in ", places, " places"],
    }
}

/// What the members cost together: what was lost, else what was expected.
fn cost(same: &[Finding]) -> Option<Cost> {
    let costs = || same.iter().filter_map(|one| one.cost.as_ref());
    let kind = costs().map(|cost| cost.kind).max_by_key(|kind| (kind.is_loss(), *kind))?;
    let us = costs().filter(|cost| cost.kind.is_loss() == kind.is_loss()).map(|cost| cost.us).sum();
    Some(Cost { us, kind, why: format!("in {} together", counted(same.len(), "place", "places")) })
}
