//! `graph_drawn.html`: a graph as a drawing. Its sheets are laid out and written here; the script shows one of them, moves
//! the view, and fills the panel.

mod facts;
mod kernels;
mod svg;
mod words;

use crate::analysis::drawing::{Drawing, DrawnGraph, GraphTexts, Item, Level, SheetPiece};
use crate::analysis::provenance::{Provenance, RunTexts};
use crate::model::{Artifact, Compile, CompileIndex, Content};
use crate::report::kit::graph_files::graphs_href;
use crate::report::kit::inductor_runs::{Run, runs_of, texts_of};
use crate::report::kit::markup::{open_data, script_json};
use crate::report::kit::prelude::*;
use facts::facts;
use kernels::{KernelLinks, kernel_links};
use std::collections::BTreeSet;
use svg::{Shown, svg};
use words::Named;

/// Bytes of SVG on a page. Sheets that do not fit are left out: their blocks stay closed.
const MOST_SVG: usize = 200_000;

/// A page for each drawing.
pub(crate) fn pages(report: Report<'_>) -> Vec<Page<'_, Worker>> {
    let drawn: Vec<(CompileIndex, DrawnGraph)> =
        report.drawn_graphs().all().map(|(index, graph)| (index, graph.clone())).collect();
    let page = |(index, graph): (CompileIndex, DrawnGraph)| {
        let compile = report.model.compiles.get(index)?;
        Some(Page::rendered(paths::drawn_page(compile), move |worker: &mut Worker, out: &mut dyn Write| {
            write(report, compile, &graph, (worker, out))
        }))
    };
    drawn.into_iter().filter_map(page).collect()
}

/// What a page is made of.
struct ShownGraph<'m> {
    compile: &'m Compile,
    graph: &'m DrawnGraph,
    run: Option<Run<'m>>,
    found: Option<Provenance>,
    drawing: Drawing,
    damaged: bool,
}

impl<'m> ShownGraph<'m> {
    fn read(
        report: Report<'m>,
        compile: &'m Compile,
        graph: &'m DrawnGraph,
    ) -> anyhow::Result<ShownGraph<'m>> {
        let text = |at: usize| -> anyhow::Result<Option<String>> {
            match compile.artifacts.get(at).map(|artifact| &artifact.content) {
                Some(Content::Payload(at, _)) => report.payload(at).map(Some),
                _ => Ok(None),
            }
        };
        let run = runs_of(report, compile).into_iter().find(|run| run.run.post == Some(graph.graph));
        let texts = run.as_ref().map(|run| texts_of(report, run)).transpose()?;
        let found = texts.as_ref().map(RunTexts::provenance).filter(|found| found.has_map);
        let captured = graph.captured.map(text).transpose()?.flatten();
        let origins = texts.as_ref().and_then(|texts| texts.pre.as_deref()).zip(found.as_ref());
        let drawing = Drawing::of(&GraphTexts {
            graph: &text(graph.graph)?.unwrap_or_default(),
            captured: captured.as_deref(),
            origins,
        });
        let damaged = match compile.artifacts.get(graph.graph).map(|artifact| &artifact.content) {
            Some(Content::Payload(at, _)) => !at.intact,
            _ => false,
        };
        Ok(ShownGraph { compile, graph, run, found, drawing, damaged })
    }

    fn artifact(&self) -> Option<&Artifact> {
        self.compile.artifacts.get(self.graph.graph)
    }

    /// `post-grad graph`, `forward graph`, `captured graph`.
    fn name(&self) -> String {
        let direction = self.run.as_ref().and_then(|run| run.run.direction());
        match direction.filter(|direction| *direction != "inference") {
            Some(direction) => format!("{direction} graph"),
            None if self.is_captured() => "captured graph".to_owned(),
            None => "post-grad graph".to_owned(),
        }
    }

    fn is_captured(&self) -> bool {
        self.artifact().is_some_and(|artifact| artifact.name.starts_with("dynamo_"))
    }

    /// The name of the whole graph in the drawing: the function's.
    fn root(&self, view: View<'_>) -> String {
        let name = view.function_name(self.compile).map(|name| name.plain());
        clipped(name.as_deref().unwrap_or("graph"), 60).0.to_owned()
    }
}

fn write<'m>(
    report: Report<'m>,
    compile: &'m Compile,
    graph: &'m DrawnGraph,
    (worker, out): (&mut Worker, &mut dyn Write),
) -> anyhow::Result<()> {
    let subject = ShownGraph::read(report, compile, graph)?;
    let mut shell = Shell::of_compile(report, compile, Some("graph, drawn"));
    shell.tabs = tabs(View::new(report, worker, 1), &subject);
    write_page(worker, out, &shell, |worker, out| {
        let view = View::new(report, worker, 1);
        let name = subject.name();
        let named = Named { compile, graph: &name };
        let kernels = kernel_links(view, subject.run.as_ref(), subject.found.as_ref(), &subject.drawing);
        write_line(out, &words::head(view, (&subject.drawing, &kernels), &named, subject.damaged)?)?;
        write_drawing(view, &subject, &kernels, out)?;
        words::tables(view, &subject.drawing, &kernels, out)
    })
}

fn tabs(view: View<'_>, subject: &ShownGraph<'_>) -> Vec<Tab> {
    let mut tabs = vec![Tab::section("graph-drawing", "Drawing", None)];
    if !subject.drawing.kernels.is_empty() {
        tabs.push(Tab::section("graph-kernels", "Kernels", Some(whole(subject.drawing.kernels.len()))));
    }
    tabs.push(Tab::section("graph-blocks", "In words", None));
    tabs.extend(as_text(view, subject).map(|href| Tab::away(href, "As text", None)));
    let panes = subject.run.as_ref().and_then(|run| run.href(view));
    tabs.extend(panes.map(|href| Tab::away(href, "Provenance", None)));
    let label = if subject.compile.id.is_some() { subject.compile.label() } else { "no id".to_owned() };
    tabs.push(Tab::away(view.compile_href(subject.compile), &format!("Compile {label}"), None));
    tabs
}

/// The viewer of graphs at this graph.
fn as_text(view: View<'_>, subject: &ShownGraph<'_>) -> Option<String> {
    let number = subject.artifact()?.number;
    Some(format!("{}#{number}", graphs_href(view, subject.compile)?))
}

/// The sheets of a page.
struct Sheets {
    html: Vec<Html>,
    drawn: BTreeSet<Item>,
    edges_left_out: usize,
    blocks_left_out: usize,
}

/// Draws the whole graph at the level that shows it best, then each block, as long as there is room.
fn sheets(drawing: &Drawing, root: &str) -> Sheets {
    let mut sheets =
        Sheets { html: Vec::new(), drawn: BTreeSet::new(), edges_left_out: 0, blocks_left_out: 0 };
    let first = drawing.first_level();
    let first = if drawing.boxes_at(first).is_some() { first } else { Level::Closed };
    let mut room = MOST_SVG;
    sheets.add(drawing, Shown { block: 0, level: first, label: root, first: true }, &mut room);
    for (at, block) in drawing.blocks.iter().enumerate().skip(1).filter(|(_, block)| block.total > 0) {
        let has_blocks = block.links.items.iter().any(|item| matches!(item, Item::Block(_)));
        if !has_blocks && !drawing.draws_operators() {
            continue;
        }
        let shown = Shown { block: at, level: Level::Closed, label: &block.name, first: false };
        if !sheets.add(drawing, shown, &mut room) {
            sheets.blocks_left_out += 1;
        }
    }
    sheets
}

impl Sheets {
    /// Adds a sheet if there is room for it; the first is always there.
    fn add(&mut self, drawing: &Drawing, shown: Shown<'_>, room: &mut usize) -> bool {
        // A box with its edges takes more than 200 bytes: no need to lay out what cannot fit.
        let boxes = drawing.blocks.get(shown.block).map_or(0, |block| block.links.items.len());
        if !shown.first && boxes * 200 > *room {
            return false;
        }
        let sheet = drawing.sheet(shown.block, shown.level);
        let html = svg(drawing, &sheet, shown);
        let bytes = html.as_str().len();
        if bytes > *room && !shown.first {
            return false;
        }
        *room = room.saturating_sub(bytes);
        self.html.push(html);
        self.edges_left_out += sheet.edges_left_out;
        self.drawn.extend(sheet.pieces.iter().filter_map(|piece| match piece {
            SheetPiece::Box { item, .. } => Some(*item),
            _ => None,
        }));
        true
    }
}

#[derive(Serialize)]
struct Stage<'s> {
    root: &'s str,
    sheets: &'s [Html],
    has_kernels: bool,
    notes: Vec<String>,
}

fn write_drawing(
    view: View<'_>,
    subject: &ShownGraph<'_>,
    kernels: &[KernelLinks],
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let (drawing, root) = (&subject.drawing, subject.root(view));
    let sheets = sheets(drawing, &root);
    let about = "data flows downwards; weights are left out, the panel names them";
    view.open_section(out, ("graph-drawing", "Drawing", about), None, Html::default())?;
    let stage = Stage {
        root: &root,
        sheets: &sheets.html,
        has_kernels: !kernels.is_empty(),
        notes: limits(drawing, &sheets),
    };
    write_line(out, &view.render("drawn_stage", &stage)?)?;
    open_data(out, "drawn-data")?;
    let text = as_text(view, subject).map(|href| format!("{href}-L")).unwrap_or_default();
    let facts = facts(view, drawing, &sheets.drawn, (&root, text, kernels));
    out.write_all(script_json(&facts)?.as_bytes())?;
    close(out, "script")?;
    Ok(close_section(out)?)
}

/// What is not drawn, and where it is.
fn limits(drawing: &Drawing, sheets: &Sheets) -> Vec<String> {
    let mut notes = Vec::new();
    if !drawing.draws_operators() {
        notes.push(
            "The graph is so large that operators inside of modules are not drawn; its text has all nodes."
                .to_owned(),
        );
    }
    if sheets.blocks_left_out > 0 {
        let blocks = counted(sheets.blocks_left_out, "block cannot", "blocks cannot");
        notes.push(format!("{blocks} be opened, as the page would be too large; the text has all nodes."));
    }
    if sheets.edges_left_out > 0 {
        let edges = counted(sheets.edges_left_out, "long edge is", "long edges are");
        notes.push(format!("{edges} not drawn; the panel says where data comes from and goes to."));
    }
    notes
}
