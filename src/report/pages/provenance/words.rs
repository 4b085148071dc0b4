//! The content of the panes as tables, for readers without scripts and for the browser's search.

use crate::analysis::provenance::{KernelCall, Provenance, SourceLine};
use crate::limits::{LISTED, LONG_LIST, SHOWN};
use crate::report::kit::formats::{UNKNOWN, short_path, whole};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{Element, close_section, note_below, paragraph, span, write_line};
use crate::report::kit::provenance_anchors::{kernel_anchors, source_anchors};
use crate::report::kit::tables::{Row, Table, TableCell, TableColumn};
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
    lines(view, words, out)?;
    kernels(view, words, out)?;
    unmapped(view, shown.found, out)?;
    keys(view, out)
}

/// What each line of the program became.
fn lines(view: View<'_>, words: Words<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let all = &words.found.source;
    if all.is_empty() {
        return Ok(());
    }
    let note = "what the panes show, as tables";
    view.open_section(out, ("line-table", "Source lines", note), Some(whole(all.len())), Html::default())?;
    let none = |test: fn(&SourceLine) -> bool| !all.iter().any(test);
    let mut columns = vec![
        TableColumn::text("Line"),
        TableColumn::text("Code").mono().absent_if(none(|line| line.code.is_some())),
        TableColumn::number("Pre-grad lines").absent_if(none(|line| !line.pre.is_empty())),
        TableColumn::number("Post-grad nodes").absent_if(none(|line| !line.nodes.is_empty())),
        TableColumn::unsorted("Kernels").absent_if(none(|line| !line.calls.is_empty())),
    ];
    columns.splice(
        2..2,
        words.times.head("of the line in the whole trace; light: its share of kernels of several lines"),
    );
    let table = Table { id: "lines-in-words", label: "Source lines", columns };
    let rows = all.iter().zip(words.sources).take(LISTED).enumerate();
    view.table(
        out,
        &table,
        rows.map(|(place, (line, anchor))| line_row(view, words, (place, line, anchor))),
    )?;
    view.beyond(out, all.len(), all.len().min(LISTED), "lines")?;
    Ok(close_section(out)?)
}

fn line_row(view: View<'_>, words: Words<'_>, (place, line, anchor): (usize, &SourceLine, &str)) -> Row {
    let tint = Element::new("i").class(&format!("swatch {}", Tints::class(place))).empty();
    let link = view.link(&format!("#{anchor}"), &format!("{}:{}", short_path(&line.file), line.line));
    let code = line.code.as_deref().map_or_else(|| Html::escaped(UNKNOWN), |code| view.folded(code, false));
    let named = line.calls.iter().take(SHOWN).filter_map(|call| {
        let (kernel, anchor) = (words.found.kernels.get(*call)?, words.kernels.get(*call)?);
        Some(view.link(&format!("#{anchor}"), &kernel.label()))
    });
    let mut named: Vec<Html> = named.collect();
    let more = line.calls.len().saturating_sub(SHOWN);
    if more > 0 {
        named.push(Html::escaped(&format!("{} more", whole(more))));
    }
    let kernels = if named.is_empty() { Html::escaped(UNKNOWN) } else { Html::joined(named, ", ") };
    let mut cells = vec![
        TableCell::html(Html::joined([tint, link], " ")).class("nowrap").sorted(place),
        TableCell::html(code),
        TableCell::count(line.pre.len()),
        TableCell::count(line.nodes.len()),
        TableCell::html(kernels).class("mono"),
    ];
    cells.splice(2..2, words.times.line_cell(view, place));
    Row::of(cells)
}

/// What each kernel came from.
fn kernels(view: View<'_>, words: Words<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let found = words.found;
    if found.kernels.is_empty() {
        return Ok(());
    }
    let count = Some(whole(found.kernels.len()));
    let note = "one row per call, in the order of the code";
    view.open_section(out, ("kernel-table", "Kernels", note), count, Html::default())?;
    let any = |test: fn(&KernelCall) -> bool| found.kernels.iter().any(test);
    let mut columns = vec![
        TableColumn::text("Kernel and handle"),
        TableColumn::text("Kind"),
        TableColumn::number("Call, line"),
        TableColumn::number("Definition, line").absent_if(!any(|call| call.definition.is_some())),
        TableColumn::number("Nodes").absent_if(!any(|call| !call.nodes.is_empty())),
        TableColumn::text("Post-grad nodes").absent_if(!any(|call| !call.nodes.is_empty())),
        TableColumn::text("Source lines").absent_if(!any(|call| !call.source.is_empty())),
    ];
    columns.splice(2..2, words.times.head("of this call, over all its runs in the trace"));
    let table = Table { id: "kernels-in-words", label: "Kernels", columns };
    let rows = found.kernels.iter().zip(words.kernels).take(LISTED).enumerate();
    view.table(out, &table, rows.map(|(place, (call, anchor))| row(view, words, (place, call, anchor))))?;
    view.beyond(out, found.kernels.len(), found.kernels.len().min(LISTED), "kernels")?;
    Ok(close_section(out)?)
}

fn row(view: View<'_>, words: Words<'_>, (place, call, anchor): (usize, &KernelCall, &str)) -> Row {
    let (file, _) = code_words(call.file);
    let handle = call.handle.as_ref().map(|handle| format!(":{handle}")).unwrap_or_default();
    let handle = span("soft mono", handle);
    let name = span("mono", view.link(&format!("#{anchor}"), &call.kernel));
    let line = |file: &str, line: u32| view.link(&format!("#{file}-{line}"), &line.to_string());
    let definition = call.definition.map(|body| line(code_words(body.file).0, body.first));
    let nodes: Vec<&str> = call.nodes.iter().take(SHOWN).map(String::as_str).collect();
    let more = call.nodes.len().saturating_sub(SHOWN);
    let more = if more > 0 { format!(" and {} more", whole(more)) } else { String::new() };
    let mut cells = vec![
        TableCell::html(Html::joined([name, handle], "")),
        TableCell::text(call.language.unwrap_or("library")),
        TableCell::html(line(file, call.line)).class("num").sorted(call.line),
        TableCell::html(definition.unwrap_or_else(|| Html::escaped(UNKNOWN))).class("num"),
        TableCell::count(call.nodes.len()),
        TableCell::text(&format!("{}{more}", nodes.join(", "))).class("mono"),
        TableCell::html(source_links(view, words, call)),
    ];
    cells.splice(2..2, words.times.call_cell(view, place));
    Row::of(cells)
}

/// The source lines of a kernel: `x.py:19, 20`.
fn source_links(view: View<'_>, words: Words<'_>, call: &KernelCall) -> Html {
    let mut before = None;
    let links = call.source.iter().take(SHOWN).filter_map(|at| {
        let (line, anchor) = (words.found.source.get(*at)?, words.sources.get(*at)?);
        let file = before.replace(&line.file) != Some(&line.file);
        let text =
            if file { format!("{}:{}", short_path(&line.file), line.line) } else { line.line.to_string() };
        Some(view.link(&format!("#{anchor}"), &text))
    });
    Html::joined(links.collect::<Vec<_>>(), ", ")
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
