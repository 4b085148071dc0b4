//! What each of vLLM's passes changed in the graph of a piece: the differing lines, and links to the whole graphs.

use crate::analysis::two_columns::{LineDiff, line_diff};
use crate::analysis::vllm::{Module, Piece};
use crate::analysis::{Producers, graph_pairs};
use crate::model::{Artifact, Compile, CompileIndex, Content, VllmPass};
use crate::report::kit::formats::{clipped, counted, whole};
use crate::report::kit::graph_files;
use crate::report::kit::html::Html;
use crate::report::kit::markup::{
    Element, close, paragraph, soft, soft_paragraph, source_lines, span, write_line,
};
use crate::report::kit::view::View;
use crate::report::words::vllm::LONGEST_NAME;
use crate::trace::PayloadRef;
use fxhash::FxHashMap;
use std::io::Write;
use std::rc::Rc;

/// Passes shown per piece.
const PASSES: usize = 100;

/// Lines shown per comparison, and characters per line; the viewer shows whole graphs.
const LINES: usize = 12;
const LONGEST_LINE: usize = 200;

/// Lines of all comparisons on the page.
const ALL_LINES: usize = 3_000;

/// Bytes of graphs read for the page, and per graph.
const MOST_READ: u64 = 128 << 20;
const LARGEST_READ: u64 = 8 << 20;

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

/// Pieces whose files are listed; for others, the page of the compile lists them.
pub(crate) const IN_FULL: usize = 200;

/// Room left on the page.
pub(crate) struct Room<'m> {
    gathered: Option<Rc<Gathered<'m>>>,
    pieces: usize,
    lines: usize,
    bytes: u64,
    told: usize,
}

impl Default for Room<'_> {
    fn default() -> Self {
        Room { gathered: None, pieces: IN_FULL, lines: ALL_LINES, bytes: MOST_READ, told: 0 }
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
    piece: &Piece<'_>,
    (before, room): (&FxHashMap<usize, usize>, &mut Room<'_>),
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    if piece.passes.is_empty() {
        return Ok(());
    }
    write_line(out, &Element::new("h3").class("part-head").around("What each pass changed"))?;
    for (pass, at) in piece.passes.iter().take(PASSES) {
        // A graph of another piece is not the input of this pass.
        let old = before.get(at).copied().filter(|old| piece.files.contains(old));
        one(view, compile, (pass, *at, old), room, out)?;
    }
    view.left_out(out, piece.passes.len(), PASSES, "passes are among the files")
}

fn one(
    view: View<'_>,
    compile: &Compile,
    (pass, at, old): (&VllmPass, usize, Option<usize>),
    room: &mut Room<'_>,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let name = title(view, pass);
    let artifact = |at: usize| compile.artifacts.get(at);
    let found = old.and_then(artifact).zip(artifact(at));
    let Some((was, is)) = found.and_then(|(was, is)| Some(((was, text(was)?), (is, text(is)?)))) else {
        let pieces = [name, soft("it has no preceding graph in this piece")];
        return Ok(paragraph(out, Html::joined(pieces, " "))?);
    };
    let Some(diff) = compare(view, was.1, is.1, room)? else {
        let href = graph_files::pair_href(view, compile, was.0.number, is.0.number);
        let link = view.link(&href, "compare in the viewer");
        let why = soft(Html::joined(["too large for this page: ".into(), link], ""));
        return Ok(paragraph(out, Html::joined([name, why], " "))?);
    };
    let against = view.code(&format!("{} {}", was.0.name, was.0.number));
    let same = soft(Html::joined(["against ".into(), against], ""));
    if diff.removed + diff.added == 0 {
        return Ok(paragraph(out, Html::joined([name, "changed nothing".into(), same], " "))?);
    }
    write_line(out, &Element::new("details").class("fold pass").open())?;
    write_line(out, &Element::new("summary").around(Html::joined([name, changes(&diff), same], " ")))?;
    lines(&diff, room, out)?;
    let href = graph_files::pair_href(view, compile, was.0.number, is.0.number);
    let hidden = (diff.removed + diff.added).saturating_sub(diff.lines.len());
    let hidden = if hidden > 0 {
        format!("{}; ", counted(hidden, "more changed line", "more changed lines"))
    } else {
        String::new()
    };
    let order =
        if diff.ordered { "" } else { "; the graphs are long, so there may be fewer changes than shown" };
    let words = format!("{hidden}equal lines are left out{order}: ");
    let link = view.link(&href, "the whole graphs side by side");
    soft_paragraph(out, Html::joined([words.into(), link], ""))?;
    close(out, "details")?;
    Ok(())
}

fn title(view: View<'_>, pass: &VllmPass) -> Html {
    let order = pass.order.map_or_else(String::new, |order| format!("{} ", whole(order)));
    let name = if pass.name.is_empty() { "unnamed pass" } else { clipped(&pass.name, LONGEST_NAME).0 };
    let stage =
        pass.stage.as_deref().map_or_else(String::new, |s| format!(" {}", clipped(s, LONGEST_NAME).0));
    Html::joined([Html::escaped(&order), view.code(name), Html::escaped(&stage)], "")
}

fn text(artifact: &Artifact) -> Option<PayloadRef> {
    match &artifact.content {
        Content::Payload(at, _) => Some(*at),
        _ => None,
    }
}

/// None if there is no room to read both.
fn compare(
    view: View<'_>,
    was: PayloadRef,
    is: PayloadRef,
    room: &mut Room<'_>,
) -> anyhow::Result<Option<LineDiff>> {
    if was.md5 == is.md5 {
        return Ok(Some(LineDiff { ordered: true, ..Default::default() }));
    }
    let bytes = was.text_len.saturating_add(is.text_len);
    if was.text_len.max(is.text_len) > LARGEST_READ || bytes > room.bytes {
        return Ok(None);
    }
    room.bytes -= bytes;
    let (was, is) = (view.report.payload(&was)?, view.report.payload(&is)?);
    Ok(Some(line_diff(graph_files::without_id(&was), graph_files::without_id(&is), LINES.min(room.lines))))
}

/// `3 lines removed, 5 added`
fn changes(diff: &LineDiff) -> Html {
    let lines = counted(diff.removed, "line", "lines");
    span("nowrap", format!("{lines} removed, {} added", whole(diff.added)))
}

fn lines(diff: &LineDiff, room: &mut Room<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let lines = diff.lines.iter().map(|(came, line)| {
        let (line, cut) = clipped(line, LONGEST_LINE);
        let (class, sign) = if *came { ("new", '+') } else { ("old", '−') };
        span(class, format!("{sign} {line}{}", if cut { " …" } else { "" }))
    });
    write_line(out, &source_lines(Html::joined(lines, "")))?;
    room.lines = room.lines.saturating_sub(diff.lines.len());
    Ok(())
}
