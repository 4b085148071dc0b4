//! The content of the panes as tables, for readers without scripts and for the browser's search.

use crate::analysis::provenance::{CodeKind, Provenance};
use crate::limits::{LISTED, LONG_LIST, SHOWN};
use crate::report::doc::html::section;
use crate::report::doc::{Cell, Listing, Others, Rows, Surface, lines as source_lines, log, own, some};
use crate::report::kit::formats::{and_more, short_path, whole};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{Element, close_section, note_below, paragraph, write_line};
use crate::report::kit::provenance_anchors::{kernel_anchors, source_anchors};
use crate::report::kit::view::View;
use crate::report::pages::provenance::panes::Shown;
use crate::report::pages::provenance::texts::code_words;
use crate::report::pages::provenance::times::Times;
use crate::report::pages::provenance::tints::Tints;
use std::io::Write;

/// Content of the tables, with the anchors of the panes.
#[derive(Clone, Copy)]
struct Words<'p> {
    found: &'p Provenance,
    times: &'p Times,
    sources: &'p [String],
    kernels: &'p [String],
}

/// Writes the tables below the panes.
pub(crate) fn write(view: View<'_>, shown: Shown<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let (sources, kernel_places) = (source_anchors(shown.found), kernel_anchors(shown.found));
    let words = Words { found: shown.found, times: shown.times, sources: &sources, kernels: &kernel_places };
    for list in [lines(view, words), kernels(view, words)].iter().filter(|list| list.count() > 0) {
        section(Surface::Whole(view), out, list)?;
    }
    unmapped(view, shown.found, out)?;
    keys(view, out)
}

/// A line or a call with its place among them, and its anchor in the panes.
struct Placed<'p, T> {
    place: usize,
    of: &'p T,
    anchor: &'p str,
}

impl<'p, T> Placed<'p, T> {
    fn all(all: &'p [T], anchors: &'p [String]) -> Vec<Placed<'p, T>> {
        let placed = all.iter().zip(anchors).enumerate();
        placed.map(|(place, (of, anchor))| Placed { place, of, anchor }).collect()
    }

    /// A link to it.
    fn linked(&self, words: String) -> Cell<'p> {
        log(words).at(Some(format!("#{}", self.anchor)))
    }
}

/// What each line of the program became.
fn lines<'p>(view: View<'p>, words: Words<'p>) -> Listing<'p> {
    Rows::of(Placed::all(&words.found.source, words.sources))
        .text("Line", |one| {
            let name = one.linked(format!("{}:{}", short_path(&one.of.file), one.of.line));
            let swatch = Cell::Swatch(Tints::class(one.place));
            Cell::Beside(vec![swatch, name], " ").class("nowrap").sorted(one.place as f64)
        })
        .text("Code", |one| Cell::maybe(one.of.code.as_deref(), log))
        .mono()
        .number("Measured time", move |one| words.times.line_cell(view, one.place))
        .explained("of the line in the whole trace; light: its share of kernels of several lines")
        .optional()
        .number("Pre-grad lines", |one| some(one.of.pre.len() as u64))
        .number("Post-grad nodes", |one| some(one.of.nodes.len() as u64))
        .unsorted("Kernels", move |one| {
            let calls = one.of.calls.iter().take(SHOWN);
            let named = calls.filter_map(|call| {
                let (kernel, anchor) = (words.found.kernels.get(*call)?, words.kernels.get(*call)?);
                Some(log(kernel.label()).at(Some(format!("#{anchor}"))))
            });
            few(named.collect(), one.of.calls.len())
        })
        .mono()
        .about("what the panes show, as tables")
        .first(LISTED, Others::InFacts("lines"))
        .listing("lines-in-words", "Source lines", "")
}

/// Names, of which the first are shown.
fn few(shown: Vec<Cell<'_>>, all: usize) -> Cell<'_> {
    match shown.is_empty() {
        true => Cell::Unknown,
        false => Cell::Beside(vec![Cell::Beside(shown, ", "), own(and_more(all, SHOWN))], ""),
    }
}

/// What each kernel came from.
fn kernels<'p>(view: View<'p>, words: Words<'p>) -> Listing<'p> {
    let line = |file: CodeKind, line: u32| {
        own(line.to_string()).at(Some(format!("#{}-{line}", code_words(file).0))).sorted(line.into())
    };
    Rows::of(Placed::all(&words.found.kernels, words.kernels))
        .text("Kernel and handle", |one| {
            let handle = one.of.handle.as_ref().map(|handle| log(format!(":{handle}")).span("soft mono"));
            let name = one.linked(one.of.kernel.clone()).span("mono");
            Cell::Beside([name].into_iter().chain(handle).collect(), "")
        })
        .text("Kind", |one| one.of.language.unwrap_or("library").into())
        .number("Measured time", move |one| words.times.call_cell(view, one.place))
        .explained("of this call, over all its runs in the trace")
        .optional()
        .number("Call, line", move |one| line(one.of.file, one.of.line))
        .number("Definition, line", move |one| {
            Cell::maybe(one.of.definition.as_ref(), |body| line(body.file, body.first))
        })
        .number("Nodes", |one| some(one.of.nodes.len() as u64))
        .text("Post-grad nodes", |one| {
            let nodes = one.of.nodes.iter().take(SHOWN).map(|node| log(node.as_str()));
            few(nodes.collect(), one.of.nodes.len())
        })
        .mono()
        .text("Source lines", move |one| {
            let of = one.of.source.iter().filter_map(|at| {
                let (line, anchor) = (words.found.source.get(*at)?, words.sources.get(*at)?);
                Some((line.file.as_str(), line.line, format!("#{anchor}")))
            });
            let of: Vec<_> = of.collect();
            let address = |at: usize, _: &str, _| of.get(at).map(|(_, _, address)| address.clone());
            source_lines(of.iter().map(|(file, line, _)| (*file, *line)), SHOWN, address)
        })
        .about("one row per call, in the order of the code")
        .first(LISTED, Others::InFacts("kernels"))
        .listing("kernels-in-words", "Kernels", "")
}

fn unmapped(view: View<'_>, found: &Provenance, out: &mut dyn Write) -> anyhow::Result<()> {
    if found.unmapped.is_empty() || found.coverage.nodes.linked == 0 {
        return Ok(());
    }
    let count = Some(whole(found.unmapped.len()));
    let note = "nodes of the post-grad graph that no kernel names";
    view.open_section(out, ("unmapped", "Not mapped", note), count, Html::default())?;
    let names = found.unmapped.iter().take(LONG_LIST);
    let names = names
        .map(|node| Element::new("code").title(&format!("line {}", node.line)).around(node.name.as_str()));
    let more = found.unmapped.len().saturating_sub(LONG_LIST);
    let more = if more > 0 { format!(", and {} more", whole(more)) } else { String::new() };
    let names = Html::joined(names.collect::<Vec<_>>(), ", ");
    paragraph(out, Html::joined([names, format!("{more}.").into()], ""))?;
    note_below(out, "Views and elements of tuples need no kernel. Inputs of the graph are not counted.")?;
    Ok(close_section(out)?)
}

fn keys(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    view.open_section(out, ("keys", "Keys", ""), None, Html::default())?;
    write_line(out, &view.render("provenance_keys", &())?)?;
    Ok(close_section(out)?)
}
