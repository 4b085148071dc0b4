//! The linked panes: a span a line, those that lead somewhere with an id.

use crate::analysis::provenance::{CodeKind, KernelCall, LineMap, LineMaps, Provenance};
use crate::report::kit::formats::{bytes, counted, short_path};
use crate::report::kit::html::Html;
use crate::report::kit::inductor_runs::Run;
use crate::report::kit::inductor_runs::RunTexts;
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
pub(crate) fn write(found: &Provenance, panes: &[Pane<'_>], out: &mut dyn Write) -> anyhow::Result<()> {
    write!(out, "<div class=prov>")?;
    let (left, right): (Vec<&Pane<'_>>, Vec<&Pane<'_>>) =
        panes.iter().partition(|pane| !matches!(pane.body, Body::Texts(_)));
    if !left.is_empty() {
        write!(out, "<div class=left>")?;
        for pane in &left {
            write_pane(found, pane, out)?;
        }
        write!(out, "</div>")?;
    }
    let mut before = left.last().map(|pane| pane.title);
    for pane in right {
        if let Some(before) = before.replace(pane.title) {
            write!(
                out,
                "<div class=grip role=separator tabindex=0 aria-orientation=\"vertical\" \
                 aria-label=\"Width of {before}\" aria-valuenow=\"50\"></div>"
            )?;
        }
        write_pane(found, pane, out)?;
    }
    Ok(writeln!(out, "</div>")?)
}

fn write_pane(found: &Provenance, pane: &Pane<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let (id, title, note) = (pane.id, pane.title, Html::escaped(&pane.note));
    write!(
        out,
        "<section id=\"{id}\" aria-label=\"{title}\"><header><h2>{title} <span class=n>{}</span></h2>",
        note.as_str()
    )?;
    if let Body::Texts(texts) = &pane.body
        && texts.len() > 1
    {
        for text in texts {
            write!(
                out,
                "<button class=\"btn js\" hidden data-file=\"{}\" aria-pressed=\"false\">{}</button>",
                text.id, text.label
            )?;
        }
    }
    write!(
        out,
        "<span class=\"soft js\" hidden data-at></span>\
         <button class=btn hidden data-step=\"-1\" aria-label=\"Previous in {title}\">p</button>\
         <button class=btn hidden data-step=\"1\" aria-label=\"Next in {title}\">n</button>\
         <button class=\"btn fold js\" hidden data-shut=\"1\" aria-expanded=\"true\" aria-label=\"Fold {title}\">–</button></header>"
    )?;
    match &pane.body {
        Body::Source => write_source(found, out)?,
        Body::Kernels => write_kernels(found, out)?,
        Body::Texts(texts) => texts.iter().try_for_each(|text| write_text(text, out))?,
    }
    Ok(write!(out, "</section>")?)
}

/// The beginning of a text's element; `digits` is how wide its numbers are.
fn open(id: &str, label: &str, digits: usize, out: &mut dyn Write) -> std::io::Result<()> {
    write!(
        out,
        "<pre tabindex=0 role=group aria-label=\"{label}\" data-text=\"{id}\" style=\"--g:{digits}ch\">"
    )
}

fn write_source(found: &Provenance, out: &mut dyn Write) -> anyhow::Result<()> {
    let digits = found.source.iter().map(|line| line.line.to_string().len()).max().unwrap_or(1);
    open("source", "Source", digits, out)?;
    let several = found.source.first().zip(found.source.last()).is_some_and(|(a, b)| a.file != b.file);
    let mut before = None;
    for (number, line) in (1..).zip(&found.source) {
        let file = Html::escaped(&line.file);
        if several && before.replace(&line.file) != Some(&line.file) {
            let short = Html::escaped(&short_path(&line.file));
            write!(out, "<b title=\"{}\">{}</b>", file.as_str(), short.as_str())?;
        }
        let code = Html::escaped(line.code.as_deref().unwrap_or("(the log does not hold this line)"));
        write!(
            out,
            "<span class=to id=\"source-{number}\" data-n=\"{}\" title=\"{}:{}\">{}</span>",
            line.line,
            file.as_str(),
            line.line,
            code.as_str()
        )?;
    }
    Ok(write!(out, "</pre>")?)
}

fn write_kernels(found: &Provenance, out: &mut dyn Write) -> anyhow::Result<()> {
    let number = |call: &KernelCall| match &call.handle {
        Some(handle) => format!(":{handle}"),
        None => call.line.to_string(),
    };
    let digits = found.kernels.iter().map(|call| number(call).len()).max().unwrap_or(1);
    open("kernels", "Kernels", digits, out)?;
    for (at, call) in (1..).zip(&found.kernels) {
        let (kernel, label) = (Html::escaped(&call.kernel), Html::escaped(&call.label()));
        write!(
            out,
            "<span class=to id=\"kernels-{at}\" data-n=\"{}\" title=\"{}, line {}\">{}</span>",
            Html::escaped(&number(call)).as_str(),
            label.as_str(),
            call.line,
            kernel.as_str()
        )?;
    }
    Ok(write!(out, "</pre>")?)
}

fn write_text(text: &Text<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let Text { id, label, .. } = text;
    if text.text.len() > LARGEST_PANE {
        let size = bytes(text.text.len() as f64);
        write!(out, "<p class=large>{size}, too large for this page")?;
        if let Some(file) = &text.file {
            write!(out, ": <a href=\"{}\">{label}</a>", Html::escaped(file).as_str())?;
        }
        return Ok(write!(out, "</p>")?);
    }
    let shown = text.text.trim_end_matches('\n');
    let lines = shown.split('\n').count();
    open(id, label, lines.to_string().len(), out)?;
    for (number, line) in (1_u32..).zip(shown.split('\n')) {
        write_start(text, (number, line), lines, out)?;
        html_escape::encode_text_to_writer(line, out)?;
        write!(out, "</span>")?;
    }
    Ok(write!(out, "</div></pre>")?)
}

/// The beginning of a line's element, and of the piece that it begins. Each piece counts for itself: what is in it is
/// laid out without what stands before it.
fn write_start(
    text: &Text<'_>,
    (number, line): (u32, &str),
    lines: usize,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    let before = number as usize - 1;
    let mut counter = String::new();
    if before.is_multiple_of(PIECE) {
        let end = if before > 0 { "</div>" } else { "" };
        let height = PIECE.min(lines - before);
        write!(out, "{end}<div style=\"contain-intrinsic-height:auto {height}lh\">")?;
        counter = format!(" style=\"counter-reset:l {before}\"");
    }
    if text.mapped.contains(&number) {
        write!(out, "<span class=to id=\"{}-{number}\"{counter}", text.id)?;
        if let Some(kernel) = text.kernels.get(&number) {
            write!(out, " data-k=\"{kernel}\"")?;
        }
        return write!(out, ">");
    }
    let start = line.trim_start();
    let comment = if start.starts_with('#') || start.starts_with("//") { " class=\"c\"" } else { "" };
    write!(out, "<span{comment}{counter}>")
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
    let json = serde_json::to_string(&data)?.replace('<', "\\u003c");
    Ok(writeln!(out, "<script type=\"application/json\" id=\"maps\">{json}</script>")?)
}
