//! The pieces of a module: a table by size, then the files of each piece and what vLLM's passes changed.

use super::files::file;
use crate::analysis::vllm::{Module, VllmPiece};
use crate::analysis::{Producers, Stage, graph_pairs};
use crate::limits::{IN_HEAD, LISTED, QUOTE};
use crate::model::{Artifact, Compile, Content, Outcome, VllmPass};
use crate::report::doc::{Block, Cell, Fact, FoundRow, Listing, Others, Rows, count, micros, own, page};
use crate::report::kit::formats::{clipped, counted, whole};
use crate::report::kit::markup::{Element, close, write_line};
use crate::report::kit::{graph_files, links, paths};
use crate::report::subject::Report;
use crate::report::words::phases::stage_words;
use crate::report::words::vllm::{piece_words, size_words};
use crate::trace::Md5;
use fxhash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Linked files per piece, and passes.
const FILES: usize = 100;

pub(super) fn anchor(module: usize, piece: usize) -> String {
    format!("piece-{}-{}", module + 1, piece + 1)
}

/// What all pieces of a module need.
struct Gathered<'m> {
    report: Report<'m>,
    compile: &'m Compile,
    module: &'m Module<'m>,
    /// Its place among the modules.
    at: usize,
    /// Files that the viewer of graphs shows, ascending.
    shown: Vec<usize>,
    /// The preceding graph of each.
    before: FxHashMap<usize, usize>,
}

/// A piece in its row.
struct Piece<'m> {
    index: usize,
    piece: &'m VllmPiece<'m>,
    /// The number of its sizes, and whether it is the first row with them.
    sizes: usize,
    is_first: bool,
}

pub(super) fn blocks<'m>(
    report: Report<'m>,
    (at, module): (usize, &'m Module<'m>),
    room: &mut usize,
) -> Vec<Block<'m>> {
    let Some(compile) = report.model.compiles.get(module.compile) else { return Vec::new() };
    if module.pieces.is_empty() {
        return vec![Block::Note("No piece of this module was compiled.")];
    }
    let gathered = gathered(report, at, module, compile);
    let overlap = match module.overlaps(report.model) {
        true => {
            " Some pieces have the files of several pieces and others have none: they seem to have been \
            compiled concurrently, so files may be listed under the wrong piece."
        }
        false => "",
    };
    let order = "A file is listed under the last piece that started before it in the log, within this \
        compile and module. Only `vllm_submod_` and `vllm_subgraph_` files name their piece.";
    let mut blocks = vec![
        Block::Heading("Pieces by compiled sizes".into()),
        Block::Table(table(Rc::clone(&gathered))),
        Block::Paragraph(Cell::Prose(format!("{order}{overlap}").into()).class("soft")),
    ];
    let told = (*room).min(module.pieces.len());
    *room -= told;
    let producers = Producers::of(compile);
    let pieces = by_size(module).into_iter().take(told);
    blocks.extend(pieces.map(|(index, piece)| fold(&gathered, &producers, index, piece)));
    if told < module.pieces.len() {
        let more = whole(module.pieces.len() - told);
        blocks.push(Block::Paragraph(own(format!("{more} more pieces are on the page of the compile."))));
    }
    blocks
}

fn gathered<'m>(
    report: Report<'m>,
    at: usize,
    module: &'m Module<'m>,
    compile: &'m Compile,
) -> Rc<Gathered<'m>> {
    let before = graph_pairs(&compile.artifacts).into_iter().map(|pair| (pair.after, pair.before)).collect();
    let shown = graph_files::shown_files(compile);
    Rc::new(Gathered { report, compile, module, at, shown, before })
}

/// The pieces of a module for the search.
pub(super) fn searched<'m>(report: Report<'m>, at: usize, module: &'m Module<'m>) -> Option<Listing<'m>> {
    let compile = report.model.compiles.get(module.compile)?;
    Some(table(gathered(report, at, module, compile)))
}

/// The pieces with their indices in the module: ranges before single sizes, each in log order.
fn by_size<'p>(module: &'p Module<'_>) -> Vec<(usize, &'p VllmPiece<'p>)> {
    let mut order: Vec<(usize, &VllmPiece<'_>)> = module.pieces.iter().enumerate().collect();
    order.sort_by_key(|(index, piece)| (piece.sizes().is_none(), piece.sizes(), *index));
    order
}

/// The pieces in the order of their sizes, which only the first row that shares them shows.
fn rows<'m>(module: &'m Module<'m>) -> Vec<Piece<'m>> {
    let (mut last, mut sizes) = (None, 0);
    let row = |(index, piece): (usize, &'m VllmPiece<'m>)| {
        let is_first = last.replace(piece.sizes()) != Some(piece.sizes());
        sizes += usize::from(is_first);
        Piece { index, piece, sizes, is_first }
    };
    by_size(module).into_iter().map(row).collect()
}

fn table<'m>(of: Rc<Gathered<'m>>) -> Listing<'m> {
    let (model, at, module) = (of.report.model, of.at, of.module);
    Rows::of(rows(of.module))
        .compile("Compiled for", |row| {
            let words = row.piece.sizes().map_or_else(|| "not recorded".to_owned(), size_words);
            let words = if row.is_first { words } else { String::new() };
            own(words).class("nowrap").sorted(row.sizes as f64)
        })
        .explained("range of batch sizes, both ends included")
        .text("Subgraph", |row| {
            Cell::maybe(row.piece.start.submodule.as_deref(), |name| {
                Cell::Code(clipped(name, QUOTE).0.into())
            })
        })
        .number("Piece", |row| match (row.piece.start.index, row.piece.start.total) {
            (Some(index), Some(total)) => Cell::Figure {
                value: index as f64,
                shown: format!("{} of {}", whole(index.saturating_add(1)), whole(total)),
            },
            (index, _) => count(index.map(|index| index.saturating_add(1))),
        })
        .explained("piecewise_index and total_piecewise_compiles, counted from 1")
        .text("CUDA graph size", |row| {
            Cell::maybe(row.piece.start.cudagraph, |yes| if yes { "yes" } else { "no" }.into())
        })
        .explained("whether a CUDA graph is recorded for just this size")
        .text("FX graph cache", move |row| answer(row.piece.answer(model, "fx_graph_")))
        .text("AOTAutograd cache", move |row| answer(row.piece.answer(model, "aotautograd_")))
        .unsorted("Passes", |row| passes_named(row.piece))
        .unsorted("Graphs", move |row| {
            Cell::maybe(ends(row.piece, &of.shown), |(first, last)| {
                let number = |at: usize| of.compile.artifacts.get(at).map_or(0, |artifact| artifact.number);
                Cell::from("compare").linked(pair(of.compile, number(first), number(last)))
            })
        })
        .explained("the first and the last graph of the piece compared")
        .number("Files", move |row| {
            let files = row.piece.files.len();
            own(whole(files)).linked(format!("#{}", anchor(at, row.index))).class("num").sorted(files as f64)
        })
        .number("Time", |row| micros(row.piece.us))
        .explained("from its start to its last file")
        .found(move |_, row| {
            let name = row.piece.start.submodule.as_deref().unwrap_or("unnamed piece");
            let passes = row.piece.passes.iter().map(|(pass, _)| &*pass.name);
            let compile = model.compiles.get(module.compile).map(Compile::label);
            FoundRow::at(name, links::VLLM).more(["vLLM piece"]).more(compile).more(passes)
        })
        .first(LISTED, Others::Elsewhere("pieces are left out; their files are on the page of the compile"))
        .listing(format!("pieces-{}", at + 1), "Pieces", "")
}

/// The address of the comparison of two graphs.
fn pair(compile: &Compile, before: u32, after: u32) -> String {
    format!("{}#a={before}&b={after}", paths::graphs_page(compile))
}

fn answer<'r>(outcome: Option<Outcome>) -> Cell<'r> {
    Cell::maybe(outcome, |outcome| outcome.word().into())
}

fn passes_named<'r>(piece: &VllmPiece<'r>) -> Cell<'r> {
    let mut names: Vec<&'r str> = piece.passes.iter().map(|(pass, _)| pass.name.as_str()).collect();
    names.dedup();
    let more = names.len().saturating_sub(IN_HEAD);
    let mut named: Vec<_> =
        names.iter().take(IN_HEAD).map(|name| Cell::Code(clipped(name, QUOTE).0.into())).collect();
    named.extend((more > 0).then(|| own(format!("{} more", whole(more)))));
    if named.is_empty() { Cell::Unknown } else { Cell::Beside(named, ", ") }
}

/// The first and the last graph of a piece that the viewer shows.
fn ends(piece: &VllmPiece<'_>, shown: &[usize]) -> Option<(usize, usize)> {
    let mut graphs = piece.files.iter().copied().filter(|file| shown.binary_search(file).is_ok());
    let first = graphs.next()?;
    graphs.next_back().map(|last| (first, last))
}

/// The files of a piece, and what each pass changed, folded.
fn fold<'m>(
    of: &Rc<Gathered<'m>>,
    producers: &Producers<'_>,
    index: usize,
    piece: &'m VllmPiece<'m>,
) -> Block<'m> {
    let id = anchor(of.at, index);
    let summary = format!(
        "{}: {}, {}",
        piece_words(piece),
        counted(piece.files.len(), "file", "files"),
        counted(piece.passes.len(), "graph at a pass", "graphs at passes")
    );
    let more = piece.start.more.iter();
    let mut facts: Vec<_> =
        more.map(|(key, value)| Fact::new(key.clone(), Cell::Code(value.into()))).collect();
    facts.extend(files(of, producers, piece));
    let mut blocks = vec![Block::Facts(facts)];
    if !piece.passes.is_empty() {
        blocks.push(Block::Heading("What each pass changed".into()));
        blocks.extend(piece.passes.iter().take(FILES).map(|(pass, at)| changed(of, piece, pass, *at)));
    }
    Block::Drawn(Box::new(move |view, out| {
        write_line(out, &Element::new("details").class("more space-above").id(&id).open())?;
        write_line(out, &Element::new("summary").around(summary.as_str()))?;
        page::write_all(&blocks, view, out)?;
        Ok(close(out, "details")?)
    }))
}

/// The files of a piece by phase, as in the directory.
fn files<'m>(of: &Gathered<'m>, producers: &Producers<'_>, piece: &VllmPiece<'_>) -> Vec<Fact<'m>> {
    let mut groups: BTreeMap<(Stage, Option<&str>), Vec<Cell<'m>>> = BTreeMap::new();
    for at in piece.files.iter().take(FILES) {
        let Some(artifact) = of.compile.artifacts.get(*at) else { continue };
        let group = groups.entry(producers.place(&artifact.name)).or_default();
        group.push(file(of.report, of.module.compile, *at));
    }
    let fact = |((stage, producer), links): ((Stage, Option<&str>), Vec<Cell<'m>>)| {
        Fact::new(producer.unwrap_or(stage_words(stage).0).to_owned(), Cell::Beside(links, ", "))
    };
    groups.into_iter().map(fact).collect()
}

/// What a pass changed, in the viewer of graphs.
fn changed<'m>(of: &Gathered<'m>, piece: &VllmPiece<'_>, pass: &'m VllmPass, at: usize) -> Block<'m> {
    let artifact = |at: usize| of.compile.artifacts.get(at);
    // A graph of another piece is not the input of this pass.
    let old = of.before.get(&at).copied().filter(|old| piece.files.contains(old));
    let said = match old.and_then(artifact).zip(artifact(at)) {
        None => Cell::from("it has no preceding graph in this piece").class("soft"),
        Some((was, is)) if text(was).is_some() && text(was) == text(is) => "changed nothing".into(),
        Some((was, is)) => own(format!("changes since {} {}, side by side", was.name, was.number))
            .linked(pair(of.compile, was.number, is.number)),
    };
    let name = if pass.name.is_empty() { "unnamed pass" } else { clipped(&pass.name, QUOTE).0 };
    let mut pieces: Vec<_> = pass.order.map(|order| own(whole(order))).into_iter().collect();
    pieces.push(Cell::Code(name.into()));
    pieces.extend(pass.stage.as_deref().map(|stage| Cell::Log(clipped(stage, QUOTE).0.into())));
    pieces.push(said);
    Block::Paragraph(Cell::Beside(pieces, " "))
}

/// What tells equal texts.
fn text(artifact: &Artifact) -> Option<Md5> {
    match &artifact.content {
        Content::Payload(at, _) => Some(at.md5),
        _ => None,
    }
}
