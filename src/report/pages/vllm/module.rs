//! A module: its configuration, the split of its graph, and its pieces.

use super::files::file;
use super::{config, pieces};
use crate::analysis::vllm::Module;
use crate::limits::QUOTE;
use crate::model::{VllmFact, VllmPart};
use crate::report::doc::{Block, Cell, Section, own};
use crate::report::kit::formats::{clipped, counted, whole};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{Element, close, span, write_line};
use crate::report::kit::view::View;
use crate::report::kit::vllm_modules::name;
use crate::report::subject::Report;
use crate::trace::TextMap;
use std::io::Write;

/// Drawn parts of a split graph; the file has all.
const PARTS: usize = 60;

/// Linked files outside of pieces; the page of the compile has all.
const FILES: usize = 60;

/// Pieces by subgraph: the place of the first one, and their number.
type Pieces<'m> = TextMap<&'m str, (usize, usize)>;

pub(super) fn section<'m>(
    report: Report<'m>,
    (at, module): (usize, &'m Module<'m>),
    room: &mut usize,
) -> Section<'m> {
    let label = report.model.compiles.get(module.compile).map_or_else(String::new, |c| c.label());
    let attempt = if module.attempt > 0 { format!(", attempt {}", module.attempt) } else { String::new() };
    let note = format!(
        "compile {label}{attempt}, {} of {}",
        counted(module.pieces.len(), "piece", "pieces"),
        counted(module.subgraphs(), "subgraph", "subgraphs")
    );
    let mut blocks = configuration(report, module);
    blocks.extend(splits(report, at, module));
    blocks.extend(pieces::blocks(report, (at, module), room));
    blocks.extend(outside(report, module));
    Section::new(format!("module-{}", at + 1), name(module), blocks).about(note)
}

fn configuration<'m>(report: Report<'m>, module: &'m Module<'m>) -> Vec<Block<'m>> {
    let Some(event) = module.config else {
        return vec![Block::Paragraph("The log has no configuration of this module.".into())];
    };
    let facts = match config::facts(event) {
        Some(facts) if !facts.is_empty() => Block::Facts(facts),
        _ => Block::Paragraph("Its configuration is empty or could not be read.".into()),
    };
    let link = file(report, event.compile, event.artifact);
    vec![facts, Block::Paragraph(Cell::Beside(vec!["As the log has it:".into(), link], " ").class("soft"))]
}

/// Each split graph as a row of parts; compiled parts link to their first piece.
fn splits<'m>(report: Report<'m>, at: usize, module: &'m Module<'m>) -> Vec<Block<'m>> {
    let mut of = Pieces::default();
    for (index, piece) in module.pieces.iter().enumerate() {
        of.entry(piece.start.submodule.as_deref().unwrap_or_default()).or_insert((index, 0)).1 += 1;
    }
    let mut blocks = Vec::new();
    for event in &module.events {
        let VllmFact::Split(parts) = &event.fact else { continue };
        let compiled = parts.iter().filter(|part| of.contains_key(part.name.as_str())).count();
        let about =
            format!(": {}, {} of them compiled", counted(parts.len(), "part", "parts"), whole(compiled));
        let about = vec![file(report, event.compile, event.artifact), own(about)];
        let of = of.clone();
        blocks.push(Block::Heading("Split graph".into()));
        blocks.push(Block::Paragraph(Cell::Beside(about, "").class("soft")));
        blocks.push(Block::Drawn(Box::new(move |view, out| chain(view, at, parts, &of, out))));
    }
    blocks
}

fn chain(
    view: View<'_>,
    module: usize,
    parts: &[VllmPart],
    of: &Pieces<'_>,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    write_line(out, &Element::new("ol").class("chain space-above").open())?;
    for one in parts.iter().take(PARTS) {
        let item = part(view, one, of.get(one.name.as_str()).copied(), module);
        write_line(out, &Element::new("li").around(item))?;
    }
    close(out, "ol")?;
    view.left_out(out, parts.len(), PARTS, "parts are in the file")
}

fn part(view: View<'_>, part: &VllmPart, pieces: Option<(usize, usize)>, module: usize) -> Html {
    let name = clipped(&part.name, QUOTE).0;
    let operators = part.operators.join(", ");
    let more = if part.calls > part.operators.len() { ", .." } else { "" };
    let about = format!("{}: {operators}{more}", counted(part.calls, "call", "calls"));
    match pieces {
        Some((first, count)) => {
            let count = span("word", counted(count, "piece", "pieces"));
            let link = Element::new("a").class("pill").title(&about);
            let link = link.href(&format!("#{}", pieces::anchor(module, first)));
            link.around(Html::joined([name.into(), count], " "))
        }
        // The graph is cut at the parts that are not compiled; their operators are the reason.
        None => {
            let operator = view.code(part.operators.first().map_or("", String::as_str));
            let words = Html::joined([name.into(), operator], " ");
            Element::new("span").class("soft mono").title(&about).around(words)
        }
    }
}

/// The files that belong to no piece, those of patterns among them.
fn outside<'m>(report: Report<'m>, module: &'m Module<'m>) -> Option<Block<'m>> {
    let events = module.events.iter().filter(|event| !matches!(event.fact, VllmFact::Split(_)));
    let files = module.outside.iter().map(|at| (module.compile, *at));
    let all = files.chain(events.map(|event| (event.compile, event.artifact))).take(FILES);
    let links: Vec<_> = all.map(|(compile, at)| file(report, compile, at)).collect();
    let more = module.outside.len() > FILES;
    let end = if more { "; more of them are on the page of the compile." } else { "." };
    let words = "Files of the whole module, including Dynamo's: ".into();
    (!links.is_empty()).then(|| {
        Block::Paragraph(Cell::Beside(vec![words, Cell::Beside(links, ", "), end.into()], "").class("soft"))
    })
}
