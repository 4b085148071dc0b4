//! A page of linked panes, with the same content as tables below.

use crate::analysis::provenance::{Linked, Provenance, SourceLine, line_owners};
use crate::limits::{LARGEST_VIEWER, LONG_LINE, SHORT_LIST};
use crate::model::Content;
use crate::report::kit::formats::{clipped, counted, whole};
use crate::report::kit::html::Html;
use crate::report::kit::inductor_runs::Run;
use crate::report::kit::inductor_runs::texts_of;
use crate::report::kit::links;
use crate::report::kit::markup::note_below;
use crate::report::kit::paths;
use crate::report::kit::shell::{Shell, Tab, write_page};
use crate::report::kit::templates::Worker;
use crate::report::kit::view::View;
use crate::report::pages::provenance::panes::Shown;
use crate::report::pages::provenance::texts::code_words;
use crate::report::pages::provenance::times::Times;
use crate::report::pages::provenance::tints::Tints;
use crate::report::pages::provenance::{data, panes, rows, words};
use crate::report::subject::Report;
use serde::Serialize;
use std::io::Write;

/// Whether the log has a page of kernels: at least one run has code.
fn has_kernels(all: &[Run<'_>]) -> bool {
    all.iter().any(|run| !run.run.code.is_empty())
}

/// Writes the page of the run with this index.
pub(crate) fn write(
    report: Report<'_>,
    (all, index): (&[Run<'_>], usize),
    worker: &mut Worker,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let Some(run) = all.get(index) else { return Ok(()) };
    let texts = texts_of(report, run)?;
    let found = texts.provenance();
    let mut shell = Shell::top(report, &format!("{} provenance", run.label()));
    shell.crumbs = crumbs(report, run);
    shell.viewer = true;
    shell.tabs = tabs(View::new(report, worker, 0), run);
    if has_kernels(all) {
        shell.tabs.push(Tab::away(links::KERNELS, "Kernels", None));
    }
    write_page(worker, out, &shell, |worker, out| {
        let view = View::new(report, worker, 0);
        writeln!(out, "{}", head(view, (all, index), &found)?.as_str())?;
        let owners = line_owners(&found);
        let times = Times::of(report, run, &found);
        let shown = Shown { texts: &texts, found: &found, owners: &owners, times: &times };
        let panes = panes::panes(view, run, shown);
        if panes.is_empty() {
            return Ok(());
        }
        rows::write_anchors(&found, out)?;
        if bytes_of(&found) > MOST_LINKED {
            let kernels = counted(found.kernels.len(), "call of a kernel", "calls of kernels");
            let maps = view.link(&view.href(&run.path("json")), "the maps as JSON");
            let words =
                format!("{kernels} would make the page too large, with the lines that they belong to; ");
            note_below(out, Html::joined([words.into(), maps, " have all.".into()], ""))?;
            return words::write(view, shown, out);
        }
        let tools = Tools { lines: keys(&found), more: keys_left_out(&found), panes: &panes };
        writeln!(out, "{}", view.render("provenance_tools", &tools)?.as_str())?;
        panes::write(report, shown, &panes, (&mut *worker, &mut *out))?;
        words::write(View::new(report, worker, 0), shown, out)?;
        data::write(&found, report.settings.editor.as_ref(), out)
    })
}

/// Bytes of script data and of the rows of kernels and lines: half of the page's limit.
const MOST_LINKED: usize = LARGEST_VIEWER / 2;

/// Approximate bytes of the page's links.
fn bytes_of(found: &Provenance) -> usize {
    const ROW: usize = 400;
    const NUMBER: usize = 8;
    let kernels = found.kernels.iter();
    let kernels =
        kernels.map(|call| ROW + 2 * call.kernel.len() + NUMBER * (call.post.len() + call.source.len()));
    let lines = found.source.iter();
    let lines = lines.map(|line| ROW + NUMBER * (line.pre.len() + line.post.len() + line.calls.len()));
    kernels.chain(lines).sum()
}

#[derive(Serialize)]
struct Tools<'p> {
    lines: Vec<Key>,
    /// The number of lines without a button, in words.
    more: Option<String>,
    panes: &'p [panes::Pane<'p>],
}

/// A button for a line of the program.
#[derive(Serialize)]
struct Key {
    number: u64,
    tint: String,
    code: String,
}

/// Most buttons for lines of the program. The source pane has all lines.
const MOST_KEYS: usize = 24;

fn keys(found: &Provenance) -> Vec<Key> {
    let key = |(place, line): (usize, &SourceLine)| Key {
        number: line.line,
        tint: Tints::class(place),
        code: clipped(line.code.as_deref().unwrap_or_default(), LONG_LINE).0.to_owned(),
    };
    found.source.iter().take(MOST_KEYS).enumerate().map(key).collect()
}

fn keys_left_out(found: &Provenance) -> Option<String> {
    let more = found.source.len().saturating_sub(MOST_KEYS);
    (more > 0).then(|| format!("and {} in the pane of the source", whole(more)))
}

fn crumbs(report: Report<'_>, run: &Run<'_>) -> Vec<(String, Option<String>)> {
    let compile = run.compile;
    let name = compile.id.as_ref().map_or_else(|| "no compile id".to_owned(), ToString::to_string);
    let page = links::compile(report, compile);
    vec![(name, Some(page)), (format!("provenance, {}", run.name()), None)]
}

/// The texts of the run as files, and its maps.
fn tabs(view: View<'_>, run: &Run<'_>) -> Vec<Tab> {
    let artifact = |index: usize| {
        let artifact = run.compile.artifacts.get(index)?;
        let path = paths::best(run.compile, artifact, view.report.settings);
        (!matches!(artifact.content, Content::Empty(_))).then(|| view.href(&path))
    };
    let mut tabs = Vec::new();
    let mut add = |index: Option<usize>, words: &str| {
        tabs.extend(index.and_then(artifact).map(|href| Tab::away(href, words, None)));
    };
    add(run.run.pre, "Pre-grad graph");
    add(run.run.post, "Post-grad graph");
    for file in &run.run.code {
        add(Some(file.artifact), code_words(file.kind).1);
    }
    add(run.run.stacks, "Stacks of kernels");
    tabs.push(Tab::away(view.href(&run.path("json")), "Maps as JSON", None));
    tabs
}

#[derive(Serialize)]
struct PageHead {
    count: bool,
    kernels: String,
    nodes: Option<String>,
    lines: Option<String>,
    pill: Html,
    function: Html,
    name: String,
    verdict: &'static str,
    notes: Vec<Html>,
    runs: Vec<OtherRun>,
    more: Option<String>,
    /// The page that lists all of them.
    all_at: Option<&'static str>,
}

#[derive(Serialize)]
struct OtherRun {
    before: bool,
    label: String,
    href: Option<String>,
}

fn head(view: View<'_>, (all, index): (&[Run<'_>], usize), found: &Provenance) -> anyhow::Result<Html> {
    let Some(run) = all.get(index) else { return Ok(Html::default()) };
    let coverage = found.coverage;
    let of = |count: Linked, one: &str, many: &str| {
        let word = if count.all == 1 { one } else { many };
        format!("{} of {} {word}", whole(count.linked), whole(count.all))
    };
    let lines = found.source.iter().filter(|line| !line.calls.is_empty() || !line.pre.is_empty()).count();
    let count = coverage.kernels.linked > 0;
    // The runs around this one.
    let shown: Vec<usize> =
        all.iter().enumerate().filter(|(_, run)| run.shown).map(|(index, _)| index).collect();
    let at = shown.iter().position(|other| *other == index).unwrap_or_default();
    let start = at.saturating_sub(SHORT_LIST / 2).min(shown.len().saturating_sub(SHORT_LIST));
    let window =
        shown.iter().skip(start).take(SHORT_LIST).filter_map(|other| Some((*other, all.get(*other)?)));
    let runs: Vec<OtherRun> = window
        .enumerate()
        .map(|(place, (other, run))| OtherRun {
            before: place > 0,
            label: run.label(),
            href: run.href(view).filter(|_| other != index),
        })
        .collect();
    let name = match run.run.direction() {
        Some(direction) => format!("the {direction} graph of "),
        None if run.of > 1 => format!("{} of ", run.name()),
        None if run.compile.id.is_none() && run.of > 0 => format!("the {} graph ", run.name()),
        None => String::new(),
    };
    view.render(
        "provenance_head",
        &PageHead {
            count,
            kernels: of(coverage.kernels, "kernel", "kernels"),
            nodes: (coverage.nodes.linked > 0).then(|| of(coverage.nodes, "node", "nodes")),
            lines: (lines > 0).then(|| counted(lines, "source line", "source lines")),
            pill: view.pill(run.compile),
            function: view.named(run.compile),
            name,
            verdict: match run.run.order {
                0 => "No Inductor run was recorded for",
                _ => "The log does not say which lines became the kernels of",
            },
            notes: notes(view, run, found),
            more: (shown.len() > SHORT_LIST).then(|| format!("all {} runs", whole(shown.len()))),
            all_at: has_kernels(all).then_some(links::KERNELS),
            runs: if shown.len() > 1 { runs } else { Vec::new() },
        },
    )
}

/// What the log lacks, and which setting records it.
fn notes(view: View<'_>, run: &Run<'_>, found: &Provenance) -> Vec<Html> {
    let mut notes = Vec::new();
    let mut say = |text: &str| notes.push(Html::escaped(text));
    if run.run.order == 0 {
        say("There is no generated code in its folder, so there are no kernels.");
        return notes;
    }
    let late = run.run.direction() == Some("backward");
    let missing = run.run.mappings.is_empty();
    match (found.has_map, found.has_stacks) {
        (true, _) if !found.names_kernels => {
            say("torch's node map of this run connects graphs but names no kernels.")
        }
        (true, _) => {}
        (false, true) if late => {
            say("torch records no node map for a backward graph compiled at its first call.")
        }
        (false, _) if missing => say("The node map of this run is missing."),
        (false, _) => say("The node map of this run is empty."),
    }
    match (found.worked_out, found.has_stacks) {
        (true, true) => say(
            "torch recorded the source lines; the nodes of each kernel are derived from what the generated \
            code reads and writes.",
        ),
        (true, false) => say(
            "The nodes and lines of each kernel are derived from what the generated code reads and writes.",
        ),
        (false, true) if !found.has_map => say("Only kernels and their source lines are known."),
        (false, false) if !found.has_map => say("The links come from comments in graphs and code."),
        (false, _) => {}
    }
    if !found.has_map && !found.has_stacks {
        notes.push(how_to_record(view));
    }
    let mut say = |text: &str| notes.push(Html::escaped(text));
    match run.run.is_from_cache(run.compile) {
        true if found.has_map => say("The code of this run and its map came from a cache."),
        true => say("The code of this run came from a cache, which has no map for it."),
        false => {}
    }
    if is_damaged(run) {
        say("A file of this run is damaged in the log, so some links may lead nowhere.");
    }
    if found.cut {
        say("The map has more links than a page can hold; this page has the first 500,000 in each \
            direction.");
    }
    notes
}

/// Which setting records where kernels come from.
fn how_to_record(view: View<'_>) -> Html {
    let setting = view.code("INDUCTOR_PROVENANCE=1");
    let rest =
        " while the log is recorded; results from a cache have it only if it was set when they were made.";
    Html::joined([Html::escaped("Set "), setting, Html::escaped(rest)], "")
}

/// Whether a text of the run is damaged.
fn is_damaged(run: &Run<'_>) -> bool {
    let code = run.run.code.iter().map(|file| &file.artifact);
    let texts = run.run.pre.iter().chain(&run.run.post).chain(&run.run.stacks).chain(&run.run.mappings);
    texts.chain(code).any(|index| {
        let content = run.compile.artifacts.get(*index).map(|artifact| &artifact.content);
        matches!(content, Some(Content::Payload(at, _)) if !at.intact)
    })
}
