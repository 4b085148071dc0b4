//! Findings as JSON: for report.json, and for `--json`.

use super::entries::{id, line};
use crate::analysis::findings::{Advice, ChainStep, Fact, Value as Says};
use crate::analysis::{Finding, UserPlace};
use crate::facts::{self, Text};
use crate::limits::LISTED;
use crate::model::words::{file_line, plain};
use crate::model::{CompileIndex, Model};
use crate::report::kit::formats::{cost_part, cost_words, counted, micros};
use crate::report::kit::record_files::record_files;
use crate::report::kit::{links, paths};
use crate::report::subject::Report;

/// How many findings have their own entry on the landing page.
pub(crate) const ENTRIES: usize = 100;

/// The findings of a log, most important first.
pub(crate) fn all(report: Report<'_>) -> impl Iterator<Item = facts::Finding<'static>> + '_ {
    report.found.findings.iter().enumerate().map(move |(index, one)| finding(report, index, one))
}

fn finding(report: Report<'_>, index: usize, one: &Finding) -> facts::Finding<'static> {
    let first = one.compiles.first().and_then(|&index| report.model.compiles.get(index));
    let url = match index < ENTRIES {
        true => Some(format!("{}#finding-{}", paths::landing(report.settings), index + 1)),
        false => first.map(|compile| links::compile(report, compile)),
    };
    facts::Finding {
        detail: detail(report.model, one).map(Text::from),
        compile_ids: ids(report, one),
        members: one.members.iter().take(LISTED).map(|one| member(report, one)).collect(),
        url: url.map(Text::from),
        ..said(one, |advice| evidence(report, one, advice))
    }
}

/// What a finding of a log or of a job says; `evidence` names the files that show that an advice helps.
pub(crate) fn said(one: &Finding, evidence: impl Fn(&Advice) -> Vec<String>) -> facts::Finding<'static> {
    let advice = one.advice.iter().map(|one| facts::Advice {
        text: one.text.clone().into(),
        code: one.code.clone().map(Text::from),
        promise: one.promise.clone().map(Text::from),
        evidence: evidence(one).into_iter().map(Text::from).collect(),
        tried: one.tried.map(|tried| facts::Tried {
            kind: tried.kind.into(),
            torch: tried.versions().map(Text::from).collect(),
        }),
    });
    facts::Finding {
        kind: one.kind_name().to_owned().into(),
        severity: one.severity.word().into(),
        title: one.title.text().into(),
        file: one.place.file.clone().map(Text::from),
        line: line(one.place.line),
        cost: cost(one),
        hint: one.hint().map(Text::from),
        advice: advice.collect(),
        caused_by: one.caused_by.and_then(|place| i64::try_from(place).ok()),
        ..facts::Finding::default()
    }
}

fn member(report: Report<'_>, one: &Finding) -> facts::Member<'static> {
    facts::Member {
        title: one.title.text().into(),
        file: one.place.file.clone().map(Text::from),
        line: line(one.place.line),
        compile_ids: ids(report, one),
        cost: cost(one),
    }
}

fn ids(report: Report<'_>, one: &Finding) -> facts::List<'static, Option<facts::Id<'static>>> {
    let known = one.compiles.iter().filter_map(|&index| report.model.compiles.get(index));
    known.map(|compile| id(&compile.id)).collect()
}

pub(super) fn cost(one: &Finding) -> Option<facts::FindingCost<'static>> {
    one.cost.as_ref().map(|cost| facts::FindingCost {
        seconds: cost.seconds(),
        kind: cost.kind.word().into(),
        why: cost.why.to_string().into(),
    })
}

/// Files with the records that show that an advice helps: the one that proves it, or those that the finding is about.
fn evidence(report: Report<'_>, one: &Finding, advice: &Advice) -> Vec<String> {
    let records = match &advice.proof {
        Some(proof) => record_files(report, &[proof.compile], &[proof.record]),
        None => record_files(report, &one.compiles, &one.kind.facts().records),
    };
    records.into_iter().map(|record| record.path.into_string()).collect()
}

/// What the entry of a finding says beyond title and hint, one line per fact.
fn detail(model: &Model, one: &Finding) -> Option<String> {
    let mut lines: Vec<String> =
        one.place.loc.iter().map(|loc| format!("Source line: {}", loc.trim())).collect();
    lines.extend(one.detail.clone());
    if one.count > 1 {
        lines.push(format!("Times: {}", one.count));
    }
    let costs = one.cost_parts.iter().map(|part| plain(&cost_part(part)));
    let costs: Vec<String> = costs.collect();
    if !costs.is_empty() {
        lines.push(format!("Cost: {}", costs.join("; ")));
    }
    for fact in &one.facts {
        lines.extend(lines_of(model, fact));
    }
    lines.extend(one.read_more.iter().map(|page| format!("Read more: {}, {}", page.name, page.url)));
    lines.extend(one.members.iter().take(LISTED).map(|member| line_of(model, member)));
    let beyond = one.members.len().saturating_sub(LISTED);
    if beyond > 0 {
        lines.push(format!("and {} more", counted(beyond, "place", "places")));
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// One finding of a group in a line.
fn line_of(model: &Model, one: &Finding) -> String {
    let ids: Vec<String> = labels(model, &one.compiles);
    let mut line = format!("{}: {}", ids.join(" "), one.title);
    if let Some(place) = place(one) {
        line.push_str(&format!(" at {place}"));
    }
    for fact in &one.facts {
        match &fact.value {
            Says::Change(text) => line.push_str(&format!(" ({text})")),
            Says::Chain(steps) => {
                let guards = steps.iter().filter_map(|step| step.guard.as_deref());
                line.push_str(&format!(": {}", guards.collect::<Vec<_>>().join("; ")));
            }
            _ => {}
        }
    }
    line
}

/// What acting on a finding saves: what the next run saves, or what it cost.
pub(crate) fn saves(one: &Finding) -> Option<String> {
    let warm = one.warm_us.map(|us| format!("up to {}", micros(us)));
    warm.or_else(|| one.cost.as_ref().map(|cost| cost_words(cost.kind, cost.us)))
}

/// How often it happened, or in how many places.
pub(crate) fn times(one: &Finding) -> String {
    match one.members.len() {
        0 if one.warm_us.is_some() => "in the next run".to_owned(),
        0 => counted(one.count, "time", "times"),
        places => counted(places, "place", "places"),
    }
}

/// `file:line` of a finding.
pub(crate) fn place(one: &Finding) -> Option<String> {
    place_words(&one.place)
}

/// A place as `file:line`.
pub(crate) fn place_words(place: &UserPlace) -> Option<String> {
    Some(file_line(place.file.as_deref()?, place.line))
}

fn labels(model: &Model, compiles: &[CompileIndex]) -> Vec<String> {
    compiles.iter().filter_map(|&index| model.compiles.get(index)).map(|c| c.label()).collect()
}

fn lines_of(model: &Model, fact: &Fact) -> Vec<String> {
    let label = fact.label;
    match &fact.value {
        Says::Prose(text) | Says::Change(text) => vec![format!("{label}: {text}")],
        Says::Code(texts) if texts.len() == 1 => {
            texts.iter().map(|text| format!("{label}: {text}")).collect()
        }
        Says::Code(texts) => {
            std::iter::once(format!("{label}:")).chain(texts.iter().map(|text| format!("  {text}"))).collect()
        }
        Says::Chain(steps) => {
            let line = |step: &ChainStep| {
                let id = labels(model, &[step.compile]).join("");
                match (&step.guard, &step.against) {
                    (None, _) => format!("  {id}"),
                    (Some(guard), None) => format!("  {id}: {guard}"),
                    (Some(guard), Some(against)) => format!("  {id}: {guard} (guard of {against})"),
                }
            };
            std::iter::once(format!("{label}:")).chain(steps.iter().map(line)).collect()
        }
    }
}
