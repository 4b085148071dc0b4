//! All files of a compile in the order of the compiler's phases, links from the log, and what was lost.

use crate::analysis::{Producers, Stage};
use crate::model::{Artifact, Content, Form, Readable};
use crate::report::doc::{Block, Cell, Listing, Rows, Section, Surface, html, log, own};
use crate::report::kit::graph_files;
use crate::report::kit::inductor_runs;
use crate::report::kit::prelude::*;
use crate::report::pages::compile::subject::ShownCompile;
use crate::report::pages::compile::{metrics, record};
use crate::report::words::files::{self, short_name};
use crate::report::words::phases::stage_words;
use fxhash::FxHashSet;

pub(super) fn section<'m>(subject: ShownCompile<'m>) -> Section<'m> {
    let compile = subject.compile;
    let mut blocks = vec![Block::Drawn(Box::new(move |view, out| write_links(view, subject, out)))];
    blocks.push(match compile.artifacts.is_empty() {
        true => Block::Paragraph(Cell::from("None was recorded.").class("soft")),
        false => Block::Drawn(Box::new(move |view, out| {
            html::table(Surface::Whole(view), out, &listing(view, subject))
        })),
    });
    blocks.extend(compile.lost.iter().map(|(line, what)| {
        let place = own(format!(": line {} of the log, {what}", whole(*line)));
        Block::Paragraph(Cell::Beside(vec![Cell::from("1 lost").class("err"), place], ""))
    }));
    Section::new("files", "Files", blocks)
        .about("in the order of the compiler's phases")
        .counted(compile.artifacts.len())
}

/// Links to the viewers of these files.
fn write_links(view: View<'_>, subject: ShownCompile<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let links = [
        graph_files::drawn_link(view, subject.compile).map(|(href, words)| view.link(&href, &words)),
        graph_files::graphs_href(view, subject.compile).map(|href| view.link(&href, "Graphs side by side")),
        links::vllm(view, subject.index).map(|href| view.link(&href, "vLLM's modules")),
    ];
    let provenance = inductor_runs::links(view, subject.compile);
    let provenance = provenance.iter().map(|(href, words)| view.link(href, words));
    let links = Html::joined(links.into_iter().flatten().chain(provenance), " ");
    if !links.is_empty() {
        write_line(out, &Element::new("p").class("spaced-links").around(links))?;
    }
    Ok(())
}

/// A row of the table of files.
struct FileRow<'m> {
    artifact: &'m Artifact,
    phase: Cell<'m>,
    file: Cell<'m>,
    about: Cell<'m>,
}

/// The table of files, in the order of the compiler's phases.
fn listing<'m>(view: View<'_>, subject: ShownCompile<'m>) -> Listing<'m> {
    let producers = Producers::of(subject.compile);
    let compared = graph_files::compared(view, subject.compile);
    let viewed: FxHashSet<usize> = graph_files::shown_files(subject.compile).into_iter().collect();
    let artifacts = subject.compile.artifacts.iter().enumerate();
    let mut files: Vec<_> = artifacts.map(|(at, one)| (producers.place(&one.name), at, one)).collect();
    files.sort_by_key(|(place, _, artifact)| (*place, artifact.attempt, artifact.number));
    // A single attempt needs no column.
    let several = files.iter().any(|(.., artifact)| artifact.attempt > 0);
    let mut last = None;
    let row = |(order, (place, at, artifact)): (usize, (_, usize, &'m Artifact))| FileRow {
        artifact,
        phase: phase(place, last.replace(place) != Some(place)).class("nowrap").sorted(order as f64),
        file: file(view, subject, artifact, viewed.contains(&at)),
        about: about(subject, artifact, compared.get(&at)),
    };
    Rows::of(files.into_iter().enumerate().map(row).collect::<Vec<_>>())
        .text("Phase", |row| row.phase.clone())
        .text("File", |row| row.file.clone())
        .mono()
        .text("What it is", |row| row.about.clone())
        .soft()
        .number("Attempt", move |row| Cell::from(several.then_some(row.artifact.attempt as usize)))
        .optional()
        .number("Size", |row| Cell::figure(size(row.artifact), bytes))
        .kept()
        .anchored(|_, row| Some(format!("file-{}", row.artifact.number)))
        .listing("files", "Files", "")
}

/// The size of a file in the log.
fn size(artifact: &Artifact) -> Option<f64> {
    match &artifact.content {
        Content::Payload(at, _) => Some(at.text_len as f64),
        Content::Text(text, _) => Some(text.len() as f64),
        _ => None,
    }
}

/// What a file is, and its remarks.
fn about<'m>(
    subject: ShownCompile<'m>,
    artifact: &'m Artifact,
    compared: Option<&Cell<'static>>,
) -> Cell<'m> {
    let record = match &artifact.content {
        Content::Metrics(index) => subject.compile.metrics.get(*index),
        _ => None,
    };
    let words = match (record, &artifact.content) {
        (Some(record), _) => {
            let anchor = format!("#{}", record::anchor(artifact));
            Some(own(metrics::about(record)).at(Some(anchor)))
        }
        (None, Content::DumpFile(_)) => Some("the source of a module that torch generated".into()),
        (None, Content::Link(_)) => Some("a link from the log".into()),
        (None, _) => Some(files::about(&artifact.name)).filter(|words| !words.is_empty()).map(Cell::from),
    };
    let subgraph = artifact.subgraph.as_ref().map(|subgraph| log(format!("subgraph {subgraph}")));
    let pieces = words.into_iter().chain(subgraph).chain(compared.cloned());
    Cell::Beside(pieces.chain(marks(subject.report, artifact)).collect(), ", ")
}

/// What wrote a file: a phase, explained on hover the first time, or another program.
fn phase<'m>((stage, producer): (Stage, Option<&'m str>), first: bool) -> Cell<'m> {
    let (name, about) = match producer {
        Some(producer) => {
            let name = Cell::Code(producer.into());
            (name, "another program, judging by the names")
        }
        None => {
            let (name, about) = stage_words(stage);
            (name.into(), about)
        }
    };
    match first {
        true => name.titled(about),
        false => Cell::Beside(vec![name.span("soft")], ""),
    }
}

/// The file's name with links to its forms. A graph opens in the viewer, which shows how values depend on each other.
fn file<'m>(view: View<'_>, subject: ShownCompile<'m>, artifact: &'m Artifact, viewed: bool) -> Cell<'m> {
    let settings = subject.report.settings;
    if let Content::Link(url) = &artifact.content {
        return Cell::LogLink { words: artifact.name.to_string(), url: url.into() };
    }
    let path = paths::artifact(subject.compile, artifact, settings);
    let folder = subject.compile.folder(0);
    let href = |path: &RelPath| Some(view.href_beside(path, &folder));
    let name = log(match &artifact.path {
        Some(path) => path.to_string(),
        None => format!("{}_{}", short_name(&artifact.name), artifact.number),
    });
    let viewer = viewed.then(|| view.href(&paths::graphs_page(subject.compile)));
    let mut pieces = match viewer {
        Some(page) => {
            vec![name.at(Some(format!("{page}#{}", artifact.number))), Cell::from("text").at(href(&path))]
        }
        None => vec![name.at(href(&path))],
    };
    if let Some(readable) = paths::readable(subject.compile, artifact, settings) {
        let words = match artifact.readable {
            Some(Readable::Code(_)) => "highlighted",
            _ => "readable",
        };
        pieces.push(Cell::from(words).at(href(&readable)));
    }
    if let Content::Payload(at, Form::Code(_) | Form::Guards) = &artifact.content
        && !paths::holds_text(artifact, settings)
    {
        pieces.push(Cell::from("plain text").at(Some(view.href(&paths::payload(at.md5)))));
    }
    Cell::Beside(pieces, " ")
}

/// What is wrong with a file, in words.
fn marks<'m>(report: Report<'m>, artifact: &Artifact) -> impl Iterator<Item = Cell<'m>> {
    let damage =
        report.model.integrity.damage_of(artifact).map(|damage| Cell::from(damage).span("err nowrap"));
    let is_empty = matches!(artifact.content, Content::Empty(_));
    let empty = is_empty.then(|| Cell::from("no payload in the log").span("warn nowrap"));
    let unknown = artifact.unknown.then(|| Cell::from("unknown event").span("warn nowrap"));
    [damage, empty, unknown].into_iter().flatten()
}
