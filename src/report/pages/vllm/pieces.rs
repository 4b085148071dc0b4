//! The pieces of a module: a table by size, then the files of each piece and what vLLM's passes changed.

use crate::analysis::vllm::{Module, VllmPiece};
use crate::analysis::{Producers, Stage};
use crate::limits::{IN_HEAD, LISTED, QUOTE};
use crate::model::{Compile, CompileIndex, Outcome};
use crate::report::kit::formats::{UNKNOWN, clipped, counted, micros, whole};
use crate::report::kit::graph_files;
use crate::report::kit::html::Html;
use crate::report::kit::markup::{Element, close, note_below, strong, write_line};
use crate::report::kit::tables::{Row, Table, TableCell, TableColumn};
use crate::report::kit::view::View;
use crate::report::pages::vllm::files::file;
use crate::report::pages::vllm::passes;
use crate::report::words::phases::stage_words;
use crate::report::words::vllm::piece_words;
use crate::report::words::vllm::size_words;
use std::collections::BTreeMap;
use std::io::Write;

/// Linked files per piece.
const FILES: usize = 100;

pub(crate) fn anchor(module: usize, piece: usize) -> String {
    format!("piece-{}-{}", module + 1, piece + 1)
}

pub(crate) fn write<'m>(
    view: View<'m>,
    (at, module): (usize, &Module<'_>),
    room: &mut passes::Room<'m>,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    if module.pieces.is_empty() {
        note_below(out, Html::escaped("No piece of this module was compiled."))?;
        return Ok(());
    }
    let Some(compile) = view.report.model.compiles.get(module.compile) else { return Ok(()) };
    write_line(out, &Element::new("h3").class("part-head").around("Pieces by compiled sizes"))?;
    let gathered = room.gathered(module.compile, compile);
    table(view, (at, module), (compile, &gathered.shown), out)?;
    let overlap = match module.overlaps(view.report.model) {
        true => {
            " Some pieces have the files of several pieces and others have none: they seem to have been \
            compiled concurrently, so files may be listed under the wrong piece."
        }
        false => "",
    };
    let order = "A file is listed under the last piece that started before it in the log, within this \
        compile and module. Only `vllm_submod_` and `vllm_subgraph_` files name their piece.";
    note_below(out, view.prose(&format!("{order}{overlap}")))?;
    let ids = (compile, module.compile);
    for (index, piece) in by_size(module) {
        if !room.piece() {
            break;
        }
        let summary = format!(
            "{}: {}, {}",
            piece_words(piece),
            counted(piece.files.len(), "file", "files"),
            counted(piece.passes.len(), "graph at a pass", "graphs at passes")
        );
        let fold = Element::new("details").class("more space-above").id(&anchor(at, index));
        write_line(out, &fold.open())?;
        write_line(out, &Element::new("summary").around(summary))?;
        fields(view, piece, out)?;
        files(view, ids, (piece, &gathered.producers), out)?;
        passes::write(view, compile, piece, &gathered.before, out)?;
        close(out, "details")?;
    }
    view.left_out(out, module.pieces.len(), room.told(module), "pieces are on the page of the compile")
}

fn table(
    view: View<'_>,
    (at, module): (usize, &Module<'_>),
    (compile, shown): (&Compile, &[usize]),
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let model = view.report.model;
    let pieces = || module.pieces.iter();
    let columns = vec![
        TableColumn::compiles("Compiled for").about("Range of batch sizes, inclusive"),
        TableColumn::text("Subgraph"),
        TableColumn::number("Piece").about("piecewise_index and total_piecewise_compiles, counted from 1"),
        TableColumn::text("CUDA graph size").about("Whether a CUDA graph is recorded for just this size"),
        TableColumn::text("FX graph cache")
            .absent_if(pieces().all(|p| p.answer(model, "fx_graph_").is_none())),
        TableColumn::text("AOTAutograd cache")
            .absent_if(pieces().all(|p| p.answer(model, "aotautograd_").is_none())),
        TableColumn::unsorted("Passes").absent_if(pieces().all(|p| p.passes.is_empty())),
        TableColumn::unsorted("Graphs").about("The first and the last graph of the piece compared"),
        TableColumn::number("Files"),
        TableColumn::number("Time").about("From its start to its last file"),
    ];
    let order = by_size(module);
    let id = format!("pieces-{}", at + 1);
    let table = Table { id: &id, label: "Pieces", columns };
    let mut last = None;
    let mut group = 0;
    let rows = order.iter().take(LISTED).map(|(index, piece)| {
        let first = last.replace(piece.sizes()) != Some(piece.sizes());
        group += usize::from(first);
        let ends = ends(piece, shown);
        let number = |at: usize| compile.artifacts.get(at).map_or(0, |artifact| artifact.number);
        let compare = ends.map_or_else(Html::default, |(first, last)| {
            view.link(&graph_files::pair_href(view, compile, number(first), number(last)), "compare")
        });
        let files = view.link(&format!("#{}", anchor(at, *index)), &whole(piece.files.len()));
        Row::of(vec![
            sizes(piece, first).sorted(group),
            TableCell::html(subgraph(view, piece)),
            place(piece),
            TableCell::text(piece.start.cudagraph.map_or(UNKNOWN, |yes| if yes { "yes" } else { "no" })),
            answer(piece.answer(model, "fx_graph_")),
            answer(piece.answer(model, "aotautograd_")),
            TableCell::html(passes_named(view, piece)),
            TableCell::html(compare),
            TableCell::html(files).class("num").sorted(piece.files.len()),
            TableCell::maybe(piece.us, micros),
        ])
    });
    let rows: Vec<_> = rows.collect();
    view.table(out, &table, rows.into_iter())?;
    view.left_out(
        out,
        module.pieces.len(),
        LISTED,
        "pieces are left out; their files are on the page of the compile",
    )
}

/// The pieces with their indices in the module: ranges before single sizes, each in log order.
fn by_size<'p>(module: &'p Module<'_>) -> Vec<(usize, &'p VllmPiece<'p>)> {
    let mut order: Vec<(usize, &VllmPiece<'_>)> = module.pieces.iter().enumerate().collect();
    order.sort_by_key(|(index, piece)| (piece.sizes().is_none(), piece.sizes(), *index));
    order
}

/// The sizes, shown in the first of the rows that share them.
fn sizes(piece: &VllmPiece<'_>, first: bool) -> TableCell {
    let words = piece.sizes().map_or_else(|| "not recorded".to_owned(), size_words);
    TableCell::html(if first { strong(Html::escaped(&words)) } else { Html::default() }).class("nowrap")
}

fn subgraph(view: View<'_>, piece: &VllmPiece<'_>) -> Html {
    piece
        .start
        .submodule
        .as_deref()
        .map_or_else(|| Html::escaped(UNKNOWN), |name| view.code(clipped(name, QUOTE).0))
}

fn place(piece: &VllmPiece<'_>) -> TableCell {
    match (piece.start.index, piece.start.total) {
        (Some(index), Some(total)) => {
            let words = format!("{} of {}", whole(index.saturating_add(1)), whole(total));
            TableCell::number(index as f64, &words)
        }
        (index, _) => {
            TableCell::maybe(index.map(|index| index as f64), |index| whole((index as u64).saturating_add(1)))
        }
    }
}

fn answer(outcome: Option<Outcome>) -> TableCell {
    TableCell::html(match outcome {
        Some(Outcome::Hit) => strong(Html::escaped(Outcome::Hit.word())),
        Some(other) => Html::escaped(other.word()),
        None => Html::escaped(UNKNOWN),
    })
}

fn passes_named(view: View<'_>, piece: &VllmPiece<'_>) -> Html {
    let mut names: Vec<&str> = piece.passes.iter().map(|(pass, _)| pass.name.as_str()).collect();
    names.dedup();
    let more = names.len().saturating_sub(IN_HEAD);
    let mut named: Vec<Html> =
        names.iter().take(IN_HEAD).map(|name| view.code(clipped(name, QUOTE).0)).collect();
    named.extend((more > 0).then(|| Html::escaped(&format!("{} more", whole(more)))));
    Html::joined(named, ", ")
}

/// The first and the last graph of a piece that the viewer shows.
fn ends(piece: &VllmPiece<'_>, shown: &[usize]) -> Option<(usize, usize)> {
    let mut graphs = piece.files.iter().copied().filter(|file| shown.binary_search(file).is_ok());
    let first = graphs.next()?;
    graphs.next_back().map(|last| (first, last))
}

/// Fields of the start event without a column.
fn fields(view: View<'_>, piece: &VllmPiece<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let more = piece.start.more.iter().map(|(key, value)| (key.as_str(), view.folded(value, true)));
    let more: Vec<_> = more.collect();
    if !more.is_empty() {
        write_line(out, &view.facts(more))?;
    }
    Ok(())
}

/// The files of a piece by phase, as in the directory.
fn files(
    view: View<'_>,
    (compile, index): (&Compile, CompileIndex),
    (piece, producers): (&VllmPiece<'_>, &Producers<'_>),
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let mut groups: BTreeMap<(Stage, Option<&str>), Vec<Html>> = BTreeMap::new();
    for at in piece.files.iter().take(FILES) {
        let Some(artifact) = compile.artifacts.get(*at) else { continue };
        groups.entry(producers.place(&artifact.name)).or_default().push(file(view, index, *at));
    }
    write_line(out, &Element::new("dl").class("facts artifacts").open())?;
    for ((stage, producer), links) in groups {
        write_line(out, &Element::new("dt").around(producer.unwrap_or(stage_words(stage).0)))?;
        write_line(out, &Element::new("dd").around(Html::joined(links, " ")))?;
    }
    close(out, "dl")?;
    view.left_out(out, piece.files.len(), FILES, "files are on the page of the compile")
}
