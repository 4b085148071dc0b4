//! A module: its configuration, the split of its graph, its pieces, and the patterns of its passes.

use crate::analysis::vllm::Module;
use crate::limits::{LARGEST_NOTE, QUOTE, SENTENCE, SHOWN};
use crate::model::{Content, VllmFact, VllmPart};
use crate::report::kit::formats::{clipped, counted, whole};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{
    Element, close, close_section, note_below, soft_paragraph, source_lines, span, two_columns, write_line,
};
use crate::report::kit::view::View;
use crate::report::kit::vllm_modules::name;
use crate::report::pages::vllm::files::file;
use crate::report::pages::vllm::{config, passes, pieces};
use crate::trace::TextMap;
use std::io::Write;

/// Drawn parts of a split graph; the file has all.
const PARTS: usize = 60;

/// Linked files outside of pieces; the page of the compile has all.
const FILES: usize = 60;

pub(crate) fn write<'m>(
    view: View<'m>,
    (at, module): (usize, &Module<'_>),
    room: &mut passes::Room<'m>,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let id = format!("module-{}", at + 1);
    let label = view.report.model.compiles.get(module.compile).map_or_else(String::new, |c| c.label());
    let attempt = if module.attempt > 0 { format!(", attempt {}", module.attempt) } else { String::new() };
    let note = format!(
        "compile {label}{attempt}, {} of {}",
        counted(module.pieces.len(), "piece", "pieces"),
        counted(module.subgraphs(), "subgraph", "subgraphs")
    );
    view.open_section(out, (&id, name(module), &note), None, Html::default())?;
    configuration(view, module, out)?;
    splits(view, (at, module), out)?;
    pieces::write(view, (at, module), room, out)?;
    outside(view, module, out)?;
    patterns(view, module, out)?;
    close_section(out)?;
    Ok(())
}

fn configuration(view: View<'_>, module: &Module<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let Some(event) = module.config else {
        soft_paragraph(out, Html::escaped("The log has no configuration of this module."))?;
        return Ok(());
    };
    let link = file(view, event.compile, event.artifact);
    match config::facts(view, event) {
        Some([left, right]) => {
            write_line(out, &two_columns(left, right))?;
        }
        None => soft_paragraph(out, Html::escaped("Its configuration is empty or could not be read."))?,
    }
    note_below(out, Html::joined(["As the log has it: ".into(), link], ""))?;
    Ok(())
}

/// Each split graph as a row of parts; compiled parts link to their first piece.
fn splits(view: View<'_>, (at, module): (usize, &Module<'_>), out: &mut dyn Write) -> anyhow::Result<()> {
    let mut of: TextMap<&str, (usize, usize)> = TextMap::default();
    for (index, piece) in module.pieces.iter().enumerate() {
        let name = piece.start.submodule.as_deref().unwrap_or_default();
        of.entry(name).or_insert((index, 0)).1 += 1;
    }
    for event in &module.events {
        let VllmFact::Split(parts) = &event.fact else { continue };
        let link = file(view, event.compile, event.artifact);
        let compiled = parts.iter().filter(|part| of.contains_key(part.name.as_str())).count();
        let parts_of =
            format!(": {}, {} of them compiled", counted(parts.len(), "part", "parts"), whole(compiled));
        write_line(out, &Element::new("h3").class("part-head").around("Split graph"))?;
        soft_paragraph(out, Html::joined([link, parts_of.into()], ""))?;
        write_line(out, &Element::new("ol").class("chain space-above").open())?;
        for one in parts.iter().take(PARTS) {
            let item = part(view, one, of.get(one.name.as_str()).copied(), at);
            write_line(out, &Element::new("li").around(item))?;
        }
        close(out, "ol")?;
        view.left_out(out, parts.len(), PARTS, "parts are in the file")?;
    }
    Ok(())
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

fn outside(view: View<'_>, module: &Module<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut links: Vec<Html> =
        module.outside.iter().take(FILES).map(|at| file(view, module.compile, *at)).collect();
    let events = module
        .events
        .iter()
        .filter(|event| !matches!(event.fact, VllmFact::Split(_) | VllmFact::Patterns(_)));
    links.extend(events.take(FILES).map(|event| file(view, event.compile, event.artifact)));
    if links.is_empty() {
        return Ok(());
    }
    let links = Html::joined(links, ", ");
    let words = "Files of the whole module, including Dynamo's: ";
    note_below(out, Html::joined([words.into(), links, ".".into()], ""))?;
    view.left_out(out, module.outside.len(), FILES, "files are on the page of the compile")
}

fn patterns(view: View<'_>, module: &Module<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let patterns = module.events.iter().filter_map(|event| match &event.fact {
        VllmFact::Patterns(pass) => Some((*event, pass)),
        _ => None,
    });
    let patterns: Vec<_> = patterns.collect();
    for (event, pass) in patterns.iter().take(SHOWN) {
        let compile = view.report.model.compiles.get(event.compile);
        let artifact = compile.and_then(|compile| compile.artifacts.get(event.artifact));
        let text = match artifact.map(|artifact| &artifact.content) {
            Some(Content::Payload(at, _)) if at.text_len <= LARGEST_NOTE => view.report.payload(at)?,
            _ => String::new(),
        };
        let lines: Vec<&str> = text.trim_end().lines().collect();
        let shown = lines.iter().take(SHOWN).map(|line| source_line(line));
        let shown = source_lines(Html::joined(shown, ""));
        let name = if pass.is_empty() { "unnamed pass" } else { clipped(pass, QUOTE).0 };
        let count = format!(", {}", counted(lines.len(), "line", "lines"));
        let summary = Html::joined(["Patterns of ".into(), view.code(name), count.into()], "");
        write_line(out, &Element::new("details").class("more space-above").open())?;
        write_line(out, &Element::new("summary").around(summary))?;
        soft_paragraph(out, file(view, event.compile, event.artifact))?;
        write_line(out, &shown)?;
        let left = lines.len().saturating_sub(SHOWN);
        if left > 0 {
            soft_paragraph(out, format!("{} more lines are in the file.", whole(left)))?;
        }
        close(out, "details")?;
    }
    view.left_out(out, patterns.len(), SHOWN, "texts of patterns are on the page of the compile")
}

/// A line of a text in a box of source.
fn source_line(line: &str) -> Html {
    let (line, cut) = clipped(line, SENTENCE);
    let text = if line.is_empty() { " " } else { line };
    Element::new("span").around(format!("{text}{}", if cut { " …" } else { "" }))
}
