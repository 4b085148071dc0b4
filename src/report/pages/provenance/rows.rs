//! The lines of the panes: one span per line, tinted like the source line it belongs to.
//!
//! Lines have `data-id` instead of `id`: following a link to an `id`, a browser would scroll the headings of the panes
//! out of sight. [`write_anchors`] writes the ids.

use crate::analysis::provenance::{CodeKind, KernelCall, LineOwners, Provenance, RunText};
use crate::limits::KEPT;
use crate::model::Language;
use crate::report::kit::formats::{bytes, short_path};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{Element, close, close_inline, push_close, write_line};
use crate::report::kit::provenance_anchors::{kernel_anchors, source_anchors};
use crate::report::kit::templates::Worker;
use crate::report::pages::provenance::texts::code_words;
use crate::report::pages::provenance::times::Times;
use crate::report::pages::provenance::tints::{Tints, shown_number};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

/// Largest text shown in a pane, which a browser shows without a noticeable wait. The largest graph recorded has 2 MB;
/// larger texts are links.
const LARGEST_PANE: usize = 4 << 20;

/// Bytes reserved for the part below the panes.
const FOOT: usize = 1_500_000;

/// Lines per piece of a pane. A browser lays out only visible pieces.
const PIECE: usize = 100;

/// A text and its linked lines.
pub(crate) struct Text<'p> {
    /// Prefix of its lines' ids.
    pub(crate) id: &'static str,
    pub(crate) label: &'static str,
    pub(crate) text: &'p str,
    pub(crate) language: Language,
    pub(crate) mapped: BTreeSet<u32>,
    /// First lines of kernels, with the number of their first call, from 1.
    pub(crate) kernels: BTreeMap<u32, usize>,
    pub(crate) of_run: RunText,
    pub(crate) file: Option<String>,
}

/// Writes the lines of a run.
pub(crate) struct Rows<'p> {
    found: &'p Provenance,
    owners: &'p LineOwners,
    times: &'p Times,
    tints: Tints,
}

impl<'p> Rows<'p> {
    pub(crate) fn of(found: &'p Provenance, owners: &'p LineOwners, times: &'p Times) -> Rows<'p> {
        Rows { found, owners, times, tints: Tints::of(found) }
    }

    /// The lines of the program that the log names.
    pub(crate) fn write_source(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        let lines = &self.found.source;
        let digits = lines.iter().map(|line| line.line.to_string().len()).max().unwrap_or(1);
        open_text(("source", "Source"), (digits, 0), out)?;
        write!(out, "{}", piece(lines.len()).as_str())?;
        let several = lines.first().zip(lines.last()).is_some_and(|(a, b)| a.file != b.file);
        let mut before = None;
        for (place, (line, anchor)) in lines.iter().zip(source_anchors(self.found)).enumerate() {
            if several && before.replace(&line.file) != Some(&line.file) {
                let file = Element::new("b").title(&line.file).around(short_path(&line.file).as_ref());
                write!(out, "{}", file.as_str())?;
            }
            let code = line.code.as_deref().unwrap_or("(the log does not hold this line)");
            let shown = Element::new("span")
                .class(&format!("mapped {}", Tints::class(place)))
                .attribute("data-id", &anchor);
            let shown = shown.attribute("data-n", &line.line.to_string());
            let time = self.times.beside_line(place).unwrap_or_default();
            let code = Html::joined([time, Html::content(code)], "");
            let shown = shown.title(&format!("{}:{}", line.file, line.line)).around(code);
            write!(out, "{}", shown.as_str())?;
        }
        close_text(out)
    }

    /// The kernels in the order of their calls.
    pub(crate) fn write_kernels(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        let kernels = &self.found.kernels;
        let digits = kernels.iter().map(|call| shown_number(call).len()).max().unwrap_or(1);
        let owners = |call: &'p KernelCall| self.owners.of_line(RunText::Code(call.file), call.line);
        let tag = self.tints.width(kernels.iter().map(owners));
        open_text(("kernels", "Kernels"), (digits, tag), out)?;
        write!(out, "{}", piece(kernels.len()).as_str())?;
        for (place, (call, anchor)) in kernels.iter().zip(kernel_anchors(self.found)).enumerate() {
            let shown = self.tints.row("mapped", owners(call), "").attribute("data-id", &anchor);
            let shown = shown.attribute("data-n", &shown_number(call));
            let time = self.times.beside_call(place).unwrap_or_default();
            let name = Html::joined([time, Html::escaped(&call.kernel)], "");
            let shown = shown.title(&format!("{}, line {}", call.label(), call.line)).around(name);
            write!(out, "{}", shown.as_str())?;
        }
        close_text(out)
    }

    /// A graph or a code file, if the page has room for it.
    pub(crate) fn write_text(
        &self,
        text: &Text<'_>,
        worker: &mut Worker,
        out: &mut dyn Write,
    ) -> anyhow::Result<()> {
        let room = worker.room().saturating_sub(FOOT);
        let Some(room) = room.checked_sub(self.bytes_of(text)).filter(|_| text.text.len() <= LARGEST_PANE)
        else {
            return Ok(write_line(out, &too_large(text))?);
        };
        let highlighter = worker.highlighter()?;
        // An empty text is shown as one empty line.
        let narrow = with_narrow_indents(text.text.trim_end_matches('\n'));
        let shown = Some(narrow.as_str()).filter(|text| !text.is_empty()).unwrap_or("\n");
        let lines = shown.lines().count();
        let tag = self.tints.width((1..=lines as u32).map(|line| self.owners.of_line(text.of_run, line)));
        open_text((text.id, text.label), (lines.to_string().len(), tag), out)?;
        let open_line = |number: u32, html: &mut String| {
            let before = number as usize - 1;
            if before.is_multiple_of(PIECE) {
                if before > 0 {
                    push_close(html, "div");
                }
                html.push_str(piece(PIECE.min(lines - before)).as_str());
            }
            html.push_str(self.line(text, number).open().as_str());
        };
        let close_line = |html: &mut String| push_close(html, "span");
        highlighter.write_framed((text.language, shown), room, out, (open_line, close_line))?;
        close_text(out)
    }

    /// Bytes of a text in its pane without highlighting.
    fn bytes_of(&self, text: &Text<'_>) -> usize {
        const LINE: usize = 36;
        const MAPPED: usize = 44;
        const STRIPES: usize = 240;
        let lines = memchr::memchr_iter(b'\n', text.text.as_bytes()).count() as u32 + 1;
        let of_many = (1..=lines).filter(|line| self.owners.of_line(text.of_run, *line).len() > 1).count();
        Html::escaped_len(text.text) + lines as usize * LINE + text.mapped.len() * MAPPED + of_many * STRIPES
    }

    /// The element of a line. Line counters restart in each piece, so a piece's first line sets its number.
    fn line(&self, text: &Text<'_>, number: u32) -> Element {
        let is_mapped = text.mapped.contains(&number);
        let kind = match is_mapped {
            true => "mapped",
            false if self.owners.is_in_kernel(text.of_run, number) => "inner",
            false => "",
        };
        let before = number as usize - 1;
        let count = match before.is_multiple_of(PIECE) {
            true => format!("counter-reset:line {before}"),
            false => String::new(),
        };
        let mut shown = self.tints.row(kind, self.owners.of_line(text.of_run, number), &count);
        if is_mapped {
            shown = shown.attribute("data-id", &format!("{}-{number}", text.id));
            if let Some(kernel) = text.kernels.get(&number) {
                shown = shown.attribute("data-k", &kernel.to_string());
            }
        }
        shown
    }
}

/// Targets of links to lines: an empty element above the panes for each linked line. The script shows the line in its
/// pane.
pub(crate) fn write_anchors(found: &Provenance, out: &mut dyn Write) -> io::Result<()> {
    let code = found.kernels.iter().flat_map(|call| {
        let definition = call.definition.map(|body| (body.file, body.first));
        [Some((call.file, call.line)), definition].into_iter().flatten()
    });
    let code: BTreeSet<(CodeKind, u32)> = code.collect();
    let code = code.into_iter().map(|(file, line)| format!("{}-{line}", code_words(file).0));
    let anchors = source_anchors(found).into_iter().chain(kernel_anchors(found)).chain(code);
    write_line(out, &Element::new("div").class("anchors").open())?;
    for anchor in anchors.take(KEPT) {
        write!(out, "{}", Element::new("span").id(&anchor).empty().as_str())?;
    }
    close(out, "div")
}

/// The text with a quarter of its indentation: lines of graphs and calls are indented by 8 and 12 spaces, a third of a pane.
fn with_narrow_indents(text: &str) -> String {
    let mut narrow = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let rest = line.trim_start_matches(' ');
        narrow.extend(std::iter::repeat_n(' ', (line.len() - rest.len()).div_ceil(4)));
        narrow.push_str(rest);
    }
    narrow
}

fn too_large(text: &Text<'_>) -> Html {
    let size = format!("{}, too large for this page", bytes(text.text.len() as f64));
    let mut pieces = vec![size.into()];
    if let Some(file) = &text.file {
        pieces.extend([": ".into(), Element::new("a").href(file).around(text.label)]);
    }
    Element::new("p").class("too-large").around(Html::joined(pieces, ""))
}

/// Begins a text. `digits` is the width of its line numbers, `tag` that of the source lines' numbers.
fn open_text(
    (id, label): (&str, &str),
    (digits, tag): (usize, usize),
    out: &mut dyn Write,
) -> io::Result<()> {
    let text = Element::new("pre").region(label).attribute("data-text", id);
    write!(out, "{}", text.style(&format!("--digits:{digits}ch;--tag:{tag}ch")).open().as_str())
}

/// Begins a piece of this many lines, which is laid out independently.
fn piece(lines: usize) -> Html {
    Element::new("div").style(&format!("contain-intrinsic-height:auto {lines}lh")).open()
}

fn close_text(out: &mut dyn Write) -> anyhow::Result<()> {
    close_inline(out, "div")?;
    Ok(close(out, "pre")?)
}
