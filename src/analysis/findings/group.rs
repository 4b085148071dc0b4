//! Many findings of one reason as one.

use super::{Finding, Kind, rank};
use indexmap::IndexMap;

/// Findings of one reason that stand each for itself; more are one entry with a table.
const SINGLE: usize = 10;

/// Findings of one kind and reason are one where there are more than ten.
pub(super) fn same_reasons(findings: Vec<Finding>) -> Vec<Finding> {
    let mut groups: IndexMap<(Kind, String), Vec<Finding>> = IndexMap::new();
    for one in findings {
        groups.entry((one.kind, one.reason.clone())).or_default().push(one);
    }
    let joined =
        groups.into_values().flat_map(|same| if same.len() > SINGLE { vec![join(same)] } else { same });
    joined.collect()
}

fn join(mut same: Vec<Finding>) -> Finding {
    rank(&mut same);
    let Some(first) = same.first() else {
        return Finding::new(Kind::Notice, super::Severity::Info, String::new());
    };
    let mut group = first.clone();
    let places = same.len();
    group.title = title(first, places);
    group.count = same.iter().map(|one| one.count).sum();
    group.facts.clear();
    group.stack.clear();
    group.costs.clear();
    let costs: Vec<f64> = same.iter().filter_map(|one| one.cost_us).collect();
    group.cost_us = (!costs.is_empty()).then(|| costs.iter().sum());
    let mut compiles: Vec<usize> = same.iter().flat_map(|one| one.compiles.iter().copied()).collect();
    compiles.sort_unstable();
    compiles.dedup();
    group.compiles = compiles;
    group.members = same;
    group
}

/// The first finding's sentence, without what is its own.
fn title(first: &Finding, places: usize) -> String {
    let own = |text: &str| text.split_once(": ").map(|(_, what)| what.to_owned());
    match first.kind {
        Kind::Recompilation => {
            let what = own(&first.title).unwrap_or_default();
            format!("{places} functions were compiled again: {what}")
        }
        Kind::RecompileLimit => {
            let what = own(&first.title).unwrap_or_default();
            format!("{places} functions run uncompiled: {what}")
        }
        Kind::Failure => {
            let what = own(&first.title).unwrap_or_default();
            format!("{places} functions were not compiled: {what}")
        }
        _ => format!("{} in {places} places", first.title),
    }
}
