//! The passes of vLLM over the graph of a piece: links to what each changed, in the viewer of graphs.

use crate::analysis::vllm::{Module, VllmPiece};
use crate::analysis::{Producers, graph_pairs};
use crate::limits::{LONG_LIST, QUOTE};
use crate::model::{Artifact, Compile, CompileIndex, Content, VllmPass};
use crate::report::kit::formats::{clipped, whole};
use crate::report::kit::graph_files;
use crate::report::kit::html::Html;
use crate::report::kit::markup::{Element, paragraph, soft, write_line};
use crate::report::kit::view::View;
use crate::trace::Md5;
use fxhash::FxHashMap;
use std::io::Write;
use std::rc::Rc;

/// Passes shown per piece.
const PASSES: usize = 100;

/// Facts about a compile that all of its pieces need.
pub(crate) struct Gathered<'m> {
    compile: CompileIndex,
    /// Files that the viewer of graphs shows, ascending.
    pub(crate) shown: Vec<usize>,
    /// The preceding graph of each.
    pub(crate) before: FxHashMap<usize, usize>,
    /// The writer of each file.
    pub(crate) producers: Producers<'m>,
}

/// Room left on the page.
pub(crate) struct Room<'m> {
    gathered: Option<Rc<Gathered<'m>>>,
    pieces: usize,
    told: usize,
}

impl Default for Room<'_> {
    fn default() -> Self {
        Room { gathered: None, pieces: LONG_LIST, told: 0 }
    }
}

impl<'m> Room<'m> {
    /// Facts about the last compile; modules of one compile are adjacent.
    pub(crate) fn gathered(&mut self, index: CompileIndex, compile: &'m Compile) -> Rc<Gathered<'m>> {
        match &self.gathered {
            Some(known) if known.compile == index => Rc::clone(known),
            _ => {
                let pairs = graph_pairs(&compile.artifacts).into_iter();
                let gathered = Rc::new(Gathered {
                    compile: index,
                    shown: graph_files::shown_files(compile),
                    before: pairs.map(|pair| (pair.after, pair.before)).collect(),
                    producers: Producers::of(compile),
                });
                self.gathered = Some(Rc::clone(&gathered));
                gathered
            }
        }
    }

    /// Whether another piece can be shown in full.
    pub(crate) fn piece(&mut self) -> bool {
        let room = self.pieces > 0;
        self.pieces = self.pieces.saturating_sub(1);
        self.told += usize::from(room);
        room
    }

    /// How many pieces of the last module were shown in full.
    pub(crate) fn told(&mut self, module: &Module<'_>) -> usize {
        std::mem::take(&mut self.told).min(module.pieces.len())
    }
}

pub(crate) fn write(
    view: View<'_>,
    compile: &Compile,
    piece: &VllmPiece<'_>,
    before: &FxHashMap<usize, usize>,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    if piece.passes.is_empty() {
        return Ok(());
    }
    write_line(out, &Element::new("h3").class("part-head").around("What each pass changed"))?;
    for (pass, at) in piece.passes.iter().take(PASSES) {
        // A graph of another piece is not the input of this pass.
        let old = before.get(at).copied().filter(|old| piece.files.contains(old));
        one(view, compile, (pass, *at, old), out)?;
    }
    view.left_out(out, piece.passes.len(), PASSES, "passes are among the files")
}

fn one(
    view: View<'_>,
    compile: &Compile,
    (pass, at, old): (&VllmPass, usize, Option<usize>),
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let artifact = |at: usize| compile.artifacts.get(at);
    let said = match old.and_then(artifact).zip(artifact(at)) {
        None => soft("it has no preceding graph in this piece"),
        Some((was, is)) if text(was).is_some() && text(was) == text(is) => "changed nothing".into(),
        Some((was, is)) => {
            let href = graph_files::pair_href(view, compile, was.number, is.number);
            let words = format!("changes since {} {}, side by side", was.name, was.number);
            view.link(&href, &words)
        }
    };
    Ok(paragraph(out, Html::joined([title(view, pass), said], " "))?)
}

fn title(view: View<'_>, pass: &VllmPass) -> Html {
    let order = pass.order.map_or_else(String::new, |order| format!("{} ", whole(order)));
    let name = if pass.name.is_empty() { "unnamed pass" } else { clipped(&pass.name, QUOTE).0 };
    let stage = pass.stage.as_deref().map_or_else(String::new, |s| format!(" {}", clipped(s, QUOTE).0));
    Html::joined([Html::escaped(&order), view.code(name), Html::escaped(&stage)], "")
}

/// What tells equal texts.
fn text(artifact: &Artifact) -> Option<Md5> {
    match &artifact.content {
        Content::Payload(at, _) => Some(at.md5),
        _ => None,
    }
}
