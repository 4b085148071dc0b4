//! A page of linked panes, and below them the same in words.

use crate::analysis::provenance::{KernelCall, Provenance};
use crate::model::Content;
use crate::report::kit::formats::{UNKNOWN, counted, short_path, whole};
use crate::report::kit::html::Html;
use crate::report::kit::inductor_runs::Run;
use crate::report::kit::inductor_runs::RunTexts;
use crate::report::kit::markup::{Element, close_section, note_below, paragraph, put, span};
use crate::report::kit::paths;
use crate::report::kit::shell::{Shell, Tab, write_page};
use crate::report::kit::tables::{Head, Row, Table, Td};
use crate::report::kit::templates::Worker;
use crate::report::kit::view::View;
use crate::report::pages::provenance::panes;
use crate::report::pages::provenance::panes::code_words;
use crate::report::subject::Report;
use serde::Serialize;
use std::io::Write;

/// Runs that each page lists; a long log has hundreds, and `kernels.html` names all.
const NEIGHBORS: usize = 12;

/// Kernels in the table. The panes have all.
const MOST_KERNELS: usize = 1_000;

/// Nodes named in a cell, and below the table.
const MOST_NODES: usize = 40;
const MOST_UNMAPPED: usize = 200;

/// Writes the page of the run at that place among all.
pub(crate) fn write(
    report: Report<'_>,
    (all, index): (&[Run<'_>], usize),
    worker: &mut Worker,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let Some(run) = all.get(index) else { return Ok(()) };
    let texts = RunTexts::read(report, run)?;
    let found = texts.provenance();
    let mut shell = Shell::top(report, &format!("{} provenance", run.label()));
    shell.crumbs = crumbs(report, run);
    shell.tabs = tabs(View::new(report, worker, 0), run);
    if all.iter().any(|run| !run.run.code.is_empty()) {
        shell.tabs.push(Tab::away("kernels.html", "Kernels", None));
    }
    write_page(worker, out, &shell, |worker, out| {
        let view = View::new(report, worker, 0);
        writeln!(out, "{}", head(view, (all, index), &found)?.as_str())?;
        let panes = panes::panes(view, run, &texts, &found);
        if panes.is_empty() {
            return Ok(());
        }
        writeln!(out, "{}", view.render("provenance_tools", &Tools { panes: &panes })?.as_str())?;
        panes::write(view, &found, &panes, out)?;
        kernels(view, &found, out)?;
        unmapped(view, &found, out)?;
        keys(view, out)?;
        panes::write_data(&found, out)
    })
}

#[derive(Serialize)]
struct Tools<'p> {
    panes: &'p [panes::Pane<'p>],
}

fn crumbs(report: Report<'_>, run: &Run<'_>) -> Vec<(String, Option<String>)> {
    let compile = run.compile;
    let name = compile.id.as_ref().map_or_else(|| "no compile id".to_owned(), ToString::to_string);
    let page = crate::report::kit::links::encoded(paths::compile_page(compile).as_str());
    vec![
        (report.model.log.file.clone(), Some(paths::landing(report.settings).to_owned())),
        (name, Some(page)),
        (format!("provenance, {}", run.name()), None),
    ]
}

/// The texts of the run as files, and its maps.
fn tabs(view: View<'_>, run: &Run<'_>) -> Vec<Tab> {
    let artifact = |index: usize| {
        let artifact = run.compile.artifacts.get(index)?;
        let path = paths::readable(run.compile, artifact);
        let path = path.unwrap_or_else(|| paths::artifact(run.compile, artifact, view.report.settings));
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
    lines: String,
    pill: Html,
    function: Html,
    name: String,
    verdict: &'static str,
    notes: Vec<Html>,
    runs: Vec<OtherRun>,
    more: Option<String>,
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
    let of = |(some, all): (usize, usize), one: &str, many: &str| {
        let word = if all == 1 { one } else { many };
        format!("{} of {} {word}", whole(some), whole(all))
    };
    let lines = found.source.iter().filter(|line| !line.calls.is_empty() || !line.pre.is_empty()).count();
    let count = coverage.kernels.0 > 0;
    // A window of the list around this run.
    let shown: Vec<usize> =
        all.iter().enumerate().filter(|(_, run)| run.shown).map(|(index, _)| index).collect();
    let at = shown.iter().position(|other| *other == index).unwrap_or_default();
    let start = at.saturating_sub(NEIGHBORS / 2).min(shown.len().saturating_sub(NEIGHBORS));
    let window =
        shown.iter().skip(start).take(NEIGHBORS).filter_map(|other| Some((*other, all.get(*other)?)));
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
            nodes: (coverage.nodes.0 > 0).then(|| of(coverage.nodes, "node", "nodes")),
            lines: counted(lines, "source line", "source lines"),
            pill: view.pill(run.compile)?,
            function: view.named(run.compile),
            name,
            verdict: match run.run.order {
                0 => "No Inductor run was recorded for",
                _ => "The log does not say which lines became the kernels of",
            },
            notes: notes(view, run, found),
            more: (shown.len() > NEIGHBORS).then(|| format!("all {} runs", whole(shown.len()))),
            runs: if shown.len() > 1 { runs } else { Vec::new() },
        },
    )
}

/// What the log does not say, and which setting records it.
fn notes(view: View<'_>, run: &Run<'_>, found: &Provenance) -> Vec<Html> {
    let mut notes = Vec::new();
    let mut say = |text: &str| notes.push(Html::escaped(text));
    if run.run.order == 0 {
        say("There is no generated code in its folder, so there are no kernels to tell of.");
        return notes;
    }
    let late = run.run.direction() == Some("backward");
    let missing = run.run.mappings.is_empty();
    match (found.has_map, found.has_stacks) {
        (true, _) if !found.names_kernels => {
            say("torch's node map of this run connects its graphs, and names no kernel.")
        }
        (true, _) => {}
        (false, true) if late => {
            say("torch records no node map for a backward that is compiled when it is first called.")
        }
        (false, _) if missing => say("The node map of this run is missing."),
        (false, _) => say("The node map of this run is empty."),
    }
    match (found.worked_out, found.has_stacks) {
        (true, true) => say(
            "Source lines are those that torch recorded; the nodes of a kernel are worked out from what the generated code \
             reads and writes.",
        ),
        (true, false) => say(
            "Which nodes and lines a kernel computes is worked out from what the generated code reads and writes.",
        ),
        (false, true) if !found.has_map => say("Only kernels and their source lines are known."),
        (false, false) if !found.has_map => say("What is shown comes from the comments in graphs and code."),
        (false, _) => {}
    }
    if !found.has_map && !found.has_stacks {
        notes.push(how_to_record(view));
    }
    let mut say = |text: &str| notes.push(Html::escaped(text));
    match run.run.is_from_cache(run.compile) {
        true if found.has_map => {
            say("The code of this run was found in a cache, and the map was stored with it.")
        }
        true => say("The code of this run was found in a cache, and no map was stored with it."),
        false => {}
    }
    if is_damaged(run) {
        say("A file of this run is damaged in the log; lines of it may lead nowhere.");
    }
    if found.cut {
        say("The map names more links than a page can hold; the first 500,000 of each direction are here.");
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

/// Whether a text of the run is not what torch wrote.
fn is_damaged(run: &Run<'_>) -> bool {
    let code = run.run.code.iter().map(|file| &file.artifact);
    let texts = run.run.pre.iter().chain(&run.run.post).chain(&run.run.stacks).chain(&run.run.mappings);
    texts.chain(code).any(|index| {
        let content = run.compile.artifacts.get(*index).map(|artifact| &artifact.content);
        matches!(content, Some(Content::Payload(at, _)) if !at.intact)
    })
}

/// What the panes show, in words.
fn kernels(view: View<'_>, found: &Provenance, out: &mut dyn Write) -> anyhow::Result<()> {
    if found.kernels.is_empty() {
        return Ok(());
    }
    let count = Some(whole(found.kernels.len()));
    let note = "what the panes show, in words";
    view.open_section(out, ("kernel-table", "Kernels", note), count, Html::default())?;
    let any = |test: fn(&KernelCall) -> bool| found.kernels.iter().any(test);
    let heads = vec![
        Head::text("Kernel and handle"),
        Head::text("Kind"),
        Head::number("Call, line"),
        Head::number("Definition, line").absent_if(!any(|call| call.definition.is_some())),
        Head::number("Nodes").absent_if(!any(|call| !call.nodes.is_empty())),
        Head::text("Post-grad nodes").absent_if(!any(|call| !call.nodes.is_empty())),
        Head::text("Source lines").absent_if(!any(|call| !call.source.is_empty())),
    ];
    let table = Table { id: "kernels-in-words", label: "Kernels", heads };
    let shown: Vec<(usize, &KernelCall)> = (1..).zip(&found.kernels).take(MOST_KERNELS).collect();
    view.table(out, &table, shown.into_iter().map(|(at, call)| Ok(row(view, found, at, call))))?;
    view.beyond(out, found.kernels.len(), found.kernels.len().min(MOST_KERNELS), "kernels")?;
    Ok(close_section(out)?)
}

fn row(view: View<'_>, found: &Provenance, at: usize, call: &KernelCall) -> Row {
    let (file, _) = code_words(call.file);
    let handle = call.handle.as_ref().map(|handle| format!(":{handle}")).unwrap_or_default();
    let handle = span("soft mono", handle);
    let name = span("mono", view.link(&format!("#kernels-{at}"), &call.kernel));
    let line = |file: &str, line: u32| view.link(&format!("#{file}-{line}"), &line.to_string());
    let definition = call.definition.map(|(kind, first, _)| line(code_words(kind).0, first));
    let nodes: Vec<&str> = call.nodes.iter().take(MOST_NODES).map(String::as_str).collect();
    let more = call.nodes.len().saturating_sub(MOST_NODES);
    let more = if more > 0 { format!(" and {} more", whole(more)) } else { String::new() };
    Row::of(vec![
        Td::html(Html::joined([name, handle], "")),
        Td::text(call.language.unwrap_or("library")),
        Td::html(line(file, call.line)).class("num").sorted(call.line),
        Td::html(definition.unwrap_or_else(|| Html::escaped(UNKNOWN))).class("num"),
        Td::number(call.nodes.len() as f64, &whole(call.nodes.len())),
        Td::text(&format!("{}{more}", nodes.join(", "))).class("mono"),
        Td::html(source_links(view, found, call)),
    ])
}

/// The source lines of a kernel: `x.py:19, 20`.
fn source_links(view: View<'_>, found: &Provenance, call: &KernelCall) -> Html {
    let mut before = None;
    let links = call.source.iter().take(MOST_NODES).filter_map(|at| {
        let line = found.source.get(*at)?;
        let file = before.replace(&line.file) != Some(&line.file);
        let text =
            if file { format!("{}:{}", short_path(&line.file), line.line) } else { line.line.to_string() };
        Some(view.link(&format!("#source-{}", at + 1), &text))
    });
    Html::joined(links.collect::<Vec<_>>(), ", ")
}

fn unmapped(view: View<'_>, found: &Provenance, out: &mut dyn Write) -> anyhow::Result<()> {
    if found.unmapped.is_empty() || found.coverage.nodes.0 == 0 {
        return Ok(());
    }
    let count = Some(whole(found.unmapped.len()));
    let note = "nodes of the post-grad graph that no kernel names";
    view.open_section(out, ("unmapped", "Not mapped", note), count, Html::default())?;
    let names = found.unmapped.iter().take(MOST_UNMAPPED);
    let names =
        names.map(|(name, line)| Element::new("code").title(&format!("line {line}")).around(name.as_str()));
    let more = found.unmapped.len().saturating_sub(MOST_UNMAPPED);
    let more = if more > 0 { format!(", and {} more", whole(more)) } else { String::new() };
    let names = Html::joined(names.collect::<Vec<_>>(), ", ");
    paragraph(out, Html::joined([names, format!("{more}.").into()], ""))?;
    note_below(out, "Views and parts of a tuple need no kernel. Inputs of the graph are not counted.")?;
    Ok(close_section(out)?)
}

fn keys(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    view.open_section(out, ("keys", "Keys", ""), None, Html::default())?;
    put(out, &view.render("provenance_keys", &())?)?;
    Ok(close_section(out)?)
}
