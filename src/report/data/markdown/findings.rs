//! The findings of `report.md`: cause, place, cost, advice and evidence of each.

use crate::analysis::findings::{ChainStep, checked};
use crate::analysis::{Finding, Severity};
use crate::limits::{FEW, FIRST, IN_ROW, LONG_LINE, NAMED, QUOTE, SENTENCE, SHORT_LINE, SHORT_LIST};
use crate::model::words::file_line;
use crate::model::{Compile, TextFrame};
use crate::report::data::{saves, times as counts};
use crate::report::doc::{Cell, markdown};
use crate::report::kit::finding_facts::{WHERE, compiles, facts};
use crate::report::kit::formats::{cost_words, counted, is_library, whole};
use crate::report::kit::markdown::{Markdown, block, code, plain, prose};
use crate::report::kit::paths;
use crate::report::subject::Report;

/// Characters of what a finding means, and of a hint.
const LONGEST_DETAIL: usize = 700;
const LONGEST_HINT: usize = 500;

pub(super) fn write(report: Report<'_>, document: &mut Markdown) {
    let findings = &report.found.findings;
    let mut part = document.part(24_000);
    part.heading(2, "Findings");
    part.text(&match findings.len() {
        0 => checked(findings, report.model),
        count => plain(&format!(
            "{}, errors first, then by seconds wasted, avoidable, or saved by the next run; expected work comes last.",
            counted(count, "finding", "findings")
        )),
    });
    if !findings.is_empty() && findings.iter().all(|one| one.severity == Severity::Info) {
        part.text(&checked(findings, report.model));
    }
    for (index, one) in findings.iter().enumerate() {
        part.entry(&plain(&entry(report, index, one)));
    }
    part.end(0, ("finding", "findings"), "`report.json` has all under `findings`, the costliest first");
}

fn entry(report: Report<'_>, index: usize, one: &Finding) -> String {
    let number = index + 1;
    let mut lines =
        vec![format!("### {number}. {}: {}", one.kind.label(), prose(&one.title.text(), SENTENCE))];
    lines.push(String::new());
    lines.push(summary(one));
    lines.push(String::new());
    let mut add = |label: &str, text: String| lines.push(format!("- **{label}:** {text}"));
    let (at, facts): (Vec<_>, Vec<_>) = facts(report, one).into_iter().partition(|fact| fact.label == WHERE);
    at.iter().for_each(|fact| add(&fact.label, value(&fact.value)));
    let source = one.place.loc.as_deref().map(str::trim).filter(|loc| !loc.is_empty());
    if let Some(source) = source.filter(|_| one.place.file.is_some() && one.members.is_empty()) {
        add("Source line", code(source, LONG_LINE));
    }
    let compiles = compiles(report, &one.compiles);
    if !compiles.is_empty() && one.chain().is_none() {
        add("Compiles", ids(&compiles));
    }
    let detail = one.detail.as_deref();
    if let Some(detail) = detail.filter(|detail| !one.hints().any(|hint| hint.starts_with(detail))) {
        add("What it means", prose(detail, LONGEST_DETAIL));
    }
    for hint in one.hints().take(FEW) {
        add("What to do", prose(hint, LONGEST_HINT));
    }
    if let Some(steps) = one.chain() {
        add("Chain", some(steps.len(), NAMED, steps.iter().map(|one| step(report, one))));
    }
    for fact in facts {
        add(&fact.label, value(&fact.value));
    }
    let entry = format!("{}#finding-{}", paths::landing(report.settings), index + 1);
    add("Entry", code(&entry, SHORT_LINE));
    lines.extend(members(report, &one.members));
    lines.extend(stack(one));
    lines.join("\n")
}

/// `warning · 146 ms wasted · 4 times`
fn summary(one: &Finding) -> String {
    let saves = saves(one).map(|saves| format!("**{saves}**"));
    let parts = [Some(one.severity.word().to_owned()), saves, Some(counts(one))];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

fn ids(compiles: &[&Compile]) -> String {
    let shown: Vec<String> =
        compiles.iter().take(SHORT_LIST).map(|compile| code(&compile.label(), 40)).collect();
    let more = compiles.len().saturating_sub(SHORT_LIST);
    let more = if more > 0 { format!(" and {} more", whole(more)) } else { String::new() };
    format!("{}{more}", shown.join(" "))
}

fn value(cell: &Cell<'_>) -> String {
    match cell {
        Cell::Prose(text) => prose(text, LONGEST_DETAIL),
        Cell::Code(text) => code(text, LONG_LINE),
        Cell::Stacked(cells) => some(cells.len(), IN_ROW, cells.iter().map(value)),
        cell => markdown::text(cell),
    }
}

/// The first of several texts, one below the other where there are several.
fn some(count: usize, shown: usize, texts: impl Iterator<Item = String>) -> String {
    let mut texts: Vec<String> = texts.take(shown).collect();
    if count > shown {
        texts.push(format!("and {} more in `report.json`", whole(count - shown)));
    }
    match texts.as_slice() {
        [only] => only.clone(),
        texts => texts.iter().map(|text| format!("\n  - {text}")).collect(),
    }
}

fn step(report: Report<'_>, step: &ChainStep) -> String {
    let id = report.model.compiles.get(step.compile).map_or_else(String::new, Compile::label);
    match (&step.guard, &step.against) {
        (None, _) => code(&id, 40),
        (Some(guard), None) => format!("{}: {}", code(&id, 40), code(guard, LONG_LINE)),
        (Some(guard), Some(against)) => {
            format!("{}: {} (guard of {})", code(&id, 40), code(guard, LONG_LINE), code(against, 40))
        }
    }
}

/// The places of a group, most important first.
fn members(report: Report<'_>, members: &[Finding]) -> Vec<String> {
    let line = |one: &Finding| {
        let ids = ids(&compiles(report, &one.compiles));
        let what = one.change().map_or_else(|| prose(&one.title.text(), SENTENCE), |text| prose(text, 200));
        let place = one.place.file.as_deref();
        let place = place.map(|file| format!(" at {}", code(&file_line(file, one.place.line), SHORT_LINE)));
        let cost = one.cost.as_ref().map(|cost| format!(", {}", cost_words(cost.kind, cost.us)));
        format!("  - {ids}{}: {what}{}", place.unwrap_or_default(), cost.unwrap_or_default())
    };
    let mut lines = Vec::new();
    if !members.is_empty() {
        lines.push("- **Places:**".to_owned());
        lines.extend(members.iter().take(FIRST).map(line));
        let more = members.len().saturating_sub(FIRST);
        lines.extend((more > 0).then(|| format!("  - and {} more in `report.json`", whole(more))));
    }
    lines
}

/// The innermost frames of the user's code that led there, where there are several.
fn stack(one: &Finding) -> Option<String> {
    let own: Vec<&TextFrame> = one.stack.iter().filter(|frame| !is_library(&frame.file)).collect();
    if own.len() < 2 || one.kind.facts().no_stack || !one.members.is_empty() {
        return None;
    }
    let short = |text: &str, most: usize| text.chars().take(most).collect::<String>();
    let lines = own.iter().skip(own.len().saturating_sub(IN_ROW)).flat_map(|frame| {
        let loc = frame.loc.as_deref().map(|loc| format!("    {}", short(loc.trim(), LONG_LINE)));
        let file = short(&frame.file, SHORT_LINE);
        [Some(format!("{file}:{} in {}", frame.line, short(&frame.function, QUOTE))), loc]
    });
    let lines: Vec<String> = lines.flatten().collect();
    Some(format!("\n{}", block(&lines)))
}
