//! The drawing in words: the verdict, and tables for paper and for readers of a screen.

use super::kernels::KernelLinks;
use super::svg::tint;
use crate::analysis::drawing::{Block, Drawing, Item, Place};
use crate::limits::{NAMED_BRIEFLY, SHORT_NAME, SHORT_TABLE};
use crate::model::{Compile, short_kernel};
use crate::report::doc::{Cell, Listing, Others, Rows, Surface, html, lines, log, micros, own, place};
use crate::report::kit::formats;
use crate::report::kit::prelude::{
    Html, Serialize, View, Write, and_more, close_section, counted, links, percent, span, strong, whole,
};
use std::collections::BTreeMap;

/// What the graph is called, and how the page is headed.
pub(super) struct Named<'n> {
    pub(super) compile: &'n Compile,
    /// `post-grad graph`, `forward graph`, `captured graph`.
    pub(super) graph: &'n str,
}

#[derive(Serialize)]
struct Verdict {
    sentence: Html,
    notes: Vec<Html>,
}

/// The verdict: what the graph has, and what was drawn how.
pub(super) fn head(
    view: View<'_>,
    (drawing, measured): (&Drawing, &[KernelLinks]),
    named: &Named<'_>,
    damaged: bool,
) -> anyhow::Result<Html> {
    let nodes = strong(counted(drawing.operators.len(), "node", "nodes"));
    let function = view.function_name(named.compile).map(|name| view.title_of(name)).unwrap_or_default();
    let subject =
        Html::joined([format!("{} of", named.graph).into(), view.pill(named.compile), function], " ");
    let sentence = match drawing.kernels.is_empty() {
        true => {
            let lines = strong(counted(drawing.places.len(), "line", "lines"));
            let has = [Html::escaped("The"), subject, "has".into(), nodes, "from".into(), lines];
            Html::joined([Html::joined(has, " "), layers_words(drawing)], "")
        }
        false => {
            let kernels = strong(counted(drawing.kernels.len(), "kernel", "kernels"));
            let became = [nodes, "of the".into(), subject, "became".into(), kernels];
            let most = time_words(view, measured).unwrap_or_else(|| kernels_words(drawing));
            Html::joined([Html::joined(became, " "), most], "")
        }
    };
    let notes = notes(view, drawing, damaged);
    view.render("verdict", &Verdict { sentence, notes })
}

/// `: 4 layers of 84 nodes each, drawn once, and 54 others.`
fn layers_words(drawing: &Drawing) -> Html {
    let layers = drawing.blocks.iter().filter(|block| block.layers > 1 && block.total > 0);
    let Some(largest) = layers.max_by_key(|block| block.total) else { return ".".into() };
    let each = drawing.each(largest);
    let others = drawing.operators.len().saturating_sub(largest.total);
    let others = if others == 0 { String::new() } else { format!(", and {} others", whole(others)) };
    let words = format!(" of {} each, drawn once{others}.", counted(each, "node", "nodes"));
    Html::joined([": ".into(), strong(format!("{} layers", largest.times)), words.into()], "")
}

/// `, which took 2.5 ms: 573 us (23 %) in kernel 12, extern_kernels.mm.`
fn time_words(view: View<'_>, kernels: &[KernelLinks]) -> Option<Html> {
    let known = kernels.iter().enumerate().filter_map(|(at, kernel)| Some((at, kernel, kernel.us?)));
    let all: f64 = known.clone().map(|(.., us)| us).sum();
    let (at, kernel, us) = known.max_by(|one, other| one.2.total_cmp(&other.2))?;
    let share = format!(" ({}) in ", percent(us, all, false));
    let row = (at < SHORT_TABLE).then(|| format!("#{}", kernel_anchor(at)));
    let name = view.link_if(row.as_deref(), &format!("kernel {}", at + 1));
    let words = [
        ", which took ".into(),
        strong(formats::micros(all)),
        ": ".into(),
        strong(formats::micros(us)),
        share.into(),
        name,
    ];
    let named = [", ".into(), view.code(&short_kernel(&kernel.name, SHORT_NAME)), ".".into()];
    Some(Html::joined(words.into_iter().chain(named), ""))
}

/// The address of a kernel, which the script follows.
fn kernel_anchor(at: usize) -> String {
    format!("kernel-{}", at + 1)
}

/// `. Kernel 15 computes 18 of them; 25 became none.`
fn kernels_words(drawing: &Drawing) -> Html {
    let most =
        drawing.kernels.iter().enumerate().max_by_key(|(at, kernel)| (kernel.operators, usize::MAX - at));
    let largest = most.filter(|(_, kernel)| kernel.operators > 1).map(|(at, kernel)| {
        let count = strong(whole(kernel.operators));
        Html::joined([format!(". Kernel {} fuses ", at + 1).into(), count, " of them".into()], "")
    });
    let none = drawing.operators.iter().filter(|one| one.kernels.is_empty()).count();
    let none = (none > 0).then(|| Html::escaped(&format!("; {} became none", whole(none))));
    Html::joined([largest.unwrap_or_default(), none.unwrap_or_default(), ".".into()], "")
}

fn notes(view: View<'_>, drawing: &Drawing, damaged: bool) -> Vec<Html> {
    let mut notes = Vec::new();
    let has_modules = drawing.inputs.iter().any(|input| !input.weight.is_empty());
    let blocks = match has_modules {
        true => "Blocks are the modules that own the weights.",
        false => "The graph names no weights of modules, so it has no blocks; its lines are below.",
    };
    let kernels = match drawing.kernels.is_empty() {
        true => {
            let setting = view.code("INDUCTOR_PROVENANCE=1");
            let words = "Which kernel a node became is not in this log;".into();
            Html::joined([words, setting, "records it.".into()], " ")
        }
        false => {
            let several = drawing.operators.iter().filter(|one| one.kernels.len() > 1).count();
            let several = match several {
                0 => String::new(),
                count => format!(
                    " {} by several kernels.",
                    counted(count, "node is computed", "nodes are computed")
                ),
            };
            format!(
                "The map is the one that Inductor wrote. A color is a kernel, whose number is in each \
                node; colors repeat after eight.{several}"
            )
            .into()
        }
    };
    let first =
        if drawing.kernels.is_empty() || !has_modules { vec![blocks.into(), kernels] } else { vec![kernels] };
    notes.push(Html::joined(first, " "));
    if drawing.left_out > 0 {
        let words = counted(drawing.left_out, "node of nested graphs is", "nodes of nested graphs are");
        notes.push(format!("{words} not drawn; the viewer of graphs has them.").into());
    }
    if damaged {
        notes.push(span("err", "The record of this graph is damaged: the drawing may lack a part."));
    }
    notes
}

/// The tables below the drawing.
pub(super) fn tables(
    view: View<'_>,
    drawing: &Drawing,
    kernels: &[KernelLinks],
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let on = Surface::Whole(view);
    if !kernels.is_empty() {
        html::section(on, out, &kernel_list(kernels))?;
    }
    let with_blocks = top_blocks(drawing).next().is_some();
    let rows = if with_blocks { of_blocks(drawing) } else { of_lines(drawing) };
    let title = if with_blocks { "Blocks" } else { "Lines" };
    let count = if with_blocks { top_blocks(drawing).count() } else { rows.len() };
    let head = ("graph-blocks", title, "the drawing in words");
    view.open_section(out, head, Some(whole(count)), Html::default())?;
    html::table(on, out, &block_list(view, drawing, rows, title))?;
    Ok(close_section(out)?)
}

/// A row of the table of blocks or lines.
struct Words<'d> {
    /// The address of a block.
    id: Option<String>,
    name: Cell<'d>,
    nodes: usize,
    places: Vec<usize>,
    inside: String,
}

/// Blocks in the graph with their nodes, which add up to all nodes; of a graph without blocks, the lines of the program.
fn block_list<'d>(
    view: View<'d>,
    drawing: &'d Drawing,
    mut rows: Vec<Words<'d>>,
    title: &'static str,
) -> Listing<'d> {
    let with_blocks = title == "Blocks";
    let left: usize = rows.iter().skip(SHORT_TABLE).map(|row| row.nodes).sum();
    rows.truncate(SHORT_TABLE);
    let mut add = |name: Cell<'d>, nodes: usize| {
        rows.push(Words { id: None, name, nodes, places: Vec::new(), inside: String::new() });
    };
    if left > 0 {
        add(Cell::from("further rows").span("soft"), left);
    }
    if drawing.left_out > 0 {
        add(Cell::from("in nested graphs, not drawn").span("soft"), drawing.left_out);
    }
    add(Cell::from("Sum").strong(), drawing.operators.len() + drawing.left_out);
    Rows::of(rows)
        .unsorted(if with_blocks { "Block" } else { "Line" }, |row| row.name.clone())
        .mono()
        .number("Nodes", |row| row.nodes.into())
        .fixed()
        .unsorted(if with_blocks { "In it" } else { "What they compute" }, |row| log(row.inside.as_str()))
        .soft()
        .unsorted("First lines", move |row| {
            let known = row.places.iter().filter_map(|at| drawing.places.get(*at));
            let known: Vec<_> = known.map(|place| (place.file.as_str(), place.line)).collect();
            match with_blocks && !known.is_empty() {
                true => lines(known.into_iter(), NAMED_BRIEFLY, |_, file, line| {
                    view.source_href(file, Some(line))
                }),
                false => Cell::Blank,
            }
        })
        .optional()
        .anchored(|_, row| row.id.clone())
        .listing("blocks", title, "")
}

fn top_blocks(drawing: &Drawing) -> impl Iterator<Item = (usize, &Block)> {
    let root = drawing.blocks.first();
    let items = root.into_iter().flat_map(|root| &root.links.items);
    items.filter_map(|item| match item {
        Item::Block(at) => Some((*at, drawing.blocks.get(*at)?)),
        _ => None,
    })
}

fn of_blocks(drawing: &Drawing) -> Vec<Words<'_>> {
    let mut rows: Vec<Words<'_>> = top_blocks(drawing)
        .map(|(_, block)| Words {
            id: Some(block.id.clone()),
            name: log(block.name.as_str()).at(Some(format!("#{}", links::anchored(&block.id)))),
            nodes: block.total,
            places: block.places.clone(),
            inside: inside(drawing, block),
        })
        .collect();
    let own = drawing.blocks.first().map(|root| root.links.items.as_slice()).unwrap_or_default();
    let own: Vec<usize> = own
        .iter()
        .filter_map(|item| match item {
            Item::Operator(at) => Some(*at),
            _ => None,
        })
        .collect();
    if !own.is_empty() {
        let places = own.iter().filter_map(|at| drawing.operators.get(*at)?.place).collect();
        rows.push(Words {
            id: None,
            name: Cell::from("in no block").span("soft"),
            nodes: own.len(),
            places,
            inside: operators(drawing, own.iter().copied()),
        });
    }
    rows
}

/// What is directly in a block: blocks first, then operators with their counts.
fn inside(drawing: &Drawing, block: &Block) -> String {
    let blocks = block.links.items.iter().filter_map(|item| match item {
        Item::Block(at) => drawing.blocks.get(*at).map(|inner| inner.name.clone()),
        _ => None,
    });
    let blocks: Vec<String> = blocks.take(12).collect();
    let own = block.links.items.iter().filter_map(|item| match item {
        Item::Operator(at) => Some(*at),
        _ => None,
    });
    let own = operators(drawing, own);
    let words = blocks.into_iter().chain((!own.is_empty()).then_some(own)).collect::<Vec<_>>().join(", ");
    if block.layers > 1 { format!("{} layers, each: {words}", block.layers) } else { words }
}

/// `mul ×3, add`
fn operators(drawing: &Drawing, all: impl Iterator<Item = usize>) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for operator in all.filter_map(|at| drawing.operators.get(at)) {
        *counts.entry(&operator.op).or_default() += 1;
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(op, count)| (std::cmp::Reverse(*count), *op));
    let more = and_more(counts.len(), counts.len().min(8));
    let words = counts.iter().take(8).map(|(op, count)| match count {
        1 => (*op).to_owned(),
        count => format!("{op} ×{count}"),
    });
    format!("{}{more}", words.collect::<Vec<_>>().join(", "))
}

fn of_lines(drawing: &Drawing) -> Vec<Words<'_>> {
    let mut lines: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
    for (at, operator) in drawing.operators.iter().enumerate() {
        lines.entry(operator.place).or_default().push(at);
    }
    let row = |(at, nodes): (Option<usize>, Vec<usize>)| {
        let known: Option<&Place> = at.and_then(|place| drawing.places.get(place));
        Words {
            id: None,
            name: match known {
                Some(known) => place(Some(&known.file), i64::try_from(known.line).ok()),
                None => Cell::from("no line").span("soft"),
            },
            nodes: nodes.len(),
            places: Vec::new(),
            inside: operators(drawing, nodes.into_iter()),
        }
    };
    lines.into_iter().map(row).collect()
}

/// A kernel with its place among them.
struct Placed<'k> {
    place: usize,
    kernel: &'k KernelLinks,
}

/// One row for each kernel; its number leads to its nodes in the drawing.
fn kernel_list(kernels: &[KernelLinks]) -> Listing<'_> {
    let placed = kernels.iter().enumerate().map(|(place, kernel)| Placed { place, kernel });
    Rows::of(placed.collect::<Vec<_>>())
        .number("No.", |one| {
            let number = Cell::from(one.place + 1).at(Some(format!("#{}", kernel_anchor(one.place))));
            let swatch = Cell::Swatch(tint(one.place));
            Cell::Beside(vec![swatch, number], " ").class("nowrap").sorted(one.place as f64)
        })
        .number("Measured time", |one| micros(one.kernel.us))
        .optional()
        .text("Kernel", |one| {
            let name = log(one.kernel.name.as_str()).at(one.kernel.panes.clone());
            Cell::Beside(vec![name.span("long-name")], "")
        })
        .mono()
        .number("Nodes", |one| one.kernel.operators.into())
        .unsorted("Call, line", |one| own(one.kernel.call.0.to_string()).at(one.kernel.call.1.clone()))
        .about("in the order of their calls; a number shows the kernel in the drawing")
        .anchored(|_, one| Some(kernel_anchor(one.place)))
        .first(SHORT_TABLE, Others::Elsewhere("are on the page of kernels"))
        .listing("graph-kernels", "Kernels", "")
}
