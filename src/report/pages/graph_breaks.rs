//! `graph_breaks.html`: every distinct graph break with its place, its cost and advice.

use crate::analysis::findings::{Cost, EntryKey, Finding, by_entry};
use crate::analysis::{BreakText, FurtherBreak, Hit, break_text};
use crate::limits::{LARGEST_NOTE, LONG_LIST, LONG_TABLE, NAMED, SHOWN};
use crate::model::{ArtifactIndex, Compile, CompileIndex, Content, GraphBreak};
use crate::output::{Page, RelPath};
use crate::report::kit::formats::{UNKNOWN, cost_words, counted, micros, whole};
use crate::report::kit::html::Html;
use crate::report::kit::links;
use crate::report::kit::markup::{
    Element, block, close, close_section, note_below, open_box, stacked, write_line,
};
use crate::report::kit::paths;
use crate::report::kit::shell::{Shell, Tab, write_page};
use crate::report::kit::tables::{Row, Table, TableCell, TableColumn};
use crate::report::kit::templates::Worker;
use crate::report::kit::view::View;
use crate::report::subject::Report;
use fxhash::{FxHashMap, FxHashSet};
use serde::Serialize;
use std::io::Write;

/// A break, its first text, and its cost.
struct Broken<'m> {
    /// Its index in the model, which is its anchor.
    index: usize,
    found: &'m GraphBreak,
    text: BreakText,
    occurrences: Vec<Occurrence>,
    /// The finding about it.
    finding: Option<&'m Finding>,
}

impl<'m> Broken<'m> {
    fn cost(&self) -> Option<&'m Cost> {
        self.finding.and_then(|finding| finding.cost.as_ref())
    }
}

/// One occurrence of a break.
struct Occurrence {
    artifact: ArtifactIndex,
    /// Microseconds of discarded attempts; a share if the compile hit several breaks.
    thrown_away: Option<f64>,
    /// Compiles of the functions that resume after the break.
    resumes: Vec<CompileIndex>,
}

/// The page, if there are breaks.
pub(crate) fn page(report: Report<'_>) -> Page<'_, Worker> {
    Page::rendered(RelPath::of_parts(&[links::GRAPH_BREAKS]), move |worker, out| write(report, worker, out))
}

fn write(report: Report<'_>, worker: &mut Worker, out: &mut dyn Write) -> anyhow::Result<()> {
    let breaks = read(report)?;
    let mut shell = Shell::top(report, "Graph breaks");
    shell.tabs = vec![Tab::section("breaks", "Graph breaks", Some(whole(breaks.len())))];
    write_page(worker, out, &shell, |worker, out| {
        let view = View::new(report, worker, 0);
        verdict(view, &breaks, out)?;
        let note = "one entry per reason and place, most time lost first";
        let tools = view.fold_button("breaks-list");
        view.open_section(out, ("breaks", "Graph breaks", note), Some(whole(breaks.len())), tools)?;
        open_box(out, "breaks-list")?;
        for (position, one) in breaks.iter().take(LONG_LIST).enumerate() {
            write_line(out, &entry(view, one, position == 0)?)?;
        }
        close(out, "div")?;
        if let Some(rest) = breaks.get(LONG_LIST..).filter(|rest| !rest.is_empty()) {
            table(view, rest, out)?;
        }
        close_section(out)?;
        Ok(())
    })
}

/// All breaks, the most expensive first, then the most frequent.
fn read(report: Report<'_>) -> anyhow::Result<Vec<Broken<'_>>> {
    let model = report.model;
    let mut left = LONG_TABLE;
    let findings = by_entry(&report.found.findings);
    let mut breaks = Vec::new();
    for (index, (found, hits)) in model.graph_breaks.iter().zip(&report.found.breaks).enumerate() {
        let mut one =
            Broken { index, found, text: BreakText::default(), occurrences: Vec::new(), finding: None };
        one.finding = findings.get(&EntryKey::Break(index)).copied();
        let of: FxHashMap<CompileIndex, &Hit> = hits.iter().map(|hit| (hit.compile, hit)).collect();
        for occurrence in &found.occurrences {
            if one.text.frames.is_empty() {
                one.text = text(report, occurrence.artifact, &mut left)?;
            }
            let hit = of.get(&occurrence.artifact.compile);
            one.occurrences.push(Occurrence {
                artifact: occurrence.artifact,
                thrown_away: hit.and_then(|hit| hit.thrown_away_us),
                resumes: hit.map(|hit| hit.resumes.clone()).unwrap_or_default(),
            });
        }
        breaks.push(one);
    }
    breaks.sort_by(|a, b| {
        let cost =
            |one: &Broken<'_>| one.cost().filter(|cost| cost.kind.is_loss()).map_or(0.0, |cost| cost.us);
        cost(b).total_cmp(&cost(a)).then(b.found.count.cmp(&a.found.count))
    });
    Ok(breaks)
}

/// The text of an occurrence; empty once the limit is reached.
fn text(report: Report<'_>, at: ArtifactIndex, left: &mut usize) -> anyhow::Result<BreakText> {
    let artifact = report.model.compiles.get(at.compile).and_then(|c| c.artifacts.get(at.place()));
    let Some(Content::Payload(at, _)) = artifact.map(|a| &a.content) else { return Ok(BreakText::default()) };
    if at.text_len > LARGEST_NOTE || *left == 0 {
        return Ok(BreakText::default());
    }
    *left -= 1;
    Ok(break_text(&report.payload(at)?))
}

#[derive(Serialize)]
struct Verdict {
    breaks: String,
    compiles: String,
    time: Option<String>,
}

fn verdict(view: View<'_>, breaks: &[Broken<'_>], out: &mut dyn Write) -> anyhow::Result<()> {
    let occurrences = || breaks.iter().flat_map(|one| &one.occurrences);
    let hit: FxHashSet<CompileIndex> = occurrences().map(|o| o.artifact.compile).collect();
    let lost = breaks.iter().filter_map(Broken::cost).filter(|cost| cost.kind.is_loss());
    let us: f64 = lost.map(|cost| cost.us).sum();
    let context = Verdict {
        breaks: counted(breaks.len(), "distinct graph break", "distinct graph breaks"),
        compiles: counted(hit.len(), "compilation", "compilations"),
        time: (us > 0.0).then(|| micros(us)),
    };
    write_line(out, &view.render("graph_breaks_verdict", &context)?)?;
    Ok(())
}

#[derive(Serialize)]
struct Entry {
    id: String,
    open: bool,
    reason: Html,
    place: Html,
    pills: Html,
    cost: String,
    count: String,
    explanation: Option<Html>,
    facts: Html,
    traceback: Html,
    further: Html,
    occurrences: Html,
}

fn entry(view: View<'_>, one: &Broken<'_>, open: bool) -> anyhow::Result<Html> {
    let found = one.found;
    let mut facts = Vec::new();
    facts.extend(found.context.as_deref().map(|context| ("When", view.prose(context.trim_end_matches(':')))));
    facts.extend(found.debug_context.as_deref().map(|context| ("Debug context", view.code(context))));
    facts.extend(what_to_do(view, one)?);
    facts.extend(found.url.as_deref().map(|url| ("Read more", catalog(view, found.gb_id.as_deref(), url))));
    let facts = if facts.is_empty() { Html::default() } else { view.facts(facts) };
    let entry = Entry {
        id: links::graph_break_anchor(one.index),
        open,
        reason: view.prose(&found.reason),
        place: view.plain_place(found.file.as_deref(), found.line),
        pills: view.plain_pills(&compiles(view, found), NAMED),
        cost: one.cost().map_or_else(|| UNKNOWN.to_owned(), |cost| cost_words(cost.kind, cost.us)),
        count: counted(found.count, "time", "times"),
        explanation: found.explanation.as_deref().map(|text| view.prose(text)),
        facts,
        traceback: traceback(view, one),
        further: further(view, &one.text.further),
        occurrences: occurrences(view, one)?,
    };
    view.render("graph_break_entry", &entry)
}

fn compiles<'m>(view: View<'m>, found: &GraphBreak) -> Vec<&'m Compile> {
    found.compiles.iter().filter_map(|id| view.report.model.compile(id.as_ref())).collect()
}

/// The advice of its finding; a break without a finding has torch's hints.
fn what_to_do(view: View<'_>, one: &Broken<'_>) -> anyhow::Result<Option<(&'static str, Html)>> {
    let Some(finding) = one.finding else { return Ok(hints(view, &one.found.hints)) };
    let cards = finding.advice.iter().map(|one| view.fix_card(one)).collect::<anyhow::Result<Vec<_>>>()?;
    Ok((!cards.is_empty()).then(|| ("What to do", stacked(cards))))
}

fn hints(view: View<'_>, hints: &[String]) -> Option<(&'static str, Html)> {
    let lines = stacked(hints.iter().map(|hint| view.advice(hint)));
    (!hints.is_empty()).then_some(("What to do", lines))
}

fn catalog(view: View<'_>, id: Option<&str>, url: &str) -> Html {
    let text = match id {
        Some(id) => format!("{id} in the graph break catalog"),
        None => "the graph break catalog".to_owned(),
    };
    view.log_link(&text, url)
}

fn traceback(view: View<'_>, one: &Broken<'_>) -> Html {
    match one.text.frames.as_slice() {
        [] => Html::default(),
        frames => block(view.own_traceback(frames)),
    }
}

fn further(view: View<'_>, breaks: &[FurtherBreak]) -> Html {
    let pieces = breaks.iter().map(|one| {
        let id = one.url.as_deref().and_then(|url| url.rsplit('/').next()?.strip_suffix(".html"));
        let mut facts = vec![("Reason", view.prose(&one.reason))];
        facts.extend(one.explanation.as_deref().map(|text| ("Explanation", view.prose(text))));
        facts.extend(hints(view, &one.hints));
        facts.extend(one.url.as_deref().map(|url| ("Read more", catalog(view, id, url))));
        let facts = view.facts(facts);
        let heading = Element::new("h3").around("Another break occurred while this one was handled");
        block(Html::joined([heading, facts], ""))
    });
    Html::joined(pieces, "")
}

fn occurrences(view: View<'_>, one: &Broken<'_>) -> anyhow::Result<Html> {
    let all = &one.occurrences;
    let columns = vec![
        TableColumn::compiles("Compile"),
        TableColumn::text("Function"),
        TableColumn::number("Thrown away").absent_if(all.iter().all(|o| o.thrown_away.is_none())),
        TableColumn::unsorted("Led to").absent_if(all.iter().all(|o| o.resumes.is_empty())),
        TableColumn::number("Their time").absent_if(all.iter().all(|o| o.resumes.is_empty())),
        TableColumn::unsorted("Record"),
    ];
    let id = format!("{}-table", links::graph_break_anchor(one.index));
    let table = Table { id: &id, label: "Occurrences of this break", columns };
    let mut out = Vec::new();
    view.table(&mut out, &table, all.iter().take(SHOWN).map(|occurrence| row(view, occurrence)))?;
    let more = all.len().saturating_sub(SHOWN);
    if more > 0 {
        note_below(&mut out, format!("{} more are left out.", whole(more)))?;
    }
    Ok(Html::trusted(String::from_utf8(out)?))
}

fn row(view: View<'_>, occurrence: &Occurrence) -> Row {
    let model = view.report.model;
    let Some(compile) = model.compiles.get(occurrence.artifact.compile) else { return Row::default() };
    let resumes: Vec<&Compile> = occurrence.resumes.iter().filter_map(|i| model.compiles.get(*i)).collect();
    let mut time = None;
    for us in resumes.iter().filter_map(|resume| resume.compile_us()) {
        *time.get_or_insert(0.0) += us;
    }
    let file = compile.artifacts.get(occurrence.artifact.place()).map(|artifact| {
        let path = paths::artifact(compile, artifact, view.report.settings);
        view.link(&view.href(&path), "as text")
    });
    let unknown = || Html::escaped(UNKNOWN);
    let function = view.function_name(compile).map(|_| view.named(compile));
    Row::of(vec![
        TableCell::html(view.pill_beside(compile)).sorted(occurrence.artifact.compile),
        TableCell::html(function.unwrap_or_else(unknown)),
        TableCell::maybe(occurrence.thrown_away, micros),
        TableCell::html(if resumes.is_empty() { unknown() } else { view.some_pills_beside(&resumes, NAMED) }),
        TableCell::maybe(time, micros),
        TableCell::html(file.unwrap_or_else(unknown)),
    ])
}

fn table(view: View<'_>, rest: &[Broken<'_>], out: &mut dyn Write) -> anyhow::Result<()> {
    let columns = vec![
        TableColumn::text("Reason"),
        TableColumn::text("Place"),
        TableColumn::number("Times"),
        TableColumn::number("Cost"),
        TableColumn::unsorted("Compiles"),
    ];
    let table = Table { id: "further-breaks", label: "Further graph breaks", columns };
    let rows = rest.iter().take(LONG_TABLE).map(|one| {
        let found = one.found;
        let cells = vec![
            TableCell::html(view.folded(&found.reason, false)),
            TableCell::html(view.place(found.file.as_deref(), found.line)),
            TableCell::count(found.count),
            TableCell::maybe(one.cost().map(|cost| cost.us), micros),
            TableCell::html(view.some_pills(&compiles(view, found), NAMED)),
        ];
        Row::of(cells).anchored(links::graph_break_anchor(one.index))
    });
    view.table(out, &table, rows)?;
    view.beyond(out, rest.len(), LONG_TABLE, "graph breaks")
}
