//! The linked panes and the frame around them.

use crate::analysis::provenance::{CodeKind, CodeOfKind, LineMap, LineOwners, Provenance, RunText, RunTexts};
use crate::model::{Artifact, Content, Form, Language, Readable};
use crate::report::kit::formats::{counted, short_path};
use crate::report::kit::html::Html;
use crate::report::kit::inductor_runs::Run;
use crate::report::kit::markup::{Element, close, write_line};
use crate::report::kit::paths;
use crate::report::kit::templates::Worker;
use crate::report::kit::view::View;
use crate::report::pages::provenance::rows::{Rows, Text};
use crate::report::pages::provenance::texts::code_words;
use crate::report::pages::provenance::times::Times;
use crate::report::subject::Report;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

/// A pane: a heading, and one or more texts, one of which is open at a time.
#[derive(Serialize)]
pub(crate) struct Pane<'p> {
    pub(crate) id: &'static str,
    /// Its name in the heading and in the switch of narrow windows.
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

/// Content of a run's panes.
#[derive(Clone, Copy)]
pub(crate) struct Shown<'p> {
    pub(crate) texts: &'p RunTexts,
    pub(crate) found: &'p Provenance,
    pub(crate) owners: &'p LineOwners,
    pub(crate) times: &'p Times,
}

/// The panes of a run for the texts that the log has.
pub(crate) fn panes<'p>(view: View<'_>, run: &Run<'_>, shown: Shown<'p>) -> Vec<Pane<'p>> {
    let Shown { texts, found, .. } = shown;
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
    let mut add_graph = |(id, title, short), text: &'p Option<String>, index, mapped, of_run| {
        let Some(text) = text else { return };
        let text = Text {
            id,
            label: title,
            text,
            language: Language::Python,
            mapped,
            kernels: BTreeMap::new(),
            of_run,
            file: file(index),
        };
        add(id, title, short, lines_of(text.text), Body::Texts(vec![text]));
    };
    add_graph(("pre", pre_title, "Pre-grad"), &texts.pre, run.run.pre, pre_lines(found), RunText::Pre);
    let post = ("post", "Post-grad graph", "Post-grad");
    add_graph(post, &texts.post, run.run.post, post_lines(found), RunText::Post);
    let code: Vec<Text<'p>> = texts.code.iter().map(|code| code_text(run, found, code, &file)).collect();
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
    CodeOfKind { kind, text }: &'p CodeOfKind,
    file: &impl Fn(Option<usize>) -> Option<String>,
) -> Text<'p> {
    let kind = *kind;
    let (id, label) = code_words(kind);
    let calls = found.kernels.iter().filter(|call| call.file == kind);
    let mut mapped: BTreeSet<u32> = calls.map(|call| call.line).collect();
    let mut kernels = BTreeMap::new();
    for (number, call) in (1..).zip(&found.kernels) {
        if let Some(body) = call.definition.filter(|body| body.file == kind) {
            kernels.entry(body.first).or_insert(number);
            mapped.insert(body.first);
        }
    }
    let index = run.run.code.iter().find(|file| file.kind == kind).map(|file| file.artifact);
    let language = index.and_then(|index| language_of(run.compile.artifacts.get(index)?));
    let language =
        language.unwrap_or(if kind == CodeKind::Python { Language::Python } else { Language::Cpp });
    Text { id, label, text, language, mapped, kernels, of_run: RunText::Code(kind), file: file(index) }
}

/// The language of a file that has a page of its own.
fn language_of(artifact: &Artifact) -> Option<Language> {
    match (&artifact.content, &artifact.readable) {
        (Content::Payload(_, Form::Code(language)) | Content::Text(_, Form::Code(language)), _) => {
            Some(*language)
        }
        (_, Some(Readable::Code(language))) => Some(*language),
        _ => None,
    }
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
    report: Report<'_>,
    shown: Shown<'_>,
    panes: &[Pane<'_>],
    (worker, out): (&mut Worker, &mut dyn Write),
) -> anyhow::Result<()> {
    let rows = Rows::of(shown.found, shown.owners, shown.times);
    write_line(out, &Element::new("div").class("linked-panes").open())?;
    let mut before = None;
    // A window is wide enough for three columns.
    for column in panes.chunk_by(|one, next| one.column() == next.column()) {
        let Some(last) = column.last() else { continue };
        if let Some(before) = before.replace(last.title) {
            write_line(out, &divider(before))?;
        }
        write_line(out, &Element::new("div").class(last.column()).open())?;
        for pane in column {
            write_pane(report, &rows, pane, (&mut *worker, &mut *out))?;
        }
        close(out, "div")?;
    }
    Ok(close(out, "div")?)
}

impl Pane<'_> {
    /// The class of the column that it is in.
    fn column(&self) -> &'static str {
        match (&self.body, self.id) {
            (Body::Source | Body::Kernels, _) => "left",
            (Body::Texts(_), "code") => "code-column",
            (Body::Texts(_), _) => "graphs",
        }
    }
}

/// The handle that moves a pane's edge, with the mouse or the arrow keys.
fn divider(before: &str) -> Html {
    let divider = Element::new("div").class("divider").attribute("role", "separator");
    let divider = divider.attribute("tabindex", "0").attribute("aria-orientation", "vertical");
    divider.attribute("aria-label", &format!("Width of {before}")).attribute("aria-valuenow", "50").empty()
}

#[derive(Serialize)]
struct PaneHead<'p> {
    title: &'p str,
    note: &'p str,
    /// The texts from which the reader chooses.
    files: Vec<FileButton>,
}

#[derive(Serialize)]
struct FileButton {
    id: &'static str,
    label: &'static str,
}

fn write_pane(
    report: Report<'_>,
    rows: &Rows<'_>,
    pane: &Pane<'_>,
    (worker, out): (&mut Worker, &mut dyn Write),
) -> anyhow::Result<()> {
    write_line(out, &Element::new("section").id(pane.id).attribute("aria-label", pane.title).open())?;
    let files = match &pane.body {
        Body::Texts(texts) if texts.len() > 1 => texts.as_slice(),
        _ => &[],
    };
    let files = files.iter().map(|text| FileButton { id: text.id, label: text.label }).collect();
    let head = PaneHead { title: pane.title, note: &pane.note, files };
    write_line(out, &View::new(report, worker, 0).render("provenance_pane_head", &head)?)?;
    match &pane.body {
        Body::Source => rows.write_source(out)?,
        Body::Kernels => rows.write_kernels(out)?,
        Body::Texts(texts) => texts.iter().try_for_each(|text| rows.write_text(text, worker, out))?,
    }
    Ok(close(out, "section")?)
}
