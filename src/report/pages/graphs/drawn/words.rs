//! The drawing in words: the verdict, and tables for paper and for readers of a screen.

use super::kernels::KernelLinks;
use super::svg::tint;
use crate::analysis::drawing::{Block, Drawing, Item, Place};
use crate::limits::{NAMED_BRIEFLY, SHORT_NAME, SHORT_TABLE};
use crate::model::{Compile, short_kernel};
use crate::report::kit::prelude::*;
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
    let words =
        [", which took ".into(), strong(micros(all)), ": ".into(), strong(micros(us)), share.into(), name];
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
    if !kernels.is_empty() {
        kernel_table(view, kernels, out)?;
    }
    block_table(view, drawing, out)
}

/// A row of the table of blocks or lines.
struct Words {
    /// The address of a block.
    id: String,
    name: Html,
    nodes: usize,
    places: Vec<usize>,
    inside: String,
}

/// Blocks in the graph with their nodes, which add up to all nodes; of a graph without blocks, the lines of the program.
fn block_table(view: View<'_>, drawing: &Drawing, out: &mut dyn Write) -> anyhow::Result<()> {
    let with_blocks = top_blocks(drawing).next().is_some();
    let rows = if with_blocks { of_blocks(view, drawing) } else { of_lines(view, drawing) };
    let title = if with_blocks { "Blocks" } else { "Lines" };
    view.open_section(
        out,
        ("graph-blocks", title, "the drawing in words"),
        Some(whole(if with_blocks { top_blocks(drawing).count() } else { rows.len() })),
        Html::default(),
    )?;
    let columns = vec![
        TableColumn::text(if with_blocks { "Block" } else { "Line" }).mono().fixed(),
        TableColumn::number("Nodes").fixed(),
        TableColumn::unsorted(if with_blocks { "In it" } else { "What they compute" }).soft(),
        TableColumn::unsorted("First lines").absent_if(!with_blocks || drawing.places.is_empty()),
    ];
    let table = Table { id: "blocks-table", label: title, columns };
    let left: usize = rows.iter().skip(SHORT_TABLE).map(|row| row.nodes).sum();
    let mut cells: Vec<Row> = rows
        .into_iter()
        .take(SHORT_TABLE)
        .map(|row| {
            Row::of(vec![
                TableCell::html(row.name),
                TableCell::count(row.nodes),
                TableCell::text(&row.inside),
                TableCell::html(lines(view, drawing, &row.places)),
            ])
            .anchored(row.id)
        })
        .collect();
    let plain = |name: Html, nodes: usize| {
        Row::of(vec![
            TableCell::html(name),
            TableCell::count(nodes),
            TableCell::text(""),
            TableCell::text(""),
        ])
    };
    if left > 0 {
        cells.push(plain(soft("further rows"), left));
    }
    if drawing.left_out > 0 {
        cells.push(plain(soft("in nested graphs, not drawn"), drawing.left_out));
    }
    cells.push(plain(strong("Sum"), drawing.operators.len() + drawing.left_out));
    view.table(out, &table, cells.into_iter())?;
    Ok(close_section(out)?)
}

fn top_blocks(drawing: &Drawing) -> impl Iterator<Item = (usize, &Block)> {
    let root = drawing.blocks.first();
    let items = root.into_iter().flat_map(|root| &root.links.items);
    items.filter_map(|item| match item {
        Item::Block(at) => Some((*at, drawing.blocks.get(*at)?)),
        _ => None,
    })
}

fn of_blocks(view: View<'_>, drawing: &Drawing) -> Vec<Words> {
    let mut rows: Vec<Words> = top_blocks(drawing)
        .map(|(_, block)| Words {
            id: block.id.clone(),
            name: view.link(&format!("#{}", links::anchored(&block.id)), &block.name),
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
            id: String::new(),
            name: soft("in no block"),
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

fn of_lines(view: View<'_>, drawing: &Drawing) -> Vec<Words> {
    let mut lines: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
    for (at, operator) in drawing.operators.iter().enumerate() {
        lines.entry(operator.place).or_default().push(at);
    }
    let row = |(place, nodes): (Option<usize>, Vec<usize>)| {
        let known: Option<&Place> = place.and_then(|place| drawing.places.get(place));
        Words {
            id: String::new(),
            name: known
                .map_or_else(|| soft("no line"), |place| view.place(Some(&place.file), Some(place.line))),
            nodes: nodes.len(),
            places: Vec::new(),
            inside: operators(drawing, nodes.into_iter()),
        }
    };
    lines.into_iter().map(row).collect()
}

fn lines(view: View<'_>, drawing: &Drawing, places: &[usize]) -> Html {
    let known: Vec<&Place> = places.iter().filter_map(|at| drawing.places.get(*at)).collect();
    let places = known.iter().map(|place| (place.file.as_str(), place.line));
    view.file_lines(places, NAMED_BRIEFLY, |_, (file, line)| view.source_href(file, Some(line)))
}

/// One row for each kernel; its number leads to its nodes in the drawing.
fn kernel_table(view: View<'_>, kernels: &[KernelLinks], out: &mut dyn Write) -> anyhow::Result<()> {
    let note = "in the order of their calls; a number shows the kernel in the drawing";
    view.open_section(out, ("graph-kernels", "Kernels", note), Some(whole(kernels.len())), Html::default())?;
    let mut columns = vec![
        TableColumn::number("No."),
        TableColumn::text("Kernel").mono(),
        TableColumn::number("Nodes"),
        TableColumn::unsorted("Call, line"),
    ];
    let is_measured = kernels.iter().any(|kernel| kernel.us.is_some());
    columns.splice(1..1, is_measured.then(|| TableColumn::number("Measured time")));
    let table = Table { id: "kernels-table", label: "Kernels", columns };
    let rows = kernels.iter().enumerate().take(SHORT_TABLE).map(|(at, kernel)| {
        let swatch = Element::new("i").class(&format!("swatch {}", tint(at))).empty();
        let number = view.link(&format!("#{}", kernel_anchor(at)), &(at + 1).to_string());
        let name = Element::new("span")
            .class("long-name")
            .around(view.link_if(kernel.panes.as_deref(), &kernel.name));
        let mut cells = vec![
            TableCell::html(Html::joined([swatch, number], " ")).class("num nowrap").sorted(at),
            TableCell::html(name),
            TableCell::count(kernel.operators),
            TableCell::html(view.link_if(kernel.call.1.as_deref(), &kernel.call.0.to_string())),
        ];
        cells.splice(1..1, is_measured.then(|| TableCell::maybe(kernel.us, micros)));
        Row::of(cells).anchored(kernel_anchor(at))
    });
    view.table(out, &table, rows)?;
    let rest = kernels.len().saturating_sub(SHORT_TABLE);
    if rest > 0 {
        note_below(out, format!("And {} more; the page of kernels has all.", whole(rest)))?;
    }
    Ok(close_section(out)?)
}
