//! What the entry of a finding says, on the landing page and in report.md.

use crate::analysis::Finding;
use crate::analysis::findings::{CostDetail, EntryKey, Value};
use crate::limits::{IN_HEAD, NAMED_BRIEFLY};
use crate::model::{Compile, CompileIndex};
use crate::report::doc::{Cell, Fact, log, own, place};
use crate::report::kit::formats::{and_more, cost_part};
use crate::report::kit::links;
use crate::report::kit::record_files::record_files;
use crate::report::subject::Report;

/// The label of the place.
pub(crate) const WHERE: &str = "Where";

/// What its entry says beside its title, its compiles and its advice.
pub(crate) fn facts<'m>(report: Report<'m>, one: &'m Finding) -> Vec<Fact<'m>> {
    let mut facts = Vec::new();
    if let Some(file) = one.place.file.as_deref().filter(|_| one.members.is_empty()) {
        let at = place_at(Some(file), one.place.line);
        let function = one.place.function.as_deref();
        let at = match function {
            Some(name) => Cell::Beside(vec![at, " in ".into(), Cell::Function(name.into())], ""),
            None => at,
        };
        facts.push(Fact::new(WHERE, at));
    }
    if !one.cost_parts.is_empty() && one.kind.facts().costs != CostDetail::SumOnly {
        facts.push(Fact::new("What it cost", costs(report, one)));
    }
    for fact in one.facts.iter().filter(|fact| !is_said(one, &fact.value)) {
        if let Some(value) = value(&fact.value) {
            facts.push(Fact::new(fact.label, value));
        }
    }
    if let Some(page) = &one.read_more {
        let value = Cell::LogLink { words: page.name.clone(), url: page.url.as_str().into() };
        facts.push(Fact::new("Read more", value));
    }
    let evidence = if one.members.is_empty() { evidence(report, one) } else { Vec::new() };
    if !evidence.is_empty() {
        facts.push(Fact::new("Evidence", Cell::Beside(evidence, ", ")));
    }
    facts
}

/// A place as the model has it.
pub(crate) fn place_at(file: Option<&str>, line: Option<u64>) -> Cell<'_> {
    place(file, line.and_then(|line| line.try_into().ok()))
}

/// The compiles that have an id.
pub(crate) fn compiles<'m>(report: Report<'m>, indices: &[CompileIndex]) -> Vec<&'m Compile> {
    let compiles = indices.iter().filter_map(|index| report.model.compiles.get(*index));
    compiles.filter(|compile| compile.id.is_some()).collect()
}

/// The first of these compiles.
pub(crate) fn some<'m>(compiles: Vec<&'m Compile>, most: usize) -> Cell<'m> {
    Cell::SomeCompiles { compiles, most, beside_names: false }
}

/// Whether the title contains the value already: `BackendCompilerFailed: ..`.
fn is_said(one: &Finding, value: &Value) -> bool {
    match value {
        Value::Code(texts) => texts.iter().all(|text| one.title.text().contains(text)),
        _ => false,
    }
}

fn costs<'m>(report: Report<'m>, one: &'m Finding) -> Cell<'m> {
    let parts = one.cost_parts.iter().map(|part| {
        let words = log(cost_part(part));
        let compiles = compiles(report, &part.compiles);
        match one.kind.facts().costs == CostDetail::WithCompiles && !compiles.is_empty() {
            true => Cell::Beside(vec![words, some(compiles, IN_HEAD)], " "),
            false => words,
        }
    });
    Cell::Beside(parts.collect(), "; ")
}

/// A fact's value; a chain is on the page of recompilations.
fn value(value: &Value) -> Option<Cell<'_>> {
    match value {
        Value::Prose(text) | Value::Change(text) => Some(Cell::Prose(text.into())),
        Value::Code(texts) => Some(Cell::Stacked(texts.iter().map(|text| Cell::Code(text.into())).collect())),
        Value::Chain(_) => None,
    }
}

/// Links to the records behind a finding, and to the page of its topic.
fn evidence<'m>(report: Report<'m>, one: &'m Finding) -> Vec<Cell<'m>> {
    let records = record_files(report, &one.compiles, &one.kind.facts().records);
    let count = records.len();
    let mut links: Vec<Cell<'m>> = records
        .into_iter()
        .take(NAMED_BRIEFLY)
        .map(|record| Cell::File {
            path: record.path,
            name: format!("{}_{}", record.artifact.name, record.artifact.number).into(),
        })
        .collect();
    links
        .extend((count > NAMED_BRIEFLY).then(|| own(and_more(count, NAMED_BRIEFLY).trim_start().to_owned())));
    let page = one.kind.facts().topic.and_then(|topic| report.topic_page(topic));
    links.extend(page.map(|(page, words)| {
        let (page, words) = match one.entry {
            Some(EntryKey::Chain(place)) if one.members.is_empty() => (links::chain(report, place), words),
            Some(EntryKey::Break(place)) => {
                let anchor = links::graph_break_anchor(place);
                (format!("{}#{anchor}", links::GRAPH_BREAKS), "the call stack, and each time it was hit")
            }
            _ => (page, words),
        };
        Cell::from(words).linked(page)
    }));
    links
}
