//! The groups of ranks that differ in a kind of fact, with their values at the first difference.

use super::pills::pill_of;
use super::view::JobView;
use crate::analysis::CodeLine;
use crate::analysis::Finding;
use crate::analysis::job::{CodeDifference, Comparison, Group, rank_words};
use crate::facts::ranks::{Aspect, FactValue, Step};
use crate::limits::IN_ROW;
use crate::model::words;
use crate::report::kit::formats::{counted, whole};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{Element, close_section, note_below, write_line};
use serde::Serialize;
use std::io::Write;

/// Facts shown before the first difference, and after it.
const BEFORE: usize = 3;
const AFTER: usize = 4;

/// Characters of a fact.
const LONGEST: usize = 400;

#[derive(Serialize)]
struct Sides {
    sides: Vec<Side>,
}

#[derive(Serialize)]
struct Side {
    who: Html,
    label: String,
    pill: Html,
    link: Html,
    lines: Vec<Line>,
}

#[derive(Serialize)]
struct Line {
    hit: bool,
    mark: &'static str,
    number: String,
    text: String,
    /// The same in torch's words, if they differ.
    raw: Option<String>,
    note: String,
}

/// The difference that may be the cause of all others.
pub(super) fn first(view: JobView<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let Some(finding) = view.report.found.cause() else { return Ok(()) };
    let Some(aspect) = finding.kind.facts().aspect else { return Ok(()) };
    let comparison = view.report.found.comparison(aspect).filter(|one| one.first.is_some());
    let Some(comparison) = comparison else { return Ok(()) };
    let title = format!("First difference: {}", aspect.name().to_lowercase());
    view.open_section(out, ("first", &title, &about(comparison)), None, Html::default())?;
    lead(view, out, finding, finding.hint().as_deref())?;
    sides(view, out, comparison)?;
    super::graphs::write(view, out)?;
    close_section(out)?;
    Ok(())
}

/// All other differences, each a section.
pub(super) fn others(view: JobView<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut shown: Vec<Aspect> =
        view.report.found.cause().and_then(|cause| cause.kind.facts().aspect).into_iter().collect();
    let mut any = false;
    for finding in &view.report.found.findings {
        let Some(aspect) = finding.kind.facts().aspect else { continue };
        let Some(comparison) = view.report.found.comparison(aspect) else { continue };
        if shown.contains(&aspect) || comparison.first.is_none() {
            continue;
        }
        shown.push(aspect);
        view.open_section(out, (aspect.key(), aspect.name(), &about(comparison)), None, Html::default())?;
        if !any {
            let note = "This difference and those below may all follow from the first.";
            write_line(out, &Element::new("p").class("lead soft").around(note))?;
            any = true;
        }
        lead(view, out, finding, None)?;
        sides(view, out, comparison)?;
        close_section(out)?;
    }
    Ok(())
}

/// The paragraphs about a difference.
fn lead(view: JobView<'_>, out: &mut dyn Write, finding: &Finding, hint: Option<&str>) -> anyhow::Result<()> {
    let texts = finding.detail.as_deref().into_iter().chain(hint);
    let said = std::iter::once(view.sentence(&finding.sentence())).chain(texts.map(|text| view.prose(text)));
    for paragraph in said {
        write_line(out, &Element::new("p").class("lead").around(paragraph))?;
    }
    Ok(())
}

fn about(comparison: &Comparison) -> String {
    let groups = counted(comparison.groups.len(), "group of ranks", "groups of ranks");
    match &comparison.first {
        Some(first) => format!("{groups}, first different at position {}", whole(first.index + 1)),
        None => groups,
    }
}

fn sides(view: JobView<'_>, out: &mut dyn Write, comparison: &Comparison) -> anyhow::Result<()> {
    let Some(first) = &comparison.first else { return Ok(()) };
    // One group per value at that position, largest first, then the rest.
    let mut order: Vec<usize> = (0..comparison.groups.len()).collect();
    let aspect = comparison.aspect;
    let known =
        |step: &Option<Step>| step.map(|step| step.compared(aspect)).filter(|one| one.value.is_some());
    let value = |at: usize| first.by_group.get(at).and_then(known);
    let mut seen = Vec::new();
    order.sort_by_key(|&at| {
        let known = seen.contains(&value(at));
        if !known && seen.len() < IN_ROW {
            seen.push(value(at));
        }
        known
    });
    let shown =
        order.iter().take(IN_ROW).filter_map(|&at| Some((comparison.groups.get(at)?, *first.own.get(at)?)));
    let sides = shown.map(|(group, at)| side(view, comparison.aspect, group, at)).collect();
    write_line(out, &view.render("job_sides", &Sides { sides })?)?;
    let more = comparison.groups.len().saturating_sub(IN_ROW);
    if more > 0 {
        let link = view.link("report.json", "report.json");
        let groups = counted(more, "more group", "more groups");
        note_below(out, Html::joined([format!("{groups} in ").into(), link, ".".into()], ""))?;
    }
    if !comparison.left_out.is_empty() {
        let who = rank_words(view.report.job, &comparison.left_out);
        note_below(out, format!("Not compared, as the log does not contain it: {who}."))?;
    }
    Ok(())
}

/// A group's facts around its first difference from the largest group.
fn side(view: JobView<'_>, aspect: Aspect, group: &Group, at: usize) -> Side {
    let job = view.report.job;
    let who = rank_words(job, &group.ranks);
    let who = match group.ranks.len() {
        1 => who,
        count => format!("{}: {}", counted(count, "rank", "ranks"), who.trim_start_matches("ranks ")),
    };
    let mut side = Side {
        who: Html::escaped(&who),
        label: format!("{} on {who}", aspect.name()),
        pill: Html::default(),
        link: Html::default(),
        lines: lines(view, aspect, group, at),
    };
    let Some(rank) = group.ranks.first().and_then(|&index| view.rank_at(index)) else { return side };
    let page = if group.steps.is_empty() { "index.html" } else { aspect.page() };
    side.link = view.link(&view.in_rank(rank, page), &format!("in the report of rank {}", rank.number));
    if let Some(id) = group.steps.get(at).and_then(|step| step.compile) {
        side.pill = pill_of(view, rank, job.texts.get(id));
    }
    side
}

/// The steps around a position.
fn lines(view: JobView<'_>, aspect: Aspect, group: &Group, at: usize) -> Vec<Line> {
    if let Some(found) = view.report.found.code.of(aspect) {
        return vec![code_line(found, group)];
    }
    let job = view.report.job;
    let steps = &group.steps;
    let start = at.saturating_sub(BEFORE);
    let mut lines: Vec<Line> = Vec::new();
    for (index, own) in steps.iter().enumerate().skip(start).take(BEFORE + 1 + AFTER) {
        let text = view.says(own).unwrap_or_else(|| "no data".to_owned());
        // Torch's names follow the reader's, for searching in other tools.
        let raw = job.value(own).filter(|raw| *raw != text).map(|raw| shortened(&raw));
        lines.push(Line {
            hit: index == at,
            mark: if index == at { "≠ " } else { "" },
            number: whole(index + 1),
            text: shortened(&text),
            raw,
            note: job.texts.maybe(own.note).map(|note| note_text(own, note)).unwrap_or_default(),
        });
    }
    let end = start + lines.len();
    let hit = at >= steps.len();
    if hit || end < steps.len() {
        let text = match steps.len().saturating_sub(end) {
            0 if steps.is_empty() => none_of(aspect).to_owned(),
            0 => "ends here".to_owned(),
            more => format!("{} more", whole(more)),
        };
        let mark = if hit { "≠ " } else { "" };
        lines.push(Line { hit, mark, number: String::new(), text, raw: None, note: String::new() });
    }
    lines
}

/// The guard or the statement of a side, of which the facts have a hash.
fn code_line(found: &CodeDifference, group: &Group) -> Line {
    let side = if group.ranks == found.other.ranks { &found.other } else { &found.most };
    let text = side.line.as_ref().map_or_else(|| "nothing of the kind".to_owned(), CodeLine::words);
    Line {
        hit: true,
        mark: "≠ ",
        number: String::new(),
        text: shortened(&text),
        raw: None,
        note: String::new(),
    }
}

/// Placeholder for a side without facts of a kind.
fn none_of(aspect: Aspect) -> &'static str {
    match aspect {
        Aspect::GraphBreaks => "no graph break",
        Aspect::Recompiles => "no recompilation",
        Aspect::Failures => "no failure",
        Aspect::Collectives => "no collective",
        _ => "none",
    }
}

/// The note next to a fact: a collective's process group.
fn note_text(step: &Step, note: &str) -> String {
    match step.value {
        Some(FactValue::Collective(_)) => format!("in process group '{}'", shortened(note)),
        _ => shortened(note),
    }
}

fn shortened(text: &str) -> String {
    words::shortened(&text.replace(['\n', '\r'], " "), LONGEST).into_owned()
}
