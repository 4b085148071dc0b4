//! Findings: what went wrong and what to fix first.

use crate::analysis::findings::{ChainStep, CostDetail, EntryKey, Value, checked};
use crate::analysis::{Finding, Severity};
use crate::limits::{FIRST, IN_HEAD, SENTENCE, SHORT_LIST, SHORT_TABLE, SHOWN};
use crate::model::{Compile, CompileIndex, TextFrame};
use crate::report::data::ENTRIES;
use crate::report::kit::formats::{cost_part, cost_words, is_library};
use crate::report::kit::markup::{close_finding, more};
use crate::report::kit::prelude::*;
use crate::report::kit::record_files::record_files;
use crate::report::kit::verdict::FindingEntry;
use crate::report::pages::landing::first_steps::where_to_look_for;
use crate::trace::CompileId;

/// Findings listed for a group.
const MEMBERS: usize = 300;

/// Longer stacks show only the reader's own frames.
const FRAMES: usize = 14;

/// Characters of a source line in the head of an entry.
const LONGEST_LOC: usize = 90;

pub(crate) fn section(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let findings = &view.report.found.findings;
    let note = "errors first, then by seconds wasted or avoidable; expected ones come last";
    let tools = if findings.is_empty() { Html::default() } else { view.fold_button("findings-list") };
    view.open_section(out, ("findings", "Findings", note), Some(whole(findings.len())), tools)?;
    if findings.iter().all(|one| one.severity == Severity::Info) {
        write_line(
            out,
            &Element::new("p")
                .class("advice")
                .around(checked(&view.report.found.findings, view.report.model)),
        )?;
    }
    if !findings.is_empty() {
        open_box(out, "findings-list")?;
        entries(view, out, findings.get(..ENTRIES).unwrap_or(findings))?;
        close(out, "div")?;
    }
    if let Some(rest) = findings.get(ENTRIES..).filter(|rest| !rest.is_empty()) {
        table(view, out, rest)?;
    }
    Ok(close_section(out)?)
}

/// The entries of causes, each with what followed from it folded below.
fn entries(view: View<'_>, out: &mut dyn Write, findings: &[Finding]) -> anyhow::Result<()> {
    // What follows from a finding, whether directly or not, comes behind it.
    let trees: Vec<&[Finding]> = findings.chunk_by(|_, next| next.caused_by.is_some()).collect();
    let mut seen = Vec::new();
    // A few more entries than fit are not worth a fold.
    let first = if trees.len() > FIRST + FIRST / 3 { FIRST } else { trees.len() };
    let mut index = 0;
    for (place, tree) in trees.iter().enumerate() {
        let [one, followed @ ..] = *tree else { continue };
        if place == first {
            let rest = trees.get(first..).unwrap_or_default();
            let lost: f64 = rest.iter().filter_map(|tree| tree.first()).map(Finding::lost_us).sum();
            open_fold(out, "further", format!("{} more{}", whole(rest.len()), together(lost)))?;
        }
        // The first entry of each severity is open, except for mere information.
        let open = one.severity != Severity::Info && !seen.contains(&one.severity);
        seen.push(one.severity);
        entry(view, out, index, one, open)?;
        if !followed.is_empty() {
            let lost: f64 = followed.iter().map(Finding::lost_us).sum();
            let count = counted(followed.len(), "finding follows", "findings follow");
            open_fold(out, "consequences", format!("{count} from this{}", together(lost)))?;
            for (at, one) in (index + 1..).zip(followed) {
                entry(view, out, at, one, false)?;
            }
            close(out, "details")?;
        }
        index += tree.len();
    }
    if first < trees.len() {
        close(out, "details")?;
    }
    Ok(())
}

/// Begins a fold of entries; end it with `close(out, "details")`.
fn open_fold(out: &mut dyn Write, class: &'static str, summary: String) -> anyhow::Result<()> {
    write_line(out, &Element::new("details").class(class).open())?;
    Ok(write_line(out, &Element::new("summary").around(summary))?)
}

/// `, 3.2 s together`, if anything was lost.
fn together(lost_us: f64) -> String {
    if lost_us > 0.0 { format!(", {} together", micros(lost_us)) } else { String::new() }
}

fn entry(view: View<'_>, out: &mut dyn Write, index: usize, one: &Finding, open: bool) -> anyhow::Result<()> {
    let compiles = compiles(view, &one.compiles);
    let (title, place) = head(view, one);
    // Some hints repeat the detail.
    let detail = one.detail.as_deref();
    let detail = detail.filter(|detail| !one.hints().any(|hint| hint.starts_with(detail)));
    let entry = FindingEntry {
        id: format!("finding-{}", index + 1),
        open,
        class: match one.severity {
            Severity::Info => "soft",
            severity => severity.word(),
        },
        kind: one.kind.label(),
        title,
        place,
        pills: view.plain_pills(&compiles, IN_HEAD),
        cost: one.cost.as_ref().map_or_else(|| UNKNOWN.to_owned(), |cost| cost_words(cost.kind, cost.us)),
        count: match one.members.len() {
            0 => counted(one.count, "time", "times"),
            places => counted(places, "place", "places"),
        },
        trace: trace(view, one),
        explained: detail.is_some(),
        detail: detail.map_or_else(Html::default, |text| view.prose(text)),
        facts: facts(view, one, &compiles)?,
    };
    write_line(out, &view.finding(&entry)?)?;
    if !one.members.is_empty() {
        members(view, out, index, &one.members)?;
    }
    steps(view, out, index, one)?;
    Ok(close_finding(out)?)
}

/// The sentence of a finding, and its place with the source line; for some kinds the source line comes first.
fn head(view: View<'_>, one: &Finding) -> (Html, Html) {
    let title = match clipped(&one.title.text(), SENTENCE) {
        (start, true) => Html::escaped(&format!("{start} …")),
        _ => view.sentence(&one.title),
    };
    let loc = one.place.loc.as_deref().map(str::trim).filter(|loc| !loc.is_empty());
    if !one.members.is_empty() {
        let what = match one.members.first().and_then(Finding::change) {
            Some(change) => view.prose(&format!("each: {change}")),
            None => Html::escaped(&counted(one.members.len(), "place", "places")),
        };
        return (title, what);
    }
    let place = view.plain_place(one.place.file.as_deref(), one.place.line);
    let place = if one.place.file.is_some() { place } else { Html::default() };
    match loc {
        Some(loc) if one.kind.facts().code_first => {
            (view.code(clipped(loc, LONGEST_LOC).0), Html::joined([place, " · ".into(), title], ""))
        }
        Some(loc) => {
            let loc = view.code(clipped(loc, LONGEST_LOC).0);
            (title, Html::joined([place, Html::escaped(" · "), loc], ""))
        }
        None => (title, place),
    }
}

fn compiles<'a>(view: View<'a>, indices: &[CompileIndex]) -> Vec<&'a Compile> {
    let mut compiles = view.compiles(indices);
    compiles.retain(|compile| compile.id.is_some());
    compiles
}

fn facts(view: View<'_>, one: &Finding, compiles: &[&Compile]) -> anyhow::Result<Html> {
    let mut facts = Vec::new();
    // The table of a chain lists its compiles.
    if !compiles.is_empty() && one.members.is_empty() && one.chain().is_none() {
        facts.push((
            one.kind.facts().compiles_label.as_deref().unwrap_or("Compiles"),
            view.some_pills(compiles, SHOWN),
        ));
    }
    if let Some(file) = &one.place.file
        && let Some(href) = view.source_href(file, one.place.line)
    {
        facts.push(("Where", view.place_in(file, one.place.line, Some(href))));
    }
    if !one.advice.is_empty() {
        let cards = one.advice.iter().map(|advice| view.fix_card(advice));
        facts.push(("What to do", stacked(cards.collect::<anyhow::Result<Vec<_>>>()?)));
    } else if one.severity != Severity::Info && one.members.is_empty() && !one.is_expected() {
        let sentences = where_to_look_for(view, one);
        facts.push(match sentences.is_empty() {
            true => ("What to do", soft("No advice: the log does not show what would help.")),
            false => ("Where to look", stacked(sentences)),
        });
    }
    if !one.cost_parts.is_empty() && one.kind.facts().costs != CostDetail::SumOnly {
        facts.push(("What it cost", costs(view, one)));
    }
    for fact in one.facts.iter().filter(|fact| !is_said(one, &fact.value)) {
        if let Some(value) = value(view, &fact.value) {
            facts.push((fact.label, value));
        }
    }
    if let Some(page) = &one.read_more {
        facts.push(("Read more", view.log_link(&page.name, &page.url)));
    }
    let evidence = if one.members.is_empty() { evidence(view, one) } else { Vec::new() };
    if !evidence.is_empty() {
        facts.push(("Evidence", Html::joined(evidence, ", ")));
    }
    Ok(view.facts(facts))
}

/// Whether the title contains the value already: `BackendCompilerFailed: ..`.
fn is_said(one: &Finding, value: &Value) -> bool {
    match value {
        Value::Code(texts) => texts.iter().all(|text| one.title.text().contains(text)),
        _ => false,
    }
}

fn costs(view: View<'_>, one: &Finding) -> Html {
    let parts = one.cost_parts.iter().map(|part| {
        let mut pieces = vec![Html::escaped(&cost_part(part))];
        let compiles = compiles(view, &part.compiles);
        if !compiles.is_empty() && one.kind.facts().costs == CostDetail::WithCompiles {
            pieces.push(view.some_pills(&compiles, IN_HEAD));
        }
        Html::joined(pieces, " ")
    });
    Html::joined(parts, "; ")
}

/// A fact's value; a chain has its own table.
fn value(view: View<'_>, value: &Value) -> Option<Html> {
    match value {
        Value::Prose(text) | Value::Change(text) => Some(view.prose(text)),
        Value::Code(texts) => Some(stacked(texts.iter().map(|text| view.folded(text, true)))),
        Value::Chain(_) => None,
    }
}

/// Links to the records behind a finding, and to the page of its topic.
fn evidence(view: View<'_>, one: &Finding) -> Vec<Html> {
    let records = record_files(view.report, &one.compiles, &one.kind.facts().records);
    let mut links: Vec<Html> = records.iter().map(|record| view.record(record)).collect();
    let Some(topic) = one.kind.facts().topic else { return links };
    if let Some((page, words)) = view.report.topic_page(topic) {
        links.push(match one.entry {
            Some(EntryKey::Chain(place)) if one.members.is_empty() => links::chain(view, place, words),
            Some(EntryKey::Break(place)) => {
                links::graph_break(view, place, "the call stack, and each time it was hit")
            }
            _ => view.link(&view.href_with_anchor(&page), words),
        });
    }
    links
}

/// The call stack; a long one shows the reader's own frames, with all frames folded below.
fn trace(view: View<'_>, one: &Finding) -> Html {
    let all = &one.stack;
    // The head of the finding shows its place and source line.
    let at = |frame: &TextFrame| one.place.is_of(frame);
    let elsewhere = one.kind.facts().no_stack || all.len() == 1 && all.iter().all(at);
    if all.is_empty() || elsewhere {
        return Html::default();
    }
    let hit = all.iter().rposition(at).or_else(|| all.iter().rposition(|frame| !is_library(&frame.file)));
    if all.len() <= FRAMES {
        return view.traceback(all, hit);
    }
    let kept = all.iter().enumerate().filter(|(index, f)| Some(*index) == hit || !is_library(&f.file));
    let skip = kept.clone().count().saturating_sub(FRAMES);
    let kept: Vec<usize> = kept.map(|(index, _)| index).skip(skip).collect();
    let own: Vec<_> = kept.iter().filter_map(|&index| all.get(index).cloned()).collect();
    let own = view.traceback(&own, kept.iter().position(|index| Some(*index) == hit));
    let words = format!("all {}, including libraries", counted(all.len(), "frame", "frames"));
    Html::joined([own, more(words, &view.traceback(all, hit))], "")
}

/// The compiles of a chain, and why each was made.
fn steps(view: View<'_>, out: &mut dyn Write, index: usize, one: &Finding) -> anyhow::Result<()> {
    let Some(steps) = one.chain() else { return Ok(()) };
    let columns = vec![
        TableColumn::unsorted("Compile"),
        TableColumn::unsorted("Failed guard"),
        TableColumn::unsorted("Guard of").absent_if(steps.iter().all(|step| step.against.is_none())),
        TableColumn::number("Time"),
    ];
    let id = format!("finding-{}-chain", index + 1);
    let table = Table { id: &id, label: "Compiles of the function", columns };
    view.table(out, &table, steps.iter().enumerate().map(|(at, step)| step_row(view, at, step)))
}

fn step_row(view: View<'_>, at: usize, step: &ChainStep) -> Row {
    let compile = view.report.model.compiles.get(step.compile);
    let guard = match (&step.guard, at) {
        (Some(guard), _) => view.folded(guard, true),
        (None, 0) => Html::escaped("first compile"),
        (None, _) => Html::escaped("no reason recorded"),
    };
    let against = match step.against.as_deref().and_then(CompileId::parse) {
        Some(id) => Html::escaped(&id.to_string()),
        None => Html::escaped(UNKNOWN),
    };
    let mut guard = vec![guard];
    if let Some(source) = &step.source {
        let place = Html::escaped(&format!("{}:{} ", short_path(&source.file), source.line));
        guard.push(small(Html::joined([place, view.code(&source.code)], "")));
    }
    Row::of(vec![
        TableCell::html(compile.map_or_else(Html::default, |c| view.pill_beside(c))),
        TableCell::html(Html::joined(guard, " ")),
        TableCell::html(against),
        TableCell::maybe(compile.and_then(Compile::compile_us), micros),
    ])
}

/// The findings of a group: the costliest, and the rest folded.
fn members(view: View<'_>, out: &mut dyn Write, index: usize, members: &[Finding]) -> anyhow::Result<()> {
    let id = format!("finding-{}-first", index + 1);
    let (first, rest) = members.split_at(members.len().min(SHORT_LIST));
    rows(view, out, &id, first, None)?;
    if !rest.is_empty() {
        let lost: f64 = rest.iter().map(Finding::lost_us).sum();
        open_more(out, format!("{} more{}", whole(rest.len()), together(lost)))?;
        rows(view, out, &format!("finding-{}-rest", index + 1), rest, None)?;
        view.beyond(out, rest.len(), MEMBERS, "places")?;
        close(out, "details")?;
    }
    Ok(())
}

/// Findings without their own entry.
fn table(view: View<'_>, out: &mut dyn Write, rest: &[Finding]) -> anyhow::Result<()> {
    heading(out, "Further findings")?;
    rows(view, out, "findings-table", rest, Some(ENTRIES))?;
    view.beyond(out, rest.len(), SHORT_TABLE, "findings")
}

fn rows(
    view: View<'_>,
    out: &mut dyn Write,
    id: &str,
    findings: &[Finding],
    numbered: Option<usize>,
) -> anyhow::Result<()> {
    let columns = vec![
        TableColumn::text("Function").absent_if(!findings.iter().any(|one| function(one).is_some())),
        TableColumn::text("Where").absent_if(!findings.iter().any(|one| one.place.file.is_some())),
        TableColumn::text("What"),
        TableColumn::unsorted("Compiles"),
        TableColumn::number("Cost").absent_if(!findings.iter().any(|one| one.cost.is_some())),
    ];
    let most = if numbered.is_some() { SHORT_TABLE } else { MEMBERS };
    let table = Table { id, label: "Findings", columns };
    let shown = findings.iter().take(most).enumerate().map(|(at, one)| {
        let what = match (one.change(), &one.place.loc) {
            _ if numbered.is_some() => view.sentence(&one.title),
            (Some(change), _) => view.prose(change),
            (_, Some(loc)) => view.code(clipped(loc.trim(), LONGEST_LOC).0),
            _ => view.sentence(&one.title),
        };
        let row = Row::of(vec![
            TableCell::html(function(one).map_or_else(|| Html::escaped(UNKNOWN), |name| view.function(name))),
            TableCell::html(view.place(one.place.file.as_deref(), one.place.line)),
            TableCell::html(what),
            TableCell::html(view.some_pills(&compiles(view, &one.compiles), IN_HEAD)),
            cost_cell(one),
        ]);
        match numbered {
            Some(before) => row.anchored(format!("finding-{}", before + at + 1)),
            None => row,
        }
    });
    view.table(out, &table, shown)
}

/// The cost, sorted by the seconds lost.
fn cost_cell(one: &Finding) -> TableCell {
    let Some(cost) = &one.cost else { return TableCell::text(UNKNOWN) };
    TableCell::number(one.lost_us(), &cost_words(cost.kind, cost.us))
}

fn function(one: &Finding) -> Option<&str> {
    one.place.function.as_deref()
}
