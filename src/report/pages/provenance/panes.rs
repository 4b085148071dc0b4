//! The linked panes: a span a line, those that lead somewhere with an id.

use crate::analysis::provenance::{CodeKind, KernelCall, LineMap, LineMaps, Provenance};
use crate::report::kit::formats::{bytes, counted, short_path};
use crate::report::kit::html::Html;
use crate::report::kit::inductor_runs::Run;
use crate::report::kit::inductor_runs::RunTexts;
use crate::report::kit::markup::{Element, close, close_inline, open_data, put, script_json};
use crate::report::kit::paths;
use crate::report::kit::view::View;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

/// Bytes of a text that stands in its pane: a browser shows so much without a noticeable wait. The largest graph
/// recorded has 2 MB; what is larger is a link.
const LARGEST_PANE: usize = 4 << 20;

/// Lines in one piece of a pane. A browser lays out only the pieces in sight.
const PIECE: usize = 400;

/// A pane: a heading, and one text or more of which one is open at a time.
#[derive(Serialize)]
pub(crate) struct Pane<'p> {
    pub(crate) id: &'static str,
    /// In its heading, and on the switch of narrow windows.
    title: &'static str,
    pub(crate) short: &'static str,
    note: String,
    #[serde(skip)]
    body: Body<'p>,
}

enum Body<'p> {
    Source,
    Kernels,
    Texts(Vec<Text<'p>>),
}

/// A text with the lines that lead somewhere.
struct Text<'p> {
    /// Beginning of its lines' ids.
    id: &'static str,
    label: &'static str,
    text: &'p str,
    mapped: BTreeSet<u32>,
    /// First lines of kernels, with the place of their first call among all, from 1.
    kernels: BTreeMap<u32, usize>,
    file: Option<String>,
}

/// Beginning of the ids of a code file's lines, and its name.
pub(crate) fn code_words(kind: CodeKind) -> (&'static str, &'static str) {
    match kind {
        CodeKind::Python => ("py", "Python"),
        CodeKind::Cpp => ("cpp", "C++ wrapper"),
        CodeKind::Kernels => ("kernelcode", "Kernel code"),
        CodeKind::Header => ("header", "Header"),
    }
}

/// The panes of a run; what the log does not hold has none.
pub(crate) fn panes<'p>(
    view: View<'_>,
    run: &Run<'_>,
    texts: &'p RunTexts,
    found: &Provenance,
) -> Vec<Pane<'p>> {
    let file = |index: Option<usize>| {
        let artifact = run.compile.artifacts.get(index?)?;
        Some(view.href(&paths::artifact(run.compile, artifact, view.report.settings)))
    };
    let mut panes = Vec::new();
    let mut add = |id, title, short, note, body| panes.push(Pane { id, title, short, note, body });
    if !found.source.is_empty() {
        let mut files: Vec<&str> = found.source.iter().map(|line| line.file.as_str()).collect();
        files.dedup();
        let note = match files.as_slice() {
            [only] => short_path(only).into_owned(),
            more => counted(more.len(), "file", "files"),
        };
        add("source", "Source", "Source", note, Body::Source);
    }
    if !found.kernels.is_empty() {
        add("kernels", "Kernels", "Kernels", found.kernels.len().to_string(), Body::Kernels);
    }
    let pre = run.run.pre.and_then(|index| run.compile.artifacts.get(index));
    let pre_title = match pre {
        Some(artifact) if artifact.name.starts_with("dynamo") => "Captured graph",
        _ => "Pre-grad graph",
    };
    let graphs = [
        ("pre", pre_title, "Pre-grad", &texts.pre, run.run.pre),
        ("post", "Post-grad graph", "Post-grad", &texts.post, run.run.post),
    ];
    for (id, title, short, text, index) in graphs {
        let Some(text) = text else { continue };
        let mapped = if id == "pre" { pre_lines(found) } else { post_lines(found) };
        let kernels = BTreeMap::new();
        let text = Text { id, label: title, text, mapped, kernels, file: file(index) };
        add(id, title, short, lines_of(text.text), Body::Texts(vec![text]));
    }
    let code: Vec<Text<'p>> =
        texts.code.iter().map(|(kind, text)| code_text(run, found, (*kind, text), &file)).collect();
    if let Some(first) = code.first() {
        let title = if code.len() > 1 { "Code" } else { "Generated code" };
        add("code", title, "Code", lines_of(first.text), Body::Texts(code));
    }
    panes
}

fn lines_of(text: &str) -> String {
    counted(text.trim_end_matches('\n').split('\n').count(), "line", "lines")
}

fn code_text<'p>(
    run: &Run<'_>,
    found: &Provenance,
    (kind, text): (CodeKind, &'p str),
    file: &impl Fn(Option<usize>) -> Option<String>,
) -> Text<'p> {
    let (id, label) = code_words(kind);
    let calls = found.kernels.iter().filter(|call| call.file == kind);
    let mut mapped: BTreeSet<u32> = calls.map(|call| call.line).collect();
    let mut kernels = BTreeMap::new();
    for (number, call) in (1..).zip(&found.kernels) {
        if let Some((_, line, _)) = call.definition.filter(|(file, ..)| *file == kind) {
            kernels.entry(line).or_insert(number);
            mapped.insert(line);
        }
    }
    let index = run.run.code.iter().find(|file| file.kind == kind).map(|file| file.artifact);
    Text { id, label, text, mapped, kernels, file: file(index) }
}

fn both_sides(forth: &LineMap, back: &LineMap) -> BTreeSet<u32> {
    forth.keys().chain(back.values().flatten()).copied().collect()
}

fn pre_lines(found: &Provenance) -> BTreeSet<u32> {
    let mut lines = both_sides(&found.maps.pre_to_post, &found.maps.post_to_pre);
    lines.extend(found.source.iter().flat_map(|line| &line.pre));
    lines
}

fn post_lines(found: &Provenance) -> BTreeSet<u32> {
    let maps = &found.maps;
    let mut lines = both_sides(&maps.post_to_pre, &maps.pre_to_post);
    lines.extend(both_sides(&maps.post_to_py_code, &maps.py_code_to_post));
    lines.extend(both_sides(&maps.post_to_cpp_code, &maps.cpp_code_to_post));
    lines.extend(found.source.iter().flat_map(|line| &line.post));
    lines
}

/// Writes the frame with all panes.
pub(crate) fn write(
    view: View<'_>,
    found: &Provenance,
    panes: &[Pane<'_>],
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    put(out, &Element::new("div").class("linked-panes").open())?;
    let (left, right): (Vec<&Pane<'_>>, Vec<&Pane<'_>>) =
        panes.iter().partition(|pane| !matches!(pane.body, Body::Texts(_)));
    if !left.is_empty() {
        put(out, &Element::new("div").class("left").open())?;
        for pane in &left {
            write_pane(view, found, pane, out)?;
        }
        close(out, "div")?;
    }
    let mut before = left.last().map(|pane| pane.title);
    for pane in right {
        if let Some(before) = before.replace(pane.title) {
            put(out, &divider(before))?;
        }
        write_pane(view, found, pane, out)?;
    }
    Ok(close(out, "div")?)
}

/// What moves the edge of a pane, with the mouse or with the arrow keys.
fn divider(before: &str) -> Html {
    let divider = Element::new("div").class("divider").attribute("role", "separator");
    let divider = divider.attribute("tabindex", "0").attribute("aria-orientation", "vertical");
    divider.attribute("aria-label", &format!("Width of {before}")).attribute("aria-valuenow", "50").empty()
}

#[derive(Serialize)]
struct PaneHead<'p> {
    title: &'p str,
    note: &'p str,
    /// Texts among which the reader chooses.
    files: Vec<FileButton>,
}

#[derive(Serialize)]
struct FileButton {
    id: &'static str,
    label: &'static str,
}

fn write_pane(
    view: View<'_>,
    found: &Provenance,
    pane: &Pane<'_>,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    put(out, &Element::new("section").id(pane.id).attribute("aria-label", pane.title).open())?;
    let files = match &pane.body {
        Body::Texts(texts) if texts.len() > 1 => texts.as_slice(),
        _ => &[],
    };
    let files = files.iter().map(|text| FileButton { id: text.id, label: text.label }).collect();
    let head = PaneHead { title: pane.title, note: &pane.note, files };
    put(out, &view.render("provenance_pane_head", &head)?)?;
    match &pane.body {
        Body::Source => write_source(found, out)?,
        Body::Kernels => write_kernels(found, out)?,
        Body::Texts(texts) => texts.iter().try_for_each(|text| write_text(text, out))?,
    }
    Ok(close(out, "section")?)
}

/// The beginning of a text's element; `digits` is how wide its numbers are.
fn open(id: &str, label: &str, digits: usize, out: &mut dyn Write) -> std::io::Result<()> {
    let text = Element::new("pre").region(label).attribute("data-text", id);
    put(out, &text.style(&format!("--digits:{digits}ch")).open())
}

fn write_source(found: &Provenance, out: &mut dyn Write) -> anyhow::Result<()> {
    let digits = found.source.iter().map(|line| line.line.to_string().len()).max().unwrap_or(1);
    open("source", "Source", digits, out)?;
    let several = found.source.first().zip(found.source.last()).is_some_and(|(a, b)| a.file != b.file);
    let mut before = None;
    for (number, line) in (1..).zip(&found.source) {
        if several && before.replace(&line.file) != Some(&line.file) {
            let file = Element::new("b").title(&line.file).around(short_path(&line.file).as_ref());
            write!(out, "{}", file.as_str())?;
        }
        let code = line.code.as_deref().unwrap_or("(the log does not hold this line)");
        let shown = mapped(&format!("source-{number}"), &line.line.to_string());
        let shown = shown.title(&format!("{}:{}", line.file, line.line)).around(code);
        write!(out, "{}", shown.as_str())?;
    }
    Ok(close(out, "pre")?)
}

/// A line that leads somewhere, with the number that stands before it.
fn mapped(id: &str, number: &str) -> Element {
    Element::new("span").class("mapped").id(id).attribute("data-n", number)
}

fn write_kernels(found: &Provenance, out: &mut dyn Write) -> anyhow::Result<()> {
    let number = |call: &KernelCall| match &call.handle {
        Some(handle) => format!(":{handle}"),
        None => call.line.to_string(),
    };
    let digits = found.kernels.iter().map(|call| number(call).len()).max().unwrap_or(1);
    open("kernels", "Kernels", digits, out)?;
    for (at, call) in (1..).zip(&found.kernels) {
        let shown = mapped(&format!("kernels-{at}"), &number(call));
        let shown =
            shown.title(&format!("{}, line {}", call.label(), call.line)).around(call.kernel.as_str());
        write!(out, "{}", shown.as_str())?;
    }
    Ok(close(out, "pre")?)
}

fn write_text(text: &Text<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let Text { id, label, .. } = text;
    if text.text.len() > LARGEST_PANE {
        let size = format!("{}, too large for this page", bytes(text.text.len() as f64));
        let mut pieces = vec![size.into()];
        if let Some(file) = &text.file {
            pieces.extend([": ".into(), Element::new("a").href(file).around(*label)]);
        }
        let words = Element::new("p").class("too-large").around(Html::joined(pieces, ""));
        return Ok(put(out, &words)?);
    }
    let shown = text.text.trim_end_matches('\n');
    let lines = shown.split('\n').count();
    open(id, label, lines.to_string().len(), out)?;
    for (number, line) in (1_u32..).zip(shown.split('\n')) {
        open_piece(number, lines, out)?;
        write!(out, "{}", shown_line(text, number, line).around(Html::content(line)).as_str())?;
    }
    close_inline(out, "div")?;
    Ok(close(out, "pre")?)
}

/// Begins a piece where a line is the first of one. What is in a piece is laid out without what stands before it.
fn open_piece(number: u32, lines: usize, out: &mut dyn Write) -> std::io::Result<()> {
    let before = number as usize - 1;
    if !before.is_multiple_of(PIECE) {
        return Ok(());
    }
    if before > 0 {
        close_inline(out, "div")?;
    }
    let height = PIECE.min(lines - before);
    let piece = Element::new("div").style(&format!("contain-intrinsic-height:auto {height}lh"));
    write!(out, "{}", piece.open().as_str())
}

/// The element of a line. Each piece counts for itself, so its first line says where it begins.
fn shown_line(text: &Text<'_>, number: u32, line: &str) -> Element {
    let before = number as usize - 1;
    let mut shown = Element::new("span");
    if before.is_multiple_of(PIECE) {
        shown = shown.style(&format!("counter-reset:line {before}"));
    }
    let start = line.trim_start();
    if text.mapped.contains(&number) {
        shown = shown.class("mapped").id(&format!("{}-{number}", text.id));
        if let Some(kernel) = text.kernels.get(&number) {
            shown = shown.attribute("data-k", &kernel.to_string());
        }
    } else if start.starts_with('#') || start.starts_with("//") {
        shown = shown.class("c");
    }
    shown
}

/// What the script reads.
#[derive(Serialize)]
struct Data<'p> {
    maps: &'p LineMaps,
    source: Vec<SourceData<'p>>,
    kernels: Vec<KernelData>,
    /// The kernel that is shown first.
    first: usize,
}

#[derive(Serialize)]
struct SourceData<'p> {
    pre: &'p [u32],
    post: &'p [u32],
    calls: Vec<usize>,
}

#[derive(Serialize)]
struct KernelData {
    label: String,
    file: &'static str,
    line: u32,
}

/// Writes what the script reads.
pub(crate) fn write_data(found: &Provenance, out: &mut dyn Write) -> anyhow::Result<()> {
    let source = found.source.iter().map(|line| SourceData {
        pre: &line.pre,
        post: &line.post,
        calls: line.calls.iter().map(|call| call + 1).collect(),
    });
    let kernels = found.kernels.iter().map(|call| KernelData {
        label: call.label(),
        file: code_words(call.file).0,
        line: call.line,
    });
    // The kernel of most nodes shows best what the page is for.
    let size = |call: &KernelCall| (call.nodes.len(), call.source.len());
    let most = found.kernels.iter().enumerate().max_by_key(|(at, call)| (size(call), usize::MAX - at));
    let first = most.map_or(0, |(at, _)| at + 1);
    let data = Data { maps: &found.maps, source: source.collect(), kernels: kernels.collect(), first };
    open_data(out, "maps")?;
    out.write_all(script_json(&data)?.as_bytes())?;
    Ok(close(out, "script")?)
}
